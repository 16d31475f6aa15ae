/** `holdfast sync failover` and `failback`: make this cluster the protected one. Both raise the epoch, which fences the one before. */
import type { Command } from 'commander';
import { clusterUid } from '../../api/namespaces.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { inUnits } from '../../kit/in-words.ts';
import type { KubeClient } from '../../kit/kube/client.ts';
import { visible } from '../../kit/visible.ts';
import {
  FIELD_MANAGER,
  type Mode,
  PERSISTENT_VOLUME_SYNCS,
  type PersistentVolumeSync,
  SYNC_LABEL,
} from '../../sync/contract.ts';
import { manifestKey } from '../../sync/export/names.ts';
import { takeOver } from '../../sync/protect/take-over.ts';
import { adopt, adoptable } from '../../sync/recover/adopt.ts';
import { sizeOf } from '../../sync/recover/apply.ts';
import { lastSeen } from '../../sync/recover/last-seen.ts';
import { type LookedUp, lookUp, NothingToRestore } from '../../sync/recover/look-up.ts';
import type { RecoveryPlan, Target } from '../../sync/recover/plan.ts';
import { bringIntoScope, keepInScope } from '../../sync/recover/release.ts';
import type { Written } from '../../sync/recover/writing.ts';
import { flag } from '../flags/flag.ts';
import { type OptionsOf, runs } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import type { Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { progressOn } from '../progress.ts';
import { confirm, yesFlag } from '../question.ts';
import { visit } from '../visit.ts';
import { type SiteOfSync, siteFlags, siteOf } from './site.ts';

const flags = {
  ...siteFlags,
  yes: yesFlag,
  force: flag(
    '--force',
    'also when not all of the newest export is restored here yet, or there is none that can be',
    onOff,
    { default: 'false' },
  ),
};
type Options = OptionsOf<typeof flags>;

const MEANING = `
What happens, in this order; it can be cut off and started again at any point:
  1. The pointer in the store gets the next epoch and the uid of this cluster.
     From then on the one before cannot export any more, and says that it is
     deposed, also when it comes back only after days.
  2. All that was restored is labelled to be exported.
  3. spec.mode of the PersistentVolumeSync becomes Protected.
  4. The labels are looked at once more, until nobody takes them off.
What was changed on the protected cluster after its last export is not here.`;

export function addFailover(sync: Command, terminal: Terminal): void {
  const command = sync
    .command('failover')
    .usage('[flags]')
    .summary('make this recovery cluster the protected one')
    .description('Makes this recovery cluster the protected one. Asks first.')
    .addHelpText('after', MEANING);
  addExamples(command, {
    'holdfast sync plan': 'look first: is all of it restored?',
    'holdfast sync failover --secret pvsync-operator/pvsync': 'with the credentials of the operator',
  });
  runs(command, flags, terminal, (options) =>
    visit('sync-failover', options, terminal, async ({ client, signal }) => {
      await using site = await siteOf(client, options, terminal, signal);
      const { name } = site.sync.metadata;
      if (site.sync.spec.mode !== 'Recovery')
        throw new Error(`${name} is ${site.sync.spec.mode} already: failover is for a recovery cluster`);
      await takeTheRole({ client, site, options, terminal, signal }, 'failover');
    }),
  );
}

const FAILBACK = `
Run it on the cluster that was protected before the failover, when it is back.
It follows the other one first: its PersistentVolumeSync becomes Recovery. Run
it again when "holdfast status sync" says that all is in sync, and it takes
over as failover does; the other cluster is deposed then. Set spec.mode of that
one to Recovery, and it follows.`;

export function addFailback(sync: Command, terminal: Terminal): void {
  const command = sync
    .command('failback')
    .usage('[flags]')
    .summary('make the cluster that was deposed the protected one again')
    .description(
      'Brings the role back to a cluster that was deposed: it follows first, and takes over then. Asks first.',
    )
    .addHelpText('after', FAILBACK);
  addExamples(command, {
    'holdfast sync failback --secret pvsync-operator/pvsync': 'twice: to follow, and to take over',
  });
  runs(command, flags, terminal, (options) =>
    visit('sync-failback', options, terminal, async ({ client, signal }) => {
      await using site = await siteOf(client, options, terminal, signal);
      const work = { client, site, options, terminal, signal };
      if (site.sync.spec.mode === 'Protected') await follow(work);
      else await takeTheRole(work, 'failback');
    }),
  );
}

interface Work {
  readonly client: KubeClient;
  readonly site: SiteOfSync;
  readonly options: Options;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

async function follow({ client, site, options, terminal, signal }: Work): Promise<void> {
  const { sync } = site;
  const { name = '' } = sync.metadata;
  const isDeposed = sync.status?.conditions?.some(({ type, status }) => type === 'Deposed' && status === 'True');
  if (!isDeposed && !options.force)
    throw new Error(
      `${name} is not deposed: nobody has taken over from this cluster, and there is nothing to fail back to`,
    );
  await agreed(options, terminal, signal, {
    question: `${name} was deposed. Let this cluster follow the one that took over?\nType ${name} to go on: `,
    word: name,
    otherwise: 'nothing was changed',
  });
  const { seen } = await lookUp(client, site, signal, progressOn(terminal, systemClock));
  const { counts, failures } = await adopt({ client, sync: name, signal }, adoptable(seen));
  if (failures[0])
    throw new Error(
      `${failures.length} objects could not be labelled: ${failures[0].error.message}. Run failback again`,
    );
  terminal.stdout.write(`${counts.change} volumes and claims that both clusters have follow the other one now\n`);
  await setMode(client, sync, 'Recovery', signal);
  terminal.stdout.write(
    `${name} is Recovery now. When "holdfast status sync" says that it is in sync, run this command again to take over.\n`,
  );
}

async function takeTheRole({ client, site, options, terminal, signal }: Work, verb: string): Promise<void> {
  const { sync, store, keys } = site;
  const { name = '' } = sync.metadata;
  const looked = await lookedAt({ client, site, options, terminal, signal });
  if (!('why' in looked)) checkRestored(looked, options);
  await agreed(options, terminal, signal, {
    question: `${questionOf(sync, looked, store.description)}\nType ${name} to go on: `,
    word: name,
    otherwise: 'nothing was changed',
  });
  const cluster = sync.spec.protectedCluster;
  const uid = await clusterUid(client, signal);
  const known = { knownEpoch: knownEpoch(sync), ...(options.force ? {} : restoredBy(cluster, looked)) };
  const taken = await takeOver({ store, cluster, clusterUid: uid, keys, clock: systemClock, ...known }, signal);
  terminal.stdout.write(`epoch ${taken.epoch}: this cluster is the writer of ${cluster} now\n`);
  if (!taken.fenced)
    terminal.stdout.write(
      'the store does not keep two writers apart: make sure that the cluster before is really gone\n',
    );
  const { counts, failures } = await bringIntoScope({ client, sync: name, signal });
  if (failures[0])
    throw new Error(
      `${failures.length} objects could not be labelled: ${failures[0].error.message}. Run ${verb} again`,
    );
  terminal.stdout.write(`${counts.release} restored objects are labelled to be exported\n`);
  const others = 'why' in looked ? [] : leftOut(looked);
  if (others.length > 0) terminal.stdout.write(`${leftOutInWords(others)}\n`);
  if (!('why' in looked)) terminal.stdout.write(notHereInWords(looked.plan));
  await setMode(client, sync, 'Protected', signal);
  checkScope(await keepInScope({ client, sync: name, signal }, systemClock));
  terminal.stdout.write(
    `${name} is Protected now. The other cluster is deposed: to let it follow, set its spec.mode to Recovery\n`,
  );
}

/** What is not in scope is not exported, and lost to all that follow this cluster. */
export function checkScope({ counts, failures }: Written): void {
  const open = counts.release + failures.length;
  if (open === 0) return;
  const why = failures[0] ? `: ${failures[0].error.message}` : '';
  throw new Error(
    `this cluster is Protected now, but ${open} of the restored objects lose the label ${SYNC_LABEL} again and are not exported${why}. Find out who takes it off, and label them`,
  );
}

/** Why there is no export that could be restored is enough for who takes over without one: what was restored before is here all the same. */
type Looked = LookedUp | { readonly why: string };

async function lookedAt({ client, site, options, terminal, signal }: Work): Promise<Looked> {
  try {
    return await lookUp(client, site, signal, progressOn(terminal, systemClock));
  } catch (error) {
    if (options.force && error instanceof NothingToRestore) return { why: error.message };
    throw error;
  }
}

/** An export that comes after it was looked at is not restored here, and must not be lost for that. One of the original has no manifest. */
function restoredBy(cluster: string, looked: Looked): { readonly restored?: string | null } {
  if ('why' in looked) return {};
  const { epoch, sequence } = looked.found;
  return { restored: epoch === undefined || sequence === undefined ? null : manifestKey(cluster, epoch, sequence) };
}

/** Also when the store was lost, and says nothing of it: a cluster that comes back must find a higher one than its own. */
export function knownEpoch({ spec, status }: Pick<PersistentVolumeSync, 'spec' | 'status'>): number {
  const { newest } = lastSeen(spec, status);
  return newest?.epoch ?? 0;
}

const MOST_NAMED = 20;

/** What was taken over without: it is named, since nobody who follows this cluster will ever hear of it again. */
export function notHereInWords({ create, refused, held }: Pick<RecoveryPlan, 'create' | 'refused' | 'held'>): string {
  const missing = [...create, ...(held?.create ?? [])].map(({ kind, key }) => `${kind} ${key} was not created yet`);
  const lines = [...missing, ...refused.map(({ kind, key, fact }) => `${kind} ${key} is refused: ${fact}`)];
  if (lines.length === 0) return '';
  const more = lines.length > MOST_NAMED ? [`and ${lines.length - MOST_NAMED} more`] : [];
  const shown = [...lines.slice(0, MOST_NAMED), ...more].map((line) => `  ${visible(line)}\n`).join('');
  return `not as it stands in the export, and not exported as such by this cluster:\n${shown}`;
}

/** Objects of the export that somebody else has made here. They are not ours to label, and so are not exported by this cluster. */
export const leftOut = ({ plan, seen }: Pick<LookedUp, 'plan' | 'seen'>): readonly Target[] =>
  plan.present.filter(({ kind, key }) => {
    const local = kind === 'PersistentVolume' ? seen.volumes.get(key) : seen.claims.get(key);
    return local?.captured === undefined;
  });

const leftOutInWords = ([first, ...more]: readonly Target[]): string =>
  `${first?.kind} ${first?.key}${more.length > 0 ? ` and ${more.length} more` : ''} of the export are here by somebody else, and are not exported: label what is to be. "holdfast sync plan" shows them with "leave"`;

/** What is not restored would not be exported by this cluster either, and so be lost to all that follow it. */
function checkRestored({ plan, found }: LookedUp, { force }: Options): void {
  const open = sizeOf(plan);
  const { refused, held } = plan;
  if (force || (open === 0 && refused.length === 0 && held === undefined)) return;
  throw new Error(
    `not all of ${found.key} is restored here: ${open} objects are to be written and ${refused.length} are refused. See holdfast sync plan; --force takes over without them`,
  );
}

function questionOf({ spec }: PersistentVolumeSync, looked: Looked, where: string): string {
  return [
    `This cluster becomes the protected cluster ${spec.protectedCluster}, with its exports in ${where}.`,
    'why' in looked ? `What is not here already is lost: ${looked.why}.` : ageOf(looked),
    'The cluster that is protected now cannot export any more.',
  ].join('\n');
}

function ageOf({ found }: LookedUp): string {
  const confirmedAt = found.confirmedAt ?? found.exportedAt;
  const age = Math.max(0, systemClock.now().getTime() - Date.parse(confirmedAt));
  return `The newest export was up to date ${inUnits(age)} ago; what was changed since is lost.`;
}

async function agreed(
  { yes }: Options,
  terminal: Terminal,
  signal: AbortSignal,
  confirmation: Parameters<typeof confirm>[0],
): Promise<void> {
  if (!yes) await confirm(confirmation, terminal, signal);
}

async function setMode(client: KubeClient, sync: PersistentVolumeSync, mode: Mode, signal: AbortSignal): Promise<void> {
  const { name = '', uid = '' } = sync.metadata;
  const options = { preconditions: { uid }, fieldManager: FIELD_MANAGER, signal };
  await client.mergePatch(PERSISTENT_VOLUME_SYNCS, { name }, { spec: { mode } }, options);
}
