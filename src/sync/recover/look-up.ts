/** What a recovery would do now: this cluster as it is, the newest export, and the plan that follows from them. */

import { Snapshot } from '../../kit/cache/snapshot.ts';
import type { Clock } from '../../kit/clock/clock.ts';
import { inTurns } from '../../kit/in-turns.ts';
import type { KubeClient } from '../../kit/kube/client.ts';
import type { PersistentVolumeSync } from '../contract.ts';
import type { Keys } from '../export/keys.ts';
import type { ObjectStore } from '../store/store.ts';
import { syncViews } from '../views.ts';
import { deciding } from './decide.ts';
import type { BelievedExport, DisbeliefFact } from './found.ts';
import { findExport } from './newest.ts';
import type { RecoveryPlan } from './plan.ts';
import type { Seen } from './seen.ts';

/** A resource, the store that it names, and what opens what is there. */
export interface LookedAt {
  readonly sync: PersistentVolumeSync;
  readonly store: ObjectStore;
  readonly keys: Keys;
  readonly clock: Clock;
}

export interface LookedUp {
  readonly found: BelievedExport;
  readonly seen: Seen;
  readonly plan: RecoveryPlan;
}

/** The store has answered, and has no export that may be believed. */
export class NothingToRestore extends Error {
  override readonly name = 'NothingToRestore';
  /** There is one, and it cannot be opened with the keys that there are. */
  readonly isClosed: boolean;

  constructor(message: string, { isClosed = false } = {}) {
    super(message);
    this.isClosed = isClosed;
  }
}

/** Rejects with the reason when there is no export that may be believed. */
export async function lookUp(
  client: KubeClient,
  site: LookedAt,
  signal: AbortSignal,
  progress: (line: string) => void,
): Promise<LookedUp> {
  const found = await believed(site, signal);
  const snapshot = new Snapshot();
  const views = syncViews(snapshot);
  await snapshot.fill(client, { signal }, progress);
  const { classes, volumes, claims, namespaces } = views;
  const expandingClasses = new Set([...classes.keys()].filter((name) => classes.get(name)?.expands));
  const { document, outline } = found;
  const { metadata, spec } = site.sync;
  const seen = { sync: metadata.name ?? '', spec, document, outline, volumes, claims, namespaces, expandingClasses };
  return { found, seen, plan: await inTurns(deciding(seen), signal) };
}

export async function believed({ sync, store, keys, clock }: LookedAt, signal: AbortSignal): Promise<BelievedExport> {
  const { spec } = sync;
  const found = await findExport({ store, spec, status: believedBefore(sync), keys, now: clock.now() }, signal);
  if (found.kind === 'waiting') throw new NothingToRestore(`there is nothing to restore: ${found.why}`);
  if (found.kind === 'refused')
    throw new NothingToRestore(`the newest export is not restored: ${found.why}. ${found.remedy}`, {
      isClosed: CLOSED.has(found.fact),
    });
  if (found.kind !== 'export') throw new Error(`the store answered ${found.kind}, and was not asked that`);
  return found;
}

const CLOSED: ReadonlySet<DisbeliefFact> = new Set(['keyIsMissing', 'keyIsUnknown', 'keyIsWrong']);

/** What a cluster that exports has written itself is nothing that it has believed. */
const believedBefore = ({ spec, status }: PersistentVolumeSync) => (spec.mode === 'Recovery' ? status : undefined);
