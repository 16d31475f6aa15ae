import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import type { OwnerReference } from '../kit/kube/resource.ts';
import { aConfig, aReceipt, GIB } from './builders.ts';
import type { Config } from './contract.ts';
import { disagreements, type Mending, mendingOf, newVolume, type Wanted } from './desired.ts';
import { volumeOf } from './volume.ts';

const block = aConfig({ deviceDir: '/dev/disk/by-path/' });
const config: Config = { ...block, volumeMode: 'Filesystem', fsType: 'ext4' };
const wanted: Wanted = {
  name: 'local-node1-pci-0000-3b-00.0-ata-1',
  path: '/dev/disk/by-path/pci-0000:3b:00.0-ata-1',
  node: { name: 'node1', uid: 'a958d5a1' },
  identity: { sizeBytes: 100 * GIB, wwid: 'naa.1' },
  config,
};
const receipt = aReceipt(1);
const sized = (sizeBytes: number): Wanted => ({ ...wanted, identity: { ...wanted.identity, sizeBytes } });

/** As the server has it. */
type Object = PersistentVolume & { readonly metadata: { readonly annotations: Readonly<Record<string, string>> } };
const made = (of: Wanted = wanted): Object => {
  const { metadata, spec } = newVolume(of, receipt);
  const annotations = metadata.annotations ?? {};
  return {
    metadata: {
      ...metadata,
      annotations,
      uid: 'u1',
      resourceVersion: '7',
      finalizers: ['kubernetes.io/pv-protection'],
    },
    spec: { ...spec },
    status: { phase: 'Available' },
  };
};
const meta = (object: PersistentVolume, parts: Partial<PersistentVolume['metadata']>): PersistentVolume => ({
  ...object,
  metadata: { ...object.metadata, ...parts },
});
const annotated = (object: Object, annotations: Readonly<Record<string, string>>) =>
  meta(object, { annotations: { ...object.metadata.annotations, ...annotations } });
const without = <T extends object>(object: T, ...keys: string[]) =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
const mend = (object: PersistentVolume, to: Wanted = wanted): Mending | undefined => mendingOf(volumeOf(object), to);

const DEVICE = 'holdfast.dev/device';
const TROUBLE = 'holdfast.dev/device-trouble';
const WIPE = 'holdfast.dev/wipe';

describe('a volume that is made', () => {
  test('of a device with a filesystem is what the contract says', () => {
    expect(newVolume(wanted, receipt)).toEqual({
      metadata: {
        name: 'local-node1-pci-0000-3b-00.0-ata-1',
        labels: { 'local-pv-provisioner.cybozu.com/node': 'node1', 'local-pv-provisioner.cybozu.io/node': 'node1' },
        annotations: {
          'local-pv-provisioner.cybozu.io/storageClassName': 'local-storage',
          'local-pv-provisioner.cybozu.io/volumeMode': 'Filesystem',
          'local-pv-provisioner.cybozu.io/fsType': 'ext4',
          'local-pv-provisioner.cybozu.io/deviceDir': '/dev/disk/by-path/',
          'local-pv-provisioner.cybozu.io/deviceNameFilter': '.*',
          'holdfast.dev/device': '{"sizeBytes":107374182400,"wwid":"naa.1"}',
          'holdfast.dev/wiped':
            '{"method":"zero-head","bytes":1,"writtenBytes":1,"seconds":2,"verified":"sample","verifiedBytes":1,"at":"2026-01-01T00:00:00.000Z"}',
        },
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'Node',
            name: 'node1',
            uid: 'a958d5a1',
            controller: true,
          },
        ],
      },
      spec: {
        capacity: { storage: '100Gi' },
        volumeMode: 'Filesystem',
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: 'local-storage',
        local: { path: '/dev/disk/by-path/pci-0000:3b:00.0-ata-1', fsType: 'ext4' },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node1'] }] },
            ],
          },
        },
      },
    });
  });

  test('of a raw device names no filesystem', () => {
    const { metadata, spec } = newVolume({ ...wanted, config: block }, receipt);
    expect(metadata.annotations).not.toHaveProperty(['local-pv-provisioner.cybozu.io/fsType']);
    expect(spec).toMatchObject({ volumeMode: 'Block', local: { path: wanted.path } });
    expect(spec?.local).not.toHaveProperty('fsType');
  });

  test.each([
    [2 ** 30, '1Gi'],
    [2 ** 30 + 512, '1073742336'],
    [4000787030016, '3907018584Ki'],
    [100 * 2 ** 20, '100Mi'],
  ])('of %d bytes has the capacity %s', (sizeBytes, storage) => {
    expect(newVolume(sized(sizeBytes), receipt).spec?.capacity).toEqual({ storage });
  });

  test('has nothing to mend, and nothing that disagrees', () => {
    for (const settings of [config, block]) {
      const as = { ...wanted, config: settings };
      expect([mend(made(as), as), disagreements(volumeOf(made(as)), settings)]).toEqual([undefined, []]);
    }
  });
});

