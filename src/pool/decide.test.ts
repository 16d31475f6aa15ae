import { describe, expect, test } from 'vitest';
import {
  aClaim,
  aDrainedMember,
  aMember,
  anOperation,
  aPod,
  aPool,
  notCounting,
  type Scene,
  SILENT,
  seenOf,
} from './builders.ts';
import { CANCEL_ANNOTATION } from './contract.ts';
import { decide } from './decide.ts';
import type { Plan } from './plan.ts';
import type { Note } from './reasons.ts';
import type { Member } from './seen.ts';
import { statusOf } from './status.ts';

const decided = (scene: Scene): Plan => decide(seenOf(scene));
const factsOf = ({ notes }: Plan) => notes.map(({ fact }) => fact);
const namesOf = ({ actions }: Plan) =>
  actions.map((action) => (action.do === 'order' ? `${action.order.kind} ${action.to.name}` : action.do));
const drainingTo = (to: number, parts = {}) =>
  aPool({ numPVs: to }, { replicas: 3, lastGeneration: 5, operation: anOperation(3, to, parts) });

test('a pool that is as it should be is left alone', () => {
  expect(decided({})).toMatchObject({ actions: [], notes: [], kept: {} });
});

test('a pool whose agents serve is not well when one of them has damaged blobs', () => {
  const plan = decided({ members: [aMember(0), aMember(1, { corrupt: 2 }), aMember(2)] });
  expect(plan.notes).toEqual([
    { fact: 'BlobsAreDamaged', message: 'the agent data-sts-1 has put 2 damaged blobs aside' },
  ]);
  const { phase, conditions } = statusOf(seenOf({}), plan);
  expect(phase).toBe('Ready');
  expect(conditions).toContainEqual(expect.objectContaining({ type: 'Degraded', status: 'True' }));
});

test('what a filesystem has counted anew of its size is no news, and nothing that is written', () => {
  const sized = (pool: ReturnType<typeof aPool>, total: number) => {
    const scene = { pool, members: [0, 1, 2].map((ordinal) => aMember(ordinal, { total })) };
    return statusOf(seenOf(scene), decided(scene));
  };
  const status = sized(aPool(), 100_000);
  expect(sized(aPool({}, status), 100_100)).toEqual(status);
  expect(sized(aPool({}, status), 101_000)).toMatchObject({
    capacityBytes: 303_000,
    podsInfo: [{ capacityBytes: 101_000 }, {}, {}],
  });
});

