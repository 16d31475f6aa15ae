import { describe, expect, test } from 'vitest';
import { aDevice, aRow, knownOfVolume, noParts, seenVolume } from './builders.ts';
import type { NodeRow, PoolRow } from './model.ts';
import { EVERYTHING, keyOf, type Rights, visibleTo } from './rights.ts';
import type { Shown } from './shown.ts';
import { volumeShown } from './volumes.ts';

const NOTHING: Rights = {
  volumes: false,
  nodes: false,
  syncs: false,
  reports: new Set(),
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
  volumes: { known: true, value: new Map([['a', aRow('well', { claim: 'red/c', pods: ['red/p'] })]]) },
  nodes: { known: true, value: new Map([['n', node]]) },
  pools: {
    known: true,
    value: new Map([
      ['red/x', pool('red/x')],
      ['blue/x', pool('blue/x')],
    ]),
  },
  others: [need('pod:red/p'), need('lost:blue/c'), need('unreadable:green/report')],
  reportsIn: { known: true, value: new Set(['green']) },
});

test('whoever may see everything sees it as it is', () => {
  expect(visibleTo(EVERYTHING, parts)).toBe(parts);
});

test('whoever may see nothing is told why', () => {
  const { volumes, nodes, pools, syncs, others } = visibleTo(NOTHING, parts);
  expect([volumes, nodes, syncs, pools]).toEqual([
    { known: false, why: 'you may not list persistentvolumes' },
    { known: false, why: 'you may not list nodes' },
    { known: false, why: 'you may not list persistentvolumesyncs' },
    { known: false, why: expect.stringContaining('you may not list pvpools') },
  ]);
  expect(others).toEqual([]);
});

test('of a volume only pods are named that one may see', () => {
  const { volumes } = visibleTo({ ...NOTHING, volumes: true, pods: new Set(['red']) }, parts);
  expect(volumes.known && volumes.value.get('a')?.row.pods).toEqual(['red/p']);
  const none = visibleTo({ ...NOTHING, volumes: true }, parts).volumes;
  expect(none.known && none.value.get('a')?.row).not.toHaveProperty('pods');
});

describe('what a volume is because of pods', () => {
  const secret = volumeShown(
    knownOfVolume({
      volume: seenVolume({ claim: 'red/c' }),
      placement: {
        volume: 'a',
        claim: 'red/c',
        zone: '',
        region: '',
        state: 'nodeValueIsUnusable',
        why: 'red/secret runs on hidden-node',
      },
      pods: [{ pod: 'red/secret', node: 'hidden-node' }],
    }),
  );
  const shownTo = (rights: Partial<Rights>, volume = secret) => {
    const all = noParts({ volumes: { known: true, value: new Map([['a', volume]]) } });
    const { volumes } = visibleTo({ ...NOTHING, volumes: true, ...rights }, all);
    return volumes.known ? volumes.value.get('a') : undefined;
  };

  test('is told to those who may see pods where its claim is', () => {
    expect(shownTo({ pods: new Set(['red']) })).toEqual(secret);
    expect(JSON.stringify(secret)).toMatch(/secret.*hidden-node/);
  });

  test('is not told to others: neither pods nor nodes are named', () => {
    const told = shownTo({ pods: new Set(['blue']) });
    expect(JSON.stringify(told)).not.toMatch(/secret|hidden-node/);
    expect(told).toMatchObject({
      row: { health: 'attention', note: expect.stringContaining('those who may list pods') },
      needs: [{ id: 'topology:a', remedy: expect.stringMatching(/^It does not carry its zone.*\.$/) }],
    });
  });

  test('and nothing else is kept from them', () => {
    const device = { node: 'node-1', status: aDevice({ is: 'failed', why: 'I/O error' }) };
    const failed = volumeShown(knownOfVolume({ volume: seenVolume({ claim: 'red/c' }), device }));
    expect(shownTo({}, failed)?.row).toMatchObject({ node: 'node-1', note: 'failed' });
    const unclaimed = volumeShown(knownOfVolume({ volume: seenVolume({ phase: 'Failed' }) }));
    expect(shownTo({}, unclaimed)).toEqual(unclaimed);
  });
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

test('what is wrong with ConfigMaps is told to those who may read them', () => {
  const { others } = visibleTo({ ...NOTHING, reports: new Set(['green']) }, parts);
  expect(others.map(({ id }) => id)).toEqual(['unreadable:green/report']);
});

const GREEN = new Set(['green']);
const BOTH = new Set(['green', 'blue']);

test.each<[Partial<Rights>, ReadonlySet<string> | 'unread', boolean]>([
  [{ volumes: true, nodes: true }, GREEN, false],
  [{ volumes: false, nodes: true, reports: 'all' }, GREEN, false],
  [{ volumes: true, nodes: false, reports: 'all' }, GREEN, false],
  [{ volumes: true, nodes: true, reports: 'all' }, GREEN, true],
  [{ volumes: true, nodes: true, reports: 'all' }, 'unread', true],
  [{ volumes: true, nodes: true, reports: GREEN }, GREEN, true],
  [{ volumes: true, nodes: true, reports: BOTH }, GREEN, true],
  [{ volumes: true, nodes: true, reports: GREEN }, BOTH, false],
  [{ volumes: true, nodes: true, reports: GREEN }, 'unread', false],
  [{ volumes: true, nodes: true, reports: new Set() }, new Set(), false],
])('nodes are shown with the rights %o, where agents report in %o: %s', (rights, where, known) => {
  const reportsIn =
    where === 'unread' ? ({ known: false, why: 'not read' } as const) : ({ known: true, value: where } as const);
  expect(visibleTo({ ...NOTHING, ...rights }, { ...parts, reportsIn }).nodes.known).toBe(known);
});

test('the same rights have the same key, in whatever order they were found', () => {
  const one = { ...NOTHING, pods: new Set(['a', 'b']) };
  expect(keyOf(one)).toBe(keyOf({ ...NOTHING, pods: new Set(['b', 'a']) }));
  expect(keyOf(one)).not.toBe(keyOf({ ...NOTHING, pods: new Set(['a']) }));
  expect(keyOf(one)).not.toBe(keyOf({ ...NOTHING, pools: new Set(['a', 'b']) }));
});
