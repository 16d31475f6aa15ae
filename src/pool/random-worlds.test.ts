/** Whatever is seen, what is decided keeps to the rules that protect data. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AGENT_STATES, type AgentStatus } from '../pool-client/protocol.ts';
import { aClaim, aMember, anAgent, anOperation, aPod, aPool, notCounting, SET_UID, seenOf } from './builders.ts';
import { CANCEL_ANNOTATION, type Operation, type PvPoolStatus } from './contract.ts';
import { decide } from './decide.ts';
import { type Action, isKept } from './plan.ts';
import type { Member, Seen } from './seen.ts';
import { statusOf } from './status.ts';

const few = (most: number) => fc.integer({ min: 0, max: most });
const mostly = <T>(usual: T, others: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others });

const LIKELY = ['Ready', ...Array.from({ length: 6 }, () => 'Decommissioned' as const)] as const;

const agentOf = (ordinal: number): fc.Arbitrary<AgentStatus> =>
  fc
    .record({
      state: fc.constantFrom(...AGENT_STATES, ...LIKELY),
      blobs: mostly<number | undefined>(0, fc.constantFrom(undefined, 1, 7)),
      generation: mostly<number | undefined>(5, fc.constantFrom(undefined, 0, 4, 6)),
      corrupt: mostly<number | undefined>(0, fc.constantFrom(undefined, 1)),
    })
    .map((parts) => JSON.parse(JSON.stringify({ ...anAgent(ordinal), ...parts })));

const memberOf = (ordinal: number): fc.Arbitrary<Member> =>
  fc
    .record({
      hasPod: mostly(true, fc.boolean()),
      pod: fc.record({
        uid: mostly(`pod-${ordinal}`, fc.constant('pod-new')),
        setUid: mostly<string | undefined>(SET_UID, fc.constantFrom(undefined, 'another')),
        isReady: mostly(true, fc.boolean()),
        isDeleting: mostly(false, fc.boolean()),
        revision: mostly<string | undefined>('r1', fc.constant('r0')),
        ip: mostly<string | undefined>(`10.0.0.${ordinal}`, fc.constantFrom(undefined, '10.9.9.9')),
      }),
      hasClaim: mostly(true, fc.boolean()),
      claim: fc.record({
        uid: mostly(`claim-${ordinal}`, fc.constant('claim-new')),
        isDeleting: mostly(false, fc.boolean()),
        requestedBytes: fc.constantFrom(2n ** 30n, 2n ** 31n),
      }),
      isKnown: mostly(true, fc.boolean()),
      agent: agentOf(ordinal),
      isListedEmpty: mostly<Member['isListedEmpty']>(
        { known: true, value: true },
        fc.constantFrom({ known: true, value: false }, { known: false, why: 'no' }),
      ),
    })
    .map(({ hasPod, pod, hasClaim, claim, isKnown, agent, isListedEmpty }): Member => {
      const { pod: _, claim: __, ...member } = aMember(ordinal);
      return {
        ...member,
        ...(hasPod && { pod: aPod(ordinal, pod) }),
        ...(hasClaim && { claim: aClaim(ordinal, claim) }),
        agent: isKnown ? { known: true, value: agent } : { known: false, why: 'no answer' },
        isListedEmpty,
      };
    });

const statusArb: fc.Arbitrary<PvPoolStatus | undefined> = fc
  .record({
    has: mostly(true, fc.boolean()),
    from: fc.integer({ min: 1, max: 4 }),
    by: fc.integer({ min: 1, max: 4 }),
    drained: fc.boolean(),
    isCounting: mostly(true, fc.boolean()),
    cancelling: mostly(false, fc.boolean()),
    cancelledGeneration: fc.constantFrom(undefined, 4),
    replicas: few(4),
  })
  .map(({ has, from, by, drained, isCounting, cancelling, cancelledGeneration, replicas }) => {
    const flags = { ...(drained && { drained }), ...(cancelling && { cancelling }) };
    const counting = anOperation(from, Math.max(0, from - by), flags);
    const operation = has ? (isCounting ? counting : notCounting(counting)) : undefined;
    return JSON.parse(JSON.stringify({ replicas, operation, lastGeneration: 5, cancelledGeneration }));
  });

const worlds: fc.Arbitrary<Seen> = fc
  .record({
    members: fc.tuple(memberOf(0), memberOf(1), memberOf(2), memberOf(3)),
    count: fc.integer({ min: 1, max: 4 }),
    numPVs: few(5),
    status: statusArb,
    isCancelled: mostly(false, fc.boolean()),
    whenScaled: fc.constantFrom('Retain' as const, 'Delete' as const),
    replicas: few(4),
    isInStep: fc.constantFrom('from', 'to', 'neither'),
    partition: few(4),
    isTemplateOld: mostly(false, fc.boolean()),
    wasAsked: fc.boolean(),
    foreign: mostly<readonly string[]>([], fc.constant(['Service data-srv'])),
    isObserved: mostly(true, fc.boolean()),
    hasSet: mostly(true, fc.boolean()),
  })
  .map((world) => {
    const annotations: Record<string, string> = world.isCancelled ? { [CANCEL_ANNOTATION]: '' } : {};
    const pool = aPool({ numPVs: world.numPVs, claims: { whenScaled: world.whenScaled } }, world.status, annotations);
    const order = { kind: 'decommission', generation: 5, peers: [] };
    const replicas = (world.isInStep !== 'neither' && world.status?.operation?.[world.isInStep]) || world.replicas;
    const seen = seenOf({
      pool,
      replicas,
      partition: world.partition,
      members: world.members.slice(0, Math.max(world.count, replicas, world.status?.operation?.from ?? 0)),
      parts: {
        foreign: world.foreign,
        isTemplateOld: world.isTemplateOld,
        taken: new Map(world.wasAsked ? [0, 1, 2, 3].map((ordinal) => [`pod-${ordinal}`, JSON.stringify(order)]) : []),
      },
    });
    const { set, ...rest } = seen;
    if (!set || !world.hasSet) return rest;
    return { ...rest, set: { ...set, metadata: { ...set.metadata, generation: world.isObserved ? 1 : 2 } } };
  });

/** Written once more, and otherwise, so that one mistake is not made twice. */
function isEmptyForSure({ members, taken }: Seen, operation: Operation): boolean {
  return operation.members.every(({ name, podUid, claimUid, countsBlobs }) => {
    const member = members.find((each) => each.name === name);
    if (member?.pod?.uid !== podUid || member.pod.isDeleting || member.pod.setUid !== SET_UID) return false;
    if (member.claim?.uid !== claimUid || !member.agent.known) return false;
    const { state, blobs, generation, corrupt } = member.agent.value;
    if (state !== 'Decommissioned') return false;
    if (blobs === undefined && countsBlobs) return false;
    if (blobs === undefined) return taken.get(podUid)?.includes(`"generation":${operation.generation},`) === true;
    const isListed = member.isListedEmpty.known && member.isListedEmpty.value;
    return blobs === 0 && !corrupt && generation === operation.generation && isListed;
  });
}

