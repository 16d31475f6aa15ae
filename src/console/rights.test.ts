import { expect, test } from 'vitest';
import { aRow, noParts } from './builders.ts';
import type { NodeRow, PoolRow } from './model.ts';
import { EVERYTHING, keyOf, type Rights, visibleTo } from './rights.ts';
import type { Shown } from './shown.ts';

const NOTHING: Rights = {
  volumes: false,
  nodes: false,
  syncs: false,
  reports: false,
  pods: new Set(),
  pools: new Set(),
};
const shown = <T>(row: T): Shown<T> => ({ row, needs: [], activities: [] });
const pool = (name: string): Shown<PoolRow> =>
  shown({
    name,
    health: 'well',
    phase: 'Ready',
    wanted: 1,
    ready: 1,
    agents: [{ pod: 'p', state: 'Ready', isReady: true, node: 'n', claim: 'red/c' }],
    troubles: [],
    history: [],
  });
const node: Shown<NodeRow> = shown({
  name: 'n',
  health: 'well',
  isReady: true,
  remarks: [],
  devices: [],
  groups: [],
  heard: {},
});
const need = (id: string) => ({ id, job: 'topology', severity: 'urgent', what: '', remedy: '' }) as const;
const parts = noParts({
  volumes: { known: true, value: new Map([['a', aRow('well', { pods: ['red/p', 'blue/p'] })]]) },
  nodes: { known: true, value: new Map([['n', node]]) },
  pools: {
    known: true,
    value: new Map([
      ['red/x', pool('red/x')],
      ['blue/x', pool('blue/x')],
    ]),
  },
  others: [need('pod:red/p'), need('lost:blue/c')],
});

test('whoever may see everything sees it as it is', () => {
  expect(visibleTo(EVERYTHING, parts)).toBe(parts);
});

test('whoever may see nothing is told why', () => {
  const { volumes, nodes, pools, syncs, others } = visibleTo(NOTHING, parts);
  expect([volumes, nodes, syncs]).toEqual([
    { known: false, why: 'you may not list persistentvolumes' },
    { known: false, why: 'you may not list nodes' },
    { known: false, why: 'you may not list persistentvolumesyncs' },
  ]);
  expect(pools.known && pools.value.size).toBe(0);
  expect(others).toEqual([]);
});

test('of a volume only pods are named that one may see', () => {
  const { volumes } = visibleTo({ ...NOTHING, volumes: true, pods: new Set(['red']) }, parts);
  expect(volumes.known && volumes.value.get('a')?.row.pods).toEqual(['red/p']);
  const none = visibleTo({ ...NOTHING, volumes: true }, parts).volumes;
  expect(none.known && none.value.get('a')?.row).not.toHaveProperty('pods');
});

test('where the pods of a pool run is told to those who may see pods there', () => {
  const agentOf = (rights: Rights) => {
    const { pools } = visibleTo(rights, parts);
    return pools.known ? pools.value.get('red/x')?.row.agents[0] : undefined;
  };
  expect(agentOf({ ...NOTHING, pools: new Set(['red']) })).toEqual({ pod: 'p', state: 'Ready', isReady: true });
  expect(agentOf({ ...NOTHING, pools: 'all', pods: 'all' })).toMatchObject({ node: 'n', claim: 'red/c' });
});

test('needs are told in the namespaces of their pods and claims', () => {
  expect(visibleTo({ ...NOTHING, pods: new Set(['blue']) }, parts).others.map(({ id }) => id)).toEqual(['lost:blue/c']);
});

test.each([
  [{ volumes: true, nodes: true, reports: false }, false],
  [{ volumes: false, nodes: true, reports: true }, false],
  [{ volumes: true, nodes: true, reports: true }, true],
])('nodes are shown with the rights %o: %s', (rights, known) => {
  expect(visibleTo({ ...NOTHING, ...rights }, parts).nodes.known).toBe(known);
});

test('the same rights have the same key, in whatever order they were found', () => {
  const one = { ...NOTHING, pods: new Set(['a', 'b']) };
  expect(keyOf(one)).toBe(keyOf({ ...NOTHING, pods: new Set(['b', 'a']) }));
  expect(keyOf(one)).not.toBe(keyOf({ ...NOTHING, pods: new Set(['a']) }));
  expect(keyOf(one)).not.toBe(keyOf({ ...NOTHING, pools: new Set(['a', 'b']) }));
});