describe('settings that disagree', () => {
  test.each<[string, Partial<Config>, string]>([
    ['storageClassName', { storageClassName: 'fast' }, 'storageClassName is "local-storage" and should be "fast"'],
    ['fsType', { fsType: 'xfs' }, 'fsType is "ext4" and should be "xfs"'],
    [
      'deviceDir',
      { deviceDir: '/dev/disk/by-path' },
      'deviceDir is "/dev/disk/by-path/" and should be "/dev/disk/by-path"',
    ],
    ['deviceNameFilter', { deviceNameFilter: 'a' }, 'deviceNameFilter is ".*" and should be "a"'],
  ])('are told: %s', (_what, other, sentence) => {
    expect(disagreements(volumeOf(made()), { ...config, ...other })).toEqual([sentence]);
  });

  test('are told when the mode is another', () => {
    expect(disagreements(volumeOf(made()), block)).toEqual(['volumeMode is "Filesystem" and should be "Block"']);
    expect(disagreements(volumeOf(made({ ...wanted, config: block })), config)).toEqual([
      'volumeMode is "Block" and should be "Filesystem"',
    ]);
  });

  test('are not those of a wipe', () => {
    const other: Config = { ...config, wipeMethod: 'discard', wipeVerify: 'all', wipeExisting: true };
    expect(disagreements(volumeOf(made()), other)).toEqual([]);
  });

  test('of an old volume without annotations are those that it is seen to have', () => {
    const old = volumeOf(meta(made(), { annotations: {} }));
    expect(disagreements(old, config)).toEqual([]);
    expect(disagreements(old, { ...config, deviceNameFilter: 'a' })).toEqual([]);
    expect(disagreements(old, { ...config, fsType: 'xfs', storageClassName: 'fast' })).toEqual([
      'storageClassName is "local-storage" and should be "fast"',
      'fsType is "ext4" and should be "xfs"',
    ]);
  });
});

describe('what is mended', () => {
  test('nothing, when the capacity is only spelled otherwise', () => {
    for (const storage of ['107374182400', '102400Mi', '100Gi'])
      expect(mend({ ...made(), spec: { ...made().spec, capacity: { storage } } })).toBeUndefined();
  });

  test('nothing, when others have put theirs there', () => {
    const labels = { ...made().metadata.labels, team: 'storage' };
    const finalizers = ['other/finalizer'];
    const other = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x', uid: 'x', controller: false };
    const ownerReferences = [other, ...(made().metadata.ownerReferences ?? [])];
    expect(mend(meta(annotated(made(), { note: 'x' }), { labels, finalizers, ownerReferences }))).toBeUndefined();
  });

  test('a label that is missing or wrong', () => {
    const labels = { 'local-pv-provisioner.cybozu.com/node': 'node1' };
    const patch = { metadata: { labels: { 'local-pv-provisioner.cybozu.io/node': 'node1' } } };
    expect(mend(meta(made(), { labels }))).toEqual(patch);
    expect(mend(meta(made(), { labels: { ...labels, 'local-pv-provisioner.cybozu.io/node': 'x' } }))).toEqual(patch);
  });

  test('an annotation of the same name as a label is not taken for it', () => {
    expect(mend(annotated(made(), { 'local-pv-provisioner.cybozu.io/node': 'x' }))).toBeUndefined();
  });

  test('settings that are missing', () => {
    const annotations = without(made().metadata.annotations, 'local-pv-provisioner.cybozu.io/deviceDir');
    expect(mend(meta(made(), { annotations }))).toEqual({
      metadata: { annotations: { 'local-pv-provisioner.cybozu.io/deviceDir': '/dev/disk/by-path/' } },
    });
  });

  test('trouble that is over', () => {
    expect(mend(annotated(made(), { [TROUBLE]: 'x' }))).toEqual({ metadata: { annotations: { [TROUBLE]: null } } });
  });
});

