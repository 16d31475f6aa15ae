/** Many volumes declared at the same moment, and then all of them looked at again with nothing to do. */
import { setup } from '../../test/harness/built.ts';
import type { RawObject } from '../../test/harness/raw-client.ts';
import { LvmNode, MIB, type PersistentVolume, PREFIX } from '../../test/lab/node/lvm-node.ts';
import { median } from '../measure/figures.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import type { Row } from '../measure/row.ts';

const VOLUMES = '/api/v1/persistentvolumes';
const SIZE_MIB = 32;
const SIZES = [5, 50, 200];
const QUICK_SIZES = [5];
const LEAST_FOR_TARGET = 50;
const AT_ONCE = 50;
/** As it is shipped. */
const QUIET = '--debug=false';
/** The whole node is looked at again and again, so that one of these passes can be waited for. */
const RESYNC = '--resync-period=5s';

export const volumesAtOnce: Benchmark = {
  name: 'volumes at once',
  about:
    'declares 5, 50 and 200 volumes of 32 MiB at once and waits until each is mounted and its object says so; the limit is a loop of a shell that runs ' +
    'lvcreate, mkfs.ext4, mkdir and mount for each, one after the other. Both take turns at being first. Commands are counted by the ' +
    "agent itself. Then 200 volumes are there, and one pass over them is looked at: nothing is to be done, and the agent's commands are counted.",
  async run(bench) {
    await setup();
    const sizes = (bench.quick ? QUICK_SIZES : SIZES).filter((size) => size <= bench.largest);
    const looked = bench.quick ? 10 : 200;
    await using node = await LvmNode.start([(looked + Math.max(0, ...sizes)) * 2 * SIZE_MIB * MIB]);
    const agent = await node.agent(QUIET);
    const rows: Row[] = [];
    for (const size of sizes) rows.push(...(await atOnce(size, node, bench)));
    agent.kill('SIGTERM');
    await agent.ended();
    return [...rows, ...(await withNothingToDo(looked, node, bench))];
  },
};

async function atOnce(made: number, node: LvmNode, bench: Bench): Promise<readonly Row[]> {
  const runs: { readonly bare: number; readonly ours: number; readonly commands: number }[] = [];
  for (let round = 1; round <= bench.rounds; round++) {
    const last = await oneRound(round, made, node);
    runs.push(last);
    bench.progress(
      `  ${made} volumes, round ${round} of ${bench.rounds}: ${last.ours.toFixed(1)} s beside ${last.bare.toFixed(1)} s, ${last.commands} commands`,
    );
  }
  const what = `${made} volumes at once`;
  return [
    {
      what,
      figure: 'time on the wall',
      unit: 's',
      limit: median(runs.map(({ bare }) => bare)),
      ours: median(runs.map(({ ours }) => ours)),
      ratio: median(runs.map(({ ours, bare }) => ours / bare)),
      /** Of a few, most of the time is that of one look at everything, which a bare loop has not. */
      ...(made >= LEAST_FOR_TARGET && { target: { ratioAtMost: 1.1 } }),
    },
    {
      what,
      figure: 'commands per volume',
      unit: '',
      limit: 4,
      ours: median(runs.map(({ commands }) => commands)) / made,
      ...(made >= LEAST_FOR_TARGET && { target: { oursAtMost: 4 - 1 / made } }),
    },
  ];
}

async function oneRound(round: number, count: number, node: LvmNode) {
  const bareFirst = round % 2 === 1;
  const bareBefore = bareFirst ? await byHand(round, count, node) : undefined;
  const before = await commandsOf(node);
  const names = Array.from({ length: count }, (_, index) => `ours-${round}-${index}`);
  const started = performance.now();
  await declareAll(names, node);
  const ours = (performance.now() - started) / 1000;
  const commands = (await commandsOf(node)) - before;
  await removeAll(names, node);
  const bare = bareBefore ?? (await byHand(round, count, node));
  return { bare, ours, commands };
}

