/** How a pool of storage agents is shown. Pure. */

import type { Operation, PvPool } from '../pool/contract.ts';
import { type PoolStanding, standingOf } from '../pool/standing.ts';
import { AGENT_STATES } from '../pool-client/protocol.ts';
import { type DrainProgress, drainProgress } from './drain-progress.ts';
import type { Action, Activity, AgentRow, Health, Need, PoolRow, PoolSample } from './model.ts';
import { type Shown, sentence } from './shown.ts';
import type { AgentPod } from './views.ts';

export interface KnownOfPool {
  readonly pool: PvPool;
  /** Nothing where pods may not be read. */
  readonly pods: ReadonlyMap<string, AgentPod>;
  /** Of the volume that a claim has. */
  readonly capacityOf: (claim: string) => number | undefined;
  readonly history: readonly PoolSample[];
  readonly now: Date;
}

export function poolShown(known: KnownOfPool): Shown<PoolRow> {
  const { pool, history } = known;
  const { status } = pool;
  const standing = standingOf(pool);
  const { operation } = status ?? {};
  const drain = operation && drainProgress(operation, status?.podsInfo ?? [], known.now);
  const activity = activityOf(pool, standing, drain);
  const cancel = cancelOf(pool);
  const secondsToFull = secondsIn(standing.timeToFull);
  const row: PoolRow = {
    name: standing.pool,
    health: healthOf(pool, standing),
    phase: standing.phase,
    wanted: standing.pvs,
    ready: standing.ready,
    ...(status?.usedBytes !== undefined && { usedBytes: status.usedBytes }),
    ...(status?.capacityBytes !== undefined && { capacityBytes: status.capacityBytes }),
    ...(standing.usedPercent !== undefined && { usedPercent: standing.usedPercent }),
    agents: agentsOf(known, drain),
    ...(secondsToFull !== undefined && { secondsToFull }),
    ...(activity && { operation: activity }),
    ...(cancel && { cancel }),
    troubles: standing.troubles.map(sentence),
    history,
  };
  return { row, needs: needsOf(standing, row), activities: activity ? [activity] : [] };
}

const linkTo = (pool: string): string => `#/pools/${pool.split('/').map(encodeURIComponent).join('/')}`;

function healthOf({ status }: PvPool, { troubles, now, phase }: PoolStanding): Health {
  if (!status) return 'unknown';
  if (troubles.length > 0) return 'attention';
  if (now !== '' || phase === 'ScalingUp' || phase === 'ScalingDown') return 'busy';
  return phase === 'Ready' ? 'well' : 'unknown';
}

function activityOf(
  { status }: PvPool,
  { pool, now }: PoolStanding,
  drain: DrainProgress | undefined,
): Activity | undefined {
  if (now === '') return undefined;
  const { progress, secondsLeft } = drain ?? {};
  return {
    id: `pool:${pool}`,
    job: 'pool',
    kind: status?.operation ? 'drain' : 'scale',
    subject: pool,
    detail: now,
    ...(progress !== undefined && { progress }),
    ...(secondsLeft !== undefined && { secondsLeft }),
    link: linkTo(pool),
  };
}

/** As long as something is left to be given up. It is of this drain: another one has another generation, or is of another pool. */
export function cancelOf({ metadata, status }: PvPool): Action | undefined {
  const operation: Operation | undefined = status?.operation;
  if (!operation || operation.cancelling || operation.drained) return undefined;
  const { name = '', namespace = '', uid = '' } = metadata;
  const { from, to, generation, since } = operation;
  return {
    name: 'cancel-drain',
    to: { namespace, pool: name, uid, generation: `${generation}`, from: `${from}`, to: `${to}`, since },
    label: 'Cancel the drain',
    consequence:
      `The agents of ${namespace}/${name} that hand over their blobs are told to go on serving. The pool stays at ${from} PVs instead of ${to}, ` +
      'until its spec is changed again. What was moved stays where it is now; nothing is lost.',
  };
}

function agentsOf({ pool, pods, capacityOf }: KnownOfPool, drain: DrainProgress | undefined): readonly AgentRow[] {
  return (pool.status?.podsInfo ?? []).map(({ podName, podStatus, usedBytes, ...info }): AgentRow => {
    const { node, isReady = false, claim } = pods.get(podName) ?? {};
    const capacityBytes = info.capacityBytes ?? (claim === undefined ? undefined : capacityOf(claim));
    const progress = podStatus === 'Decommissioned' ? 1 : drain?.byAgent.get(podName);
    return {
      pod: podName,
      state: AGENT_STATES.find((state) => state === podStatus) ?? 'Unknown',
      isReady,
      ...(node !== undefined && { node }),
      ...(claim !== undefined && { claim }),
      ...(capacityBytes !== undefined && { capacityBytes }),
      ...(usedBytes !== undefined && { usedBytes }),
      ...(progress !== undefined && { progress }),
    };
  });
}

const UNITS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };

/** Of a forecast: `40m`, `7h`, `12d`. */
export function secondsIn(timeToFull: string | undefined): number | undefined {
  const [, count, unit = ''] = /^(\d+)([mhd])$/.exec(timeToFull ?? '') ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS[unit] ?? 0);
}

const SOON = 24 * 3_600;

function needsOf({ pool, troubles }: PoolStanding, { secondsToFull, health }: PoolRow): readonly Need[] {
  const link = linkTo(pool);
  const [namespace = '', name = ''] = pool.split('/');
  return [
    ...(health === 'unknown' && troubles.length === 0
      ? [
          {
            id: `unknown:${pool}`,
            job: 'pool' as const,
            severity: 'soon' as const,
            what: `Nobody can say how the pool ${pool} is.`,
            remedy: 'See whether holdfast pool runs, and what its agents say.',
            command: `kubectl -n ${namespace} describe pvpool ${name}`,
            link,
          },
        ]
      : []),
    ...troubles.map((trouble, index) => ({
      id: `pool:${pool}:${index}`,
      job: 'pool' as const,
      severity: 'urgent' as const,
      what: sentence(`the pool ${pool}: ${trouble}`),
      remedy: 'Its conditions tell what it waits for.',
      command: `kubectl -n ${namespace} describe pvpool ${name}`,
      link,
    })),
    ...(secondsToFull !== undefined && secondsToFull < SOON
      ? [
          {
            id: `full:${pool}`,
            job: 'pool' as const,
            severity: 'soon' as const,
            what: `The pool ${pool} is full within a day, if it goes on like this.`,
            remedy: 'Raise numPVs, or let it scale by itself with spec.autoscaling.',
            link,
          },
        ]
      : []),
  ];
}
