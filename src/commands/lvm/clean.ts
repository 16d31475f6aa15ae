/** `holdfast lvm clean`: what is on a node and belongs to no volume, and how a person has it removed. */
import { basename } from 'node:path';
import type { Command } from 'commander';
import { visible } from '../../kit/visible.ts';
import type { LogicalVolume } from '../../lvm/facts.ts';
import { removeLeftover } from '../../lvm/leftovers.ts';
import { isWanted, type Orphan, orphanInWords } from '../../lvm/orphans.ts';
import { ownerOf } from '../../lvm/tags.ts';
import { isInTrash } from '../../lvm/trash.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { flag } from '../flags/flag.ts';
import { runs } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import type { Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { UsageError } from '../line/usage-error.ts';
import { type Confirmation, confirm, yesFlag } from '../question.ts';
import { type Visitor, visit } from '../visit.ts';
import { hereFlags } from './here.ts';
import { hereOf, type Left, type LeftHere, leftOn, volumesNow } from './left-here.ts';

const flags = {
  ...clusterFlags,
  ...hereFlags,
  yes: yesFlag,
  dryRun: flag('--dry-run', 'say what would be removed, and remove nothing', onOff, { default: 'false' }),
};

const MEANING = `
Only the node itself can look at its logical volumes and mounts: this has to run
there, as root, in the pod of the agent or on the machine (then with
--mount-namespace=own).

Logical volumes that carry our marks and whose volume is gone are removed with
EVERYTHING ON THEM, shredded before if they were to be. So are empty directories
in the mount base that no volume is mounted at. What is in use is left alone.

What is of another cluster, and what is in the trash, is removed only when it is
named: it may still be needed. holdfast lvm restore brings it back instead.`;

const AGREED: Confirmation = {
  question: 'Type remove to remove it: ',
  word: 'remove',
  otherwise: 'nothing was removed',
};

export function addClean(lvm: Command, terminal: Terminal): void {
  const command = lvm
    .command('clean')
    .usage('[NAME...] [flags]')
    .summary('removes what belongs to no volume; runs on the node')
    .description('Lists what is on this node and belongs to no volume, and removes it after a question.')
    .argument('[name...]', 'only these: a path, or a logical volume as VG/LV')
    .addHelpText('after', MEANING);
  addExamples(command, {
    'holdfast lvm clean --node-name=$NODE --dry-run': 'what belongs to no volume here?',
    'holdfast lvm clean --node-name=$NODE': 'remove it, after a question',
    'holdfast lvm clean storage_bulk/data --yes …': 'one of it, from a script',
  });
  runs(command, flags, terminal, async (options) => {
    const named = [...new Set(command.args)];
    await visit('lvm-clean', options, terminal, async (visitor) => {
      const here = await hereOf(visitor, options);
      await clean({ visitor, terminal, here, named }, options);
    });
  });
}

interface Request {
  readonly visitor: Visitor;
  readonly terminal: Terminal;
  readonly here: LeftHere;
  readonly named: readonly string[];
}

async function clean(request: Request, { yes, dryRun }: { yes: boolean; dryRun: boolean }): Promise<void> {
  const { terminal, here, visitor, named } = request;
  const { stdout } = terminal;
  const choice = choiceOf(await leftOn(here, visitor), named, here.node.name);
  stdout.write(choiceInWords(choice, here.node.name));
  if (choice.removed.length === 0) return;
  if (dryRun) return void stdout.write('\nNothing was removed: this is a dry run.\n');
  if (!yes) await confirm(AGREED, terminal, visitor.signal);
  // A person may take their time. Only what they have seen goes, and only if it still belongs to nobody.
  const now = choiceOf(await leftOn(here, visitor), named, here.node.name);
  const agreed = new Set(choice.removed.map(identityOf));
  const failures = await removeAll(
    now.removed.filter((each) => agreed.has(identityOf(each))),
    request,
  );
  if (failures > 0) throw new Error(`${failures} of them could not be removed`);
}

export interface Choice {
  readonly removed: readonly Orphan[];
  /** And why each is not removed. */
  readonly kept: readonly { readonly what: string; readonly why: string }[];
}

/** What goes if a person agrees: of what is named, all that may go; otherwise what nobody can want. */
export function choiceOf({ orphans, trash }: Omit<Left, 'volumes'>, named: readonly string[], node: string): Choice {
  const inTrash = trash.flatMap(({ lv }): Orphan[] => {
    const owner = ownerOf(lv);
    return owner ? [{ kind: 'logical-volume', lv, owner, isOfThisCluster: true }] : [];
  });
  const all = [...orphans, ...inTrash];
  const unknown = named.filter((name) => !all.some((each) => nameOf(each) === name));
  if (unknown.length > 0) throw new UsageError(`${unknown.join(', ')} is nothing on ${node} that belongs to no volume`);
  const removed: Orphan[] = [];
  const kept: { what: string; why: string }[] = [];
  for (const each of all) {
    const why = whyKept(each, named, inTrash, all);
    if (why === undefined) removed.push(each);
    else if (why !== '') kept.push({ what: orphanInWords(each), why });
  }
  return { removed, kept };
}

/** Nothing for what goes; an empty text for what nobody has asked about. */
function whyKept(
  each: Orphan,
  named: readonly string[],
  trash: readonly Orphan[],
  all: readonly Orphan[],
): string | undefined {
  const isNamed = named.includes(nameOf(each));
  if (named.length > 0 && !isNamed) return '';
  if (each.kind === 'mount-point') return whyMountPointKept(each, all);
  if (each.kind === 'thin-pool') return `if no volume is to be made in it, remove it with lvremove ${nameOf(each)}`;
  if (isNamed) return undefined;
  if (trash.includes(each)) return 'it is in the trash: name it to have it removed now';
  return each.isOfThisCluster ? undefined : 'name it to have it removed';
}

/** What is mounted there goes with its logical volume; anything else is somebody's. */
function whyMountPointKept({ mounts }: Orphan & { kind: 'mount-point' }, all: readonly Orphan[]): string | undefined {
  const [mount, ...others] = mounts;
  if (!mount) return undefined;
  const isOfAnOrphan = all.some((each) => each.kind === 'logical-volume' && each.lv.device === mount.device);
  return isOfAnOrphan && others.length === 0 ? undefined : 'something is mounted there: unmount it first';
}

const nameOf = (each: Orphan): string => (each.kind === 'mount-point' ? each.path : `${each.lv.group}/${each.lv.name}`);
const identityOf = (each: Orphan): string => (each.kind === 'mount-point' ? each.path : each.lv.uuid);

function choiceInWords({ removed, kept }: Choice, node: string): string {
  if (removed.length + kept.length === 0) return `Everything on ${node} belongs to a volume.\n`;
  const goes = removed.map((each) => `  ${visible(orphanInWords(each))}\n`);
  const stays = kept.map(({ what, why }) => `  ${visible(what)}: ${why}\n`);
  return [
    ...(goes.length > 0 ? [`To be removed from ${node}, with everything on it:\n`, ...goes] : []),
    ...(stays.length > 0 ? [`Kept:\n`, ...stays] : []),
  ].join('');
}

/** Logical volumes first, so that nothing is mounted any more at the directories. How many could not be removed. */
async function removeAll(orphans: readonly Orphan[], request: Request): Promise<number> {
  let failures = 0;
  for (const kind of ['logical-volume', 'mount-point'] as const)
    for (const orphan of orphans.filter((each) => each.kind === kind)) {
      const why = await remove(orphan, request).catch((error: Error) => error.message);
      request.terminal.stdout.write(
        why === undefined ? `${nameOf(orphan)} is gone\n` : `${nameOf(orphan)} is still there: ${visible(why)}\n`,
      );
      if (why !== undefined) failures += 1;
    }
  return failures;
}

async function remove(orphan: Orphan, { here, visitor, terminal }: Request): Promise<undefined> {
  const { machine, mountBase } = here;
  const { signal } = visitor;
  if (orphan.kind === 'mount-point') {
    if (!(await machine.removeMountPoint(orphan.path))) throw new Error('there are files in it: move them first');
    if ((await machine.namesIn(mountBase)).includes(basename(orphan.path))) throw new Error('it is no directory');
    return undefined;
  }
  if (orphan.kind === 'thin-pool') throw new Error('a thin pool is removed with lvremove');
  const { lv, owner } = orphan;
  // What was removed before it may have taken long, and somebody may have asked for this one since.
  if (isWanted(lv, await volumesNow(visitor))) throw new Error('a volume is to take it over by now');
  const isStill = (now: typeof lv) => isLeftAsItWas(lv, now);
  const does = (step: string) => void terminal.stderr.write(`${nameOf(orphan)}: ${step}\n`);
  await removeLeftover({ lv, path: `${mountBase}/${owner.pv}`, isStill }, machine, { signal, does });
}

/** Who takes it back out of the trash gives it another name first, and writes whose it is only then. */
export const isLeftAsItWas = (was: LogicalVolume, now: LogicalVolume): boolean =>
  ownerOf(now)?.uid === ownerOf(was)?.uid && isInTrash(now) === isInTrash(was);
