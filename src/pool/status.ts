/** What the status of a pool says. It is made from what was seen and decided, and stays the same as long as that does. */
import type { AgentState, DrainStatus } from '../pool-client/protocol.ts';
import type { Condition, DrainInfo, Phase, PodInfo, PvPool, PvPoolStatus } from './contract.ts';
import { POOL_LABEL } from './contract.ts';
import { desiredPVs } from './decide.ts';
import { whyNotServing } from './members.ts';
import type { Plan } from './plan.ts';
import { progressOf } from './progress.ts';
import { type Note, note, severityOf } from './reasons.ts';
import { type Member, presentMembers, replicasOf, type Seen } from './seen.ts';

export interface Told {
  readonly timeToFull?: string | undefined;
}

export function statusOf(seen: Seen, plan: Plan, { timeToFull }: Told = {}): PvPoolStatus {
  const { pool, set } = seen;
  const { operation, lastGeneration, cancelledGeneration, autoscaling } = plan.kept;
  const serving = presentMembers(seen).filter((member) => whyNotServing(seen, member) === undefined).length;
  const podsInfo = podsInfoOf(seen);
  return {
    phase: phaseOf(seen, plan, serving),
    podsInfo,
    countByState: countsOf(podsInfo),
    ...fillOf(seen),
    ...(pool.metadata.generation !== undefined && { observedGeneration: pool.metadata.generation }),
    conditions: conditionsOf(seen, plan, serving),
    ...replicasIn(seen, plan),
    readyReplicas: serving,
    selector: `${POOL_LABEL}=${pool.metadata.name}`,
    ...(timeToFull !== undefined && set && { forecast: { timeToFull } }),
    ...(operation && { operation: { ...operation, progress: sentenceOf(seen, operation) } }),
    ...(lastGeneration !== undefined && { lastGeneration }),
    ...(cancelledGeneration !== undefined && { cancelledGeneration }),
    ...(autoscaling && { autoscaling }),
  };
}

/** Of a StatefulSet that is not there, or was made smaller by somebody, the last number is remembered: it has to be as large as it was. */
function replicasIn({ set, pool }: Seen, { notes }: Plan): Pick<PvPoolStatus, 'replicas'> {
  const replicas = !set || isPutBack(notes) ? pool.status?.replicas : replicasOf(set);
  return replicas === undefined ? {} : { replicas };
}

const isPutBack = (notes: readonly Note[]): boolean => notes.some(({ fact }) => fact === 'ScaledBehindOurBack');

const sentenceOf = (seen: Seen, operation: NonNullable<PvPoolStatus['operation']>): string =>
  operation.cancelling ? 'cancelling: the agents are told to go on' : progressOf(seen, operation);

function podsInfoOf(seen: Seen): readonly PodInfo[] {
  const replicas = seen.set ? replicasOf(seen.set) : 0;
  return seen.members
    .filter(({ ordinal, pod }) => ordinal < replicas || (pod !== undefined && !pod.isDeleting))
    .map((member) => ({ podName: member.name, podStatus: stateOf(member), ...amountsOf(member, seen.pool) }));
}

type Amounts = Pick<PodInfo, 'capacityBytes' | 'usedBytes' | 'drain'>;

/** What has hardly changed is not told anew: every word of it is a write. */
function amountsOf({ name, agent }: Member, { status }: PvPool): Amounts {
  if (!agent.known) return {};
  const { total, used, drain } = agent.value;
  const before = status?.podsInfo?.find(({ podName }) => podName === name);
  const isNews = (bytes: number, known: number | undefined, all: number) =>
    known === undefined || bytes === 0 || Math.abs(bytes - known) >= NEWS * all;
  const capacityBytes = isNews(total, before?.capacityBytes, total) ? total : before?.capacityBytes;
  const usedBytes = isNews(used, before?.usedBytes, total) ? used : before?.usedBytes;
  return {
    ...(capacityBytes !== undefined && { capacityBytes }),
    ...(usedBytes !== undefined && { usedBytes }),
    ...(drain && { drain: drainOf(drain) }),
  };

  function drainOf({ since, movedBytes, leftBytes }: DrainStatus): DrainInfo {
    const known = before?.drain;
    const isSame =
      known?.since === since && !isNews(leftBytes, known.leftBytes, movedBytes + leftBytes) && movedBytes > 0;
    return isSame ? known : { since, movedBytes, leftBytes };
  }
}

function stateOf({ agent, pod }: Member): AgentState {
  if (agent.known) return agent.value.state;
  return pod?.isReady ? 'Unknown' : 'Initializing';
}

const countsOf = (pods: readonly PodInfo[]): Readonly<Partial<Record<AgentState, number>>> =>
  Object.fromEntries(
    Map.groupBy(pods, ({ podStatus }) => podStatus)
      .entries()
      .map(([state, all]) => [state, all.length])
      .toArray()
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );

type Fill = Pick<PvPoolStatus, 'usedPercentage' | 'capacityBytes' | 'usedBytes'>;

/** Less is no news. */
const NEWS = 0.005;

