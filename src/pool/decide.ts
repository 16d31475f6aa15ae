/** What is to be done about a pool, from what is known of it. One thing at a time: scaling down, then up, then a rollout, then growth. */
import { decideAutoscaling } from './decide-autoscale.ts';
import { claimLabels, claimOwners } from './decide-claims.ts';
import { decideGrowth } from './decide-growth.ts';
import { decideRollout } from './decide-rollout.ts';
import { begun, decideScaleDown, isCancelled, putBack, whyNotBegin } from './decide-scale-down.ts';
import { goingClaims, isObserved, notServing } from './members.ts';
import { type Action, isKept, type Kept, keptOf, type Plan } from './plan.ts';
import { type Note, note, severityOf } from './reasons.ts';
import { presentMembers, replicasOf, type Seen } from './seen.ts';
import { straysAmong } from './strays.ts';

export function decide(seen: Seen): Plan {
  const plan = course(seen);
  return isKept(plan, seen.pool) ? plan : { ...plan, actions: [] };
}

function course(seen: Seen): Plan {
  const { pool, foreign, missing, set } = seen;
  const kept = keptOf(pool);
  const rest = (notes: readonly Note[], actions: readonly Action[] = []): Plan => ({ kept, actions, notes });
  if (pool.metadata.deletionTimestamp) return rest([]);
  if (foreign.length > 0) return rest(foreign.map(isForeign));
  if (missing.length > 0 || !set) return rest([note('Creating', 'the objects of the pool are made')], creation(seen));
  if (set.metadata.deletionTimestamp)
    return rest([
      note('StatefulSetIsGoing', `StatefulSet ${set.metadata.name} is being deleted; it is made anew then`),
    ]);
  if (kept.operation) return decideScaleDown(seen, kept.operation);
  return atRest(seen, replicasOf(set));
}

const isForeign = (object: string): Note =>
  note(
    'ObjectIsForeign',
    `${object} is there and does not belong to this pool: it is left alone. Delete it, or give the pool another name`,
  );

const creation = ({ missing, set, ...seen }: Seen): readonly Action[] => [
  ...missing.map((kind): Action => ({ do: 'create', kind })),
  ...(set ? [] : [{ do: 'createSet', replicas: firstReplicas({ missing, ...seen }) } as const]),
];

/** A StatefulSet that was lost comes back as large as it was: fewer would drop agents that have not been drained. */
function firstReplicas(seen: Seen): number {
  const { pool, members } = seen;
  const { replicas, operation } = pool.status ?? {};
  const ofPods = members.filter(({ pod }) => pod !== undefined).map(({ ordinal }) => ordinal + 1);
  if (replicas === undefined) return Math.max(desiredPVs(seen), ...ofPods);
  return Math.max(replicas, operation?.from ?? 0, ...ofPods);
}

/** How many there should be: what the spec says, or what the autoscaling has come to. */
export function desiredPVs({ pool: { spec, status }, set }: Seen): number {
  if (!spec.autoscaling) return spec.numPVs;
  const { minPVs, maxPVs } = spec.autoscaling;
  const now = status?.autoscaling?.desiredPVs ?? (set ? replicasOf(set) : spec.numPVs);
  return Math.min(maxPVs, Math.max(minPVs, now));
}

function atRest(seen: Seen, replicas: number): Plan {
  const kept = keptOf(seen.pool);
  const desired = desiredPVs(seen);
  const housekeeping = [
    ...straysAmong(seen, presentMembers(seen)),
    ...claimLabels(seen),
    ...claimOwners(seen),
    ...cancelIsOver(seen),
  ];
  const waiting = notServing(seen);
  const scaling = scale(seen, replicas, desired, waiting);
  const step = scaling ?? atSize(seen, waiting);
  return {
    kept: step.kept ?? kept,
    actions: [...housekeeping, ...step.actions],
    notes: [...step.notes, ...waiting, ...damaged(seen), ...goingClaims(presentMembers(seen))],
    pressure: step.pressure,
  };
}

/** They are not served, and nobody else has them: that all agents serve does not mean that all is well. */
const damaged = (seen: Seen): readonly Note[] =>
  presentMembers(seen).flatMap(({ name, agent }) => {
    const count = agent.known ? (agent.value.corrupt ?? 0) : 0;
    return count > 0 ? [note('BlobsAreDamaged', `the agent ${name} has put ${count} damaged blobs aside`)] : [];
  });

type Step = Pick<Plan, 'actions' | 'notes' | 'pressure'> & { readonly kept?: Kept };

/** Nothing when it has as many as it should. */
function scale(seen: Seen, from: number, to: number, waiting: readonly Note[]): Step | undefined {
  const before = seen.pool.status?.replicas ?? 0;
  if (from < before) return putBack(seen, from, before);
  if (from === to) return undefined;
  const isHeld = from > to && seen.pool.status?.cancelledGeneration === seen.pool.metadata.generation;
  if (isHeld) return staying(seen, waiting, heldNote(from, to));
  if (waiting.length > 0 || !isObserved(seen)) return blocked(seen, from, to);
  if (from < to) return { actions: [{ do: 'scaleUp', from, to }], notes: [note('ScalingUp', `from ${from} to ${to}`)] };
  const objection = whyNotBegin(seen, to);
  if (objection) return staying(seen, waiting, objection);
  return {
    kept: begun(seen, from, to),
    actions: [],
    notes: [note('Draining', `a scale down from ${from} to ${to} begins`)],
  };
}

/** It stays as large as it is for now. What it waits for may be room, another template, or that it wants to be larger by now. */
function staying(seen: Seen, waiting: readonly Note[], why: Note): Step {
  const step = atSize(seen, waiting);
  return { ...step, notes: [why, ...step.notes] };
}

/** What blocks it may be the template: then another one is the remedy, and must not wait for what waits for it. */
function blocked(seen: Seen, from: number, to: number): Step {
  const { actions, notes } = decideRollout(seen) ?? { actions: [], notes: [] };
  return { actions, notes: [isBlocked(from, to), ...notes] };
}

const heldNote = (from: number, to: number): Note =>
  note(
    'ScaleDownIsCancelled',
    `the scale down from ${from} to ${to} was cancelled; it is tried again when the spec changes`,
  );

const isBlocked = (from: number, to: number): Note =>
  note('ScalingWaits', `the pool goes from ${from} to ${to} PVs when all of its pods are ready`);

/** One that holds the right number of PVs: brought up to date, then grown, then looked at for autoscaling. */
function atSize(seen: Seen, waiting: readonly Note[]): Step {
  const rollout = decideRollout(seen);
  if (rollout) return rollout;
  const growth = decideGrowth(seen);
  if (growth?.notes.every((each) => severityOf(each) === 'waiting')) return growth;
  // What cannot grow may never: a pool that is full gets more of what it has meanwhile.
  const step = autoscaling(seen, waiting);
  return { ...step, notes: [...(growth?.notes ?? []), ...step.notes] };
}

function autoscaling(seen: Seen, waiting: readonly Note[]): Step {
  if (waiting.length > 0 || !isObserved(seen)) return { actions: [], notes: [] };
  const { autoscaling: next, pressure } = decideAutoscaling(seen, desiredPVs(seen));
  return { kept: { ...keptOf(seen.pool), autoscaling: next }, actions: [], notes: [], pressure };
}

const cancelIsOver = (seen: Seen): readonly Action[] => (isCancelled(seen) ? [{ do: 'takeCancelAway' }] : []);
