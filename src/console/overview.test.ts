import { describe, expect, test } from 'vitest';
import { aRow, noParts } from './builders.ts';
import type { Health, Need, NodeRow } from './model.ts';
import { overviewOf, type Parts } from './overview.ts';
import type { Shown } from './shown.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const known = <T>(...rows: readonly (readonly [string, T])[]) => ({ known: true, value: new Map(rows) }) as const;
const volumes = (...healths: Health[]): Parts['volumes'] =>
  known(...healths.map((health, index) => [`v-${index}`, aRow(health)] as const));
const need = (severity: Need['severity'], id = 'x'): Need => ({
  id,
  job: 'pool',
  severity,
  what: 'What.',
  remedy: 'Do.',
});
const blind: Parts['blind'] = [
  { what: 'claims', why: 'no right' },
  { what: 'pods', why: 'no right' },
  { what: 'reports', why: 'no right' },
];
/** Of a pool or a sync, as far as the verdict looks at it. */
const shown = (row: { readonly health: Health }) => ({ row, needs: [], activities: [] }) as never;
const aNode = (health: Health, parts: Partial<NodeRow> = {}): Shown<NodeRow> => ({
  row: { name: 'n', health, isReady: true, remarks: [], devices: [], groups: [], heard: {}, ...parts },
  needs: [],
  activities: [],
});
const node = (health: Health): Parts['nodes'] => known(['n', aNode(health)]);
const verdict = (parts: Partial<Parts>) => overviewOf(noParts(parts), NOW).verdict;

describe('is my data safe?', () => {
  test.each<[string, Health, string, Partial<Parts>]>([
    ['all is well', 'well', 'Yes. All 2 volumes are well.', { volumes: volumes('well', 'well') }],
    [
      'some are worked on',
      'well',
      'Yes. All 2 volumes are well, 1 of them is being worked on.',
      { volumes: volumes('well', 'busy') },
    ],
    ['there is one', 'well', 'Yes. The only volume is well.', { volumes: volumes('well') }],
    ['there are none', 'well', 'There are no volumes yet.', {}],
    ['one is unknown', 'unknown', 'Nobody can say how 1 volume is.', { volumes: volumes('well', 'unknown') }],
    ['one has failed', 'failed', 'Not all of it. 1 thing needs you now.', { volumes: volumes('failed') }],
    [
      'something is urgent',
      'attention',
      'Not all of it. 2 things need you now.',
      { others: [need('urgent'), need('urgent', 'y'), need('soon', 'z')] },
    ],
    ['something is not', 'attention', 'Yes. 1 thing waits for you.', { others: [need('soon')] }],
    [
      'something is not, and something cannot be seen',
      'attention',
      'As far as it can be seen. 1 thing waits for you. Claims, pods and the reports of agents cannot be seen: no right.',
      { others: [need('soon')], blind },
    ],
    [
      'something is not, and a node is unknown',
      'attention',
      'As far as it can be seen. 1 thing waits for you.',
      { others: [need('soon')], nodes: node('unknown') },
    ],
    ['volumes may not be read', 'unknown', 'Nobody can say: no right.', { volumes: { known: false, why: 'no right' } }],
    [
      'pools may not be read',
      'unknown',
      'What is seen is well, but pools cannot be seen: no right.',
      { volumes: volumes('well'), pools: { known: false, why: 'no right' } },
    ],
    [
      'pods, claims and reports may not be read',
      'unknown',
      'What is seen is well, but claims, pods and the reports of agents cannot be seen: no right.',
      { volumes: volumes('well'), blind },
    ],
    [
      'something is urgent, and something cannot be seen',
      'attention',
      'Not all of it. 1 thing needs you now. Claims, pods and the reports of agents cannot be seen: no right.',
      { others: [need('urgent')], blind },
    ],
    [
      'a node is unknown',
      'unknown',
      'Nobody can say how 1 node is.',
      { volumes: volumes('well'), nodes: node('unknown') },
    ],
    [
      'a node has failed',
      'failed',
      'Not all of it. 1 thing needs you now.',
      { volumes: volumes('well'), nodes: node('failed') },
    ],
    [
      'a node needs a look',
      'attention',
      'Yes. 1 thing waits for you.',
      { volumes: volumes('well'), nodes: node('attention') },
    ],
    ['a node is busy', 'well', 'Yes. The only volume is well.', { volumes: volumes('well'), nodes: node('busy') }],
    [
      'a pool is unknown',
      'unknown',
      'Nobody can say how 1 pool is.',
      { pools: known(['ns/p', shown({ health: 'unknown' })]) },
    ],
    [
      'a sync is unknown',
      'unknown',
      'Nobody can say how 1 sync is.',
      { syncs: known(['s', shown({ health: 'unknown' })]) },
    ],
    [
      'volumes are labelled, and nobody exports them',
      'attention',
      'Yes. 1 thing waits for you.',
      { volumes: known(['a', aRow('well', { sync: 'to be exported' })]) },
    ],
  ])('when %s: %s', (_when, health, sentence, parts) => {
    expect(verdict(parts)).toEqual({ health, sentence });
  });
});