const BARE_LOOP = `
set -e
for number in $(seq 1 "$1"); do
  name=bare-$2-$number
  lvcreate --yes --wipesignatures y --zero y --size "$3"M --name "$name" storage_bulk >/dev/null
  mkfs.ext4 -q -F "/dev/storage_bulk/$name"
  mkdir -p "/mnt/bare/$name"
  mount -o noexec "/dev/storage_bulk/$name" "/mnt/bare/$name"
done`;

const UNDO = `
for mounted in /mnt/bare/*; do umount "$mounted"; rmdir "$mounted"; done
lvremove --yes --select 'lv_name=~^bare-' storage_bulk >/dev/null`;

/** Seconds. */
async function byHand(round: number, count: number, { guest }: LvmNode): Promise<number> {
  const started = performance.now();
  const args = ['sh', '-c', BARE_LOOP, 'sh', `${count}`, `${round}`, `${SIZE_MIB}`];
  const { status, stderr } = await guest.run(args, { timeout: 900_000 });
  const seconds = (performance.now() - started) / 1000;
  if (status !== 0) throw new Error(`the bare commands ended with ${status}: ${stderr}`);
  await guest.output('sh', '-c', UNDO);
  return seconds;
}

/** Resolves when all that there are then are ready. */
async function declareAll(names: readonly string[], node: LvmNode, inAll = names.length): Promise<void> {
  await Promise.all(names.map((name) => node.declare(name, { storage: `${SIZE_MIB}Mi` })));
  await node.eventually('all volumes to be ready', async () => {
    const ready = (await volumes(node)).filter(
      (each) => each.metadata.annotations?.[`${PREFIX}status`] === 'Processed',
    );
    if (ready.length < inAll) throw new Error(`${ready.length} of ${inAll} are ready`);
  });
}

async function removeAll(names: readonly string[], node: LvmNode): Promise<void> {
  await Promise.all(names.map((name) => node.delete(name)));
  await node.eventually('all volumes to be gone', async () => {
    const left = await volumes(node);
    if (left.length > 0) throw new Error(`${left.length} are left`);
  });
}

async function volumes({ plane }: LvmNode): Promise<readonly PersistentVolume[]> {
  const { items } = await plane.admin.get<RawObject & { readonly items: readonly PersistentVolume[] }>(VOLUMES);
  return items;
}

async function withNothingToDo(count: number, node: LvmNode, bench: Bench): Promise<readonly Row[]> {
  bench.progress(`  making ${count} volumes`);
  await node.agent(QUIET, RESYNC);
  const names = Array.from({ length: count }, (_, index) => `steady-${index}`);
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = names.slice(from, from + AT_ONCE);
    await declareAll(some, node, from + some.length);
  }
  const figures: number[] = [];
  for (let pass = 0; pass < bench.rounds; pass++) figures.push(await commandsOfAPass(count, node));
  return [
    {
      what: `a pass over ${count} volumes with nothing to do`,
      figure: 'commands',
      unit: '',
      ours: median(figures),
      target: { oursAtMost: 3 },
    },
  ];
}

/** Between two moments at which every volume has been looked at as often as any other. */
async function commandsOfAPass(count: number, node: LvmNode): Promise<number> {
  const start = await metric('controller_runtime_reconcile_total', node);
  const before = await commandsOf(node);
  await node.eventually('a pass', async () => {
    const looks = (await metric('controller_runtime_reconcile_total', node)) - start;
    if (looks < count) throw new Error(`${looks} of ${count} looks`);
  });
  return (await commandsOf(node)) - before;
}

const commandsOf = (node: LvmNode): Promise<number> => metric('holdfast_lvm_commands_total', node);

async function metric(name: string, node: LvmNode): Promise<number> {
  const text = await node.metrics();
  const counts = text.matchAll(new RegExp(`^${name}\\{.*\\} (?<count>\\S+)$`, 'gm'));
  return counts.reduce((sum, { groups }) => sum + Number(groups?.count), 0);
}
