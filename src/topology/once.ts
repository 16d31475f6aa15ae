/** Labels all volumes once, and says what became of each that was not as it should be. */
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import type { Snapshot } from '../kit/cache/snapshot.ts';
import type { Clock } from '../kit/clock/clock.ts';
import { hasReason } from '../kit/kube/api-error.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import { mayHaveHappened } from '../kit/kube/retry.ts';
import { apply, isCarriedOut } from './apply.ts';
import type { Volume } from './cached.ts';
import type { Policy } from './contract.ts';
import { atOnce, decide, type Label } from './decide.ts';
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

export interface OnceParts {
  readonly snapshot: Snapshot;
  readonly views: TopologyViews;
  readonly client: KubeClient;
  readonly policy: Policy;
  /** Which volumes were chosen. */
  readonly selector: string;
  readonly dryRun: boolean;
  readonly clock: Clock;
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
export async function labelAll(parts: OnceParts): Promise<readonly Labelled[]> {
  const names = [...parts.views.volumes.keys()].sort();
  const results = new Map<string, Labelled>();
  const left = names.values();
  let done = 0;
  const worker = async () => {
    for (const name of left) {
      if (parts.signal.aborted) return;
      const result = await labelOne(parts, name);
      if (result) results.set(name, result);
      parts.progress(++done, names.length);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return names.flatMap((name) => results.get(name) ?? []);
}

/** Nothing when there was nothing to do. Places are not given up: one look cannot tell for how long nobody has been there. */
async function labelOne(parts: OnceParts, name: string): Promise<Labelled | undefined> {
  const { views, policy, dryRun, signal } = parts;
  let last: Failed | undefined;
  for (let attempt = 1; ; attempt++) {
    const seen = look(views, name);
    if (!seen) return undefined;
    if (last && isCarriedOut(last.decision, last.volume, seen.volume)) return { ...last.row, outcome: 'labelled' };
    if (last && attempt > last.mostAttempts) return last.row;
    const wanted = decide(seen, policy);
    const decision = wanted.do === 'label' ? atOnce(wanted) : undefined;
    if (!decision) return undefined;
    const row = rowOf(seen.volume, decision);
    if (dryRun) return { ...row, outcome: 'wouldBeLabelled' };
    try {
      const written = await apply(decision, seen.volume, { ...parts, volumes: views.volumes }, signal);
      return { ...row, outcome: written ? 'labelled' : 'gone' };
    } catch (error) {
      if (signal.aborted && error === signal.reason) return { ...row, outcome: 'cutOff' };
      const failed = { ...row, outcome: 'failed', error: messageOf(error) } as const;
      const mostAttempts = attemptsAfter(error);
      if (mostAttempts === 0) return failed;
      last = { decision, volume: seen.volume, row: failed, mostAttempts };
      const isThere = await lookAgain(parts, name).catch(() => 'unknown' as const);
      if (isThere !== true) return isThere === 'unknown' ? failed : { ...row, outcome: 'gone' };
    }
  }
}

/** An attempt that failed, and may have happened all the same. */
interface Failed {
  readonly decision: Label;
  readonly volume: Volume;
  readonly row: Labelled;
  readonly mostAttempts: number;
}

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