test('volumes are counted by health', () => {
  expect(overviewOf(noParts({ volumes: volumes('well', 'well', 'busy', 'failed') }), NOW).volumesByHealth).toEqual({
    well: 2,
    busy: 1,
    attention: 0,
    failed: 1,
    unknown: 0,
  });
});

test('what is urgent comes first', () => {
  const others = [need('soon', 'a'), need('urgent', 'b'), need('soon', 'c'), need('urgent', 'a')];
  expect(overviewOf(noParts({ others }), NOW).needs.map(({ severity, id }) => `${severity} ${id}`)).toEqual([
    'urgent a',
    'urgent b',
    'soon a',
    'soon c',
  ]);
});

test('a job of which nothing is found is not in use, and one that cannot be looked at is unknown', () => {
  const { jobs } = overviewOf(noParts({ syncs: { known: false, why: 'no right' } }), NOW);
  expect(jobs.map(({ job, health, sentence }) => [job, health, sentence])).toEqual([
    ['topology', 'well', 'not in use here'],
    ['devices', 'well', 'not in use here'],
    ['lvm', 'well', 'not in use here'],
    ['pool', 'well', 'not in use here'],
    ['sync', 'unknown', 'no right'],
  ]);
});

test('without the reports of agents nobody can say how devices and logical volumes are', () => {
  const { jobs } = overviewOf(noParts({ blind }), NOW);
  expect(jobs.filter(({ health }) => health === 'unknown').map(({ job }) => job)).toEqual(['devices', 'lvm']);
  const used = overviewOf(noParts({ blind: blind.slice(0, 2), isTopologyInUse: true }), NOW).jobs;
  expect(used.filter(({ health }) => health === 'unknown').map(({ job }) => job)).toEqual(['topology']);
});

test('nodes whose agent is not believed are counted by its job', () => {
  const nodes = known(['n', aNode('unknown', { doubts: { devices: 'It is silent.' } })]);
  expect(overviewOf(noParts({ nodes }), NOW).jobs.slice(1, 3)).toEqual([
    { job: 'devices', health: 'unknown', sentence: '0 devices; nobody can say on 1 node' },
    { job: 'lvm', health: 'well', sentence: 'not in use here' },
  ]);
});

test('each job says in a sentence how it stands', () => {
  const device = { path: '', volume: '', identity: '', stands: '' };
  const group = { name: 'g', sizeBytes: 1, freeBytes: 1, missingDisks: 0, pools: [] };
  const one = aNode('well', {
    devices: [
      { ...device, state: 'bound' },
      { ...device, state: 'bound' },
      { ...device, state: 'refused' },
    ],
    groups: [{ ...group, volumes: [{ volume: 'a', state: 'ready', stands: '' }] }],
  });
  const { jobs } = overviewOf(
    noParts({ nodes: known(['n', one]), volumes: known(['a', aRow('well', { zone: 'z' })]), isTopologyInUse: true }),
    NOW,
  );
  expect(jobs.slice(0, 3)).toEqual([
    { job: 'topology', health: 'well', sentence: '1 volume with a zone' },
    { job: 'devices', health: 'attention', sentence: '3 devices: 2 bound, 1 refused' },
    { job: 'lvm', health: 'well', sentence: '1 logical volume in 1 volume group: 1 ready' },
  ]);
});

test('the recovery point is that of the sync by which the most would be lost', () => {
  const sync = (name: string, exportedAt: string, confirmedAt?: string) =>
    ({
      row: { name, mode: 'Protected', health: 'well', newest: { key: '', exportedAt, confirmedAt } },
      needs: [],
      activities: [],
    }) as never;
  const syncs = known(
    ['a', sync('a', '2025-12-31T23:59:00Z')],
    ['b', sync('b', '2025-12-31T23:00:00Z', '2025-12-31T23:30:00Z')],
    ['c', sync('c', '2025-12-31T22:00:00Z', '2025-12-31T23:59:30Z')],
  );
  expect(overviewOf(noParts({ syncs }), NOW).rpo).toMatchObject({ sync: 'b' });
});
