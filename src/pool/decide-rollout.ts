/** A new template reaches one agent after the other, each when the one before serves again: the partition is lowered by one each time. */
import type { StatefulSet } from '../api/stateful-sets.ts';
import { isObserved, whyNotServing } from './members.ts';
import type { Plan } from './plan.ts';
import { note } from './reasons.ts';
import { type Member, presentMembers, replicasOf, type Seen } from './seen.ts';

/** Nothing when all are up to date. */
export function decideRollout(seen: Seen): Pick<Plan, 'actions' | 'notes'> | undefined {
  const { set } = seen;
  if (!set) return undefined;
  const replicas = replicasOf(set);
  if (seen.isTemplateOld)
    return {
      actions: [{ do: 'writeTemplate' }],
      notes: [note('RollingOut', 'the template is written')],
    };
  const written = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  if (!isObserved(seen))
    return {
      actions: [],
      notes: [note('SetIsUnobserved', `the controller of ${set.metadata.name} has not looked at it yet`)],
    };
  const old = oldOnes(seen, set).length;
  if (written === 0 && old === 0) return undefined;
  const partition = Math.min(written, replicas);
  const notes = [note('RollingOut', `${replicas - old} of ${replicas} agents are up to date`)];
  const isNext = written > 0 && mayGoOn(seen, set, partition);
  return { actions: isNext ? [{ do: 'lowerPartition', to: Math.max(0, partition - 1) }] : [], notes };
}

const oldOnes = (seen: Seen, set: StatefulSet): readonly Member[] =>
  presentMembers(seen).filter(({ pod }) => pod !== undefined && pod.revision !== set.status?.updateRevision);

/** Those that are new must serve, and the others too; but for the next one: it loses nothing if it does not serve now. */
function mayGoOn(seen: Seen, set: StatefulSet, partition: number): boolean {
  const members = presentMembers(seen);
  const isDone = members.slice(partition).every(({ pod }) => pod?.revision === set.status?.updateRevision);
  const down = members.filter((member) => whyNotServing(seen, member) !== undefined).map(({ ordinal }) => ordinal);
  const isNewDown = down.some((ordinal) => ordinal >= partition);
  return isDone && !isNewDown && (down.length === 0 || down.includes(partition - 1));
}
