/** Carries a decision out: one patch of one volume, which names only what we write. Safe to repeat, and to be cut off. */
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../api/persistent-volumes.ts';
import type { View } from '../kit/cache/store.ts';
import type { Clock } from '../kit/clock/clock.ts';
import { hasReason } from '../kit/kube/api-error.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import type { Volume } from './cached.ts';
import { FIELD_MANAGER, type Policy, SOURCE_ANNOTATION } from './contract.ts';
import type { Label } from './decide.ts';
import type { User } from './seen.ts';

export interface ApplyParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Knows in which version the volume was looked at. */
  readonly volumes: Pick<View<Volume>, 'identityOf'>;
  readonly policy: Pick<Policy, 'provenance'>;
}

/**
 * The volume as it is now; nothing when it is gone. Fails with a conflict when it is another one by now, or is not as it was looked at:
 * a label that somebody has written since then is never written over unseen.
 */
export async function apply(
  decision: Label,
  { name, uid }: Volume,
  { client, clock, volumes, policy }: ApplyParts,
  signal: AbortSignal,
): Promise<PersistentVolume | undefined> {
  const { resourceVersion = '' } = volumes.identityOf(name) ?? {};
  const provenance = policy.provenance ? clock.now() : undefined;
  const options = { preconditions: { uid, resourceVersion }, fieldManager: FIELD_MANAGER, signal };
  try {
    return await client.mergePatch(PERSISTENT_VOLUMES, { name }, patchOf(decision, provenance), options);
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Whether a volume shows that a decision about it was carried out, by us, although no answer said so. */
export const isCarriedOut = ({ labels, nodeAffinity }: Label, before: Volume, now: Volume): boolean =>
  before.uid === now.uid &&
  (!nodeAffinity || now.hasNodeAffinity) &&
  Object.entries(labels).every(([key, value]) => now.labels[key] === value && now.writers[key] === undefined);

function patchOf({ labels, nodeAffinity, sources }: Label, provenance?: Date) {
  const annotations = provenance && { [SOURCE_ANNOTATION]: sourceText(sources, provenance) };
  return {
    metadata: { ...(Object.keys(labels).length > 0 && { labels }), ...(annotations && { annotations }) },
    ...(nodeAffinity && { spec: { nodeAffinity: { required: nodeAffinity } } }),
  };
}

/** Several nodes, where there are several places, are separated by commas, and their pods in the same order. */
function sourceText(sources: readonly User[], time: Date): string {
  const node = sources.map((user) => user.node).join(',');
  const pod = sources.map((user) => user.pod).join(',');
  return JSON.stringify({ node, pod, time: time.toISOString() });
}