describe('the record of the device', () => {
  const identity = { sizeBytes: 100 * GIB, wwid: 'naa.1' };
  const unrecorded = () => meta(made(), { annotations: without(made().metadata.annotations, DEVICE) });

  test.each<[string, () => PersistentVolume]>([
    ['missing', unrecorded],
    ['not to be read', () => annotated(made(), { [DEVICE]: '{' })],
  ])('is written when it is %s', (_what, volume) => {
    expect(mend(volume())).toEqual({ metadata: { annotations: { [DEVICE]: JSON.stringify(identity) } } });
  });

  test('is left alone when it says the same in another way, or less', () => {
    for (const text of [
      '{ "wwid":"naa.1", "sizeBytes":107374182400 }',
      '{"sizeBytes":107374182400,"wwid":"naa.1","serial":"S"}',
    ])
      expect(mend(annotated(made(), { [DEVICE]: text }))).toBeUndefined();
  });

  test('follows a device that has grown, and forgets nothing of it', () => {
    const volume = annotated(made(), { [DEVICE]: '{"sizeBytes":107374182400,"wwid":"naa.1","serial":"S"}' });
    expect(mend(volume, sized(200 * GIB))).toEqual({
      metadata: { annotations: { [DEVICE]: '{"sizeBytes":214748364800,"wwid":"naa.1","serial":"S"}' } },
      spec: { capacity: { storage: '200Gi' } },
    });
  });

  test('does not follow one that has shrunk, whose trouble is not over', () => {
    expect(mend(annotated(made(), { [TROUBLE]: 'it has shrunk' }), sized(50 * GIB))).toEqual({
      metadata: {},
      spec: { capacity: { storage: '50Gi' } },
    });
  });

  test('of one that had none and has shrunk, as its capacity shows, is of its size before', () => {
    const smaller = sized(50 * GIB);
    const patch = mend(annotated(unrecorded() as Object, { [TROUBLE]: 'x' }), smaller);
    expect(patch).toEqual({
      metadata: { annotations: { [DEVICE]: JSON.stringify({ ...smaller.identity, sizeBytes: 100 * GIB }) } },
      spec: { capacity: { storage: '50Gi' } },
    });
  });

  test('of one that had none and has grown is of its size now', () => {
    const larger = sized(200 * GIB);
    expect(mend(unrecorded(), larger)?.metadata).toEqual({
      annotations: { [DEVICE]: JSON.stringify(larger.identity) },
    });
  });
});

describe('the owner', () => {
  const ours: OwnerReference = {
    apiVersion: 'v1',
    kind: 'Node',
    name: 'node1',
    uid: 'a958d5a1',
    controller: true,
  };
  const other: OwnerReference = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x', uid: 'x' };
  const mended = (...ownerReferences: OwnerReference[]) =>
    mend(meta(made(), { ownerReferences }))?.metadata.ownerReferences;

  test.each<[string, readonly OwnerReference[]]>([
    ['missing', []],
    ['of a Node that has registered anew since', [{ ...ours, uid: 'old' }]],
    ['not the controller', [{ ...ours, controller: false }]],
    ['under another name', [{ ...ours, name: 'node2' }]],
    ['there twice', [ours, { ...ours, uid: 'old' }]],
  ])('is put right when it is %s, and those of others are kept', (_what, owners) => {
    expect(mended(...owners, other)).toEqual([other, ours]);
  });

  test('is left as the original makes it', () => {
    expect(mended({ ...ours, blockOwnerDeletion: true })).toBeUndefined();
  });

  test('may be another Node, too', () => {
    const second = { ...ours, name: 'node2', uid: 'n2', controller: false };
    expect(mended(second)).toEqual([second, ours]);
  });

  test('is not the controller where another one is: the server takes only one', () => {
    const controller = { ...other, controller: true };
    expect(mended(controller)).toEqual([controller, { ...ours, controller: false }]);
    const { controller: _, ...plain } = ours;
    expect(mended(controller, plain)).toBeUndefined();
    expect(mended(controller, ours)).toEqual([controller, { ...ours, controller: false }]);
  });
});

describe('a finalizer of ours that was left behind', () => {
  const held = meta(made(), { finalizers: ['a/b', WIPE, 'kubernetes.io/pv-protection'] });

  test('is dropped, and those of others are kept', () => {
    for (const phase of ['Available', 'Bound', 'Pending'])
      expect(mend({ ...held, status: { phase } })).toEqual({
        metadata: { finalizers: ['a/b', 'kubernetes.io/pv-protection'] },
      });
    expect(mend(meta(made(), { finalizers: [WIPE] }))).toEqual({ metadata: { finalizers: [] } });
  });

  test('is none while the volume is released or being deleted', () => {
    expect(mend({ ...held, status: { phase: 'Released' } })).toBeUndefined();
    expect(mend(meta(held, { deletionTimestamp: '2026-01-01T00:00:00Z' }))).toBeUndefined();
  });
});

