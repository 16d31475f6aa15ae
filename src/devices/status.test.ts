import { describe, expect, test } from 'vitest';
import { aNodeReport } from './builders.ts';
import type { NodeReport, ReadReport, ReadStanding, ReadState } from './node-report.ts';
import { approvalLine, type DevicesStatus, devicesStatus, inWords, type Looked } from './status.ts';

const NOW = new Date('2026-01-01T12:00:00.000Z');
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString();
const GIB = 2 ** 30;
const MIB = 2 ** 20;

const disk = (
  name: string,
  state: ReadState = { is: 'available' },
  parts: Partial<ReadStanding> = {},
): ReadStanding => ({
  volume: `local-node-1-${name}`,
  path: `/dev/disks/${name}`,
  state,
  sizeBytes: 4 * GIB,
  device: `wwid:naa.${name}`,
  identity: { sizeBytes: 4 * GIB, wwid: `naa.${name}` },
  ...parts,
});

const report = (parts: Partial<ReadReport> = {}): ReadReport => aNodeReport({ at: minutesAgo(2), ...parts });

const volume = (name: string, phase: string, parts: object = {}) => ({
  name: `local-node-1-${name}`,
  node: 'node-1',
  phase,
  path: `/dev/disks/${name}`,
  capacityBytes: 4 * GIB,
  ...parts,
});

const of = (parts: Partial<ReadReport>, looked: Partial<Looked> = {}): DevicesStatus =>
  devicesStatus({ reports: [{ report: report(parts), namespace: 'storage' }], ...looked }, NOW);

const refused = (fact: string, why: string, canBeApproved: boolean): ReadState => ({
  is: 'refused',
  fact,
  why,
  remedy: 'Do something about it',
  canBeApproved,
});

describe('a device', () => {
  test('is told with its size, its identity and its state, for people and for programs', () => {
    const { nodes } = of({ devices: [disk('sdb', { is: 'bound' }, { claim: 'default/data', holds: 'xfs' })] });
    expect(nodes[0]?.devices).toEqual([
      {
        path: '/dev/disks/sdb',
        volume: 'local-node-1-sdb',
        claim: 'default/data',
        device: 'wwid:naa.sdb',
        sizeBytes: 4 * GIB,
        size: '4Gi',
        identity: 'naa.sdb',
        isKnownBySizeOnly: false,
        holds: 'xfs',
        state: { is: 'bound' },
        stands: 'bound',
      },
    ]);
  });

  test('that has partitions says which', () => {
    const partitioned = { partitions: [{ name: 'sdb1', startBytes: MIB, sizeBytes: GIB }], partitionCount: 1 };
    const { nodes } = of({ devices: [disk('sdb', undefined, partitioned)] });
    expect(nodes[0]?.devices).toMatchObject([partitioned]);
  });

  test('that has no name of its own says so', () => {
    const { nodes } = of({ devices: [disk('sdb', undefined, { identity: { sizeBytes: GIB } })] });
    expect(nodes[0]?.devices).toMatchObject([{ identity: 'known by its size only', isKnownBySizeOnly: true }]);
  });

  test('that could not be read has neither size nor identity', () => {
    const nothing = { sizeBytes: undefined, identity: undefined, device: undefined };
    const { nodes } = of({ devices: [disk('sdb', { is: 'failed', why: 'EIO' }, nothing)] });
    expect(nodes[0]?.devices).toMatchObject([{ size: '', identity: '', isKnownBySizeOnly: false }]);
  });

  test.each<[string, ReadState, string]>([
    ['Bound', { is: 'available' }, 'bound'],
    ['Available', { is: 'new' }, 'available'],
    ['Released', { is: 'bound' }, 'released'],
    ['Failed', { is: 'bound' }, 'released'],
    ['Pending', { is: 'new' }, 'available'],
    ['Released', { is: 'wiping', doneBytes: 1, ofBytes: 2 }, 'wiping 50 %'],
    ['Released', refused('isMounted', 'is mounted at /data', false), 'refused: is mounted at /data'],
    ['Available', { is: 'failed', why: 'EIO' }, 'failed: EIO'],
  ])('whose volume is %s and whose report says %j is %s', (phase, state, stands) => {
    const { nodes } = of({ devices: [disk('sdb', state)] }, { volumes: [volume('sdb', phase)] });
    expect(nodes[0]?.devices).toMatchObject([{ stands }]);
  });

  test('has the claim that its volume has now, or none', () => {
    const devices = [disk('sdb', { is: 'bound' }, { claim: 'default/old' })];
    const claimOf = (parts: object) =>
      of({ devices }, { volumes: [volume('sdb', 'Bound', parts)] }).nodes[0]?.devices[0]?.claim;
    expect([claimOf({ claim: 'default/new' }), claimOf({})]).toEqual(['default/new', undefined]);
  });

  test('that only its volume tells of is shown, too', () => {
    const volumes = [volume('sdc', 'Bound', { claim: 'default/data', identity: { sizeBytes: 4 * GIB, serial: 'S1' } })];
    const { nodes } = of({ devices: [disk('sdb')] }, { volumes });
    expect(nodes[0]?.devices).toMatchObject([
      { path: '/dev/disks/sdb' },
      { path: '/dev/disks/sdc', stands: 'bound', claim: 'default/data', identity: 'serial S1', size: '4Gi' },
    ]);
  });

  test('of another node that has the same volume name is not mixed up with it', () => {
    const volumes = [volume('sdb', 'Bound', { node: 'node-2' })];
    expect(of({ devices: [disk('sdb')] }, { volumes }).nodes).toMatchObject([
      { node: 'node-1', devices: [{ stands: 'available' }] },
      { node: 'node-2', devices: [{ stands: 'bound' }] },
    ]);
  });
});

