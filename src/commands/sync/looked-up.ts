/** What a recovery would do now: this cluster as it is, the newest export, and the plan that follows from them. */

import { Snapshot } from '../../kit/cache/snapshot.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { inTurns } from '../../kit/in-turns.ts';
import type { KubeClient } from '../../kit/kube/client.ts';
import type { PersistentVolumeSync } from '../../sync/contract.ts';
import { deciding } from '../../sync/recover/decide.ts';
import type { BelievedExport } from '../../sync/recover/found.ts';
import { findExport } from '../../sync/recover/newest.ts';
import type { RecoveryPlan } from '../../sync/recover/plan.ts';
import type { Seen } from '../../sync/recover/seen.ts';
import { syncViews } from '../../sync/views.ts';
import type { SiteOfSync } from './site.ts';

export interface LookedUp {
  readonly found: BelievedExport;
  readonly seen: Seen;
  readonly plan: RecoveryPlan;
}

/** The store has answered, and has no export that may be believed. */
export class NothingToRestore extends Error {
  override readonly name = 'NothingToRestore';
}

/** Rejects with the reason when there is no export that may be believed. */
export async function lookUp(
  client: KubeClient,
  site: SiteOfSync,
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

export async function believed({ sync, store, keys }: SiteOfSync, signal: AbortSignal): Promise<BelievedExport> {
  const { spec } = sync;
  const found = await findExport({ store, spec, status: believedBefore(sync), keys, now: systemClock.now() }, signal);
  if (found.kind === 'waiting') throw new NothingToRestore(`there is nothing to restore: ${found.why}`);
  if (found.kind === 'refused')
    throw new NothingToRestore(`the newest export is not restored: ${found.why}. ${found.remedy}`);
  if (found.kind !== 'export') throw new Error(`the store answered ${found.kind}, and was not asked that`);
  return found;
}

/** What a cluster that exports has written itself is nothing that it has believed. */
const believedBefore = ({ spec, status }: PersistentVolumeSync) => (spec.mode === 'Recovery' ? status : undefined);
