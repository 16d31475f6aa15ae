import { describe, expect, test } from 'vitest';
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import type { NodeSelectorTermObject } from '../kit/node-selectors.ts';
import { volumeOf } from './volume.ts';

const whole: PersistentVolume = {
  metadata: {
    name: 'local-n-a',
    uid: 'u1',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:01Z',
    deletionTimestamp: '2026-01-02T00:00:00Z',
    labels: {
      'local-pv-provisioner.cybozu.com/node': 'n',
      'local-pv-provisioner.cybozu.io/node': 'n',
      team: 'storage',
    },
    annotations: {
      'local-pv-provisioner.cybozu.io/volumeMode': 'Filesystem',
      'local-pv-provisioner.cybozu.io/node': 'not a label',
      'holdfast.dev/device': '{"sizeBytes":1024,"wwid":"naa.1"}',
      'holdfast.dev/device-trouble': 'it is gone',
      'holdfast.dev/wipe-progress': '42',
      other: 'x',
    },
    finalizers: ['kubernetes.io/pv-protection', 'holdfast.dev/wipe'],
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n1', controller: true }],
  },
  spec: {
    capacity: { storage: '1Ki' },
    claimRef: { namespace: 'default', name: 'data', uid: 'c1' },
    local: { path: '/dev/a', fsType: 'ext4' },
    storageClassName: 'local-storage',
    volumeMode: 'Filesystem',
    nodeAffinity: hosts(['n']),
  },
  status: { phase: 'Released' },
};

describe('what is kept of a volume', () => {
  test('is what we decide on', () => {
    expect(volumeOf(whole)).toEqual({
      name: 'local-n-a',
      uid: 'u1',
      resourceVersion: '7',
      node: 'n',
      affinity: 'n',
      phase: 'Released',
      claim: 'default/data',
      claimUid: 'c1',
      path: '/dev/a',
      volumeMode: 'Filesystem',
      fsType: 'ext4',
      storageClassName: 'local-storage',
      capacityBytes: 1024,
      identity: { sizeBytes: 1024, wwid: 'naa.1' },
      labels: { 'local-pv-provisioner.cybozu.com/node': 'n', 'local-pv-provisioner.cybozu.io/node': 'n' },
      marks: {
        'local-pv-provisioner.cybozu.io/volumeMode': 'Filesystem',
        'local-pv-provisioner.cybozu.io/node': 'not a label',
        'holdfast.dev/device': '{"sizeBytes":1024,"wwid":"naa.1"}',
        'holdfast.dev/device-trouble': 'it is gone',
      },
      owners: whole.metadata.ownerReferences,
      finalizers: ['kubernetes.io/pv-protection', 'holdfast.dev/wipe'],
      isDeleting: true,
      hasWipeFinalizer: true,
    });
  });

  test('is little of one that says nothing', () => {
    expect(volumeOf({ metadata: {} })).toEqual({
      name: '',
      uid: '',
      resourceVersion: '',
      node: '',
      phase: 'Pending',
      path: '',
      volumeMode: 'Filesystem',
      storageClassName: '',
      labels: {},
      marks: {},
      owners: [],
      finalizers: [],
      isDeleting: false,
      hasWipeFinalizer: false,
    });
  });

  test.each([
    ['1Gi', 2 ** 30],
    ['1073741824', 2 ** 30],
    ['1048576Ki', 2 ** 30],
    ['1e3', 1000],
    ['7814037168Ki', 7814037168 * 1024],
    ['a lot', undefined],
  ])('a capacity of %s is %s bytes', (storage, bytes) => {
    expect(volumeOf({ ...whole, spec: { capacity: { storage } } }).capacityBytes).toBe(bytes);
  });

  test.each([
    ['no record', undefined],
    ['one that is no JSON', '{'],
    ['one with more in it than we write', '{"sizeBytes":1,"color":"red"}'],
    ['one without a size', '{"wwid":"naa.1"}'],
  ])('with %s of its device, there is none', (_what, text) => {
    const annotations = text === undefined ? {} : { 'holdfast.dev/device': text };
    expect(volumeOf({ metadata: { annotations } }).identity).toBeUndefined();
  });
});

describe('the node that a volume can be used on', () => {
  type Affinity = NonNullable<PersistentVolume['spec']>['nodeAffinity'];
  const affinity = (nodeAffinity: Affinity) =>
    volumeOf({ metadata: {}, spec: { ...(nodeAffinity !== undefined && { nodeAffinity }) } }).affinity;
  const term = { key: 'kubernetes.io/hostname', operator: 'In', values: ['n'] };
  const terms = (...nodeSelectorTerms: NodeSelectorTermObject[]) => ({
    required: { nodeSelectorTerms },
  });

  test('is the one of its affinity', () => {
    expect(affinity(hosts(['n']))).toBe('n');
  });

  test.each<[string, Affinity]>([
    ['there is no affinity', undefined],
    ['there is none in it', null],
    ['it asks for nothing', {}],
    ['there are two nodes', hosts(['n', 'm'])],
    ['there are two terms, of which one is enough', terms({ matchExpressions: [term] }, { matchExpressions: [term] })],
    ['there are two terms, one of them empty', terms({ matchExpressions: [term] }, {})],
    ['it asks for more', terms({ matchExpressions: [term, { ...term, key: 'zone' }] })],
    ['it asks for a field, too', terms({ matchExpressions: [term], matchFields: [{ ...term, key: 'metadata.name' }] })],
    ['it names another label', terms({ matchExpressions: [{ ...term, key: 'zone' }] })],
    ['it names the node that it is not', terms({ matchExpressions: [{ ...term, operator: 'NotIn' }] })],
  ])('is not known when %s', (_what, nodeAffinity) => {
    expect(affinity(nodeAffinity)).toBeUndefined();
  });
});

function hosts(values: readonly string[]) {
  return {
    required: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [...values] }] },
      ],
    },
  };
}
