/** Makes this cluster the writer, and what it has restored what it exports: looks first at all that would speak against it. */
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
import { whyNotExport } from '../../sync/protect/may-export.ts';
import { takeOver } from '../../sync/protect/take-over.ts';
import { sizeOf } from '../../sync/recover/apply.ts';
import { lastSeen } from '../../sync/recover/last-seen.ts';
import { type LookedAt, type LookedUp, lookUp, NothingToRestore } from '../../sync/recover/look-up.ts';
import type { Alteration, RecoveryPlan, Target } from '../../sync/recover/plan.ts';
import { bringIntoScope, keepInScope } from '../../sync/recover/release.ts';
import type { Written } from '../../sync/recover/writing.ts';
import type { Terminal } from '../line/command.ts';
import { progressOn } from '../progress.ts';
import { confirm } from '../question.ts';

/** What the person has said on the command line. */
export interface RoleOptions {
  readonly yes: boolean;
  readonly force: boolean;
  readonly allowPlain: boolean;
}

export interface Work {
  readonly client: KubeClient;
  readonly site: LookedAt;
  readonly options: RoleOptions;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

export async function takeTheRole({ client, site, options, terminal, signal }: Work, verb: string): Promise<void> {
  const { sync, store, keys } = site;
  const { name = '' } = sync.metadata;
  const looked = await lookedAt({ client, site, options, terminal, signal });
  if (!('why' in looked)) checkRestored(looked, options);
  checkForm(site, looked, options);
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

/** The end of a failover that was cut off when the mode was set already. */
export async function finishTheRole({ client, site, options, terminal, signal }: Work): Promise<void> {
  const { name = '' } = site.sync.metadata;
  await agreed(options, terminal, signal, {
    question: `${name} is Protected already. What was restored here, and is not labelled to be exported, is labelled.\nType ${name} to go on: `,
    word: name,
    otherwise: 'nothing was changed',
  });
  checkScope(await keepInScope({ client, sync: name, signal }, systemClock));
  terminal.stdout.write(`${name} is Protected, and all that was restored here is labelled to be exported\n`);
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
type Looked = LookedUp | { readonly why: string; readonly isClosed: boolean };

async function lookedAt({ client, site, options, terminal, signal }: Work): Promise<Looked> {
  try {
    return await lookUp(client, site, signal, progressOn(terminal, systemClock));
  } catch (error) {
    if (options.force && error instanceof NothingToRestore) return { why: error.message, isClosed: error.isClosed };
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
function checkRestored({ plan, found }: LookedUp, { force }: RoleOptions): void {
  const open = sizeOf({ ...plan, change: plan.change.filter((each) => !isOnlyOutOfScope(each)) });
  const { refused, held } = plan;
  if (force || (open === 0 && refused.length === 0 && held === undefined)) return;
  throw new Error(
    `not all of ${found.key} is restored here: ${open} objects are to be written and ${refused.length} are refused. See holdfast sync plan; --force takes over without them`,
  );
}

/** What a failover that was cut off has labelled already, and the export has without that label. */
const isOnlyOutOfScope = ({ fields, patch }: Alteration): boolean => {
  const labels = patch.metadata?.labels ?? {};
  return fields.length === 1 && Object.keys(labels).length === 1 && labels[SYNC_LABEL] === null;
};

/** Once the one before is deposed nobody would export at all, or for all to read. */
function checkForm({ sync, keys }: LookedAt, looked: Looked, { allowPlain }: RoleOptions): void {
  const wasEncrypted = 'why' in looked ? looked.isClosed : looked.found.encryption === 'AES-256-GCM';
  const why = whyNotExport(sync.spec, keys, { wasEncrypted: wasEncrypted && !allowPlain });
  if (why !== undefined) throw new Error(`${why}. Nothing was changed`);
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

export async function agreed(
  { yes }: RoleOptions,
  terminal: Terminal,
  signal: AbortSignal,
  confirmation: Parameters<typeof confirm>[0],
): Promise<void> {
  if (!yes) await confirm(confirmation, terminal, signal);
}

export async function setMode(
  client: KubeClient,
  sync: PersistentVolumeSync,
  mode: Mode,
  signal: AbortSignal,
): Promise<void> {
  const { name = '', uid = '' } = sync.metadata;
  const options = { preconditions: { uid }, fieldManager: FIELD_MANAGER, signal };
  await client.mergePatch(PERSISTENT_VOLUME_SYNCS, { name }, { spec: { mode } }, options);
}
