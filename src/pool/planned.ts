/** What a pool would do next, in words, from what can be seen from outside. The operator itself asks the agents, and may know better. */
import { decide, desiredPVs } from './decide.ts';
import type { Action, Plan } from './plan.ts';
import { type Note, severityOf } from './reasons.ts';
import { replicasOf, type Seen } from './seen.ts';

export interface PoolStep {
  readonly does: Action['do'] | 'drain' | 'going on' | 'wait' | 'refuse';
  readonly what: string;
  /** For `holdfast explain`. */
  readonly code?: string;
}

export interface PlannedPool {
  /** `namespace/name`. */
  readonly pool: string;
  /** Of its StatefulSet. */
  readonly now: number;
  readonly wanted: number;
  readonly steps: readonly PoolStep[];
}

export function plannedPool(seen: Seen): PlannedPool {
  const { pool, set } = seen;
  return {
    pool: `${pool.metadata.namespace}/${pool.metadata.name}`,
    now: set ? replicasOf(set) : 0,
    wanted: desiredPVs(seen),
    steps: stepsOf(seen),
  };
}

function stepsOf(seen: Seen): readonly PoolStep[] {
  const { pool } = seen;
  const { operation, conditions = [] } = pool.status ?? {};
  const degraded = conditions.find(({ type, status }) => type === 'Degraded' && status === 'True');
  const troubles: readonly PoolStep[] = degraded
    ? [{ does: 'refuse', what: degraded.message, code: degraded.reason }]
    : [];
  // How far a drain is only its agents know.
  if (operation) return [...troubles, { does: 'going on', what: operation.progress ?? 'a scale down goes on' }];
  const plan = decide(seen);
  const actions = plan.actions.map((action) => ({ does: action.do, what: inWords(action) }) as const);
  return [
    ...(troubles.length > 0 ? troubles : refusals(plan)),
    ...draining(seen, plan),
    ...actions,
    ...waits(plan, actions),
  ];
}

/** What is to be kept is written before anything is done. */
function draining({ pool }: Seen, { kept: { operation } }: Plan): readonly PoolStep[] {
  if (!operation || pool.status?.operation) return [];
  const { from, to } = operation;
  return [
    {
      does: 'drain',
      what: `scale down from ${from} to ${to}: the agents that leave are drained first`,
      code: 'Draining',
    },
  ];
}

const refusals = ({ notes }: Plan): readonly PoolStep[] =>
  notes.filter((note) => severityOf(note) !== 'waiting').map((note) => stepOf('refuse', note));

/** What is waited for says nothing new beside what is done. */
const waits = ({ notes, kept }: Plan, actions: readonly unknown[]): readonly PoolStep[] =>
  actions.length > 0 || kept.operation
    ? []
    : notes.filter((note) => severityOf(note) === 'waiting').map((note) => stepOf('wait', note));

const stepOf = (does: 'refuse' | 'wait', { fact, message }: Note): PoolStep => ({ does, what: message, code: fact });

function inWords(action: Action): string {
  switch (action.do) {
    case 'create':
      return `make its ${action.kind}`;
    case 'createSet':
      return `make its StatefulSet with ${action.replicas} agents`;
    case 'order':
      return `tell ${action.to.name} to ${action.order.kind === 'decommission' ? 'drain' : 'go on'}`;
    case 'scaleUp':
      return `scale up from ${action.from} to ${action.to}`;
    case 'drop':
      return `let the drained agents go, from ${action.operation.from} to ${action.operation.to}`;
    case 'writeTemplate':
      return 'roll out a new template, one agent after the other';
    case 'lowerPartition':
      return `bring the agent ${action.to} up to date`;
    case 'growClaim':
      return `grow claim ${action.claim.name} to ${action.gib} GiB`;
    case 'labelClaim':
      return `label the claim ${action.claim.name}, which an agent of the pool uses`;
    case 'ownClaim':
      return `${action.owned ? 'take' : 'let go of'} the claim ${action.claim.name}`;
    case 'deleteClaim':
      return `delete the claim ${action.claim.name} of an agent that has left`;
    case 'takeCancelAway':
      return 'take the cancellation away, which has been followed';
  }
}
