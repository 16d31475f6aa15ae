/** A scale down from its beginning to its end: recorded first, then ordered, seen to be done, and only then are the replicas lowered. */
import { isDeepStrictEqual } from 'node:util';
import { CANCEL_ANNOTATION, type Operation, type OperationMember } from './contract.ts';
import { decideGrowth } from './decide-growth.ts';
import { decideRescue } from './decide-rollout.ts';
import { whyNotDrained } from './drained.ts';
import { cannotGoOn, goingClaims, nextGeneration, notServing, peersBelow } from './members.ts';
import { type Action, addresseeOf, type Kept, keptOf, type Order, orderKey, type Plan } from './plan.ts';
import { progressOf } from './progress.ts';
import { type Note, note } from './reasons.ts';
import { type Member, presentMembers, replicasOf, type Seen } from './seen.ts';
import { straysAmong } from './strays.ts';

/** Why it must not begin; nothing when it may. All members serve by now. */
export function whyNotBegin(seen: Seen, to: number): Note | undefined {
  const leaving = presentMembers(seen).slice(to);
  return claimIsMissing(leaving) ?? holdsCorruptBlobs(leaving) ?? nowhereToGo(leaving, to) ?? doesNotFit(seen, to);
}

/** One that is only about to go is no reason to wait: what is on it is saved if it moves before. */
const claimIsMissing = (leaving: readonly Member[]): Note | undefined => {
  const one = leaving.find(({ claim }) => !claim);
  return one && note('ClaimIsMissing', `the claim of ${one.name} is not there`);
};

function holdsCorruptBlobs(leaving: readonly Member[]): Note | undefined {
  const one = leaving.find(({ agent }) => agent.known && (agent.value.corrupt ?? 0) > 0);
  return (
    one &&
    note(
      'HoldsCorruptBlobs',
      `the agent ${one.name} has damaged blobs, which cannot be moved: store them anew there, or give them up (GET /quarantine)`,
    )
  );
}

function nowhereToGo(leaving: readonly Member[], to: number): Note | undefined {
  const one = leaving.find(({ agent }) => agent.known && (agent.value.blobs ?? 0) > 0);
  if (to > 0 || !one) return undefined;
  return note(
    'NowhereToGo',
    `the agent ${one.name} holds blobs, and with numPVs 0 nobody is left to take them: delete the blobs first`,
  );
}

function doesNotFit(seen: Seen, to: number): Note | undefined {
  const [staying, leaving] = [seen.members.slice(0, to), presentMembers(seen).slice(to)];
  const sum = (members: readonly Member[], of: (agent: { total: number; used: number; bytes?: number }) => number) =>
    members.reduce((total, { agent }) => total + (agent.known ? of(agent.value) : 0), 0);
  const toMove = sum(leaving, ({ bytes = 0 }) => bytes);
  const free = sum(staying, ({ total, used }) => Math.max(0, total - used));
  if (toMove <= free) return undefined;
  return note(
    'DoesNotFit',
    `${toMove} bytes would have to move, and those that stay have ${free} left: delete blobs, or grow pvSizeGB`,
  );
}

/** All that is needed to know later whose answer counts. */
export function begun(seen: Seen, from: number, to: number): Kept {
  const generation = nextGeneration(seen);
  const members = presentMembers(seen)
    .slice(to)
    .map((member) => recordOf(member));
  const operation: Operation = { kind: 'ScaleDown', generation, from, to, since: timeOf(seen), members };
  return { ...keptOf(seen.pool), operation, lastGeneration: generation };
}

/** Who has ever counted its blobs is not let go without that, whoever answers for it later. */
const recordOf = ({ name, pod, claim, agent }: Member, before?: OperationMember): OperationMember => ({
  name,
  podUid: pod?.uid ?? '',
  claimUid: claim?.uid ?? '',
  ...((before?.countsBlobs || (agent.known && agent.value.blobs !== undefined)) && { countsBlobs: true }),
  ...((before?.claimReplaced || (before && before.claimUid !== claim?.uid)) && { claimReplaced: true }),
});

const timeOf = ({ now }: Seen): string => now.toISOString().replace(/\.\d+Z$/, 'Z');

export function decideScaleDown(seen: Seen, operation: Operation): Plan {
  const replicas = seen.set ? replicasOf(seen.set) : operation.from;
  if (replicas === operation.to && operation.drained) return settle(seen, operation);
  if (replicas < operation.from) return { kept: keptOf(seen.pool), ...putBack(seen, replicas, operation.from) };
  if (operation.cancelling) return decideCancel(seen, operation);
  if (replicas > operation.from) return giveUp(seen, operation, [behindOurBack(seen, replicas)]);
  if (isCancelled(seen)) return giveUp(seen, operation, [note('Cancelling', 'the scale down is cancelled')]);
  return recordAnew(seen, operation) ?? drain(seen, operation);
}

export const isCancelled = ({ pool }: Seen): boolean => pool.metadata.annotations?.[CANCEL_ANNOTATION] !== undefined;