describe('people are told of a node', () => {
  const remarks = (parts: Partial<ReadReport>, looked: Partial<Looked> = {}) => of(parts, looked).nodes[0]?.remarks;

  test('nothing when all is well', () => {
    expect(remarks({}, { nodes: ['node-1'] })).toEqual([]);
  });

  test('that its agent is not heard, or is gone', () => {
    expect(remarks({ at: minutesAgo(12) }, { nodes: ['node-2'] })).toEqual([
      'is no node of this cluster any more',
      'was last heard 12 minutes ago: what is shown may not be so any more',
    ]);
  });

  test('each fault, what could not be looked at, what does not fit, and that it only plans', () => {
    const parts = { faults: ['deviceDir is missing', 'no'], unseen: ['/dev/x: EIO'], leftOut: 7, isDryRun: true };
    expect(remarks(parts)).toEqual([
      'only plans: its agent runs with --dry-run',
      'touches no device: deviceDir is missing',
      'touches no device: no',
      'could not look at everything: /dev/x: EIO',
      'has 7 more devices than fit into its report',
    ]);
  });

  test('that somebody else reports on it, too', () => {
    const reports = ['b', 'a'].map((namespace) => ({ report: report(), namespace }));
    const { nodes } = devicesStatus({ reports }, NOW);
    expect(nodes.map(({ namespace, remarks: [remark] }) => [namespace, remark])).toEqual([
      ['a', "has another report, in the namespace b: only one of them is its agent's"],
      ['b', "has another report, in the namespace a: only one of them is its agent's"],
    ]);
  });

  test('that it has volumes and no agent', () => {
    const { nodes } = devicesStatus({ reports: [], volumes: [volume('sdb', 'Available')] }, NOW);
    expect(nodes).toMatchObject([
      { node: 'node-1', remarks: ['has volumes and no report: does holdfast devices run there?'] },
    ]);
    expect(nodes[0]?.heardAt).toBeUndefined();
  });
});

test('nodes of which nothing is known are named', () => {
  const looked = {
    nodes: ['node-3', 'node-2', 'node-1', 'node-0'],
    volumes: [volume('a', 'Bound', { node: 'node-2' })],
  };
  expect(of({}, looked).withoutReport).toEqual(['node-0', 'node-3']);
});

