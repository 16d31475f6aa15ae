/** Decides what is left of an object that is being deleted: nothing, or the object marked as deleted for those who still hold it. */
import type { ApiMetadata, ApiObject } from '../api-object.ts';
import type { Kind } from '../kinds/kind.ts';
import { timestamp } from './identifiers.ts';
import { preconditionFailed } from './refusals.ts';
import type { DeleteRequest } from './target.ts';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** What the object becomes, or nothing when it can go at once. The same object where nothing changes. */
export function deletionOf(kind: Kind, live: ApiObject, request: DeleteRequest, now: Date): ApiObject | undefined {
  checkPreconditions(kind, live, request);
  const finalizers = finalizersFor(live.metadata, request);
  const grace = graceFor(kind, live, request);
  const isHeld = finalizers.length > 0 || kind.isHeld(live);
  if (!isHeld && grace === 0) return undefined;
  const marked = marking(live.metadata, grace, now);
  if (marked === undefined && sameNames(finalizers, live.metadata.finalizers)) return live;
  const { finalizers: _, ...metadata } = live.metadata;
  return kind.marked({ ...live, metadata: { ...metadata, ...marked, ...(finalizers.length > 0 && { finalizers }) } });
}

/** What is told at last of an object that goes at once: where deletion is graceful, it has been marked before. */
export function lastOf(kind: Kind, gone: ApiObject, now: Date): ApiObject {
  if (!kind.graceSeconds) return gone;
  return kind.marked({ ...gone, metadata: { ...gone.metadata, ...marking(gone.metadata, 0, now) } });
}

const sameNames = (some: readonly string[], others: readonly string[] = []): boolean =>
  some.length === others.length && some.every((name, index) => name === others[index]);

function checkPreconditions({ resource }: Kind, { metadata }: ApiObject, { preconditions = {} }: DeleteRequest): void {
  const { uid, resourceVersion } = preconditions;
  const { name = '' } = metadata;
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw preconditionFailed(resource, name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw preconditionFailed(resource, name, why);
  }
}

/** How dependents are to be treated is told to the garbage collector by a finalizer. */
function finalizersFor(
  { finalizers = [] }: ApiMetadata,
  { propagationPolicy, orphanDependents }: DeleteRequest,
): string[] {
  const others = finalizers.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  if (propagationPolicy !== undefined || orphanDependents !== undefined) {
    if (propagationPolicy === 'Orphan' || orphanDependents === true) return [...others, ORPHAN];
    return propagationPolicy === 'Foreground' ? [...others, FOREGROUND] : others;
  }
  return [...finalizers];
}

function graceFor({ graceSeconds }: Kind, live: ApiObject, { gracePeriodSeconds }: DeleteRequest): number {
  if (!graceSeconds) return 0;
  const usual = graceSeconds(live);
  return usual === 0 ? 0 : Math.max(0, gracePeriodSeconds ?? usual);
}

/** What is being deleted already may only be hurried. */
function marking(metadata: ApiMetadata, grace: number, now: Date): Partial<ApiMetadata> | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, generation } = metadata;
  if (deletionTimestamp && grace >= deletionGracePeriodSeconds) return undefined;
  const asked = deletionTimestamp ? Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000 : now.getTime();
  return {
    deletionTimestamp: timestamp(new Date(asked + grace * 1000)),
    deletionGracePeriodSeconds: grace,
    ...(!deletionTimestamp && generation !== undefined && generation > 0 && { generation: generation + 1 }),
  };
}

/** Deleted, and nobody holds it any more. */
export const isLetGo = (kind: Kind, object: ApiObject): boolean => {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = object.metadata;
  return (
    deletionTimestamp !== undefined && !deletionGracePeriodSeconds && finalizers.length === 0 && !kind.isHeld(object)
  );
};
