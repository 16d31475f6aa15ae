/** How far a drain is, from what each of its agents has moved and has left. Pure. */
import type { DrainInfo, Operation, PodInfo } from '../pool/contract.ts';

export interface DrainProgress {
  /** Of all of it, 0 to 1, where it can be said. */
  readonly progress?: number;
  readonly secondsLeft?: number;
  /** Of each agent that has said it. */
  readonly byAgent: ReadonlyMap<string, number>;
}

export function drainProgress({ members }: Operation, podsInfo: readonly PodInfo[], now: Date): DrainProgress {
  const names = new Set(members.map(({ name }) => name));
  const leaving = podsInfo.filter(({ podName }) => names.has(podName));
  const byAgent = new Map(
    leaving.flatMap((each) => [...fractionOf(each)].map((part) => [each.podName, part] as const)),
  );
  const drains = leaving.flatMap(({ drain }) => (drain ? [drain] : []));
  const seconds = drains.flatMap((drain) => [...secondsLeft(drain, now)]);
  return {
    ...(byAgent.size > 0 && {
      progress: drains.length === names.size ? byBytes(drains) : byHeads(byAgent, names.size),
    }),
    ...(seconds.length > 0 && { secondsLeft: Math.max(...seconds) }),
    byAgent,
  };
}

function* fractionOf({ podStatus, drain }: PodInfo): Generator<number> {
  if (podStatus === 'Decommissioned') yield 1;
  else if (drain) yield byBytes([drain]);
}

function byBytes(drains: readonly DrainInfo[]): number {
  const moved = drains.reduce((sum, { movedBytes }) => sum + movedBytes, 0);
  const left = drains.reduce((sum, { leftBytes }) => sum + leftBytes, 0);
  return moved + left > 0 ? moved / (moved + left) : 1;
}

/** Where not all have said how much they have, each counts the same. */
const byHeads = (byAgent: ReadonlyMap<string, number>, count: number): number =>
  [...byAgent.values()].reduce((sum, each) => sum + each, 0) / count;

/** At the pace since it began. */
function* secondsLeft({ since, movedBytes, leftBytes }: DrainInfo, now: Date): Generator<number> {
  const elapsed = (now.getTime() - Date.parse(since)) / 1000;
  if (elapsed > 0 && movedBytes > 0 && leftBytes > 0) yield Math.ceil((leftBytes * elapsed) / movedBytes);
}
