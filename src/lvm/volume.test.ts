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
    version?: string;
  } = {},
): Volume {
  const volume = volumeOf({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: 'data',
      uid: changes.uid ?? 'uid-1',
      resourceVersion: changes.version ?? '1',
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
    ['it has become held', {}, { finalizers: [FINALIZER] }],
    ['it is retained', { spec: deleted }, { spec: retained }],
    ['it can be claimed', { phase: 'Pending' }, { phase: 'Available' }],
    ['it is told of it how it is', {}, { annotations: { [`${PREFIX}status`]: 'Processed' } }],
    [
      'all of that comes at once',
      { spec: deleted, phase: 'Pending' },
      {
        spec: retained,
        phase: 'Available',
        finalizers: [FINALIZER],
        annotations: { [`${PREFIX}status`]: 'Processed' },
      },
    ],
  ])('and is not when %s', (_, before, after) => {
    expect(isReasonToLook(read(before), read(after))).toBe(false);
  });

  it.each<[string, Parameters<typeof read>[0], Parameters<typeof read>[0]]>([
    [
      'it has become held and an option changes',
      {},
      { finalizers: [FINALIZER], annotations: { [`${PREFIX}shred`]: 'zero' } },
    ],
    [
      'it is told of it how it is and it grows',
      {},
      { annotations: { [`${PREFIX}status`]: 'Processed' }, spec: { capacity: { storage: '2Gi' } } },
    ],
    [
      'it has become retained and nobody has its claim any more',
      { spec: deleted, phase: 'Bound' },
      { spec: retained, phase: 'Released' },
    ],
    ['it has become held and may be deleted', { spec: retained }, { spec: deleted, finalizers: [FINALIZER] }],
    [
      'it was retained in between and is not',
      { spec: deleted, finalizers: [FINALIZER] },
      { spec: deleted, finalizers: [FINALIZER], version: '3' },
    ],
  ])('when, at once, %s', (_, before, after) => {
    expect(isReasonToLook(read(before), read(after))).toBe(true);
  });
});

describe('after a write of ours', () => {
  const inForce = { [`${PREFIX}fsType`]: 'ext4', [`${PREFIX}vg`]: 'fast' };
  const deleted = { persistentVolumeReclaimPolicy: 'Delete' };
  const asked = { spec: deleted, version: '1' };
  const held = { annotations: inForce, finalizers: [FINALIZER], version: '3' };
  const own = { basis: read(asked), written: read(held) };

  it('a volume is not looked at for what we wrote, options among it', () => {
    expect(isReasonToLook(read(asked), read(held), own)).toBe(false);
    expect(isReasonToLook(read(asked), read(held))).toBe(true);
  });

  it.each<[string, Parameters<typeof read>[0]]>([
    ['claimed it', { spec: { ...deleted, claimRef: { namespace: 'a', name: 'b' } } }],
    ['changed an option that we wrote as it was by then', { annotations: { [`${PREFIX}fsType`]: 'ext4' } }],
    ['deleted it', { deletionTimestamp: '2026-01-01T00:00:00Z' }],
  ])('it is when somebody had %s before, unseen', (_, change) => {
    const basis = { ...asked, ...change, version: '2' };
    const written = { ...held, ...change, annotations: inForce };
    const write = { basis: read(basis), written: read(written) };
    expect(isReasonToLook(read(asked), read(written), write)).toBe(true);
  });

  it.each<[string, Parameters<typeof read>[0]]>([
    ['changed an option', { annotations: { ...inForce, [`${PREFIX}vg`]: 'slow' } }],
    ['put an option back to what it was', { annotations: {} }],
    ['let Kubernetes delete it again', { spec: deleted }],
    ['taken our finalizer away', { finalizers: [] }],
    ['done something to another of the same version', { ...held, annotations: {}, version: '3' }],
  ])('it is when somebody has %s since, and both come at once', (_, change) => {
    expect(isReasonToLook(read(asked), read({ ...held, version: '4', ...change }), own)).toBe(true);
  });

  it('it is not when somebody has changed since what asks for nothing', () => {
    expect(isReasonToLook(read(asked), read({ ...held, version: '4', phase: 'Available' }), own)).toBe(false);
  });
});
