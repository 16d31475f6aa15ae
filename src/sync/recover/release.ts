/**
 * Lets go of what was restored: because the resource is being deleted, or because this cluster becomes the protected one. The objects stay,
 * and so does all that others have written to them. It asks the server which they are, since it must not miss one.
 */
import type { Identity } from '../../kit/cache/store.ts';
import { type Clock, sleep } from '../../kit/clock/clock.ts';
import type { KubeObject, ObjectMeta } from '../../kit/kube/resource.ts';
import { keyOfObject } from '../../kit/kube/resource.ts';
import { RECOVERY_LABEL, SYNC_ENABLED, SYNC_LABEL } from '../contract.ts';
import { untied } from './ownership.ts';
import type { Kind, Patch, Target } from './plan.ts';
import { ofLatest, Pass, patch, resourceOf, type Writing, type Written } from './writing.ts';

/** What becomes of the labels of what was restored. */
type Labels = Readonly<Record<string, string | null>>;

interface Restored extends Target, Identity {
  readonly metadata: ObjectMeta;
}

/** They are nobody's afterwards. */
export const release = (writing: Writing): Promise<Written> => relabelled(writing, { [RECOVERY_LABEL]: null });

/** They are in the scope of exports afterwards, or the first export of this cluster would be empty. They stay known as restored. */
export const bringIntoScope = (writing: Writing): Promise<Written> =>
  relabelled(writing, { [SYNC_LABEL]: SYNC_ENABLED });

const MOST_LOOKS = 10;
const BETWEEN_LOOKS_MS = 1_000;

/**
 * An operator that is in the middle of a restore may take labels off which it has not seen coming. They are put back until a look finds
 * all of them; what comes back is what the last look had to write.
 */
export async function keepInScope(writing: Writing, clock: Clock): Promise<Written> {
  for (let looks = 1; ; looks += 1) {
    const written = await bringIntoScope(writing);
    const isSo = written.counts.release === 0 && written.failures.length === 0;
    if (isSo || looks === MOST_LOOKS) return written;
    await sleep(clock, BETWEEN_LOOKS_MS, writing.signal);
  }
}

async function relabelled(writing: Writing, labels: Labels): Promise<Written> {
  const restored = [...(await all(writing, 'PersistentVolume')), ...(await all(writing, 'PersistentVolumeClaim'))];
  const wrong = restored.filter(({ metadata }) => patchOf(metadata, labels) !== undefined);
  const pass = new Pass(writing, wrong.length);
  await pass.each('release', wrong, (target) =>
    ofLatest(writing, target, target, async (identity, object) => {
      const change = patchOf(object?.metadata ?? target.metadata, labels);
      if (change) await patch(writing, target, identity, change);
    }),
  );
  return pass.written;
}

async function all({ client, sync, signal }: Writing, kind: Kind): Promise<readonly Restored[]> {
  const found: Restored[] = [];
  const resource = resourceOf({ kind, key: '' });
  const labelSelector = `${RECOVERY_LABEL}=${sync}`;
  for await (const page of client.pages(resource, { labelSelector, signal }))
    for (const object of page) found.push(restoredOf(kind, object));
  return found;
}

const restoredOf = (kind: Kind, object: KubeObject): Restored => {
  const { uid = '', resourceVersion = '', labels, finalizers, ownerReferences } = object.metadata;
  const metadata = {
    ...(labels && { labels }),
    ...(finalizers && { finalizers }),
    ...(ownerReferences && { ownerReferences }),
  };
  return { kind, key: keyOfObject(object), uid, resourceVersion, metadata };
};

/** Nothing when it is so already. */
function patchOf(metadata: ObjectMeta, labels: Labels): Patch | undefined {
  const wrong = Object.entries(labels).filter(([key, value]) => (metadata.labels?.[key] ?? null) !== value);
  const ties = untied(metadata)?.patch.metadata;
  if (wrong.length === 0 && !ties) return undefined;
  return { metadata: { ...ties, ...(wrong.length > 0 && { labels: Object.fromEntries(wrong) }) } };
}
