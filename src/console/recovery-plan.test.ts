import { expect, test } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { KubeClient } from '../kit/kube/client.ts';
import { FakeTransport } from '../kit/kube/fake-transport.ts';
import type { RecoveryPlan } from '../sync/recover/plan.ts';
import { patchLines, planOf, recoveryPlan } from './recovery-plan.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const found = { key: 'site/1.json', exportedAt: '2026-01-01T00:00:00Z' } as Parameters<typeof planOf>[0]['found'];
const EMPTY: RecoveryPlan = {
  disown: [],
  namespaces: [],
  create: [],
  change: [],
  remove: [],
  same: { volumes: 2, claims: 1 },
  present: [],
  refused: [],
};
const identity = { uid: 'u', resourceVersion: '1' };

test('a plan is told as counts and steps, what is created as a diff', () => {
  const plan: RecoveryPlan = {
    ...EMPTY,
    create: [{ kind: 'PersistentVolume', key: 'a', make: () => ({ metadata: { name: 'a' } }) }],
    change: [
      { kind: 'PersistentVolumeClaim', key: 'ns/b', ...identity, patch: { spec: { size: 2 } }, fields: ['spec.size'] },
    ],
    remove: [{ kind: 'PersistentVolume', key: 'c', ...identity }],
  };
  expect(planOf({ found, plan }, NOW)).toEqual({
    at: NOW.toISOString(),
    export: { key: 'site/1.json', exportedAt: '2026-01-01T00:00:00Z' },
    counts: { create: 1, change: 1, delete: 1, refuse: 0, same: 3 },
    steps: [
      { does: 'delete', kind: 'PersistentVolume', name: 'c', why: 'It is no longer in the export.' },
      { does: 'change', kind: 'PersistentVolumeClaim', name: 'ns/b', diff: ['+ spec.size: 2'], why: 'spec.size' },
      { does: 'create', kind: 'PersistentVolume', name: 'a', diff: ['+ metadata:', '+   name: a'] },
    ],
  });
});

test('a plan that is held back says so, and what is held is refused', () => {
  const removal = { kind: 'PersistentVolume', key: 'c', ...identity } as const;
  const held = { create: [], change: [], remove: [removal], message: 'too much would go', remedy: 'Allow it' };
  const { counts, steps, problem } = planOf({ found, plan: { ...EMPTY, held } }, NOW);
  expect(counts.refuse).toBe(1);
  expect(steps).toEqual([{ does: 'refuse', kind: 'PersistentVolume', name: 'c', why: 'Too much would go.' }]);
  expect(problem).toBe('Too much would go. Allow it.');
});

test('of a long plan the first 500 steps are told, and no more objects are made', () => {
  let made = 0;
  const create = Array.from({ length: 2_000 }, (_, index) => ({
    kind: 'PersistentVolume' as const,
    key: `v-${index}`,
    make: () => {
      made += 1;
      return { metadata: {} };
    },
  }));
  const { counts, steps } = planOf({ found, plan: { ...EMPTY, create } }, NOW);
  expect([counts.create, steps.length, made]).toEqual([2_000, 500, 500]);
});

test('a patch is told a field a line', () => {
  expect(patchLines({ metadata: { labels: { a: 'b', c: null } }, spec: { list: [1] } })).toEqual([
    '+ metadata.labels.a: "b"',
    '- metadata.labels.c',
    '+ spec.list: [1]',
  ]);
  expect(patchLines(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, 1])))).toHaveLength(81);
});

test.each([
  ['no store', undefined, 'This console has no access to the object store'],
  [
    'one that cannot be opened',
    { open: () => Promise.reject(new Error('no bucket')), keys: () => undefined as never },
    'No bucket.',
  ],
])('with %s there is no plan, and it is said why', async (_what, store, problem) => {
  const clock = new VirtualClock();
  const client = new KubeClient({ transport: new FakeTransport(), clock, random: () => 0 });
  const sync = {
    metadata: { name: 'site' },
    spec: { protectedCluster: 'x', mode: 'Recovery', cloudProvider: 's3', retention: 1 },
  } as const;
  const plan = await recoveryPlan(sync, store, { client, clock }, new AbortController().signal);
  expect(plan).toMatchObject({ steps: [], problem: expect.stringContaining(problem) });
});
