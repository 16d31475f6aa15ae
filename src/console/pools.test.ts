import { describe, expect, test } from 'vitest';
import { anOperation, aPool } from '../pool/builders.ts';
import type { PodInfo, PvPool, PvPoolStatus } from '../pool/contract.ts';
import { drainProgress } from './drain-progress.ts';
import { poolShown, secondsIn } from './pools.ts';

const pool = (status: PvPoolStatus): PvPool => {
  const made = aPool();
  return { ...made, status: { observedGeneration: made.metadata.generation ?? 1, ...status } };
};
const NOW = new Date('2026-01-01T00:10:00Z');
const shown = (of: PvPool, parts: Partial<Parameters<typeof poolShown>[0]> = {}) =>
  poolShown({ pool: of, pods: new Map(), capacityOf: () => undefined, history: [], now: NOW, ...parts });
const condition = (type: 'Degraded' | 'Progressing', message: string) =>
  ({ type, status: 'True', reason: 'X', message, lastTransitionTime: '' }) as const;

describe('a pool is', () => {
  test.each<[string, PvPoolStatus]>([
    ['well', { phase: 'Ready' }],
    ['busy', { phase: 'ScalingUp' }],
    ['busy', { phase: 'Ready', conditions: [condition('Progressing', 'waits')] }],
    ['attention', { phase: 'Ready', conditions: [condition('Degraded', 'an agent is gone')] }],
    ['unknown', { phase: 'Unknown' }],
  ])('%s when its status is %o', (health, status) => {
    expect(shown(pool(status)).row.health).toBe(health);
  });

  test('unknown when nobody has looked at it', () => {
    expect(shown(aPool()).row.health).toBe('unknown');
    expect(shown(aPool()).needs).toHaveLength(1);
  });

  test('unknown when nobody can say, and somebody has to see why', () => {
    expect(shown(pool({ phase: 'Unknown' })).needs).toMatchObject([
      { severity: 'soon', what: expect.stringMatching(/^Nobody can say how the pool .* is\.$/) },
    ]);
  });
});

test('its agents are shown with their pods and claims', () => {
  const podsInfo = [
    { podName: 'data-sts-0', podStatus: 'Ready', capacityBytes: 8, usedBytes: 3 },
    { podName: 'data-sts-1', podStatus: 'Sleeping' as 'Ready' },
  ] as const;
  const pod = { name: 'data-sts-0', pool: 'ns/data', node: 'n', isReady: true, claim: 'ns/vol-data-sts-0' };
  const { row } = shown(pool({ phase: 'Ready', podsInfo }), {
    pods: new Map([['data-sts-0', pod]]),
    capacityOf: (claim) => (claim === 'ns/vol-data-sts-0' ? 7 : undefined),
  });
  expect(row.agents).toEqual([
    {
      pod: 'data-sts-0',
      state: 'Ready',
      isReady: true,
      node: 'n',
      claim: 'ns/vol-data-sts-0',
      capacityBytes: 8,
      usedBytes: 3,
    },
    { pod: 'data-sts-1', state: 'Unknown', isReady: false },
  ]);
});

test('a drain is an activity with its progress, and can be cancelled until it is done', () => {
  const operation = anOperation(3, 2, { progress: 'draining data-sts-2: 30 of 120 GiB, 2 min left' });
  const drain = { since: '2026-01-01T00:09:20Z', movedBytes: 30, leftBytes: 90 };
  const podsInfo = [{ podName: 'data-sts-2', podStatus: 'Decommissioning', drain }] as const;
  const { row, activities } = shown(pool({ phase: 'ScalingDown', operation, podsInfo }));
  expect(activities).toMatchObject([{ kind: 'drain', progress: 0.25, secondsLeft: 120 }]);
  expect(row.cancel).toMatchObject({
    name: 'cancel-drain',
    to: { generation: `${operation.generation}`, from: '3', to: '2', since: operation.since, uid: expect.any(String) },
    consequence: expect.stringContaining('stays at 3 PVs instead of 2'),
  });
  for (const over of [{ drained: true }, { cancelling: true }])
    expect(shown(pool({ phase: 'ScalingDown', operation: { ...operation, ...over } })).row).not.toHaveProperty(
      'cancel',
    );
});

test('what is wrong with it needs somebody at once, and a pool that is full tomorrow needs them soon', () => {
  expect(shown(pool({ phase: 'Ready', conditions: [condition('Degraded', 'an agent is gone')] })).needs).toMatchObject([
    { severity: 'urgent', what: expect.stringContaining('an agent is gone.') },
  ]);
  expect(shown(pool({ phase: 'Ready', forecast: { timeToFull: '7h' } })).needs).toMatchObject([{ severity: 'soon' }]);
  expect(shown(pool({ phase: 'Ready', forecast: { timeToFull: '12d' } })).needs).toEqual([]);
});

test.each([
  ['40m', 2_400],
  ['7h', 25_200],
  ['12d', 1_036_800],
  ['soon', undefined],
  [undefined, undefined],
])('a forecast of %s is so many seconds: %s', (text, seconds) => {
  expect(secondsIn(text)).toBe(seconds);
});

describe('how far a drain is', () => {
  const GIB = 2 ** 30;
  const since = '2026-01-01T00:09:00Z';
  const name = (ordinal: number) => `data-sts-${ordinal}`;
  const draining = (ordinal: number, movedBytes: number, leftBytes: number): PodInfo => {
    return { podName: name(ordinal), podStatus: 'Decommissioning', drain: { since, movedBytes, leftBytes } };
  };
  const drained = (ordinal: number): PodInfo => ({ podName: name(ordinal), podStatus: 'Decommissioned' });
  const read = (podsInfo: readonly PodInfo[], from: number, to: number) =>
    drainProgress(anOperation(from, to), podsInfo, NOW);

  test('is told to the byte, with the time that it takes at this pace', () => {
    const found = read([draining(2, 1.0 * GIB, 0.95 * GIB)], 3, 2);
    expect(found).toMatchObject({ progress: expect.closeTo(0.51, 2), secondsLeft: 57 });
    expect(found.byAgent.get(name(2))).toBeCloseTo(0.51, 2);
  });

  test('counts all agents that leave, however many they are', () => {
    const leaving = [1, 2, 3, 4, 5].map((ordinal) => draining(ordinal, GIB, 3 * GIB));
    const found = read([{ podName: name(0), podStatus: 'Ready' }, ...leaving], 6, 1);
    expect(found.progress).toBe(0.25);
    expect(found.byAgent.size).toBe(5);
  });

  test('counts those that are done, also when they do not say any more how much they had', () => {
    expect(read([drained(1), draining(2, GIB, GIB)], 3, 1).progress).toBe(0.75);
    expect(read([drained(1), drained(2)], 3, 1).progress).toBe(1);
  });

  test('is not told of those that have not said anything', () => {
    expect(read([{ podName: name(2), podStatus: 'Ready' }], 3, 2)).toEqual({ byAgent: new Map() });
  });
});
