/** Ending a process group: asked first, then made to. */
import { type Clock, sleep } from '../clock/clock.ts';
import { livingMembers } from './proc-process.ts';
import { settlesWithin } from './settles-within.ts';

/** How long a group has to end after SIGTERM, and again after SIGKILL. */
export const KILL_GRACE_MS = 5_000;
/** How long to read on after a program ended while something that it started holds its output open. */
export const DRAIN_GRACE_MS = 1_000;
/** How often to look whether those who got a signal are gone. */
export const KILL_POLL_MS = 50;

/**
 * Ends every process of the group and says whether all of them were seen to end. A process that hangs in the kernel does not end
 * until the kernel lets it, and may be another than the leader (`lvextend` lets a script run `resize2fs`); one that made a session
 * of its own has left the group and is not reached.
 */
export async function endProcessGroup(
  leader: number | undefined,
  leaderEnded: Promise<unknown>,
  clock: Clock,
  members: Members = livingMembers,
): Promise<boolean> {
  if (leader === undefined) return settlesWithin(clock, KILL_GRACE_MS, leaderEnded);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    signalGroup(leader, signal);
    if (await groupEnds(leader, leaderEnded, clock, members)) return true;
  }
  return false;
}

type Members = (leader: number) => readonly number[];

/** The number of a group is not given to another one while somebody is in it. */
async function groupEnds(leader: number, leaderEnded: Promise<unknown>, clock: Clock, members: Members) {
  const until = clock.monotonic() + KILL_GRACE_MS;
  if (!(await settlesWithin(clock, KILL_GRACE_MS, leaderEnded))) return false;
  while (members(leader).length > 0) {
    if (clock.monotonic() >= until) return false;
    await sleep(clock, KILL_POLL_MS);
  }
  return true;
}

/** That there is nobody left to get the signal is fine. */
function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {}
}
