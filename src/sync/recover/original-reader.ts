/**
 * For tests: the recovery of the original, written from its description and with its faults, so that it can be seen that what we export is
 * restored by it. It takes the newest object of any name, by when it was last modified.
 */
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../../api/persistent-volumes.ts';
import { STORAGE_CLASSES } from '../../api/storage-classes.ts';
import { apiVersionOf, type KubeObject, type ObjectMeta, type Resource } from '../../kit/kube/resource.ts';
import type { Listed, ObjectStore } from '../store/store.ts';

export interface RestoredByTheOriginal {
  /** What it has read. */
  readonly key: string;
  readonly namespaces: readonly string[];
  readonly volumes: readonly PersistentVolume[];
  readonly claims: readonly PersistentVolumeClaim[];
}

const MOST = 1024 ** 3;

/** It looks under the name as it is written. */
export async function restoredByTheOriginal(
  store: ObjectStore,
  protectedCluster: string,
  sync: string,
  signal: AbortSignal,
): Promise<RestoredByTheOriginal> {
  const { key } = await newest(store, `${protectedCluster}/`, signal);
  const got = await store.get(key, { most: MOST, signal });
  if (got.kind !== 'found') throw new Error(`panicked: ${key} is not there`);
  const { storage_classes, persistent_volumes, persistent_volume_claims } = JSON.parse(got.body.toString());
  parsed(STORAGE_CLASSES, storage_classes);
  const volumes = parsed(PERSISTENT_VOLUMES, persistent_volumes).map((each) => cleaned(each, sync));
  const claims = parsed(PERSISTENT_VOLUME_CLAIMS, persistent_volume_claims).map((each) => cleaned(each, sync));
  return {
    key,
    namespaces: [...new Set(claims.map(({ metadata }) => metadata.namespace ?? 'default'))],
    volumes: volumes.map(({ spec: { claimRef: _, ...spec } = {}, ...rest }) => ({
      ...rest,
      spec: { ...spec, persistentVolumeReclaimPolicy: 'Retain' },
    })),
    claims: claims.map(({ spec: { volumeName: _, ...spec } = {}, ...rest }) => ({ ...rest, spec })),
  };
}

async function newest(store: ObjectStore, prefix: string, signal: AbortSignal): Promise<Listed> {
  let found: Listed | undefined;
  for await (const each of store.list(prefix, { signal }))
    if (!found || each.modifiedAt >= found.modifiedAt) found = each;
  if (!found) throw new Error(`panicked: nothing is under ${prefix}`);
  return found;
}

/** As its types read them: each says what it is and has metadata, and a name is needed to apply it. */
function parsed<T extends KubeObject>(resource: Resource<T>, objects: unknown): readonly T[] {
  if (!Array.isArray(objects)) throw new Error(`panicked: ${resource.plural} is no list`);
  for (const { apiVersion, kind, metadata } of objects as readonly KubeObject[])
    if (apiVersion !== apiVersionOf(resource) || kind !== resource.kind || !metadata.name)
      throw new Error(`panicked: no ${resource.kind}`);
  return objects;
}

function cleaned<T extends KubeObject & { readonly status?: unknown }>(object: T, sync: string): T {
  const { status: _, ...rest } = object;
  const {
    uid: _uid,
    resourceVersion: _version,
    managedFields: _fields,
    creationTimestamp: _time,
    ...kept
  } = object.metadata;
  const metadata: ObjectMeta = {
    ...kept,
    labels: { ...without(kept.labels, 'volumesyncs.storage.cndev.nl/'), 'volumesyncs.storage.cndev.nl/recovery': sync },
    annotations: without(kept.annotations, 'kubernetes.io/'),
    finalizers: ['volumesyncs.storage.cndev.nl/finalizer'],
    ownerReferences: [
      { apiVersion: 'storage.cndev.nl/v1alpha1', kind: 'PersistentVolumeSync', name: sync, uid: 'its-uid' },
    ],
  };
  return { ...rest, metadata } as T;
}

const without = (texts: ObjectMeta['labels'], part: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(texts ?? {}).filter(([key]) => !key.includes(part)));