const check = (seen: Seen, holds: (action: Action) => boolean): void => {
  for (const action of decide(seen).actions)
    expect(
      holds(action),
      JSON.stringify(action, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
    ).toBe(true);
};
const RUNS = { numRuns: 5_000 };

/** Drawn once for all properties: to draw them takes much longer than to decide on them. */
let drawn: readonly Seen[] = [];
beforeAll(() => {
  drawn = fc.sample(worlds, RUNS);
});
afterAll(() => {
  drawn = [];
});

/** In which one it does not hold is found out by drawing the same ones again, and making that one smaller. */
const inAll = (property: (seen: Seen) => void): void => {
  try {
    drawn.forEach(property);
  } catch (error) {
    fc.assert(fc.property(worlds, property), RUNS);
    throw error;
  }
};

test('the replicas are lowered only when every agent that leaves is empty for sure, and that was written down', () => {
  let dropped = 0;
  inAll((seen) => {
    check(seen, (action) => {
      if (action.do !== 'drop') return true;
      dropped += 1;
      const { operation } = seen.pool.status ?? {};
      return (
        operation?.drained === true &&
        !operation.cancelling &&
        seen.set?.spec?.replicas === operation.from &&
        action.operation.to === operation.to &&
        isEmptyForSure(seen, operation)
      );
    });
  });
  expect(dropped).toBeGreaterThan(0);
});

test('nothing is done in the round in which something is to be kept', () => {
  inAll((seen) => {
    const plan = decide(seen);
    if (!isKept(plan, seen.pool)) expect(plan.actions).toEqual([]);
  });
});

test('agents are told to leave only by an operation that is written down, each by the pod that it names, and never to give to one that leaves', () => {
  let told = 0;
  inAll((seen) =>
    check(seen, (action) => {
      if (action.do !== 'order' || action.order.kind !== 'decommission') return true;
      told += 1;
      const { operation } = seen.pool.status ?? {};
      const { to, order } = action;
      const leaving = operation?.members.map(({ name }) => name) ?? [];
      return (
        operation?.generation === order.generation &&
        operation.members.some(({ name, podUid }) => name === to.name && podUid === to.podUid) &&
        order.peers.every(({ name }) => !leaving.includes(name)) &&
        (order.peers.length > 0 || operation.to === 0)
      );
    }),
  );
  expect(told).toBeGreaterThan(40);
});

test('a claim is deleted only if its agent was seen empty in an operation, and its pod is gone', () => {
  let deleted = 0;
  inAll((seen) =>
    check(seen, (action) => {
      if (action.do !== 'deleteClaim') return true;
      deleted += 1;
      const { operation } = seen.pool.status ?? {};
      const recorded = operation?.members.find(({ claimUid }) => claimUid === action.claim.uid);
      const hasPod = seen.members.some(({ name, pod }) => name === recorded?.name && pod !== undefined);
      return (
        recorded !== undefined &&
        !hasPod &&
        operation?.drained === true &&
        seen.set?.spec?.replicas === operation.to &&
        seen.pool.spec.claims?.whenScaled === 'Delete'
      );
    }),
  );
  expect(deleted).toBeGreaterThan(0);
});

test('never in two directions, and nothing else beside a scale down', () => {
  inAll((seen) => {
    const { operation } = seen.pool.status ?? {};
    const isPutBack = (action: Action) => action.do === 'scaleUp' && action.to === operation?.from;
    const actions = decide(seen)
      .actions.filter((action) => !isPutBack(action))
      .map((action) => (action.do === 'order' ? action.order.kind : action.do));
    const isOperating = operation !== undefined;
    const isOneSilent = seen.members.some(({ agent }) => !agent.known);
    const rollout = isOneSilent ? [] : ['writeTemplate', 'lowerPartition'];
    const others = ['scaleUp', 'growClaim', 'labelClaim', 'ownClaim', ...rollout];
    if (isOperating) expect(actions.filter((action) => others.includes(action))).toEqual([]);
    else expect(actions.filter((action) => ['drop', 'decommission', 'deleteClaim'].includes(action))).toEqual([]);
  });
});

test('a pool that somebody else has made smaller is never content with that', () => {
  let putBack = 0;
  inAll((seen) => {
    const { pool, set, foreign } = seen;
    const { replicas: before = 0, operation } = pool.status ?? {};
    const replicas = set?.spec?.replicas ?? 0;
    const isLowered = operation ? replicas < operation.from && !operation.drained : replicas < before;
    if (!set || foreign.length > 0 || !isLowered) return;
    const { actions, notes } = decide(seen);
    const isWaiting = notes.some(({ fact }) => fact === 'ScalingWaits');
    expect(isWaiting || actions.some((action) => action.do === 'scaleUp')).toBe(true);
    putBack += 1;
  });
  expect(putBack).toBeGreaterThan(100);
});

test('a StatefulSet is never made smaller than the pool was, and nothing of somebody else is touched', () => {
  inAll((seen) =>
    check(seen, (action) => {
      const { replicas = 0, operation } = seen.pool.status ?? {};
      if (seen.foreign.length > 0) return false;
      return action.do !== 'createSet' || action.replicas >= Math.max(replicas, operation?.from ?? 0);
    }),
  );
});

test('a status that was written is not written again', () => {
  inAll((seen) => {
    const plan = decide(seen);
    if (!isKept(plan, seen.pool)) return;
    const status = JSON.parse(JSON.stringify(statusOf(seen, plan)));
    const again = { ...seen, pool: { ...seen.pool, status } };
    const next = JSON.parse(JSON.stringify(statusOf(again, decide(again))));
    if (!isDeepStrictEqual(next, status)) expect(next).toEqual(status);
  });
});
