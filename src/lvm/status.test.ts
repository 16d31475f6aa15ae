import { describe, expect, test } from 'vitest';
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import { aNodeReport } from './builders.ts';
import { HOSTNAME_LABEL, NODE_ID_LABEL, PREFIX, STORAGE_CLASS } from './contract.ts';
import type { NodeReport, ReportedVolume } from './node-report.ts';
import { inWords, type Looked, type LvmStatus, lvmStatus, type ShownState } from './status.ts';
import { type Volume, volumeOf } from './volume.ts';

const NOW = new Date('2026-01-01T12:00:00.000Z');
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString();
const GIB = 2 ** 30;

const NODES = ['a', 'b'].map((letter) => ({
  name: `node-${letter}`,
  labels: { [NODE_ID_LABEL]: `id-${letter}`, [HOSTNAME_LABEL]: `host-${letter}` },
}));

const row = (
  volume: string,
  state: ReportedVolume['state'] = { is: 'ready' },
  parts: Partial<ReportedVolume> = {},
) => ({
  volume,
  state,
  vg: 'fast',
  path: `/mnt/pv/${volume}`,
  sizeBytes: GIB,
  ...parts,
});

const report = (parts: Partial<NodeReport> = {}): NodeReport =>
  aNodeReport({ node: 'node-a', at: minutesAgo(2), ...parts });