test('a pool that is being deleted is left alone', () => {
  const pool = {
    ...aPool({ numPVs: 1 }),
    metadata: { ...aPool().metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  };
  expect(decided({ pool })).toMatchObject({ actions: [], notes: [] });
});

test('a claim that somebody has deleted is told of while its pod still holds it', () => {
  const members = [aMember(0), aMember(1, {}, { claim: aClaim(1, { isDeleting: true }) }), aMember(2)];
  expect(factsOf(decided({ members }))).toEqual(['ClaimIsGoing']);
});

describe('the replicas', () => {
  test('are raised when all serve', () => {
    expect(decided({ pool: aPool({ numPVs: 5 }) }).actions).toEqual([{ do: 'scaleUp', from: 3, to: 5 }]);
  });

  test.each([
    ['is not there', { pod: undefined }, 'PodIsMissing'],
    ['cannot be made', { pod: undefined, refusal: 'exceeded quota: pods' }, 'PodIsRefused'],
    ['is not ready', { pod: aPod(1, { isReady: false }) }, 'PodIsStarting'],
    ['cannot start', { pod: aPod(1, { isReady: false, why: 'ImagePullBackOff' }) }, 'PodIsNotReady'],
    ['is about to go', { pod: aPod(1, { isDeleting: true }) }, 'PodIsStarting'],
    ['belongs to somebody else', { pod: aPod(1, { setUid: 'another' }) }, 'ObjectIsForeign'],
    ['has an agent that does not answer', { agent: SILENT }, 'AgentDoesNotAnswer'],
  ])('stay as they are, up and down, while a pod %s', (_, parts, fact) => {
    const members = [aMember(0), { ...aMember(1), ...parts } as ReturnType<typeof aMember>, aMember(2)];
    for (const numPVs of [1, 5]) {
      const plan = decided({ pool: aPool({ numPVs }), members });
      expect(plan.actions).toEqual([]);
      expect(plan.kept.operation).toBeUndefined();
      expect(factsOf(plan)).toEqual(['ScalingWaits', fact]);
    }
  });

  test('stay as they are until the StatefulSet was looked at by its controller', () => {
    const { set } = seenOf();
    const plan = decided({
      pool: aPool({ numPVs: 5 }),
      parts: { set: { ...set, metadata: { ...set?.metadata, generation: 2 } } },
    });
    expect(plan.actions).toEqual([]);
  });
});

describe('a scale down', () => {
  test('is written down with pods and claims, and nothing is done in that round', () => {
    const plan = decided({
      pool: aPool({ numPVs: 1 }),
      members: [aMember(0), aMember(1, { generation: 8 }), aMember(2)],
    });
    expect(plan.actions).toEqual([]);
    expect(plan.kept).toEqual({
      lastGeneration: 9,
      operation: {
        kind: 'ScaleDown',
        generation: 9,
        from: 3,
        to: 1,
        since: '2026-01-01T00:10:00Z',
        members: [
          { name: 'data-sts-1', podUid: 'pod-1', claimUid: 'claim-1', countsBlobs: true },
          { name: 'data-sts-2', podUid: 'pod-2', claimUid: 'claim-2', countsBlobs: true },
        ],
      },
    });
  });

  test.each([
    ['a claim is missing', { claim: undefined }, {}, 'ClaimIsMissing'],
    ['an agent has corrupt blobs', {}, { corrupt: 1 }, 'HoldsCorruptBlobs'],
    ['it would not fit', {}, { bytes: 2_000 }, 'DoesNotFit'],
  ])('does not begin when %s', (_, parts, agent, fact) => {
    const leaving = { ...aMember(2, agent), ...parts } as ReturnType<typeof aMember>;
    const plan = decided({ pool: aPool({ numPVs: 2 }), members: [aMember(0), aMember(1), leaving] });
    expect(factsOf(plan)[0]).toEqual(fact);
    expect(plan.kept.operation).toBeUndefined();
  });

  describe('that is refused', () => {
    const refused = [aMember(0), aMember(1), aMember(2, { bytes: 2_000 })];

    test('keeps no claim from growing: more room is what it may wait for', () => {
      const plan = decided({ pool: aPool({ numPVs: 2, pvSizeGB: 2 }), members: refused });
      expect(namesOf(plan)).toEqual(['growClaim']);
      expect(factsOf(plan)[0]).toEqual('DoesNotFit');
    });

    test('keeps no image from being rolled out', () => {
      const plan = decided({ pool: aPool({ numPVs: 2 }), members: refused, parts: { isTemplateOld: true } });
      expect(namesOf(plan)).toEqual(['writeTemplate']);
    });

    test('keeps no pool that is full by now from growing by itself', () => {
      const pool = aPool({ autoscaling: { minPVs: 1, maxPVs: 5 } }, { replicas: 3, autoscaling: { desiredPVs: 2 } });
      const members = [0, 1, 2].map((ordinal) => aMember(ordinal, { used: 900, bytes: 900 }));
      const plan = decided({ pool, members, parts: { pressure: { towards: 'up', forMs: 60_000 } } });
      expect(factsOf(plan)[0]).toEqual('DoesNotFit');
      expect(plan.kept.autoscaling).toMatchObject({ desiredPVs: 4 });
    });
  });

  test('tells those that leave, and names those that stay and serve', () => {
    const members = [aMember(0), aMember(1, { state: 'Initializing' }), aMember(2)];
    const plan = decided({ pool: drainingTo(2), members });
    expect(plan.actions).toEqual([
      {
        do: 'order',
        to: { name: 'data-sts-2', podUid: 'pod-2', ip: '10.0.0.2' },
        order: { kind: 'decommission', generation: 5, peers: [{ name: 'data-sts-0', url: 'http://10.0.0.0:8080' }] },
      },
    ]);
  });

  test('writes an address of IPv6 as a URL wants it', () => {
    const members = [aMember(0, {}, { pod: aPod(0, { ip: 'fd00::7' }) }), aMember(1)];
    const pool = aPool({ numPVs: 1 }, { replicas: 2, operation: anOperation(2, 1) });
    const [order] = decided({ pool, replicas: 2, members }).actions;
    expect(order).toMatchObject({ order: { peers: [{ url: 'http://[fd00::7]:8080' }] } });
  });

  const draining = { state: 'Decommissioning', generation: 5 } as const;
  const order = {
    kind: 'decommission',
    generation: 5,
    peers: [0, 1].map((at) => ({ name: `data-sts-${at}`, url: `http://10.0.0.${at}:8080` })),
  };
  const taken = new Map([['pod-2', JSON.stringify(order)]]);

  test('does not tell an agent again what it has taken and follows', () => {
    const members = [aMember(0), aMember(1), aMember(2, draining)];
    expect(decided({ pool: drainingTo(2), members, parts: { taken } }).actions).toEqual([]);
  });

  test.each([
    ['it says that it is Ready', [aMember(0), aMember(1), aMember(2)], taken],
    ['it follows an older order', [aMember(0), aMember(1), aMember(2, { ...draining, generation: 4 })], taken],
    ['nobody knows whether it has taken it', [aMember(0), aMember(1), aMember(2, draining)], new Map()],
    [
      'a peer has moved',
      [aMember(0, {}, { pod: aPod(0, { ip: '10.0.9.9' }) }), aMember(1), aMember(2, draining)],
      taken,
    ],
  ])('tells an agent again when %s', (_, members, known) => {
    expect(namesOf(decided({ pool: drainingTo(2), members, parts: { taken: known } }))).toEqual([
      'decommission data-sts-2',
    ]);
  });

  test('does not tell anybody to give blobs to nobody', () => {
    const members = [aMember(0, {}, { agent: SILENT }), aMember(1, {}, { agent: SILENT }), aMember(2)];
    const plan = decided({ pool: drainingTo(2), members });
    expect(plan.actions).toEqual([]);
    expect(factsOf(plan)).toContain('NoPeerIsReady');
  });

  test.each([
    ['pod', { pod: aPod(2, { uid: 'pod-new' }) }, { podUid: 'pod-new', claimUid: 'claim-2' }],
    [
      'claim',
      { claim: aClaim(2, { uid: 'claim-new' }) },
      { podUid: 'pod-2', claimUid: 'claim-new', claimReplaced: true },
    ],
  ])('writes down another %s of a member first', (_, parts, recorded) => {
    const members = [aMember(0), aMember(1), aMember(2, draining, parts)];
    const plan = decided({ pool: drainingTo(2, { drained: true }), members });
    expect(plan.actions).toEqual([]);
    expect(plan.kept.operation?.members).toEqual([{ name: 'data-sts-2', countsBlobs: true, ...recorded }]);
    expect(plan.kept.operation?.drained).toBeUndefined();
  });

  test('gets a newer generation when an agent knows of one', () => {
    const plan = decided({ pool: drainingTo(2), members: [aMember(0), aMember(1), aMember(2, { generation: 11 })] });
    expect(plan.kept).toMatchObject({ operation: { generation: 12 }, lastGeneration: 12 });
    expect(plan.actions).toEqual([]);
  });

  test('gets a newer generation when an agent of ours is Ready by an order of the same', () => {
    const plan = decided({ pool: drainingTo(2), members: [aMember(0), aMember(1), aMember(2, { generation: 5 })] });
    expect(plan.kept).toMatchObject({ operation: { generation: 6 }, lastGeneration: 6 });
  });

  test('writes down that all are drained before it lowers the replicas', () => {
    const members = [aMember(0), aMember(1), aDrainedMember(2, 5)];
    const first = decided({ pool: drainingTo(2), members });
    expect(first).toMatchObject({ actions: [], kept: { operation: { drained: true } } });
    const second = decided({ pool: drainingTo(2, { drained: true }), members });
    expect(namesOf(second)).toEqual(['drop']);
  });

  test.each([
    ['has another pod', { pod: aPod(2, { uid: 'another' }) }],
    ['has a pod that goes', { pod: aPod(2, { isDeleting: true }) }],
    ['has a pod of somebody else', { pod: aPod(2, { setUid: 'another' }) }],
    ['has no pod', { pod: undefined }],
    ['has another claim', { claim: aClaim(2, { uid: 'another' }) }],
    ['has no claim', { claim: undefined }],
    ['does not answer', { agent: SILENT }],
    ['cannot be listed', { isListedEmpty: SILENT }],
    ['lists blobs', { isListedEmpty: { known: true, value: false } }],
    ['counts blobs', aDrainedAgent({ blobs: 1 })],
    ['has corrupt blobs', aDrainedAgent({ corrupt: 1 })],
    ['is Decommissioned since an earlier life', aDrainedAgent({ generation: 4 })],
    ['does not say by which order', aDrainedAgent({ generation: undefined })],
    ['is still at it', aDrainedAgent({ state: 'Decommissioning' })],
    ['starts', aDrainedAgent({ state: 'Initializing' })],
    ['is Ready', aDrainedAgent({ state: 'Ready' })],
    ['does not know', aDrainedAgent({ state: 'Unknown' })],
    ['tells no blobs, and was not asked by us', aDrainedAgent({ blobs: undefined })],
  ])('does not let an agent go that %s', (_, parts) => {
    const member = { ...aDrainedMember(2, 5), ...parts } as ReturnType<typeof aMember>;
    const plan = decided({ pool: drainingTo(2, { drained: true }), members: [aMember(0), aMember(1), member] });
    expect(namesOf(plan)).not.toContain('drop');
  });

  test('lets an agent go that tells no blobs and was asked by us', () => {
    const member = { ...aDrainedMember(2, 5), ...aDrainedAgent({ blobs: undefined, generation: undefined }) };
    const pool = drainingTo(2, notCounting(anOperation(3, 2, { drained: true })));
    expect(namesOf(decided({ pool, members: [aMember(0), aMember(1), member], parts: { taken } }))).toEqual(['drop']);
  });

  test.each([
    ['for an earlier drain', { ...order, generation: 4 }],
    ['to come back', { kind: 'recommission', generation: 5 }],
  ])('does not let an agent go that tells no blobs and was last asked %s', (_, last) => {
    const member = { ...aDrainedMember(2, 5), ...aDrainedAgent({ blobs: undefined, generation: undefined }) };
    const pool = drainingTo(2, notCounting(anOperation(3, 2, { drained: true })));
    const asked = new Map([['pod-2', JSON.stringify(last)]]);
    const plan = decided({ pool, members: [aMember(0), aMember(1), member], parts: { taken: asked } });
    expect(namesOf(plan)).not.toContain('drop');
  });

  describe('does not take an agent at its word that has counted its blobs and no longer does', () => {
    const silenced = aDrainedAgent({ blobs: undefined, generation: undefined });

    test('in the pod that was asked', () => {
      const member = { ...aDrainedMember(2, 5), ...silenced };
      const pool = drainingTo(2, { drained: true });
      const plan = decided({ pool, members: [aMember(0), aMember(1), member], parts: { taken } });
      expect(namesOf(plan)).not.toContain('drop');
      expect(plan.kept.operation?.drained).toBeUndefined();
      expect(plan.notes).toContainEqual({
        fact: 'AgentContradictsItself',
        message: 'the agent data-sts-2 no longer says how many blobs it holds: it is not let go',
      });
    });

    test('in another pod', () => {
      const member = { ...aDrainedMember(2, 5, { pod: aPod(2, { uid: 'pod-new' }) }), ...silenced };
      const plan = decided({ pool: drainingTo(2), members: [aMember(0), aMember(1), member], parts: { taken } });
      expect(plan.kept.operation?.members).toMatchObject([{ podUid: 'pod-new', countsBlobs: true }]);
    });
  });

  test.each<[string, object, Note]>([
    ['is missing', { pod: undefined }, { fact: 'PodIsMissing', message: 'pod data-sts-2 is not there (yet)' }],
    [
      'cannot be made',
      { pod: undefined, refusal: 'exceeded quota: pods' },
      { fact: 'PodIsRefused', message: 'pod data-sts-2 cannot be made: exceeded quota: pods' },
    ],
    [
      'does not start',
      { pod: aPod(2, { isReady: false, why: 'CrashLoopBackOff' }), agent: SILENT },
      { fact: 'PodIsNotReady', message: 'pod data-sts-2 is not ready: CrashLoopBackOff' },
    ],
    [
      'is about to go',
      { pod: aPod(2, { isDeleting: true }), agent: SILENT },
      { fact: 'PodIsStarting', message: 'pod data-sts-2, which drains, is about to go' },
    ],
  ])('says when a pod that drains %s', (_, parts, said) => {
    const member = { ...aMember(2, draining), ...parts } as Member;
    const plan = decided({ pool: drainingTo(2), members: [aMember(0), aMember(1), member] });
    expect(plan.notes).toContainEqual(said);
  });

  describe('where somebody has deleted a claim that its pod still holds', () => {
    const going = (ordinal: number) => ({ claim: aClaim(ordinal, { isDeleting: true }) });

    test('begins all the same, since what moves is saved', () => {
      const members = [aMember(0), aMember(1), aMember(2, {}, going(2))];
      expect(decided({ pool: aPool({ numPVs: 2 }), members }).kept.operation).toMatchObject({ from: 3, to: 2 });
    });

    test('gives nothing to the agent that will lose it, and names it', () => {
      const members = [aMember(0), aMember(1, {}, going(1)), aMember(2)];
      const plan = decided({ pool: drainingTo(2), members });
      expect(plan.actions).toMatchObject([{ order: { peers: [{ name: 'data-sts-0' }] } }]);
      expect(plan.notes).toContainEqual({
        fact: 'ClaimIsGoing',
        message: 'somebody has deleted the claim vol-data-sts-1: what is on it goes with the pod data-sts-1',
      });
    });

    test('gives nothing to anybody if all will lose it', () => {
      const members = [aMember(0, {}, going(0)), aMember(1, {}, going(1)), aMember(2)];
      const plan = decided({ pool: drainingTo(2), members });
      expect(plan.actions).toEqual([]);
      expect(factsOf(plan)).toContain('NoPeerIsReady');
    });
  });

  test('goes on to say that a claim was replaced', () => {
    const [recorded] = anOperation(3, 2).members;
    const pool = drainingTo(2, { members: [{ ...recorded, claimReplaced: true }] });
    const replaced = 'what was on the former one and had not moved is gone';
    for (const member of [aMember(2, draining), aDrainedMember(2, 5)]) {
      const { notes } = decided({ pool, members: [aMember(0), aMember(1), member] });
      expect(notes.find(({ fact }) => fact === 'ClaimWasReplaced')?.message).toContain(replaced);
    }
  });

  test('says which of those that stay does not serve', () => {
    const members = [aMember(0), aMember(1, {}, { agent: SILENT }), aMember(2, draining)];
    expect(decided({ pool: drainingTo(2), members }).notes).toContainEqual({
      fact: 'AgentDoesNotAnswer',
      message: 'the agent data-sts-1 cannot be asked: no answer within 2 s',
    });
  });

  test.each([
    ['an agent contradicts itself', { isListedEmpty: { known: true, value: false } }, undefined],
    ['an agent only does not answer', { agent: SILENT }, true],
  ])('takes back that all are drained when %s: %j', (_, parts, drained) => {
    const member = { ...aDrainedMember(2, 5), ...parts } as ReturnType<typeof aMember>;
    const plan = decided({ pool: drainingTo(2, { drained: true }), members: [aMember(0), aMember(1), member] });
    expect(plan.kept.operation?.drained).toBe(drained);
  });

  test('takes an agent that stays into service again that nobody told to leave', () => {
    const members = [aMember(0), aDrainedMember(1, 9), aMember(2, draining)];
    expect(namesOf(decided({ pool: drainingTo(2), members }))).toEqual([
      'recommission data-sts-1',
      'decommission data-sts-2',
    ]);
  });

  test('is over when the replicas are lowered', () => {
    const plan = decided({ pool: drainingTo(2, { drained: true }), replicas: 2 });
    expect(plan.kept).toEqual({ lastGeneration: 5 });
  });

  test.each([
    ['so far as it should go', drainingTo(1), 1],
    ['further', drainingTo(1), 0],
    ['a part of the way', drainingTo(1, { drained: true }), 2],
    ['while it is cancelled', drainingTo(1, { cancelling: true }), 1],
    ['in one with a change of numPVs', aPool({ numPVs: 1 }, { replicas: 3 }), 1],
    ['while as many are wanted as there were', aPool({ numPVs: 3 }, { replicas: 3 }), 2],
    ['while more are wanted than there were', aPool({ numPVs: 5 }, { replicas: 3 }), 2],
  ])('that somebody else has done %s is undone: those that left may hold something', (_, pool, replicas) => {
    const plan = decided({ pool, replicas });
    expect(plan.actions).toEqual([{ do: 'scaleUp', from: replicas, to: 3 }]);
    expect(plan.kept.operation).toEqual(pool.status?.operation);
    expect(factsOf(plan)).toEqual(['ScaledBehindOurBack']);
    expect(statusOf(seenOf({ pool, replicas }), plan)).toMatchObject({
      phase: pool.status?.operation ? 'ScalingDown' : 'ScalingUp',
      replicas: 3,
    });
  });

  test('that was to another number behind our back is given up', () => {
    const plan = decided({ pool: drainingTo(2), replicas: 4 });
    expect(plan.kept).toMatchObject({ operation: { cancelling: true, generation: 6 }, lastGeneration: 6 });
    expect(plan.kept.cancelledGeneration).toBeUndefined();
    expect(factsOf(plan)).toEqual(['ScaledBehindOurBack']);
  });

  test('says why an agent cannot go on', () => {
    const drain = {
      since: '2026-01-01T00:00:00Z',
      movedBlobs: 0,
      movedBytes: 0,
      leftBlobs: 1,
      leftBytes: 1,
      why: 'all are full',
    };
    const plan = decided({
      pool: drainingTo(2),
      members: [aMember(0), aMember(1), aMember(2, { ...draining, drain })],
    });
    expect(plan.notes).toContainEqual({
      fact: 'DrainIsStuck',
      message: 'the agent data-sts-2 cannot go on: all are full',
    });
  });
});

describe('a cancellation', () => {
  const cancelled = (parts = {}) => ({
    ...drainingTo(1, parts),
    metadata: { ...aPool().metadata, annotations: { [CANCEL_ANNOTATION]: '' } },
  });

  test('is written down first, with a newer generation, and for which spec it was', () => {
    const plan = decided({ pool: cancelled({ drained: true }) });
    expect(plan.actions).toEqual([]);
    expect(plan.kept).toMatchObject({
      cancelledGeneration: 4,
      lastGeneration: 6,
      operation: { generation: 6, cancelling: true },
    });
    expect(plan.kept.operation?.drained).toBeUndefined();
  });

  test('tells all that were told to leave', () => {
    const members = [aMember(0), aMember(1, { state: 'Decommissioning', generation: 5 }), aDrainedMember(2, 5)];
    const plan = decided({ pool: cancelled({ cancelling: true, generation: 6 }), members });
    expect(namesOf(plan)).toEqual(['recommission data-sts-1', 'recommission data-sts-2']);
  });

  test('is over when all say that they go on', () => {
    const members = [aMember(0), aMember(1, { generation: 6 }), aMember(2, { generation: 6 })];
    const plan = decided({ pool: cancelled({ cancelling: true, generation: 6 }), members });
    expect(plan.kept.operation).toBeUndefined();
  });

  test('is not over while one has not been told: it may be told to leave by an order that is on its way', () => {
    const members = [aMember(0), aMember(1, { generation: 6 }), aMember(2, { generation: 4 })];
    const plan = decided({ pool: cancelled({ cancelling: true, generation: 6 }), members });
    expect(namesOf(plan)).toEqual(['recommission data-sts-2']);
  });

  test('is over for an image that knows no way back, and a person is told what brings it back', () => {
    const original = aMember(2, { state: 'Decommissioned', blobs: undefined, generation: undefined } as object);
    const members = [aMember(0), aMember(1, { generation: 6 }), original];
    expect(decided({ pool: cancelled({ cancelling: true, generation: 6 }), members }).kept.operation).toBeUndefined();
    const atRest = decided({ members });
    expect(atRest.actions).toEqual([]);
    expect(atRest.notes).toContainEqual({
      fact: 'AgentCannotGoOn',
      message: expect.stringContaining('delete the pod data-sts-2'),
    });
  });
});

describe('a StatefulSet that is lost', () => {
  const lost = (scene: Scene) => {
    const { set: _, ...seen } = seenOf(scene);
    return decide(seen).actions;
  };

  test('is made with as many as are wanted when there never was one', () => {
    expect(lost({ members: [] })).toEqual([{ do: 'createSet', replicas: 3 }]);
  });

  test.each([
    ['were there', aPool({ numPVs: 1 }, { replicas: 4 }), []],
    ['drain', aPool({ numPVs: 1 }, { replicas: 2, operation: anOperation(4, 2) }), []],
    ['have pods', aPool({ numPVs: 1 }, { replicas: 1 }), [0, 1, 2, 3].map((ordinal) => aMember(ordinal))],
  ])('comes back with as many as %s', (_, pool, members) => {
    expect(lost({ pool, members })).toEqual([{ do: 'createSet', replicas: 4 }]);
  });

  test('is waited for while it goes', () => {
    const { set } = seenOf();
    const going = { ...set, metadata: { ...set?.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const plan = decided({ pool: aPool({ numPVs: 9 }), parts: { set: going } });
    expect([plan.actions, factsOf(plan)]).toEqual([[], ['StatefulSetIsGoing']]);
  });
});

test('an agent that has left without being told by us is told to go on, with a generation that is newer than all', () => {
  const members = [aMember(0, { generation: 3 }), aDrainedMember(1, 7), aMember(2)];
  const plan = decided({ members });
  expect(plan.actions).toEqual([
    {
      do: 'order',
      to: { name: 'data-sts-1', podUid: 'pod-1', ip: '10.0.0.1' },
      order: { kind: 'recommission', generation: 8 },
    },
  ]);
});

describe('a rollout', () => {
  const old = (ordinal: number) => aMember(ordinal, {}, { pod: aPod(ordinal, { revision: 'r0' }) });
  const down = (ordinal: number, revision: string) =>
    aMember(ordinal, {}, { pod: aPod(ordinal, { revision, isReady: false }) });

  test('begins with the template, and replaces nobody by that', () => {
    expect(namesOf(decided({ parts: { isTemplateOld: true } }))).toEqual(['writeTemplate']);
  });

  test.each([
    ['goes on when all serve', [old(0), old(1), aMember(2)], 2, 1],
    ['waits until the last one is new', [old(0), old(1), old(2)], 2, undefined],
    ['waits until the last one serves', [old(0), old(1), down(2, 'r1')], 2, undefined],
    [
      'waits until the last one serves, also if the next one does not',
      [old(0), down(1, 'r0'), down(2, 'r1')],
      2,
      undefined,
    ],
    ['waits while another one does not serve', [down(0, 'r0'), old(1), aMember(2)], 2, undefined],
    ['goes on with one that does not serve', [old(0), down(1, 'r0'), aMember(2)], 2, 1],
    ['goes on when none has ever served', [down(0, 'r0'), down(1, 'r0'), down(2, 'r0')], 3, 2],
    ['does not count members that there are not', [old(0), old(1), old(2)], 7, 2],
  ])('%s', (_, members, partition, to) => {
    const plan = decided({ members, partition });
    expect(plan.actions).toEqual(to === undefined ? [] : [{ do: 'lowerPartition', to }]);
    expect(factsOf(plan)).toContain('RollingOut');
  });

  test('is not over until the last one is new', () => {
    expect(factsOf(decided({ members: [old(0), aMember(1), aMember(2)], partition: 0 }))).toEqual(['RollingOut']);
  });

  test('never runs beside a scale down', () => {
    const plan = decided({ pool: drainingTo(2), parts: { isTemplateOld: true } });
    expect(namesOf(plan)).toEqual(['decommission data-sts-2']);
  });

  const silent = (ordinal: number, revision = 'r0') =>
    aMember(ordinal, {}, { pod: aPod(ordinal, { revision }), agent: SILENT });
  const leaving = (ordinal: number, revision = 'r0') =>
    aMember(ordinal, { state: 'Decommissioning', generation: 5 }, { pod: aPod(ordinal, { revision }) });

  test('begins beside a scale down when one of the agents does not answer: another template may be what it needs', () => {
    for (const parts of [{}, { cancelling: true }]) {
      const members = [aMember(0), aMember(1), silent(2)];
      const plan = decided({ pool: drainingTo(2, parts), members, parts: { isTemplateOld: true } });
      expect(namesOf(plan)).toContain('writeTemplate');
    }
  });

  test.each([
    ['reaches the one that leaves and does not answer', [old(0), old(1), silent(2)], 2, 3, 2],
    ['reaches it over others that leave', [old(0), silent(1), leaving(2)], 1, 3, 2],
    ['waits until those answer again', [old(0), silent(1), silent(2, 'r1')], 1, 2, undefined],
    ['waits until those are new', [old(0), silent(1), leaving(2)], 1, 2, undefined],
    ['goes on when they do', [old(0), silent(1), leaving(2, 'r1')], 1, 2, 1],
    ['replaces nobody who stays and answers', [silent(0), old(1), leaving(2, 'r1')], 2, 2, undefined],
    ['reaches one that stays and does not answer', [old(0), silent(1), leaving(2, 'r1')], 2, 2, 1],
    ['has no more to do when that one is new', [old(0), old(1), silent(2, 'r1')], 2, 2, undefined],
    ['does nothing while all answer', [old(0), old(1), leaving(2)], 2, 3, undefined],
  ])('beside a scale down %s', (_, members, to, partition, lowered) => {
    const plan = decided({ pool: drainingTo(to), members, partition });
    const steps = plan.actions.filter((action) => action.do === 'lowerPartition');
    expect(steps).toEqual(lowered === undefined ? [] : [{ do: 'lowerPartition', to: lowered }]);
  });
});

describe('a claim that was there before its pool', () => {
  const premade = (label: 'none' | 'another', pod = aPod(1)) => ({
    pool: aPool({ claims: { whenDeleted: 'Delete' } }),
    members: [0, 2]
      .map((ordinal) => aMember(ordinal, {}, { claim: aClaim(ordinal, { isOwnedBy: ['uid-of-pool'] }) }))
      .toSpliced(1, 0, aMember(1, {}, { pod, claim: aClaim(1, { label }) })),
  });

  test('is labelled when an agent uses it, so that what the pool is told of its claims is true of all', () => {
    expect(decided(premade('none')).actions).toMatchObject([{ do: 'labelClaim', claim: { name: 'vol-data-sts-1' } }]);
  });

  test('is left alone when it has the label of somebody else, or a pod of somebody else uses it', () => {
    expect(decided(premade('another')).actions).toEqual([]);
    expect(decided(premade('none', aPod(1, { setUid: 'another' }))).actions).toEqual([]);
  });
});

describe('growth', () => {
  const GIB = 2n ** 30n;
  const claims = (...all: readonly Partial<ReturnType<typeof aClaim>>[]) =>
    all.map((parts, ordinal) => aMember(ordinal, {}, { claim: aClaim(ordinal, parts) }));
  const grown = { requestedBytes: 2n * GIB, capacityBytes: 2n * GIB };
  const pool = aPool({ pvSizeGB: 2 });

  test.each([
    ['begins with the first', claims({}, {}, {}), 'vol-data-sts-0'],
    ['goes on with the next', claims(grown, {}, {}), 'vol-data-sts-1'],
    [
      'does not wait for a filesystem',
      claims({ ...grown, capacityBytes: GIB, isFilesystemPending: true }, {}, {}),
      'vol-data-sts-1',
    ],
    ['waits for the one before', claims({ ...grown, capacityBytes: GIB }, {}, {}), undefined],
    ['waits for a claim that is not bound', claims({ isBound: false }, {}, {}), undefined],
    ['stops at a fault', claims({ ...grown, capacityBytes: GIB, resizeFault: 'no room' }, {}, {}), undefined],
    ['stops at a class that does not exist', claims({ className: 'gone' }, {}, {}), undefined],
    ['leaves what is larger', claims({ requestedBytes: 9n * GIB, capacityBytes: 9n * GIB }, grown, grown), undefined],
  ])('%s', (_, members, claim) => {
    const { actions } = decided({ pool, members });
    expect(actions.map((action) => (action.do === 'growClaim' ? action.claim.name : action.do))).toEqual(
      claim === undefined ? [] : [claim],
    );
  });

  test.each([
    ['a class that lets none grow', { className: 'gone' }],
    ['storage that fails', { resizeFault: 'no room' }],
  ])('that is stopped by %s keeps no pool that is full from getting more of what it has', (_, parts) => {
    const autoscaled = aPool({ pvSizeGB: 2, autoscaling: { minPVs: 1, maxPVs: 5 } }, { replicas: 3 });
    const members = [0, 1, 2].map((ordinal) => aMember(ordinal, { used: 900 }, { claim: aClaim(ordinal, parts) }));
    const plan = decided({ pool: autoscaled, members, parts: { pressure: { towards: 'up', forMs: 60_000 } } });
    expect(plan.kept.autoscaling).toMatchObject({ desiredPVs: 4 });
    expect(plan.notes).toHaveLength(1);
  });

  test('reaches those that stay while others are drained, which may wait for the room', () => {
    const leaving = aMember(2, { state: 'Decommissioning', generation: 5 });
    const pool = { ...drainingTo(2), spec: { ...aPool().spec, numPVs: 2, pvSizeGB: 2 } };
    expect(namesOf(decided({ pool, members: [aMember(0), aMember(1), leaving] }))).toContain('growClaim');
    const large = [0, 1].map((ordinal) => aMember(ordinal, {}, { claim: aClaim(ordinal, grown) }));
    expect(namesOf(decided({ pool, members: [...large, leaving] }))).not.toContain('growClaim');
  });
});

test.each([
  ['Service', 'Service'],
  ['Secret', 'Secret'],
  ['PodDisruptionBudget', 'PodDisruptionBudget'],
] as const)('a %s that is missing is made before anything else', (_, kind) => {
  expect(decided({ pool: aPool({ numPVs: 9 }), parts: { missing: [kind] } }).actions).toEqual([{ do: 'create', kind }]);
});

/** What a drained agent says, but for this. */
function aDrainedAgent(parts: object) {
  const { agent } = aDrainedMember(2, 5);
  return { agent: agent.known ? { known: true as const, value: { ...agent.value, ...parts } } : agent };
}