describe('whatever a volume looks like', () => {
  const text = fc.constantFrom('node1', 'x', '', '/dev/disk/by-path/', 'Filesystem', 'ext4', '{');
  const keys = (...names: string[]) => fc.constantFrom(...names);
  const labels = fc.dictionary(
    keys('local-pv-provisioner.cybozu.com/node', 'local-pv-provisioner.cybozu.io/node', 'team'),
    text,
  );
  const annotations = fc.dictionary(
    keys(...Object.keys(made().metadata.annotations), TROUBLE, 'local-pv-provisioner.cybozu.io/node', 'note'),
    fc.oneof(text, fc.constantFrom('{"sizeBytes":1,"wwid":"naa.1"}', '{"sizeBytes":214748364800}')),
  );
  const owner: fc.Arbitrary<OwnerReference> = fc.record(
    {
      apiVersion: fc.constantFrom('v1', 'apps/v1'),
      kind: fc.constantFrom('Node', 'Deployment'),
      name: fc.constantFrom('node1', 'node2'),
      uid: fc.constantFrom('a958d5a1', 'b', 'c'),
      controller: fc.boolean(),
      blockOwnerDeletion: fc.boolean(),
    },
    { requiredKeys: ['apiVersion', 'kind', 'name', 'uid'] },
  );
  const owners = fc
    .array(owner, { maxLength: 4 })
    .filter((all) => all.filter(({ controller }) => controller).length < 2);
  const finalizers = fc.uniqueArray(fc.constantFrom(WIPE, 'a/b', 'kubernetes.io/pv-protection'));
  const volume: fc.Arbitrary<PersistentVolume> = fc
    .record({
      labels,
      annotations,
      ownerReferences: owners,
      finalizers,
      phase: fc.constantFrom('Available', 'Bound', 'Released'),
      isDeleting: fc.boolean(),
      storage: fc.constantFrom('100Gi', '107374182400', '50Gi', '200Gi', '1'),
    })
    .map(({ phase, isDeleting, storage, ...metadata }) => ({
      metadata: { name: 'v', ...metadata, ...(isDeleting && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
      spec: { capacity: { storage, other: '1' } },
      status: { phase },
    }));

  test('when it is mended once there is nothing more to mend, and what is others’ is as it was', () => {
    fc.assert(
      fc.property(volume, (object) => {
        const patch = mend(object);
        const after = patch ? merged(object, patch) : object;
        expect(mend(after)).toBeUndefined();
        expect(othersOf(after)).toEqual(othersOf(object));
        const controllers = (after.metadata.ownerReferences ?? []).filter(({ controller }) => controller);
        expect(controllers).toHaveLength(1);
      }),
    );
  });

  test('no part of a patch says what is so already', () => {
    fc.assert(
      fc.property(volume, (object) => {
        const { metadata, spec } = mend(object) ?? { metadata: {} };
        for (const [field, is] of [
          [metadata.labels, object.metadata.labels],
          [metadata.annotations, object.metadata.annotations],
          [metadata, object.metadata],
          [spec?.capacity, object.spec?.capacity],
        ] as const)
          for (const [key, value] of Object.entries(field ?? {}))
            expect(value, key).not.toEqual((is as Record<string, unknown> | undefined)?.[key] ?? null);
      }),
    );
  });

  const isOurOwner = ({ apiVersion, kind, name, uid }: OwnerReference) =>
    apiVersion === 'v1' && kind === 'Node' && (name === 'node1' || uid === 'a958d5a1');
  const othersOf = ({ metadata, spec }: PersistentVolume) => ({
    team: metadata.labels?.team,
    note: metadata.annotations?.note,
    wiped: metadata.annotations?.['holdfast.dev/wiped'],
    finalizers: metadata.finalizers?.filter((finalizer) => finalizer !== WIPE),
    owners: metadata.ownerReferences?.filter((one) => !isOurOwner(one)),
    capacity: spec?.capacity?.other,
  });
});

/** RFC 7386. */
const merged = (target: PersistentVolume, patch: Mending) => mergedValue(target, patch) as PersistentVolume;

function mergedValue(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result = new Map(Object.entries(target ?? {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, mergedValue(result.get(key), value));
  }
  return Object.fromEntries(result);
}
