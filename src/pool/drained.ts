/** Whether an agent has nothing left. What is not known for certain is a no. */
import type { Operation, OperationMember } from './contract.ts';
import { whyMissing } from './members.ts';
import type { Order } from './plan.ts';
import { type Note, note } from './reasons.ts';
import type { Member, Seen } from './seen.ts';

/** Why a member does not count as drained; nothing when it does. */
export function whyNotDrained(seen: Seen, operation: Operation, recorded: OperationMember): Note | undefined {
  const member = seen.members.find(({ name }) => name === recorded.name);
  return (
    isAnother(seen, member, recorded) ??
    countsNoMore(member, recorded) ??
    saysOtherwise(seen, operation, member) ??
    holdsSomething(member)
  );
}

/** An answer counts only from the pod and the claim that were asked. */
function isAnother({ set }: Seen, member: Member | undefined, { name, podUid, claimUid }: OperationMember) {
  const { pod, claim } = member ?? {};
  if (!pod) return whyMissing(member ?? { name });
  if (pod.isDeleting) return note('PodIsStarting', `pod ${name}, which drains, is about to go`);
  if (pod.setUid !== set?.metadata.uid) return note('ObjectIsForeign', `pod ${name} belongs to somebody else`);
  if (pod.uid !== podUid) return note('Draining', `pod ${name} is a new one, and has to be asked again`);
  if (claim?.uid !== claimUid) return note('ClaimWasReplaced', `the claim of ${name} is not the one that was drained`);
  return undefined;
}

/** Otherwise another program on its disk that knows nothing of blobs would be taken at its word. */
const countsNoMore = (member: Member | undefined, { name, countsBlobs }: OperationMember): Note | undefined =>
  countsBlobs && member?.agent.known && member.agent.value.blobs === undefined
    ? note('AgentContradictsItself', `the agent ${name} no longer says how many blobs it holds: it is not let go`)
    : undefined;

function saysOtherwise(seen: Seen, { generation }: Operation, member: Member | undefined): Note | undefined {
  const { name, pod, agent } = member ?? {};
  if (!agent?.known && pod?.why) return note('PodIsNotReady', `pod ${name} is not ready: ${pod.why}`);
  if (!agent?.known) return note('AgentDoesNotAnswer', `the agent ${name} cannot be asked: ${agent?.why}`);
  const { state, blobs, drain } = agent.value;
  if (state === 'Decommissioned' && blobs === undefined) {
    const wasAsked = isOf(generation, seen.taken.get(pod?.uid ?? ''));
    return wasAsked ? undefined : note('Draining', `the agent ${name} has not been asked yet`);
  }
  if (state === 'Decommissioned' && agent.value.generation === generation) return undefined;
  if (drain?.why !== undefined && state === 'Decommissioning')
    return note('DrainIsStuck', `the agent ${name} cannot go on: ${drain.why}`);
  return note('Draining', `the agent ${name} is ${state}`);
}

const isOf = (generation: number, order: string | undefined): boolean => {
  if (order === undefined) return false;
  const { kind, generation: its } = JSON.parse(order) as Order;
  return kind === 'decommission' && its === generation;
};

/** Of agents that tell what they hold; the original's cannot. */
function holdsSomething(member: Member | undefined): Note | undefined {
  const { name, agent, isListedEmpty } = member ?? {};
  if (!agent?.known || agent.value.blobs === undefined) return undefined;
  const { blobs, corrupt = 0 } = agent.value;
  if (blobs > 0) return contradiction(name, `it counts ${blobs} blobs`);
  if (corrupt > 0) return contradiction(name, `it has ${corrupt} corrupt blobs`);
  if (!isListedEmpty?.known)
    return note('AgentDoesNotAnswer', `the agent ${name} cannot be listed: ${isListedEmpty?.why}`);
  return isListedEmpty.value ? undefined : contradiction(name, 'its listing has blobs');
}

const contradiction = (name: string | undefined, what: string): Note =>
  note('AgentContradictsItself', `the agent ${name} says that it is Decommissioned, and ${what}: it is not let go`);