test('of the nodes that are named, and of no others, all is told', () => {
  const looked: Looked = {
    reports: ['node-1', 'node-2'].map((node) => ({
      report: report({ node, devices: [disk('a', refused('x', 'y', false))] }),
    })),
    nodes: ['node-1', 'node-2', 'node-3', 'node-4'],
    volumes: [volume('a', 'Bound', { node: 'node-4' })],
  };
  const status = devicesStatus(looked, NOW, ['node-2', 'node-3', 'node-5']);
  expect(status.nodes.map(({ node }) => node)).toEqual(['node-2']);
  expect(status.withoutReport).toEqual(['node-3', 'node-5']);
  expect(status.needsAPerson.map(({ node }) => node)).toEqual(['node-2']);
});

test('what the agent of this very process would report can be shown like one that was read', () => {
  const made: NodeReport = { ...report(), devices: [] };
  expect(devicesStatus({ reports: [{ report: made }] }, NOW).nodes).toMatchObject([{ node: 'node-1', devices: [] }]);
});

test('what only a person can do is told, with the line to type where it is an approval', () => {
  const devices = [
    disk('sda'),
    disk('sdb', refused('isMounted', 'is mounted at /data', false)),
    disk('sdc', refused('hasForeignData', 'holds xfs', true)),
    disk('sdd', { is: 'failed', why: 'EIO' }),
  ];
  expect(of({ devices }).needsAPerson).toEqual([
    {
      node: 'node-1',
      path: '/dev/disks/sdb',
      volume: 'local-node-1-sdb',
      why: 'is mounted at /data',
      remedy: 'Do something about it',
    },
    {
      node: 'node-1',
      path: '/dev/disks/sdc',
      volume: 'local-node-1-sdc',
      why: 'holds xfs',
      remedy: 'If nobody needs what is on it: holdfast devices approve node-1 /dev/disks/sdc',
      command: 'holdfast devices approve node-1 /dev/disks/sdc',
    },
  ]);
});

test.each(['/dev/disk/by-path/pci-0000:00:1f.2-ata-1', '/dev/mapper/a@b%c+d=e,f_g'])(
  'the path %s can be typed',
  (path) => {
    expect(approvalLine('n', { path, volume: 'v' })).toBe(`holdfast devices approve n ${path}`);
  },
);

test.each(['/dev/a b', '/dev/$(reboot)', "/dev/'", '/dev/a;b', '/dev/\u001b[2J', '/dev/a\nb', '--yes', ''])(
  'instead of the path %j the volume is typed',
  (path) => {
    expect(approvalLine('n', { path, volume: 'v' })).toBe('holdfast devices approve n v');
  },
);

test.each<[ReadState, string]>([
  [{ is: 'available' }, 'available'],
  [{ is: 'bound' }, 'bound'],
  [{ is: 'released' }, 'released'],
  [{ is: 'new' }, 'new'],
  [{ is: 'wiping', doneBytes: 42 * MIB, ofBytes: 100 * MIB }, 'wiping 42 %'],
  [{ is: 'wiping', doneBytes: 100 * MIB - 1, ofBytes: 100 * MIB }, 'wiping 99 %'],
  [{ is: 'wiping', doneBytes: 7, ofBytes: 5 }, 'wiping 100 %'],
  [{ is: 'wiping', doneBytes: 0, ofBytes: 0 }, 'wiping'],
  [refused('isMounted', 'is mounted at /data', false), 'refused: is mounted at /data'],
  [{ is: 'failed', why: 'Input/output error' }, 'failed: Input/output error'],
  [
    { is: 'planned', what: 'make', method: 'zero-head', ofBytes: 100 * MIB },
    'would be made (wiped by zero-head, 100Mi)',
  ],
  [
    { is: 'planned', what: 'recycle', method: 'discard', ofBytes: 4 * GIB },
    'would be recycled (wiped by discard, 4Gi)',
  ],
])('the state %j in words is "%s"', (state, words) => {
  expect(inWords(state)).toBe(words);
});
