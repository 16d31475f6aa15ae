import { describe, expect, test } from 'vitest';
import { aDrainedMember, aMember, anOperation, aPool, seenOf } from '../pool/builders.ts';
import type { PvPool, PvPoolStatus } from '../pool/contract.ts';
import { progressOf } from '../pool/progress.ts';
import { drainProgress } from './drain-progress.ts';
import { poolShown, secondsIn } from './pools.ts';

const pool = (status: PvPoolStatus): PvPool => {
  const made = aPool();
  return { ...made, status: { observedGeneration: made.metadata.generation ?? 1, ...status } };
};
const shown = (of: PvPool, parts: Partial<Parameters<typeof poolShown>[0]> = {}) =>
  poolShown({ pool: of, pods: new Map(), capacityOf: () => undefined, history: [], ...parts });
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
    { podName: 'data-sts-0', podStatus: 'Ready' },
    { podName: 'data-sts-1', podStatus: 'Sleeping' as 'Ready' },
  ] as const;
  const pod = { name: 'data-sts-0', pool: 'ns/data', node: 'n', isReady: true, claim: 'ns/vol-data-sts-0' };
  const { row } = shown(pool({ phase: 'Ready', podsInfo }), {
    pods: new Map([['data-sts-0', pod]]),
    capacityOf: (claim) => (claim === 'ns/vol-data-sts-0' ? 7 : undefined),
  });
  expect(row.agents).toEqual([
    { pod: 'data-sts-0', state: 'Ready', isReady: true, node: 'n', claim: 'ns/vol-data-sts-0', capacityBytes: 7 },
    { pod: 'data-sts-1', state: 'Unknown', isReady: false },
  ]);
});

test('a drain is an activity with its progress, and can be cancelled until it is done', () => {
  const operation = anOperation(3, 2, { progress: 'draining data-sts-2: 30 of 120 GiB, 2 min left' });
  const { row, activities } = shown(pool({ phase: 'ScalingDown', operation }));
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

describe('how far a drain is, is read as the operator writes it', () => {
  const GIB = 2 ** 30;
  const drain = (movedBytes: number, leftBytes: number) => ({
    since: '2026-01-01T00:09:00Z',
    movedBlobs: 1,
    movedBytes,
    leftBlobs: 1,
    leftBytes,
  });
  const draining = (ordinal: number, moved: number, left: number) =>
    aMember(ordinal, { state: 'Decommissioning', drain: drain(moved, left) });
  const read = (members: ReturnType<typeof aMember>[], to: number) => {
    const operation = anOperation(members.length, to);
    const text = progressOf(seenOf({ replicas: members.length, members }), operation);
    return drainProgress(
      text,
      operation.members.map(({ name }) => name),
    );
  };

  test('of one agent', () => {
    const found = read([aMember(0), aMember(1), draining(2, 30 * GIB, 90 * GIB)], 2);
    expect(found).toMatchObject({ progress: 0.25, secondsLeft: expect.any(Number) });
    expect(found.byAgent).toEqual(new Map([['data-sts-2', 0.25]]));
  });

  test('of several, some of which are done', () => {
    const found = read([aMember(0), aDrainedMember(1, 5), draining(2, GIB, GIB)], 1);
    expect(found.progress).toBe(0.75);
  });

  test('of all that are done', () => {
    expect(read([aMember(0), aDrainedMember(1, 5), aDrainedMember(2, 5)], 1).progress).toBe(1);
  });

  test('of those that have not said anything: nothing is said', () => {
    expect(read([aMember(0), aMember(1), aMember(2)], 1)).toEqual({ byAgent: new Map() });
  });
});
