/** What can be said of one member of a pool, or of all of them. */
import { DEFAULT_PORT, type Peer } from '../pool-client/protocol.ts';
import { urlOf } from './plan.ts';
import { type Note, note } from './reasons.ts';
import { type Member, presentMembers, type Seen } from './seen.ts';

/** Why a member does not serve; nothing when it does. */
export function whyNotServing({ set }: Seen, member: Member): Note | undefined {
  const { name, pod, agent } = member;
  if (!pod) return whyMissing(member);
  if (pod.setUid !== set?.metadata.uid) return note('ObjectIsForeign', `pod ${name} belongs to somebody else`);
  if (pod.isDeleting) return note('PodIsStarting', `pod ${name} is about to go`);
  if (!pod.isReady && pod.why !== undefined) return note('PodIsNotReady', `pod ${name} is not ready: ${pod.why}`);
  if (!pod.isReady) return note('PodIsStarting', `pod ${name} is not ready`);
  if (!agent.known) return note('AgentDoesNotAnswer', `the agent ${name} cannot be asked: ${agent.why}`);
  if (agent.value.state === 'Unknown') return note('AgentDoesNotAnswer', `the agent ${name} does not know its state`);
  if (cannotGoOn(member))
    return note(
      'AgentCannotGoOn',
      `the agent ${name} is ${agent.value.state}, and its image knows no way back: delete the pod ${name}, and it starts anew with what it holds`,
    );
  if (agent.value.state !== 'Ready') return note('AgentIsNotReady', `the agent ${name} is ${agent.value.state}`);
  return undefined;
}

export const isLeaving = ({ agent }: Member): boolean =>
  agent.known && (agent.value.state === 'Decommissioning' || agent.value.state === 'Decommissioned');

/** An image that speaks no more than the two calls of the original takes no order back. */
export const cannotGoOn = (member: Member): boolean =>
  isLeaving(member) && member.agent.known && member.agent.value.blobs === undefined;

export const whyMissing = ({ name, refusal }: Pick<Member, 'name' | 'refusal'>): Note =>
  refusal === undefined
    ? note('PodIsMissing', `pod ${name} is not there (yet)`)
    : note('PodIsRefused', `pod ${name} cannot be made: ${refusal}`);

/** Of all that should be there, or of the first so many. */
export const notServing = (seen: Seen, count?: number): readonly Note[] =>
  presentMembers(seen)
    .slice(0, count)
    .flatMap((member) => whyNotServing(seen, member) ?? []);

/** The StatefulSet's controller has seen what was last written. */
export const isObserved = ({ set }: Seen): boolean =>
  (set?.status?.observedGeneration ?? 0) >= (set?.metadata.generation ?? 0);

/** A claim stays as long as its pod does, and then goes with all that is on it: so it is told before that. */
export const goingClaims = (members: readonly Member[]): readonly Note[] =>
  members
    .filter(({ claim }) => claim?.isDeleting)
    .map(({ name, claim }) =>
      note('ClaimIsGoing', `somebody has deleted the claim ${claim?.name}: what is on it goes with the pod ${name}`),
    );

/** The agents that stay when the pool has so many, and can take blobs now; not those whose disk is about to go. */
export const peersBelow = (seen: Seen, count: number): readonly Peer[] =>
  seen.members
    .slice(0, count)
    .filter((member) => whyNotServing(seen, member) === undefined && member.claim?.isDeleting === false)
    .flatMap(({ name, pod }) => (pod ? [{ name, url: urlOf(pod, DEFAULT_PORT) }] : []));

/** Higher than any that an agent or we know of: an order that it is given to is never taken for an old one. */
export function nextGeneration({ pool: { status }, members }: Seen): number {
  const ofAgents = members.map(({ agent }) => (agent.known ? (agent.value.generation ?? 0) : 0));
  return 1 + Math.max(status?.lastGeneration ?? 0, status?.operation?.generation ?? 0, ...ofAgents);
}
