/** Labels all volumes once, and says what became of each that was not as it should be, in Events, too, as the running job does. */
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import type { Snapshot } from '../kit/cache/snapshot.ts';
import type { Clock } from '../kit/clock/clock.ts';
import { ApiError, hasReason } from '../kit/kube/api-error.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import { mayHaveHappened } from '../kit/kube/retry.ts';
import type { Occurrence } from '../kit/observe/event.ts';
import type { EventRecorder } from '../kit/observe/events.ts';
import { apply, isCarriedOut } from './apply.ts';
import type { Volume } from './cached.ts';
import type { Policy } from './contract.ts';
import { atOnce, decide, type Label, nodesWithoutTopology } from './decide.ts';
import { failed, leftAlone, nodeWithoutTopology, replaced } from './events.ts';
import { explain, type Fact, type Reason } from './reasons.ts';
import { look, type TopologyViews } from './seen.ts';

export interface Labelled {
  readonly volume: string;
  readonly claim: string;
  readonly node: string;
  readonly pod: string;
  readonly changes: readonly { readonly key: string; readonly from: string; readonly to: string }[];
  readonly nodeAffinity: boolean;
  readonly outcome: 'labelled' | 'wouldBeLabelled' | 'gone' | 'failed' | 'cutOff';
  /** Why it failed. */
  readonly error?: string;
}

/** A volume that is not as its nodes say all the same, which a person should know. */
export interface Trouble {
  readonly volume: string;
  readonly claim: string;
  readonly code: Fact;
  readonly why: string;
}

export interface LabelledOnce {
  /** How many were looked at. */
  readonly volumes: number;
  readonly changes: readonly Labelled[];
  readonly troubles: readonly Trouble[];
}

export interface OnceParts {
  readonly snapshot: Snapshot;
  readonly views: TopologyViews;
  readonly client: KubeClient;
  readonly policy: Policy;
  /** Which volumes were chosen. */
  readonly selector: string;
  readonly dryRun: boolean;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  readonly signal: AbortSignal;
  readonly progress: (done: number, of: number) => void;
}

/** As many as the client has connections. */
const CONCURRENCY = 32;
/** A volume that somebody else changes at the same moment is tried so often. */
const CHANGED_ATTEMPTS = 5;
/** And one whose write had no answer, where the client has tried several times already. */
const UNANSWERED_ATTEMPTS = 2;

/**
 * In the order of the volumes' names. A volume that fails does not keep the others from being labelled. When the signal is aborted, no
 * further volume is begun, and what was done is told all the same.
 */