/** Whoever left has not been seen empty: they come back with what they have, and leave as others do. */
export const putBack = (seen: Seen, from: number, to: number): Pick<Plan, 'actions' | 'notes'> => ({
  actions: [{ do: 'scaleUp', from, to }],
  notes: [behindOurBack(seen, from)],
});

const behindOurBack = ({ set }: Seen, replicas: number): Note =>
  note(
    'ScaledBehindOurBack',
    `somebody set the replicas of ${set?.metadata.name} to ${replicas}, whatever its agents hold: change numPVs of the PvPool instead`,
  );

/** The members are told to go on. Whoever is told has to be told by an order that is newer than the last. */
function giveUp(seen: Seen, operation: Operation, notes: readonly Note[]): Plan {
  const { drained: _, ...rest } = operation;
  const generation = nextGeneration(seen);
  const kept = {
    ...keptOf(seen.pool),
    operation: { ...rest, generation, cancelling: true },
    lastGeneration: generation,
  };
  const cancelledGeneration = isCancelled(seen) ? (seen.pool.metadata.generation ?? 0) : kept.cancelledGeneration;
  return { kept: { ...kept, cancelledGeneration }, actions: [], notes };
}

/** Another pod or claim of a member, or an agent that knows of newer orders: that is written down before anybody is told anything. */
function recordAnew(seen: Seen, operation: Operation): Plan | undefined {
  const members = operation.members.map((recorded) => recordedAnew(seen, recorded));
  const isOvertaken = agentsOf(seen, operation).some((member) => knowsNewer(member, operation));
  if (isDeepStrictEqual(members, operation.members) && !isOvertaken) return undefined;
  const generation = isOvertaken ? nextGeneration(seen) : operation.generation;
  const { drained: _, ...rest } = operation;
  const kept = { ...keptOf(seen.pool), operation: { ...rest, generation, members }, lastGeneration: generation };
  return { kept, actions: [], notes: [note('Draining', progressOf(seen, operation)), ...replacedClaims(members)] };
}

/** As long as the operation runs, so that it is seen. */
const replacedClaims = (members: readonly OperationMember[]): readonly Note[] =>
  members
    .filter(({ claimReplaced }) => claimReplaced)
    .map(({ name }) =>
      note(
        'ClaimWasReplaced',
        `the claim of ${name} was replaced while it was drained: what was on the former one and had not moved is gone`,
      ),
    );

/** One that is Ready by an order of this very generation was told otherwise: it would take the same order for one that it has. */
function knowsNewer({ agent }: Member, operation: Operation): boolean {
  if (!agent.known) return false;
  const { state, blobs, generation = 0 } = agent.value;
  const isToldOtherwise = blobs !== undefined && state === 'Ready' && generation === operation.generation;
  return generation > operation.generation || isToldOtherwise;
}

/** As long as one is not there, nothing is known that could be written down. */
function recordedAnew({ members, set }: Seen, recorded: OperationMember): OperationMember {
  const member = members.find(({ name }) => name === recorded.name);
  const { pod, claim } = member ?? {};
  if (!member || !pod || !claim || pod.isDeleting || claim.isDeleting) return recorded;
  return pod.setUid === set?.metadata.uid ? recordOf(member, recorded) : recorded;
}

const agentsOf = ({ members }: Seen, operation: Operation): readonly Member[] =>
  members.filter(({ name }) => operation.members.some((recorded) => recorded.name === name));

function drain(seen: Seen, operation: Operation): Plan {
  const kept = keptOf(seen.pool);
  const doubts = operation.members.flatMap((recorded) => whyNotDrained(seen, operation, recorded) ?? []);
  const progress = note('Draining', progressOf(seen, operation));
  if (doubts.length === 0) {
    const notes = [note('Drained', 'all that leave are empty'), ...replacedClaims(operation.members)];
    if (operation.drained) return { kept, actions: [{ do: 'drop', operation }], notes };
    return { kept: { ...kept, operation: { ...operation, drained: true } }, actions: [], notes };
  }
  const isTakenBack = operation.drained && doubts.some(({ fact }) => TAKES_BACK.has(fact));
  if (isTakenBack) {
    const { drained: _, ...rest } = operation;
    return { kept: { ...kept, operation: rest }, actions: [], notes: [progress, ...doubts] };
  }
  const { actions, notes } = ordersOf(seen, operation);
  const atRisk = [...replacedClaims(operation.members), ...goingClaims(seen.members)];
  const strays = straysAmong(seen, seen.members.slice(0, operation.to));
  const rescue = decideRescue(seen, operation.to);
  const growth = decideGrowth(seen, operation.to); // those that stay may be too full to take what leaves
  return {
    kept,
    actions: [...strays, ...actions, ...rescue.actions, ...(growth?.actions ?? [])],
    notes: [
      progress,
      ...doubts.filter(({ fact }) => fact !== 'Draining'),
      ...atRisk,
      ...notes,
      ...notServing(seen, operation.to),
      ...rescue.notes,
      ...(growth?.notes ?? []),
    ],
  };
}

