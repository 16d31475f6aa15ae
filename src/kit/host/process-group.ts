/** Ending a process group: asked first, then made to. */
import { type Clock, sleep } from '../clock/clock.ts';
import { livingMembers } from './proc-process.ts';
import { settlesWithin } from './settles-within.ts';

/** How long a group has to end after SIGTERM, and again after SIGKILL. */
export const KILL_GRACE_MS = 5_000;
/** How long to read on after a program ended while something that it started holds its output open. */
export const DRAIN_GRACE_MS = 1_000;
/** How often to look whether those who got SIGKILL are gone. */
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
  members: (leader: number) => Promise<readonly number[]> = livingMembers,
): Promise<boolean> {
  if (leader === undefined || !signalGroup(leader, 'SIGTERM')) return settlesWithin(clock, KILL_GRACE_MS, leaderEnded);
  const groupEnded = leaderEnded.then(() => (signalGroup(leader, 0) ? new Promise(() => {}) : undefined));
  if (await settlesWithin(clock, KILL_GRACE_MS, groupEnded)) return true;
  signalGroup(leader, 'SIGKILL');
  const until = clock.monotonic() + KILL_GRACE_MS;
  if (!(await settlesWithin(clock, KILL_GRACE_MS, leaderEnded))) return false;
  while ((await members(leader)).length > 0) {
    if (clock.monotonic() >= until) return false;
    await sleep(clock, KILL_POLL_MS);
  }
  return true;
}

/** Says whether there was anyone in the group to get the signal. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}