export async function labelAll(parts: OnceParts): Promise<LabelledOnce> {
  const names = [...parts.views.volumes.keys()].sort();
  const changes = new Map<string, Labelled>();
  const troubles = new Map<string, Trouble>();
  const bare = new Set<string>();
  const left = names.values();
  let done = 0;
  const worker = async () => {
    for (const name of left) {
      if (parts.signal.aborted) return;
      const result = await labelOne(parts, name);
      if (result) changes.set(name, result.row);
      const trouble = result?.row.outcome === 'gone' ? undefined : troubleOf(parts, name);
      if (trouble) troubles.set(name, trouble.row);
      for (const told of [result?.told, trouble?.told]) if (told) parts.recorder.record(told);
      for (const node of bareNodesOf(parts, name)) bare.add(node);
      parts.progress(++done, names.length);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  for (const node of bare) parts.recorder.record(nodeWithoutTopology(node, uidOfNode(parts, node)));
  const inOrder = <T>(rows: ReadonlyMap<string, T>) => names.flatMap((name) => rows.get(name) ?? []);
  return { volumes: names.length, changes: inOrder(changes), troubles: inOrder(troubles) };
}

/** Something to be printed, and what people are told of it in an Event, if they are. */
interface Result<Row> {
  readonly row: Row;
  readonly told?: Occurrence | undefined;
}

/** Nothing when there was nothing to do. Places are not given up: one look cannot tell for how long nobody has been there. */
async function labelOne(parts: OnceParts, name: string): Promise<Result<Labelled> | undefined> {
  const { views, policy, dryRun, signal } = parts;
  let last: Failed | undefined;
  for (let attempt = 1; ; attempt++) {
    const seen = look(views, name);
    if (!seen) return undefined;
    if (last && isCarriedOut(last.decision, last.volume, seen.volume)) return labelled(last.volume, last.decision);
    if (last && attempt > last.mostAttempts) return last.result;
    const wanted = decide(seen, policy);
    const decision = wanted.do === 'label' ? atOnce(wanted) : undefined;
    if (!decision) return undefined;
    const row = rowOf(seen.volume, decision);
    if (dryRun) return { row: { ...row, outcome: 'wouldBeLabelled' } };
    try {
      const written = await apply(decision, seen.volume, { ...parts, volumes: views.volumes }, signal);
      return written ? labelled(seen.volume, decision) : { row: { ...row, outcome: 'gone' } };
    } catch (error) {
      if (signal.aborted && error === signal.reason) return { row: { ...row, outcome: 'cutOff' } };
      const result = refused(seen.volume, decision, error);
      const mostAttempts = attemptsAfter(error);
      if (mostAttempts === 0) return result;
      last = { decision, volume: seen.volume, result, mostAttempts };
      const isThere = await lookAgain(parts, name).catch(() => 'unknown' as const);
      if (isThere !== true) return isThere === 'unknown' ? result : { row: { ...row, outcome: 'gone' } };
    }
  }
}

/** An attempt that failed, and may have happened all the same. */
interface Failed {
  readonly decision: Label;
  readonly volume: Volume;
  readonly result: Result<Labelled>;
  readonly mostAttempts: number;
}

const labelled = (volume: Volume, decision: Label): Result<Labelled> => ({
  row: { ...rowOf(volume, decision), outcome: 'labelled' },
  told: replaced(volume, decision.replaced),
});

/** Who changed it at the same moment is no trouble, and a server that does not answer could not be told of it. */
const refused = (volume: Volume, decision: Label, error: unknown): Result<Labelled> => ({
  row: { ...rowOf(volume, decision), outcome: 'failed', error: messageOf(error) },
  told: error instanceof ApiError && !hasReason(error, 'Conflict') ? failed(volume, error) : undefined,
});

/** What a person should know of a volume, whatever was or was not written to it. */
function troubleOf({ views, policy }: OnceParts, name: string): Result<Trouble> | undefined {
  const seen = look(views, name);
  const decision = seen && decide(seen, policy);
  const because = decision?.do === 'nothing' ? decision.because : decision?.trouble;
  if (!seen || !because) return undefined;
  const told = leftAlone(seen.volume, because);
  return told || because.fact === 'nodeHasNoTopology' ? { row: troubleRow(seen.volume, because), told } : undefined;
}

const troubleRow = ({ name, claim }: Volume, because: Reason): Trouble => ({
  volume: name,
  claim: claim?.key ?? '',
  code: because.fact,
  why: explain(because),
});

function bareNodesOf({ views, policy }: OnceParts, name: string): readonly string[] {
  const seen = look(views, name);
  return seen ? nodesWithoutTopology(seen, policy) : [];
}

const uidOfNode = ({ views }: OnceParts, node: string): string => views.nodes.identityOf(node)?.uid ?? '';

/** How often a volume is tried at the most, after a failure that looking again may help with; 0 when it does not. */
function attemptsAfter(error: unknown): number {
  if (hasReason(error, 'Conflict')) return CHANGED_ATTEMPTS;
  return mayHaveHappened(error) ? UNANSWERED_ATTEMPTS : 0;
}

/** Whether the volume is still there, and one of those that were chosen. */
async function lookAgain({ snapshot, client, selector, signal }: OnceParts, name: string): Promise<boolean> {
  const selection = { fieldSelector: `metadata.name=${name}`, labelSelector: selector };
  const { items } = await client.list(PERSISTENT_VOLUMES, { ...selection, signal });
  for (const volume of items) snapshot.put(PERSISTENT_VOLUMES, volume);
  return items.length > 0;
}

const rowOf = (volume: Volume, { labels, nodeAffinity, sources: [source] }: Label) => ({
  volume: volume.name,
  claim: volume.claim?.key ?? '',
  node: source?.node ?? '',
  pod: source?.pod ?? '',
  changes: Object.entries(labels).map(([key, to]) => ({ key, from: volume.labels[key] ?? '', to })),
  nodeAffinity: nodeAffinity !== undefined,
});

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