/** That an agent does not answer takes nothing back that it said; that it says otherwise does. */
const TAKES_BACK: ReadonlySet<Note['fact']> = new Set([
  'Draining',
  'DrainIsStuck',
  'AgentContradictsItself',
  'ClaimWasReplaced',
]);

function ordersOf(seen: Seen, operation: Operation): Pick<Plan, 'actions' | 'notes'> {
  const { generation, to } = operation;
  const peers = peersBelow(seen, to);
  if (peers.length === 0 && to > 0)
    return { actions: [], notes: [note('NoPeerIsReady', 'none of the agents that stay is ready to take blobs')] };
  const order: Order = { kind: 'decommission', generation, peers };
  const due = agentsOf(seen, operation).filter(
    (member) => isRecorded(member, operation) && isOrderDue(seen, member, order),
  );
  return { actions: due.flatMap((member) => orderTo(member, order)), notes: [] };
}

/** Nobody is told who is not written down: its answer would not count. */
const isRecorded = ({ pod }: Member, { members }: Operation): boolean =>
  members.some(({ podUid }) => podUid === pod?.uid);

/** It has not been given to this pod by this process, or the agent does not say that it follows it. */
function isOrderDue({ taken }: Seen, { pod, agent }: Member, order: Order): boolean {
  if (!agent.known || agent.value.state === 'Initializing') return false;
  if (taken.get(pod?.uid ?? '') !== orderKey(order)) return true;
  const { state, blobs, generation } = agent.value;
  const follows = state === 'Decommissioning' || state === 'Decommissioned';
  return !follows || (blobs !== undefined && generation !== order.generation);
}

function orderTo(member: Member, order: Order): readonly Action[] {
  const to = addresseeOf(member);
  return to ? [{ do: 'order', to, order }] : [];
}

/** The replicas are lowered: claims that may go do so when their pods are gone. */
function settle(seen: Seen, operation: Operation): Plan {
  const { operation: _, ...kept } = keptOf(seen.pool);
  if (seen.pool.spec.claims?.whenScaled !== 'Delete') return { kept, actions: [], notes: [] };
  const left = operation.members.filter(({ name, claimUid }) => isLeft(seen, name, claimUid));
  if (left.length === 0) return { kept, actions: [], notes: [] };
  const actions = left.flatMap(({ name, claimUid }): Action[] => {
    const { pod, claim } = seen.members.find((member) => member.name === name) ?? {};
    return pod || claim?.uid !== claimUid || claim.isDeleting ? [] : [{ do: 'deleteClaim', claim }];
  });
  const notes = [note('ClaimsAreGoing', `the claims of ${left.map(({ name }) => name).join(', ')} are deleted`)];
  return { kept: keptOf(seen.pool), actions, notes };
}

const isLeft = ({ members }: Seen, name: string, claimUid: string): boolean =>
  members.some((member) => member.name === name && (member.pod !== undefined || member.claim?.uid === claimUid));

/** Until all that are still there, and can be told, have said that they go on. */
function decideCancel(seen: Seen, operation: Operation): Plan {
  const { operation: _, ...rest } = keptOf(seen.pool);
  const { generation } = operation;
  const present = new Set(presentMembers(seen).map(({ name }) => name));
  const back = agentsOf(seen, operation).filter(({ name }) => present.has(name));
  const waiting = back.filter((member) => !goesOn(member, generation) && !cannotGoOn(member));
  if (waiting.length === 0) return { kept: rest, actions: [], notes: [] };
  const overtaking = waiting.some(({ agent }) => agent.known && (agent.value.generation ?? 0) > generation);
  if (overtaking) {
    const next = nextGeneration(seen);
    return {
      kept: { ...rest, operation: { ...operation, generation: next }, lastGeneration: next },
      actions: [],
      notes: [],
    };
  }
  const order: Order = { kind: 'recommission', generation };
  const actions = waiting
    .filter(({ agent }) => agent.known && agent.value.state !== 'Initializing')
    .flatMap((member) => orderTo(member, order));
  const silent = waiting
    .filter(({ agent }) => !agent.known)
    .map(({ name, agent }) =>
      note('AgentDoesNotAnswer', `the agent ${name} cannot be asked: ${agent.known ? '' : agent.why}`),
    );
  const names = waiting.map(({ name }) => name).join(', ');
  const rescue = decideRescue(seen, operation.to);
  return {
    kept: keptOf(seen.pool),
    actions: [...actions, ...rescue.actions],
    notes: [note('Cancelling', `${names} are told to go on`), ...silent, ...rescue.notes],
  };
}

function goesOn({ agent }: Member, generation: number): boolean {
  if (!agent.known || agent.value.state !== 'Ready') return false;
  return agent.value.blobs === undefined || (agent.value.generation ?? 0) >= generation;
}