interface Declared {
  readonly label?: string;
  readonly values?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

function declared(
  name: string,
  { label = NODE_ID_LABEL, values = ['id-a'], annotations = {}, spec = {} }: Declared = {},
): Volume {
  const matchExpressions = [{ key: label, operator: 'In', values }];
  const volume = volumeOf({
    metadata: { name, annotations },
    spec: {
      capacity: { storage: '2Gi' },
      local: { path: `/mnt/pv/${name}` },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
      ...spec,
    },
  } as unknown as PersistentVolume);
  if (!volume) throw new Error('it is not local');
  return volume;
}

const of = (parts: Partial<NodeReport>, looked: Partial<Looked> = {}): LvmStatus =>
  lvmStatus({ reports: [{ report: report(parts), namespace: 'storage' }], nodes: NODES, ...looked }, NOW);

describe('a volume', () => {
  test('is told with its group, path, claim, size and state, for people and for programs', () => {
    const spec = { claimRef: { namespace: 'default', name: 'data' } };
    const { nodes } = of(
      { volumes: [row('data', undefined, { claim: 'default/old' })] },
      { volumes: [declared('data', { spec })] },
    );
    expect(nodes[0]?.volumes).toEqual([
      {
        volume: 'data',
        vg: 'fast',
        path: '/mnt/pv/data',
        claim: 'default/data',
        sizeBytes: GIB,
        size: '1Gi',
        state: { is: 'ready' },
        stands: 'ready',
      },
    ]);
  });

  test('that its agent has not told of yet is shown with what is declared', () => {
    const annotations = { [`${PREFIX}vg`]: 'slow' };
    const { nodes } = of({}, { volumes: [declared('data', { annotations })] });
    expect(nodes[0]?.volumes).toMatchObject([
      { volume: 'data', vg: 'slow', size: '2Gi', stands: 'unreported: its agent has not told of it yet' },
    ]);
  });

  test('is in the thin pool that is declared', () => {
    const annotations = { [`${PREFIX}thinPool`]: 'thin' };
    const { nodes } = of({ volumes: [row('data')] }, { volumes: [declared('data', { annotations })] });
    expect(nodes[0]?.volumes).toMatchObject([{ volume: 'data', pool: 'thin' }]);
  });

  test('that is gone since it was reported is not shown', () => {
    expect(of({ volumes: [row('gone')] }, { volumes: [] }).nodes[0]?.volumes).toEqual([]);
  });

  test('is shown as it was reported where volumes may not be read', () => {
    expect(of({ volumes: [row('data')] }, { volumes: undefined }).nodes[0]?.volumes).toMatchObject([
      { stands: 'ready' },
    ]);
  });

  test('is shown at the node that reports it where nodes may not be read, and no other is', () => {
    const volumes = [declared('data'), declared('other')];
    const { nodes, nowhere } = of({ volumes: [row('data')] }, { nodes: undefined, volumes });
    expect(nodes.map(({ node, volumes: own }) => [node, own.map(({ volume }) => volume)])).toEqual([
      ['node-a', ['data']],
    ]);
    expect(nowhere).toEqual([]);
  });

  test('that is declared for a node without an agent is shown there, and that nobody reports on it', () => {
    const { nodes, withoutReport } = of({}, { volumes: [declared('data', { values: ['id-b'] })] });
    expect(nodes).toMatchObject([
      { node: 'node-a', volumes: [] },
      {
        node: 'node-b',
        remarks: ['has volumes and no report: does holdfast lvm run there?'],
        volumes: [{ volume: 'data', stands: 'unreported: no agent reports from its node' }],
      },
    ]);
    expect(withoutReport).toEqual([]);
  });

  test.each([
    [
      'by its host, with an annotation of ours',
      { label: HOSTNAME_LABEL, values: ['host-a'], annotations: { [`${PREFIX}vg`]: 'x' } },
      ['data'],
    ],
    [
      'by its host, in our class',
      { label: HOSTNAME_LABEL, values: ['host-a'], spec: { storageClassName: STORAGE_CLASS } },
      ['data'],
    ],
    ['by its host, and is not meant for us', { label: HOSTNAME_LABEL, values: ['host-a'] }, []],
  ])('that names the node %s', (_, how, shown) => {
    const { nodes, nowhere } = of({}, { volumes: [declared('data', how)] });
    expect(nodes[0]?.volumes.map(({ volume }) => volume)).toEqual(shown);
    expect(nowhere).toEqual([]);
  });

  test('that no node makes is told by itself, once, and needs a person', () => {
    const volumes = [
      declared('typo', { values: ['id-z'] }),
      declared('two', { values: ['id-a', 'id-b'], spec: { storageClassName: STORAGE_CLASS } }),
      declared('theirs', { label: 'zone', values: ['a'] }),
    ];
    const refused = { is: 'refused', fact: 'isWrittenWrongly', why: 'it is wrong', remedy: 'Correct it' } as const;
    const { nodes, nowhere, needsAPerson } = of({ volumes: [row('two', refused)] }, { volumes });
    expect(nodes[0]?.volumes).toEqual([]);
    expect(nowhere.map(({ volume, stands }) => [volume, stands])).toEqual([
      ['typo', 'unreported: no node of the cluster has node-id.k8s.portavita.net/nodeid=id-z'],
      ['two', 'unreported: its node affinity names no single node, so no agent makes it'],
    ]);
    expect(needsAPerson.map(({ node, volume }) => [node, volume])).toEqual([
      [undefined, 'typo'],
      [undefined, 'two'],
    ]);
  });
});

test('groups and their thin pools are told with their sizes', () => {
  const pool = { name: 'pool', sizeBytes: GIB, promisedBytes: 3 * GIB, dataPercent: 12.5 };
  const groups = [{ name: 'fast', sizeBytes: 4 * GIB, freeBytes: GIB, missingDisks: 1, pools: [pool] }];
  const { nodes } = of({ groups, unseen: ['lvm does not answer'], leftOut: 3 });
  expect(nodes[0]).toMatchObject({
    groups: [
      {
        name: 'fast',
        size: '4Gi',
        free: '1Gi',
        pools: [{ name: 'pool', size: '1Gi', promised: '3Gi', dataPercent: 12.5 }],
      },
    ],
    remarks: [
      'could not be looked at: lvm does not answer',
      'misses 1 of the disks of the volume group fast',
      'has 3 more volumes than fit into its report',
    ],
  });
});

test('nodes of which nothing is known are named, and agents that are not heard', () => {
  const { nodes, withoutReport } = of({ at: minutesAgo(12) });
  expect(withoutReport).toEqual(['node-b']);
  expect(nodes[0]?.remarks).toEqual(['was last heard 12 minutes ago: what is shown may not be so any more']);
});

test('of the nodes that are named, and of no others, all is told', () => {
  const reports = ['node-a', 'node-b'].map((node) => ({ report: report({ node }) }));
  const looked = { reports, nodes: NODES, volumes: [declared('typo', { values: ['id-z'] })] };
  const status = lvmStatus(looked, NOW, ['node-b', 'node-c']);
  expect(status.nodes.map(({ node }) => node)).toEqual(['node-b']);
  expect([status.withoutReport, status.nowhere, status.needsAPerson]).toEqual([['node-c'], [], []]);
});

test('what is refused needs a person, and what fails does not yet', () => {
  const refused = { is: 'refused', fact: 'groupIsFull', why: 'no room', remedy: 'Make room' } as const;
  const volumes = [row('data', refused), row('other', { is: 'failed', why: 'EIO' })];
  expect(of({ volumes }, { volumes: undefined }).needsAPerson).toEqual([
    { node: 'node-a', volume: 'data', why: 'no room', remedy: 'Make room' },
  ]);
});

test.each<[ShownState, string]>([
  [{ is: 'ready' }, 'ready'],
  [{ is: 'working', step: 'format' }, 'working: format'],
  [{ is: 'removing', step: 'unmount' }, 'removing: unmount'],
  [{ is: 'removing', step: 'shred', percent: 42 }, 'removing: shred 42 %'],
  [{ is: 'waiting', why: 'it is bound' }, 'waiting: it is bound'],
  [{ is: 'failed', why: 'EIO' }, 'failed: EIO'],
])('the state %j in words is "%s"', (state, words) => {
  expect(inWords(state)).toBe(words);
});
