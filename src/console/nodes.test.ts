import { describe, expect, test } from 'vitest';
import type { NodeStatus as LvmOfNode, VolumeStatus } from '../lvm/status.ts';
import type { Doubt } from './agents.ts';
import { aDevice } from './builders.ts';
import { type KnownOfNode, nodeShown } from './nodes.ts';

const NODE = { name: 'node-1', labels: { 'topology.kubernetes.io/zone': 'a' }, isReady: true, isCordoned: false };
const withDevices = (...devices: ReturnType<typeof aDevice>[]): KnownOfNode => ({
  name: 'node-1',
  node: NODE,
  devices: { node: 'node-1', isDryRun: false, remarks: [], devices, heardAt: '2026-01-01T00:00:00Z' },
  identities: new Map(devices.map(({ volume }) => [volume, { sizeBytes: 2048, wwid: 'naa.1' }])),
});
const refused = (canBeApproved: boolean) =>
  ({ is: 'refused', fact: 'hasForeignData', why: 'holds ext4', remedy: 'Empty it', canBeApproved }) as const;
const logical = (volume: string, state: VolumeStatus['state'], vg?: string): VolumeStatus => ({
  volume,
  vg,
  size: '',
  state,
  stands: state.is,
});
const withGroups = (parts: Partial<LvmOfNode>): KnownOfNode => ({
  name: 'node-1',
  node: NODE,
  lvm: { node: 'node-1', remarks: [], groups: [], volumes: [], heardAt: '2026-01-01T00:00:00Z', ...parts },
});
const group = { name: 'fast', sizeBytes: 100, freeBytes: 40, missingDisks: 0, size: '', free: '', pools: [] };

test('a node is shown with its zone, and when its agents were heard', () => {
  expect(nodeShown(withDevices()).row).toEqual({
    name: 'node-1',
    zone: 'a',
    health: 'well',
    isReady: true,
    remarks: [],
    devices: [],
    groups: [],
    heard: { devices: '2026-01-01T00:00:00Z' },
  });
});

test.each([
  ['failed', [aDevice({ is: 'failed', why: 'no' }), aDevice(refused(true))]],
  ['attention', [aDevice(refused(true)), aDevice({ is: 'bound' })]],
  ['busy', [aDevice({ is: 'wiping', doneBytes: 1, ofBytes: 2 }), aDevice({ is: 'bound' })]],
  ['well', [aDevice({ is: 'available' }), aDevice({ is: 'bound' })]],
] as const)('it is %s when the worst of its devices is', (health, devices) => {
  expect(nodeShown(withDevices(...devices)).row.health).toBe(health);
});

test('what is known of no node of the cluster is unknown', () => {
  const { node: _, ...gone } = withDevices(aDevice({ is: 'bound' }));
  expect(nodeShown(gone).row.health).toBe('unknown');
});

test.each([
  [{ ...NODE, isReady: false }, 'attention', 'The node is not ready.'],
  [{ ...NODE, isCordoned: true }, 'busy', 'The node is cordoned: no new pods are placed on it.'],
])('what people should know of the node itself is told', (node, health, remark) => {
  const { row } = nodeShown({ name: 'node-1', node });
  expect([row.health, row.remarks]).toEqual([health, [remark]]);
});

test('a node that is not ready needs somebody, and at once if disks or volumes are on it', () => {
  const node = { ...NODE, isReady: false };
  expect(nodeShown({ name: 'node-1', node }).needs).toMatchObject([{ id: 'node:node-1', severity: 'soon' }]);
  for (const known of [withDevices(aDevice({ is: 'bound' })), withGroups({ volumes: [logical('a', { is: 'ready' })] })])
    expect(nodeShown({ ...known, node }).needs).toMatchObject([{ id: 'node:node-1', severity: 'urgent' }]);
});

test('what people should know of its agents is told as sentences', () => {
  const known = withGroups({ remarks: ['was last heard 12 minutes ago: what is shown may not be so any more'] });
  expect(nodeShown(known).row.remarks).toEqual([
    'The lvm agent of this node was last heard 12 minutes ago: what is shown may not be so any more.',
  ]);
});

