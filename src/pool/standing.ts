/** How a pool stands, in short, from its own status. */
import type { PvPool } from './contract.ts';

export interface PoolStanding {
  /** `namespace/name`. */
  readonly pool: string;
  /** How many are asked for. */
  readonly pvs: number;
  readonly ready: number;
  readonly phase: string;
  readonly usedPercent: number | undefined;
  readonly capacityBytes: number | undefined;
  readonly timeToFull: string | undefined;
  /** What is done with it; empty when it is at rest. */
  readonly now: string;
  readonly troubles: readonly string[];
  /** The first fact that is wrong, by its name. */
  readonly code?: string | undefined;
  /** Of its StatefulSet. */
  readonly replicas?: number | undefined;
  /** How many agents are in each state. */
  readonly states: Readonly<Record<string, number>>;
}

export function standingOf({ metadata, spec, status }: PvPool): PoolStanding {
  const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
  const degraded = status?.conditions?.find(({ type }) => type === 'Degraded');
  const isUnseen = status?.observedGeneration !== metadata.generation;
  return {
    pool: `${metadata.namespace}/${metadata.name}`,
    pvs: spec.autoscaling ? (status?.autoscaling?.desiredPVs ?? spec.numPVs) : spec.numPVs,
    ready: status?.readyReplicas ?? 0,
    phase: status?.phase ?? 'Unknown',
    usedPercent: status?.usedPercentage,
    capacityBytes: status?.capacityBytes,
    timeToFull: status?.forecast?.timeToFull,
    now: status?.operation?.progress ?? (progressing?.status === 'True' ? progressing.message : ''),
    troubles: [
      ...(degraded?.status === 'True' ? [degraded.message] : []),
      ...(isUnseen ? ['its last change has not been looked at: is holdfast pool running?'] : []),
    ],
    ...(degraded?.status === 'True' && { code: degraded.reason }),
    ...(status?.replicas !== undefined && { replicas: status.replicas }),
    states: status?.countByState ?? {},
  };
}
