/**
 * When to export, when only to confirm that nothing has changed, and how long to wait. Times are of the time of day, in milliseconds,
 * since some of them come from the store: one that lies ahead means that the clock was set back, and counts as long ago.
 */
import { CEILING_MS, HEARTBEAT_MS, QUIET_MS, SCHEDULE_MS } from '../contract.ts';

export interface Known {
  readonly now: number;
  /** Whether all objects in scope have been seen. What is not there means nothing before. */
  readonly isComplete: boolean;
  /** The first and the last change since what was exported last was read from the caches. */
  readonly changed?: { readonly first: number; readonly last: number };
  /** How it stood when this process last looked; missing before it has. */
  readonly last?: LastLook;
}

export type LastLook =
  /** When it looked, by its own clock: what the store was told is as old as the caches, and would be due again at once. */
  | { readonly kind: 'writer'; readonly exportedAt: number; readonly lookedAt: number }
  /** Another cluster is the writer. */
  | { readonly kind: 'barred'; readonly lookedAt: number };

export type Decision =
  | { readonly kind: 'export'; readonly why: 'start' | 'change' | 'schedule' }
  /** Or, for one that is barred, look whether it still is. */
  | { readonly kind: 'confirm' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'refuse'; readonly fact: 'cachesAreIncomplete' };

export function decide({ now, isComplete, changed, last }: Known): Decision {
  if (!isComplete) return { kind: 'refuse', fact: 'cachesAreIncomplete' };
  if (!last) return { kind: 'export', why: 'start' };
  if (last.kind === 'barred')
    return sooner(now, [{ decision: { kind: 'confirm' }, at: [last.lookedAt, HEARTBEAT_MS] }]);
  const schedule: Due = { decision: { kind: 'export', why: 'schedule' }, at: [last.exportedAt, SCHEDULE_MS] };
  if (changed) return sooner(now, [...changeIsDue(changed), schedule]);
  return sooner(now, [schedule, { decision: { kind: 'confirm' }, at: [last.lookedAt, HEARTBEAT_MS] }]);
}

interface Due {
  readonly decision: Decision;
  /** So long after that time. */
  readonly at: readonly [since: number, ms: number];
}

/** When it has been quiet for a while, and at the latest when the ceiling is reached. */
function changeIsDue({ first, last }: { readonly first: number; readonly last: number }): readonly Due[] {
  const decision: Decision = { kind: 'export', why: 'change' };
  return [
    { decision, at: [last, QUIET_MS] },
    { decision, at: [first, CEILING_MS] },
  ];
}

/** The first that is due, or to wait until one is. */
function sooner(now: number, all: readonly Due[]): Decision {
  const found = all.find(({ at }) => remaining(now, at) <= 0);
  return found?.decision ?? { kind: 'wait', ms: Math.min(...all.map(({ at }) => remaining(now, at))) };
}

const remaining = (now: number, [since, ms]: Due['at']): number => (since > now ? 0 : since + ms - now);
