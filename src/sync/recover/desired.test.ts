import { describe, expect, test } from 'vitest';
import { atOnce } from '../../kit/in-turns.ts';
import { RECOVERY_LABEL, SYNC_LABEL } from '../contract.ts';
import { readDocument } from '../export/document.ts';
import { aClaim, aPair, aVolume, bodyOf, claimRefTo, type Exported, SYNC, together } from './builders.ts';
import { desiredClaim, desiredVolume, type Restoring } from './desired.ts';
import { outlining } from './outline.ts';

const restoring = (spec: Restoring['spec'] = {}): Restoring => ({ sync: SYNC, spec });

function claimOf(exported: Exported, key: string, spec: Restoring['spec'] = {}) {
  const outline = atOnce(outlining(readDocument(bodyOf(exported))));
  const claim = exported.claims?.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key);
  if (!claim) throw new Error(`no claim ${key}`);
  return desiredClaim(claim, restoring(spec), outline);
}

describe('a restored volume', () => {
  test('has nothing of the cluster that it comes from, and says which resource restored it', () => {
    const there = aVolume(
      'data',
      { claimRef: claimRefTo('apps/data'), mountOptions: ['nfsvers=4.1'] },
      {
        generation: 4,
        labels: { app: 'shop', [SYNC_LABEL]: 'enabled', [RECOVERY_LABEL]: 'another', 'holdfast.dev/drill': 'one' },
        annotations: {
          'pv.kubernetes.io/bound-by-controller': 'yes',
          'kubectl.kubernetes.io/last-applied-configuration': '{}',
          'volumesyncs.storage.cndev.nl/note': 'x',
          'example.com/team': 'storage',
        },
        finalizers: ['kubernetes.io/pv-protection', 'external-attacher/csi', 'volumesyncs.storage.cndev.nl/finalizer'],
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }],
        managedFields: [{ manager: 'kubectl' }],
        deletionTimestamp: '2026-01-01T00:00:00Z',
      },
    );
    expect(desiredVolume(there, restoring())).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: {
        name: 'data',
        labels: { app: 'shop', [RECOVERY_LABEL]: SYNC },
        annotations: { 'example.com/team': 'storage' },
        finalizers: ['kubernetes.io/pv-protection'],
      },
      spec: {
        accessModes: ['ReadWriteMany'],
        capacity: { storage: '10Gi' },
        nfs: { server: '10.1.2.3', path: '/export/data' },
        mountOptions: ['nfsvers=4.1'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: 'shared',
        volumeMode: 'Filesystem',
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'apps', name: 'data' },
      },
    });
  });

  test('is reserved for nobody where claims are left to this cluster', () => {
    const { spec } = desiredVolume(
      aVolume('data', { claimRef: claimRefTo('apps/data') }),
      restoring({ binding: 'Local' }),
    );
    expect(spec.claimRef).toBeUndefined();
  });

  test('keeps labels that are called like properties of objects', () => {
    const labels = JSON.parse('{"__proto__": "a", "constructor": "b"}');
    const desired = desiredVolume(aVolume('data', {}, { labels }), restoring());
    expect(Object.entries(desired.metadata.labels)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      [RECOVERY_LABEL, SYNC],
    ]);
  });
});

describe('a restored claim', () => {
  test('keeps the volume that it was bound to', () => {
    const { metadata, spec } = claimOf(aPair('data'), 'apps/data');
    expect(metadata).toEqual({
      name: 'data',
      namespace: 'apps',
      labels: { [RECOVERY_LABEL]: SYNC },
      annotations: {},
      finalizers: ['kubernetes.io/pvc-protection'],
    });
    expect(spec).toEqual({
      accessModes: ['ReadWriteMany'],
      resources: { requests: { storage: '10Gi' } },
      storageClassName: 'shared',
      volumeName: 'data',
    });
  });

  test('is left to the StorageClass here without its volume in the export', () => {
    const exported = { volumes: [aVolume('other')], claims: [aClaim('apps/data', { volumeName: 'data' })] };
    expect(claimOf(exported, 'apps/data').spec).not.toHaveProperty('volumeName');
  });

  test('is left to the StorageClass here where that is chosen', () => {
    const { spec } = claimOf(aPair('data'), 'apps/data', { binding: 'Local' });
    expect(spec).not.toHaveProperty('volumeName');
    expect(spec.storageClassName).toBe('shared');
  });

  test('goes on asking for a volume that nobody has', () => {
    const exported = { volumes: [aVolume('data')], claims: [aClaim('apps/data', { volumeName: 'data' })] };
    expect(claimOf(exported, 'apps/data').spec.volumeName).toBe('data');
  });

  test('does not ask for a volume of another claim', () => {
    const exported = together(aPair('data', 'apps/other'), { claims: [aClaim('apps/data', { volumeName: 'data' })] });
    expect(claimOf(exported, 'apps/data').spec).not.toHaveProperty('volumeName');
  });

  test('is of the class of its volume, as it is called here', () => {
    const { volumes } = aPair('data', 'apps/data', { storageClassName: 'other' });
    const exported = { volumes, claims: [aClaim('apps/data', { volumeName: 'data' })] };
    const mappings = { storageClasses: [{ from: 'other', to: 'here' }] };
    expect(claimOf(exported, 'apps/data', { mappings }).spec.storageClassName).toBe('here');
  });

  test('of a volume without a class says so, and is not given the default class of this cluster', () => {
    const { volumes } = aPair('data', 'apps/data', { storageClassName: undefined });
    const exported = { volumes, claims: [aClaim('apps/data', { volumeName: 'data', storageClassName: undefined })] };
    expect(claimOf(exported, 'apps/data').spec.storageClassName).toBe('');
  });

  test('without a volume and a class is given the default class of this cluster', () => {
    const exported = { volumes: [aVolume('other')], claims: [aClaim('apps/data', { storageClassName: undefined })] };
    expect(claimOf(exported, 'apps/data').spec.storageClassName).toBeUndefined();
  });

  test('asks for no more than its volume has, which it could not be bound to', () => {
    const { volumes } = aPair('data');
    const resources = { requests: { storage: '20Gi' }, limits: { storage: '30Gi' } };
    const exported = { volumes, claims: [aClaim('apps/data', { volumeName: 'data', resources })] };
    expect(claimOf(exported, 'apps/data').spec.resources).toEqual({
      requests: { storage: '10Gi' },
      limits: { storage: '30Gi' },
    });
  });
});
