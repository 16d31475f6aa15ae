import { expect, test } from 'vitest';
import { aClaim, aMember, anOperation, aPod, aPool, seenOf } from './builders.ts';
import { plannedPool } from './planned.ts';
import { agentsAsReported } from './reported-agents.ts';

const stepsOf = (...scene: Parameters<typeof seenOf>) => plannedPool(seenOf(...scene)).steps;

test('a pool that is as it should be has nothing to do', () => {
  expect(plannedPool(seenOf())).toEqual({ pool: 'default/data', now: 3, wanted: 3, steps: [] });
});

test('one that is to be larger scales up', () => {
  expect(stepsOf({ pool: aPool({ numPVs: 5 }) })).toEqual([{ does: 'scaleUp', what: 'scale up from 3 to 5' }]);
});

test('one that is to be smaller drains first', () => {
  expect(stepsOf({ pool: aPool({ numPVs: 2 }) })).toMatchObject([
    { does: 'drain', what: 'scale down from 3 to 2: the agents that leave are drained first' },
  ]);
});

test('of a drain that goes on it is told how far it is', () => {
  const operation = { ...anOperation(3, 2), progress: '4 of 9 blobs moved' };
  expect(stepsOf({ pool: aPool({ numPVs: 2 }, { operation }) })).toEqual([
    { does: 'going on', what: '4 of 9 blobs moved' },
  ]);
});

test('what is in the way is named, with its code', () => {
  const members = [aMember(0), aMember(1, {}, { pod: aPod(1, { isReady: false, why: 'ErrImagePull' }) }), aMember(2)];
  expect(stepsOf({ pool: aPool({ numPVs: 5 }), members })).toEqual([
    { does: 'refuse', what: 'pod data-sts-1 is not ready: ErrImagePull', code: 'PodIsNotReady' },
    { does: 'wait', what: 'the pool goes from 3 to 5 PVs when all of its pods are ready', code: 'ScalingWaits' },
  ]);
});

test('claims that are too small grow, where their class allows it', () => {
  const members = [0, 1, 2].map((ordinal) => aMember(ordinal, {}, { claim: aClaim(ordinal) }));
  const scene = { pool: aPool({ pvSizeGB: 2 }), members };
  expect(stepsOf({ ...scene, parts: { classes: new Map([['fast', { canExpand: true }]]) } })).toMatchObject([
    { does: 'growClaim', what: expect.stringMatching(/^grow claim .*0 to 2 GiB$/) },
  ]);
  expect(stepsOf({ ...scene, parts: { classes: new Map() } })).toMatchObject([
    { does: 'refuse', code: 'ClassDoesNotExpand' },
  ]);
});

test('an agent is taken to be as the operator has reported it, with its share of what there is', async () => {
  const podsInfo = [
    { podName: 'data-sts-0', podStatus: 'Ready' },
    { podName: 'data-sts-1', podStatus: 'Decommissioning' },
  ] as const;
  const agents = agentsAsReported(aPool({}, { podsInfo, capacityBytes: 200, usedBytes: 50 }));
  const ask = (name: string) => agents.status({ name, podUid: 'x', ip: '' }, '', AbortSignal.timeout(1_000));
  expect(await ask('data-sts-1')).toMatchObject({
    known: true,
    value: { state: 'Decommissioning', total: 100, used: 25 },
  });
  expect(await ask('data-sts-2')).toMatchObject({ known: false });
});
