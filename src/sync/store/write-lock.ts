/**
 * One writer at a time in a directory, among all processes of all machines that have it mounted. The lock is one that the kernel keeps
 * (SQLite takes it, as Node.js cannot): it goes with its process, however that ends, so that none is ever left behind or taken away
 * from somebody who was only held up.
 */
import { DatabaseSync } from 'node:sqlite';
import { backoffMs, type Random } from '../../kit/backoff.ts';
import { type Clock, sleep } from '../../kit/clock/clock.ts';

export interface LockOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
}

export class LockIsHeld extends Error {
  override readonly name = 'LockIsHeld';
}

export const LONGEST_WAIT_MS = 30_000;
const AGAIN = { baseMs: 5, maxMs: 100 };
/** SQLite's number for "somebody else has it". */
const SQLITE_BUSY = 5;

/** Throws `LockIsHeld` when others have not let go of it for too long. The file at the path is made, and stays. */
export async function withWriteLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    await taken(lock, options);
    return await work();
  } finally {
    lock.close();
  }
}

async function taken(lock: DatabaseSync, { clock, random, signal }: LockOptions): Promise<void> {
  const since = clock.monotonic();
  for (let failures = 1; !isOurs(lock); failures++) {
    if (clock.monotonic() - since > LONGEST_WAIT_MS)
      throw new LockIsHeld('another process does not stop writing there');
    await sleep(clock, backoffMs(AGAIN, failures, random), signal);
  }
}

function isOurs(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (sqliteCode(error) === SQLITE_BUSY) return false;
    throw error;
  }
}

/** SQLite's number for what went wrong; nothing for what SQLite has not thrown. */
export function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
}
