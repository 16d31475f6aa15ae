import { describe, expect, it } from 'vitest';
import { FINALIZER, PREFIX } from './contract.ts';
import { isAskedTheSame, isReasonToLook, type Volume, volumeOf } from './volume.ts';

function read(
  changes: {
    annotations?: Record<string, string>;
    spec?: object;
    uid?: string;
    phase?: string;
    deletionTimestamp?: string;
    finalizers?: string[];
  } = {},
): Volume {
  const volume = volumeOf({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: 'data',
      uid: changes.uid ?? 'uid-1',
      annotations: changes.annotations ?? {},
      finalizers: changes.finalizers ?? [],
      ...(changes.deletionTimestamp && { deletionTimestamp: changes.deletionTimestamp }),
    },
    spec: { capacity: { storage: '1Gi' }, local: { path: '/mnt/pv/data' }, ...changes.spec },
    status: { phase: changes.phase ?? 'Pending' },
  });
  if (!volume) throw new Error('that is a local volume');
  return volume;
}

describe('what is asked of a volume', () => {
  it.each<[string, Parameters<typeof read>[0]]>([
    ['its phase', { phase: 'Available' }],
    ['its claim', { spec: { claimRef: { namespace: 'a', name: 'b' } } }],
    ['what we have written about it', { annotations: { [`${PREFIX}status`]: 'Processed', [`${PREFIX}message`]: 'm' } }],
  ])('stays the same when others change %s', (_, changes) => {
    expect(isAskedTheSame(read(), read(changes))).toBe(true);
  });

  it.each<[string, Parameters<typeof read>[0]]>([
    ['an option', { annotations: { [`${PREFIX}fsType`]: 'xfs' } }],
    ['its size', { spec: { capacity: { storage: '2Gi' } } }],
    ['it for another of the same name', { uid: 'uid-2' }],
    ['that it is to be there', { deletionTimestamp: '2026-01-01T00:00:00Z' }],
  ])('is something else when somebody changes %s', (_, changes) => {
    expect(isAskedTheSame(read(), read(changes))).toBe(false);
  });
});

describe('a volume is looked at again', () => {
  const retained = { persistentVolumeReclaimPolicy: 'Retain' };
  const deleted = { persistentVolumeReclaimPolicy: 'Delete' };

  it.each<[string, Parameters<typeof read>[0], Parameters<typeof read>[0]]>([
    ['its option changes', {}, { annotations: { [`${PREFIX}fsType`]: 'xfs' } }],
    ['it is deleted', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }],
    ['it is claimed', {}, { spec: { claimRef: { namespace: 'a', name: 'b' } } }],
    ['nobody has its claim any more', { phase: 'Bound' }, { phase: 'Released' }],
    ['somebody takes our finalizer away', { finalizers: [FINALIZER] }, {}],
    ['somebody lets Kubernetes delete it', { spec: retained }, { spec: deleted }],
    ['another keeps it no longer', { finalizers: [FINALIZER, 'a/b'] }, { finalizers: [FINALIZER] }],
  ])('when %s', (_, before, after) => {
    expect(isReasonToLook(read(before), read(after))).toBe(true);
  });

  it.each<[string, Parameters<typeof read>[0], Parameters<typeof read>[0]]>([
    ['we hold it', {}, { finalizers: [FINALIZER] }],
    ['it is retained', { spec: deleted }, { spec: retained }],
    ['it can be claimed', { phase: 'Pending' }, { phase: 'Available' }],
    ['we write about it', {}, { annotations: { [`${PREFIX}status`]: 'Processed' } }],
  ])('and is not when %s', (_, before, after) => {
    expect(isReasonToLook(read(before), read(after))).toBe(false);
  });
});