test('what its agents say of themselves is for somebody to look at, but not at once', () => {
  const remarks = ['only plans: its agent runs with --dry-run', 'misses 1 of the disks of the volume group fast'];
  const { row, needs } = nodeShown(withGroups({ remarks, groups: [{ ...group, missingDisks: 1 }] }));
  expect(row.health).toBe('attention');
  expect(needs.map(({ id, severity, what }) => [id, severity, what])).toEqual([
    ['group:node-1:fast', 'urgent', 'The volume group fast of node-1 misses 1 of its disks.'],
    ['agent:lvm:node-1', 'soon', 'The lvm agent of node-1 only plans: its agent runs with --dry-run.'],
  ]);
});

describe('a device', () => {
  test('that is wiped says how far that is, and is an activity', () => {
    const { row, activities } = nodeShown(withDevices(aDevice({ is: 'wiping', doneBytes: 512, ofBytes: 2048 })));
    expect(row.devices).toMatchObject([{ state: 'wiping', progress: 0.25 }]);
    expect(activities).toMatchObject([
      { kind: 'wipe', subject: '/dev/sdb of node-1', detail: '512 of 2Ki', progress: 0.25 },
    ]);
  });

  test('that has partitions is shown with them', () => {
    const sdb1 = { name: 'sdb1', startBytes: 512, sizeBytes: 1024, heldBy: 'dm-0' };
    const partitioned = { partitions: [sdb1, { ...sdb1, heldBy: undefined }], partitionCount: 3 };
    const { heldBy: _, ...free } = sdb1;
    const { row } = nodeShown(withDevices({ ...aDevice({ is: 'bound' }), ...partitioned }));
    expect(row.devices[0]).toMatchObject({ partitions: [sdb1, free], partitionCount: 3 });
    expect(nodeShown(withDevices(aDevice({ is: 'bound' }))).row.devices[0]).not.toHaveProperty('partitions');
  });

  test('that a person can approve offers that, says what is lost, and wants the name of its volume', () => {
    const { row, needs } = nodeShown(withDevices(aDevice(refused(true))));
    const action = {
      name: 'approve-wipe',
      to: {
        node: 'node-1',
        device: 'wwid:naa.1',
        volume: 'local-node-1-sdb',
        fact: 'hasForeignData',
        identity: '{"sizeBytes":2048,"wwid":"naa.1"}',
      },
      confirmBy: 'local-node-1-sdb',
      consequence: expect.stringContaining('Everything on /dev/sdb of node-1 (2Ki, naa.1) will be lost'),
    };
    expect(row.devices).toMatchObject([{ state: 'refused', why: 'It holds ext4.', approve: action }]);
    expect(needs).toMatchObject([
      {
        id: 'device:node-1:local-node-1-sdb',
        what: '/dev/sdb of node-1 is not wiped: it holds ext4.',
        command: 'holdfast devices approve node-1 /dev/sdb',
        action,
      },
    ]);
  });

  test('that has failed needs somebody at once', () => {
    expect(nodeShown(withDevices(aDevice({ is: 'failed', why: 'I/O error' }))).needs).toMatchObject([
      { id: 'device:node-1:local-node-1-sdb', severity: 'urgent', what: '/dev/sdb of node-1 has failed: I/O error.' },
    ]);
  });

  test.each([
    ['no approval changes', withDevices(aDevice(refused(false)))],
    ['nobody can name', withDevices(aDevice(refused(true), { device: undefined }))],
    ['nobody knows exactly', { ...withDevices(aDevice(refused(true))), identities: new Map() }],
  ])('that %s offers none', (_what, known) => {
    const { row, needs } = nodeShown(known);
    expect(row.devices[0]).not.toHaveProperty('approve');
    expect(needs[0]).not.toHaveProperty('action');
  });
});

describe('a volume group', () => {
  test('has the logical volumes that are in it, and the others stand by themselves', () => {
    const ready = logical('a', { is: 'ready' }, 'fast');
    const homeless = logical('b', { is: 'waiting', why: 'x' });
    const elsewhere = logical('c', { is: 'ready' }, 'gone');
    const { row } = nodeShown(withGroups({ groups: [group], volumes: [ready, homeless, elsewhere] }));
    expect(row.groups[0]?.volumes.map(({ volume }) => volume)).toEqual(['a']);
    expect(row.otherVolumes?.map(({ volume }) => volume)).toEqual(['b', 'c']);
  });

  test('that misses a disk needs somebody at once', () => {
    expect(nodeShown(withGroups({ groups: [{ ...group, missingDisks: 1 }] })).needs).toMatchObject([
      { severity: 'urgent', what: 'The volume group fast of node-1 misses 1 of its disks.' },
    ]);
  });

  test.each([
    [96, 1, 1],
    [10, 95, 1],
    [94, 94, 0],
  ])(
    'with a thin pool whose data is at %i %% and whose metadata is at %i %% needs %i',
    (dataPercent, metadataPercent, needs) => {
      const pool = {
        name: 'thin',
        sizeBytes: 1,
        promisedBytes: 1,
        dataPercent,
        metadataPercent,
        size: '',
        promised: '',
      };
      expect(nodeShown(withGroups({ groups: [{ ...group, pools: [pool] }] })).needs).toHaveLength(needs);
    },
  );
});

