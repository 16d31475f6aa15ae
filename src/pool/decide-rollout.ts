/** A new template reaches one agent after the other, each when the one before serves again: the partition is lowered by one each time. */
import type { StatefulSet } from '../api/stateful-sets.ts';
import { isObserved, whyNotServing } from './members.ts';
import type { Plan } from './plan.ts';
import { note } from './reasons.ts';
import { type Member, presentMembers, replicasOf, type Seen, type SeenPod } from './seen.ts';

/** Nothing when all are up to date. */
export function decideRollout(seen: Seen): Pick<Plan, 'actions' | 'notes'> | undefined {
  const { set } = seen;
  if (!set) return undefined;
  const replicas = replicasOf(set);
  const written = partitionOf(set);
  const first = beforeAnyPod(seen, set);
  if (first) return first;
  const old = oldOnes(seen, set).length;
  if (written === 0 && old === 0) return undefined;
  const partition = Math.min(written, replicas);
  const notes = [note('RollingOut', `${replicas - old} of ${replicas} agents are up to date`)];
  const isNext = written > 0 && mayGoOn(seen, set, partition);
  return { actions: isNext ? [{ do: 'lowerPartition', to: Math.max(0, partition - 1) }] : [], notes };
}

/**
 * While agents leave, or are told to go on, nobody else is brought up to date. But what one of them waits for may be another template: an
 * agent that does not start can neither be drained nor be called back. It is reached over those that leave above it, each of which has to
 * answer again before the next; they know from their disks what they were told.
 */
export function decideRescue(seen: Seen, to: number): Pick<Plan, 'actions' | 'notes'> {
  const { set } = seen;
  const silent = presentMembers(seen).filter(({ agent }) => !agent.known);
  if (!set || silent.length === 0) return { actions: [], notes: [] };
  const first = beforeAnyPod(seen, set);
  if (first) return first;
  const partition = Math.min(partitionOf(set), replicasOf(set));
  const isNext = ({ ordinal }: Member) => ordinal === partition - 1 || (ordinal >= to && ordinal < partition);
  const waiting = silent.filter((member) => isNext(member) && !isNew(set, member.pod));
  const isDone = presentMembers(seen)
    .slice(partition)
    .every(({ pod, agent }) => agent.known && isNew(set, pod));
  if (waiting.length === 0) return { actions: [], notes: [] };
  const actions: Plan['actions'] = isDone ? [{ do: 'lowerPartition', to: partition - 1 }] : [];
  return {
    actions,
    notes: [note('RollingOut', `${waiting.map(({ name }) => name).join(', ')} may need the new template`)],
  };
}

const partitionOf = ({ spec }: StatefulSet): number => spec?.updateStrategy?.rollingUpdate?.partition ?? 0;

/** What comes first. Nothing when the next step is for a pod. */
function beforeAnyPod(seen: Seen, set: StatefulSet): Pick<Plan, 'actions' | 'notes'> | undefined {
  if (seen.isTemplateOld)
    return { actions: [{ do: 'writeTemplate' }], notes: [note('RollingOut', 'the template is written')] };
  if (isObserved(seen)) return undefined;
  const why = `the controller of ${set.metadata.name} has not looked at it yet`;
  return { actions: [], notes: [note('SetIsUnobserved', why)] };
}

const isNew = ({ status }: StatefulSet, pod: SeenPod | undefined): boolean => pod?.revision === status?.updateRevision;

const oldOnes = (seen: Seen, set: StatefulSet): readonly Member[] =>
  presentMembers(seen).filter(({ pod }) => pod !== undefined && !isNew(set, pod));

/** Those that are new must serve, and the others too; but for the next one: it loses nothing if it does not serve now. */
function mayGoOn(seen: Seen, set: StatefulSet, partition: number): boolean {
  const members = presentMembers(seen);
  const isDone = members.slice(partition).every(({ pod }) => isNew(set, pod));
  const down = members.filter((member) => whyNotServing(seen, member) !== undefined).map(({ ordinal }) => ordinal);
  const isNewDown = down.some((ordinal) => ordinal >= partition);
  return isDone && !isNewDown && (down.length === 0 || down.includes(partition - 1));
}
