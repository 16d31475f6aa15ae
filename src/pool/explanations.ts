/** What each code of this job and of its storage agents means, for people who meet it. */
import { type Explanation, explainedOf, failed, news, refused, waits } from '../kit/explanation.ts';
import type { Reason as AgentReason } from '../pool-client/protocol.ts';
import type { EventReason } from './events.ts';
import type { Fact } from './reasons.ts';
import type { Calm } from './status.ts';

const TABLE: Readonly<Record<Fact | EventReason | Calm | AgentReason, Explanation>> = {
  ObjectIsForeign: refused(
    'an object has the name of one of the pool, and belongs to somebody else',
    'what is not ours is never changed or taken over',
    'Delete it, or give the pool another name',
  ),
  WriteFailed: failed(
    'the API server refused something that the pool needs',
    'a right, a quota or a policy forbids it; the message has what the server said',
    'It is tried again. Mend what the message names; for rights see holdfast manifests rbac',
  ),
  PodIsMissing: waits('the pod of an agent is not there', "the StatefulSet's controller has not made it yet"),
  PodIsRefused: refused(
    'the pod of an agent cannot be made',
    'a quota or a policy forbids it; the message has what the API server said',
    'Mend the quota or the policy',
  ),
  PodIsStarting: waits('the pod of an agent comes, or goes to come again', 'nothing else is begun until it serves'),
  PodIsNotReady: refused(
    'the pod of an agent does not get ready',
    'the message has what the pod says: an image that cannot be pulled, no node that fits, a program that ends',
    'Look at it: kubectl describe pod, kubectl logs',
  ),
  AgentDoesNotAnswer: refused(
    'an agent cannot be asked how it is',
    'no answer in time, a wrong token, or another agent at its address; the message says which. What is unknown is never drained or dropped',
    'Look at its pod, its log, and the network (a NetworkPolicy?)',
  ),
  AgentIsNotReady: waits(
    'an agent counts its blobs, drains or is drained',
    'it serves when it is Ready',
    'Nothing has to be done: it is told to go on if nobody told it to leave',
  ),
  AgentCannotGoOn: refused(
    'an agent was told to leave, stays, and cannot be told so',
    'its image knows no way back, as that of the original: only a new start makes it forget the order',
    'Delete its pod, which the message names; its claim and what is on it stay',
  ),
  ClaimIsMissing: refused(
    'an agent that is to leave has no claim',
    'without its claim it is not certain which disk would be let go',
    'Wait until the StatefulSet has made it, or delete its pod',
  ),
  ClaimIsGoing: refused(
    'somebody has deleted the claim of an agent',
    'what is on it goes with its pod',
    'Lower numPVs if it is the last one, so that it is drained before that; or copy away what you need',
  ),
  ClaimWasReplaced: refused(
    'the claim of an agent that drains is another one than when the drain began',
    'what had not moved by then is gone',
    'Restore it from where it came from',
  ),
  NoPeerIsReady: refused(
    'none of the agents that stay can take blobs',
    'a drain needs somewhere to go',
    'Mend one of them: kubectl describe pod, kubectl logs',
  ),
  NowhereToGo: refused(
    'numPVs is 0, and there are blobs',
    'the last agent has nobody to hand them to',
    'Remove the blobs first, or set numPVs back',
  ),
  DoesNotFit: refused(
    'those that stay have no room for what would move',
    'a drain that cannot end is not begun',
    'Raise pvSizeGB, remove blobs, or set numPVs back',
  ),
  HoldsCorruptBlobs: refused(
    'an agent that is to leave has damaged blobs',
    'they cannot move, and would be gone with it',
    'Store them again or give them up: see "Damaged blobs" in docs/pool.md',
  ),
  BlobsAreDamaged: refused(
    'an agent has put damaged blobs aside',
    'their bytes are no longer what was stored, so they are not served',
    'Store them again or give them up: see "Damaged blobs" in docs/pool.md',
  ),
  DrainIsStuck: refused(
    'an agent that drains does not get on',
    'the message says what it waits for: full peers, peers that do not answer, a blob that cannot be read',
    'Mend that: see "The drain" in docs/pool.md; or cancel the scale down',
  ),
  AgentContradictsItself: refused(
    'an agent says that it is drained, and counts or lists blobs',
    'it is not let go: what it still has would be gone',
    'Look at its log; another program may run on its disk',
  ),
  OrderWasRefused: failed(
    'an agent did not take an order',
    'the message says why',
    'It is given again. If that stays so, look at the log of the agent',
  ),
  ScaledBehindOurBack: refused(
    'somebody changed the replicas of the StatefulSet',
    'agents that left undrained have taken their blobs with them: they are brought back',
    'Scale the PvPool instead: kubectl scale pvpool',
  ),
  ClassDoesNotExpand: refused(
    'claims are to grow, and their storage class does not allow it',
    'the API server would refuse it',
    'Set allowVolumeExpansion of the storage class, or make a new pool',
  ),
  ResizeFailed: refused(
    'a claim does not grow',
    'the message has what its storage says; the others wait for it',
    'Mend the storage: pvSizeGB cannot be set back',
  ),
  StatefulSetIsGoing: waits('the StatefulSet is being deleted', 'it is made anew when it is gone, as large as it was'),
  Creating: waits('the objects of the pool are made', 'it is new, or one of them was deleted'),
  ScalingUp: waits('the pool gets more agents', 'the spec or the autoscaling asks for it'),
  ScalingWaits: waits(
    'the number of agents changes when all pods are ready',
    'one thing at a time: who is not ready could be the one that has to take blobs',
    'Nothing, or mend what another reason names',
  ),
  Draining: waits(
    'agents that are to leave hand over their blobs',
    'they take no new ones, and are dropped when they hold nothing any more',
  ),
  Drained: waits('all agents that leave are empty', 'the replicas are lowered next'),
  Cancelling: waits('a scale down is called off', 'the agents are told to go on'),
  ClaimsAreGoing: waits('claims of agents that have left are deleted', 'claims.whenScaled says so'),
  RollingOut: waits('a new template reaches one agent after the other', 'each waits until the one before serves again'),
  SetIsUnobserved: waits(
    "the StatefulSet's controller has not looked at it yet",
    'what it does next is not known before that',
    'If that stays so: does kube-controller-manager run?',
  ),
  Growing: waits('a claim grows', 'they grow one by one, each after the one before has got there'),
  ScaleDownIsCancelled: refused(
    'the number in the spec is not what there is',
    'a person cancelled the scale down, and it is not begun again by itself',
    'Change the spec',
  ),
  ScaleDownBegan: news('a scale down begins', 'the agents that leave are drained first'),
  ScaleDownCancelled: news('a scale down was cancelled', 'the agents are told to go on'),
  ScaledDown: news('agents have left', 'they held nothing any more'),
  ScaledUp: news('agents were added', 'the spec or the autoscaling asks for it'),
  RolloutBegan: news('the agents are brought up to date one by one', 'the template has changed'),
  Autoscaled: news('the autoscaling wants another number of agents', 'it follows from how full the pool is'),
  ClaimDeleted: news('the claim of an agent that was drained is deleted', 'claims.whenScaled says so'),
  AllAgentsServe: news('all agents serve', 'the pool is as it should be'),
  AtRest: news('nothing is to be done', 'the pool is as it should be'),
  AsItShouldBe: news('nothing is wrong', 'the pool is as it should be'),
  BadKey: refused('a blob cannot have that key', 'it is empty, too long, or no text', 'Choose another key'),
  BadRequest: refused('an agent does not understand a request', 'it is none of its protocol', 'Correct the caller'),
  Unauthorized: refused(
    'an agent does not know the token of the caller',
    'without it nobody may ask',
    'Give the token of the pool: it is in the Secret that ends in -token, or see --token-file of holdfast blob',
  ),
  NotFound: news('the agent does not have that blob', 'it was never stored, was removed, or another agent has it'),
  Conflict: refused(
    'there is another blob under that key',
    'blobs are never changed: one key always means the same bytes',
    'Remove the old one first, or choose another key',
  ),
  Stale: waits('an agent was given an order that is older than what it knows', 'a newer one counts'),
  Exists: refused(
    'the blob is there already, or is not the one that was meant',
    'the caller set that as a condition',
    'Look at what there is',
  ),
  TooLarge: refused(
    'the blob is larger than the agent takes',
    '--max-blob-size says how large they may be',
    'Raise it, or store less',
  ),
  DigestMismatch: failed(
    'the bytes that came are not those that the caller announced',
    'they were changed on the way, or the digest is wrong; nothing was stored',
    'Send it again',
  ),
  Corrupt: refused(
    'the blob is damaged',
    'its bytes are no longer what was stored, and are not given out',
    'Store it again: see "Damaged blobs" in docs/pool.md',
  ),
  Internal: failed('the agent could not do what it was asked', 'its disk or the program failed', 'Look at its log'),
  Full: refused(
    'the agent has no room',
    'the rest is kept for its own work',
    'Store it at another agent, remove blobs, or let the pool grow',
  ),
};

export const explained = explainedOf(TABLE);