/** Over the whole pool. While an agent is not known, what was known last is. */
function fillOf(seen: Seen): Fill {
  const { usedPercentage, capacityBytes, usedBytes } = seen.pool.status ?? {};
  const before: Fill | undefined =
    usedPercentage === undefined || capacityBytes === undefined || usedBytes === undefined
      ? undefined
      : { usedPercentage, capacityBytes, usedBytes };
  const now = knownFill(seen);
  if (!now) return before ?? {};
  return before && isNoNews(before, now) ? before : now;
}

export function knownFill(seen: Seen): Required<Fill> | undefined {
  const present = presentMembers(seen);
  const known = present.flatMap(({ agent }) => (agent.known ? [agent.value] : []));
  if (known.length < present.length || known.length === 0) return undefined;
  const capacityBytes = known.reduce((sum, { total }) => sum + total, 0);
  const usedBytes = known.reduce((sum, { used }) => sum + used, 0);
  return {
    usedPercentage: capacityBytes > 0 ? Math.round((100 * usedBytes) / capacityBytes) : 0,
    capacityBytes,
    usedBytes,
  };
}

const isNoNews = (before: Fill, now: Required<Fill>): boolean =>
  before.usedPercentage === now.usedPercentage &&
  [
    [before.capacityBytes, now.capacityBytes],
    [before.usedBytes, now.usedBytes],
  ].every(([was = 0, is = 0]) => Math.abs(was - is) < NEWS * now.capacityBytes);

function phaseOf(seen: Seen, { kept, notes }: Plan, serving: number): Phase {
  const { set, pool, foreign } = seen;
  if (kept.operation) return 'ScalingDown';
  if (foreign.length > 0) return 'Unknown';
  if (!set || replicasOf(set) < desiredPVs(seen) || isPutBack(notes)) return 'ScalingUp';
  if (serving === replicasOf(set)) return isRestless(notes) ? 'ScalingDown' : 'Ready';
  const before = pool.status?.phase;
  return before === undefined || before === 'ScalingUp' ? 'ScalingUp' : 'Unknown';
}

/** It is to be smaller, and that waits or is refused. */
const isRestless = (notes: readonly Note[]): boolean => notes.some(({ fact }) => REFUSALS.has(fact));
const REFUSALS: ReadonlySet<Note['fact']> = new Set([
  'ClaimIsMissing',
  'HoldsCorruptBlobs',
  'NowhereToGo',
  'DoesNotFit',
  'ScalingWaits',
]);

function conditionsOf(seen: Seen, plan: Plan, serving: number): readonly Condition[] {
  const { notes } = plan;
  const degraded = notes.filter((each) => severityOf(each) === 'degraded');
  const waiting = notes.filter((each) => severityOf(each) === 'waiting');
  const held = notes.filter((each) => severityOf(each) === 'held');
  const isReady = phaseOf(seen, plan, serving) === 'Ready';
  return [
    conditionOf(seen, 'Ready', isReady, isReady ? held : [...degraded, ...waiting], ALL_SERVE),
    conditionOf(seen, 'Progressing', waiting.length > 0, waiting, AT_REST),
    conditionOf(seen, 'Degraded', degraded.length > 0, degraded, AS_IT_SHOULD_BE),
  ];
}

/** When a condition has nothing to tell. Each is explained in explanations.ts. */
export type Calm = 'AllAgentsServe' | 'AtRest' | 'AsItShouldBe';

interface Otherwise {
  readonly reason: Calm;
  readonly message: string;
}

const ALL_SERVE: Otherwise = { reason: 'AllAgentsServe', message: 'all agents serve' };
const AT_REST: Otherwise = { reason: 'AtRest', message: 'nothing is to be done' };
const AS_IT_SHOULD_BE: Otherwise = { reason: 'AsItShouldBe', message: 'nothing is wrong' };

/** When it changed last is told anew only when it changes. */
function conditionOf(
  { pool, now }: Seen,
  type: Condition['type'],
  is: boolean,
  notes: readonly Note[],
  otherwise: Otherwise,
): Condition {
  const status = is ? 'True' : 'False';
  const before = pool.status?.conditions?.find((each) => each.type === type);
  const isSame = before?.status === status;
  return {
    type,
    status,
    reason: notes[0]?.fact ?? otherwise.reason,
    message: notes.length > 0 ? sentencesOf(notes) : otherwise.message,
    ...(pool.metadata.generation !== undefined && { observedGeneration: pool.metadata.generation }),
    lastTransitionTime: isSame ? before.lastTransitionTime : now.toISOString().replace(/\.\d+Z$/, 'Z'),
  };
}

const MOST_SENTENCES = 3;

function sentencesOf(notes: readonly Note[]): string {
  const more = notes.length - MOST_SENTENCES;
  const told = notes.slice(0, MOST_SENTENCES).map(({ message }) => message);
  return `${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

/** What could not be written is told as what is wrong, beside what is known already. */
export const withFailure = (plan: Plan, why: string): Plan => ({
  ...plan,
  notes: [note('WriteFailed', why), ...plan.notes],
});

export const isAtRest = ({ phase, conditions }: PvPoolStatus): boolean =>
  phase === 'Ready' && conditions?.every(({ type, status }) => type === 'Ready' || status === 'False') === true;
