/** How many PVs a pool should have by how full it is. Up and down are so far apart that one never leads to the other. */
import {
  type Autoscaling,
  type AutoscalingStatus,
  DEFAULT_SCALE_DOWN_AFTER_SECONDS,
  DEFAULT_SCALE_UP_AFTER_SECONDS,
  DEFAULT_TARGET_USED_PERCENT,
  DEFAULT_TOLERANCE_PERCENT,
} from './contract.ts';
import { type Pressure, presentMembers, type Seen } from './seen.ts';

export interface Fill {
  readonly count: number;
  readonly usedBytes: number;
  readonly totalBytes: number;
  /** Of these, those of the one that would leave: claims may be of different sizes. */
  readonly lastBytes: number;
}

/** The fewest with which the target is kept; one less at a time, and only if that is far below the target. */
export function wantedPVs(autoscaling: Autoscaling, { count, usedBytes, totalBytes, lastBytes }: Fill): number {
  const { minPVs, maxPVs, targetUsedPercent: target = DEFAULT_TARGET_USED_PERCENT } = autoscaling;
  const { tolerancePercent = DEFAULT_TOLERANCE_PERCENT } = autoscaling;
  const within = (pvs: number) => Math.min(maxPVs, Math.max(minPVs, pvs));
  if (count === 0 || totalBytes <= 0) return within(count);
  const each = totalBytes / count;
  const percentOf = (bytes: number) => (100 * usedBytes) / bytes;
  if (percentOf(totalBytes) > target)
    return within(Math.max(count + 1, Math.ceil((100 * usedBytes) / (target * each))));
  if (count > 1 && percentOf(totalBytes - lastBytes) <= target - tolerancePercent) return within(count - 1);
  return within(count);
}

export function decideAutoscaling(
  seen: Seen,
  desired: number,
): { readonly autoscaling: AutoscalingStatus | undefined; readonly pressure: Pressure['towards'] | undefined } {
  const { pool, now } = seen;
  const { autoscaling } = pool.spec;
  if (!autoscaling) return { autoscaling: undefined, pressure: undefined };
  const as = pool.status?.autoscaling?.desiredPVs === desired ? pool.status.autoscaling : { desiredPVs: desired };
  const wanted = wantedPVs(autoscaling, fillOf(seen));
  if (wanted === desired) return { autoscaling: as, pressure: undefined };
  const pressure = wanted > desired ? 'up' : 'down';
  if (!hasLasted(seen, pressure, autoscaling)) return { autoscaling: as, pressure };
  const lastScaleTime = now.toISOString().replace(/\.\d+Z$/, 'Z');
  return { autoscaling: { desiredPVs: wanted, lastScaleTime }, pressure: undefined };
}

function hasLasted({ pressure }: Seen, towards: Pressure['towards'], autoscaling: Autoscaling): boolean {
  const {
    scaleUpAfterSeconds = DEFAULT_SCALE_UP_AFTER_SECONDS,
    scaleDownAfterSeconds = DEFAULT_SCALE_DOWN_AFTER_SECONDS,
  } = autoscaling;
  const seconds = towards === 'up' ? scaleUpAfterSeconds : scaleDownAfterSeconds;
  return pressure?.towards === towards ? pressure.forMs >= seconds * 1000 : seconds === 0;
}

/** All of them are known: the pool is at rest, and every agent serves. */
function fillOf(seen: Seen): Fill {
  const known = presentMembers(seen).flatMap(({ agent }) => (agent.known ? [agent.value] : []));
  return {
    count: known.length,
    usedBytes: known.reduce((sum, { used }) => sum + used, 0),
    totalBytes: known.reduce((sum, { total }) => sum + total, 0),
    lastBytes: known.at(-1)?.total ?? 0,
  };
}