test('a volume that cannot be made needs what its agent says', () => {
  const volume = logical('a', { is: 'refused', fact: 'x', why: 'the group is full', remedy: 'Make room' });
  expect(nodeShown(withGroups({ volumes: [volume] })).needs).toMatchObject([
    { id: 'lvm:a', what: 'The volume a cannot be made: the group is full.', remedy: 'Make room.' },
  ]);
});

test('a logical volume that has failed needs somebody at once', () => {
  expect(nodeShown(withGroups({ volumes: [logical('a', { is: 'failed', why: 'no space' })] })).needs).toMatchObject([
    { id: 'lvm:a', severity: 'urgent', what: 'The volume a of node-1 has failed: no space.' },
  ]);
});

describe('an agent whose word does not count', () => {
  const silent = (heardAt?: string): Doubt => ({ is: 'silent', ...(heardAt && { heardAt }) });
  const disputed: Doubt = { is: 'disputed', maps: ['kube-system/x', 'tenant/x'] };

  test.each<[string, Doubt, string]>([
    ['that never reported', silent(), 'Nothing is heard of the devices agent of node-1, which has volumes.'],
    [
      'that has not been heard for long',
      silent('2025-12-29T00:00:00Z'),
      'The devices agent of node-1 was last heard at 2025-12-29T00:00:00Z: nobody can say how its volumes are.',
    ],
  ])('%s is missed, and nobody knows how its node is', (_which, doubt, what) => {
    const { row, needs } = nodeShown({ ...withDevices(aDevice({ is: 'bound' })), doubts: { devices: doubt } });
    expect(row).toMatchObject({ health: 'unknown', doubts: { devices: expect.any(String) } });
    expect(needs).toMatchObject([{ id: 'silent:devices:node-1', job: 'devices', what }]);
  });

  test('is missed by each job', () => {
    const doubts = { devices: silent(), lvm: silent() };
    expect(nodeShown({ ...withDevices(), doubts }).needs.map(({ id }) => id)).toEqual([
      'silent:devices:node-1',
      'silent:lvm:node-1',
    ]);
  });

  test('on a node that is gone has left a report, which is to be removed', () => {
    const { node: _, ...gone } = withDevices();
    const devices = gone.devices && { ...gone.devices, namespace: 'storage' };
    expect(nodeShown({ ...gone, devices, doubts: { devices: silent('2025-12-29T00:00:00Z') } }).needs).toMatchObject([
      { command: 'kubectl -n storage delete configmap holdfast-devices-node-1' },
    ]);
  });

  test('because there are two is urgent, and both are named', () => {
    const { row, needs } = nodeShown({ name: 'node-1', node: NODE, doubts: { lvm: disputed } });
    expect(row.health).toBe('unknown');
    expect(row.remarks).toEqual([
      'The ConfigMaps kube-system/x and tenant/x say to be the report of its lvm agent, and only one of them can be.',
    ]);
    expect(needs).toMatchObject([
      { id: 'disputed:lvm:node-1', severity: 'urgent', what: expect.stringContaining('kube-system/x and tenant/x') },
    ]);
  });

  test('because it may not be read is not to blame', () => {
    const doubts = { devices: { is: 'unread', why: 'no right' } } as const;
    const { row, needs } = nodeShown({ name: 'node-1', node: NODE, doubts });
    expect([row.health, needs]).toEqual(['unknown', []]);
  });

  test('is still heard when it said that something is wrong', () => {
    const doubts = { devices: silent('2025-12-29T00:00:00Z') };
    expect(nodeShown({ ...withDevices(aDevice({ is: 'failed', why: 'x' })), doubts }).row.health).toBe('failed');
  });
});
