/** The devices of a node that a ConfigMap asks for, found by name. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Contest, CPU, compare, PEAK, perItem, WALL } from '../measure/compare.ts';
import type { Bench, Benchmark } from '../measure/group.ts';
import { race } from '../measure/race.ts';
import type { Row } from '../measure/row.ts';
import { DISCOVER, type Discover } from './contenders/discovery.ts';
import { Disks } from './disks.ts';

const MIB = 2 ** 20;
/** Of each disk. */
const PARTITIONS = 50;
const run = promisify(execFile);

export const discovery: Benchmark = {
  name: 'discovery',
  about:
    'finds real block devices (partitions of loop devices) by links to them in a directory like /dev/disk/by-path, among as many links ' +
    'that the filter does not accept, and reads from /sys what there is to know about each. The limit reads the directory, follows each ' +
    'accepted link and reads nothing but the size of its device.',
  async run(bench) {
    const rows: Row[] = [];
    for (const count of bench.quick ? [10, 100] : [10, 100, 1_000]) rows.push(...(await ofMany(count, bench)));
    return rows;
  },
};

async function ofMany(count: number, bench: Bench): Promise<readonly Row[]> {
  bench.progress(`  making ${count} devices`);
  await using devices = await Partitions.make(count);
  const input: Discover = { directory: devices.directory, count };
  const { limit, ours } = await race(
    {
      limit: { module: import.meta.resolve('./contenders/bare-discovery.ts'), input },
      ours: { module: import.meta.resolve('./contenders/discovery.ts'), input },
    },
    bench,
  );
  const contest: Contest = { what: `find ${count.toLocaleString('en')} devices`, phase: DISCOVER, limit, ours };
  return [
    compare(contest, WALL, { oursAtMost: 1 }),
    compare(contest, perItem(CPU, 'device', count)),
    compare({ what: contest.what, phase: DISCOVER, ours }, PEAK),
  ];
}

class Partitions implements AsyncDisposable {
  readonly directory: string;
  readonly #stack: AsyncDisposableStack;

  private constructor(directory: string, stack: AsyncDisposableStack) {
    this.directory = directory;
    this.#stack = stack;
  }

  static async make(count: number): Promise<Partitions> {
    await using stack = new AsyncDisposableStack();
    const parent = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
    stack.defer(() => rm(parent, { recursive: true }));
    const directory = join(parent, 'by-path');
    await mkdir(directory);
    const disks = stack.use(await Disks.make(Math.ceil(count / PARTITIONS), (PARTITIONS + 1) * MIB));
    for (let index = 0; index < count; index++) {
      const disk = disks.paths[Math.floor(index / PARTITIONS)] ?? '';
      const number = (index % PARTITIONS) + 1;
      await run('addpart', [disk, `${number}`, `${number * 2048}`, '2048']);
      stack.defer(async () => void (await run('delpart', [disk, `${number}`])));
      await symlink(`${disk}p${number}`, join(directory, `pci-0000:00:1f.2-ata-${index}`));
      await symlink(disk, join(directory, `pci-0000:00:1f.2-usb-${index}`));
    }
    return new Partitions(directory, stack.move());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}
