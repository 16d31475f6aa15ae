/** What the system says about files, as a fault of a store. */
import { errorCode, meaning } from '../../kit/host/file-error.ts';
import { type Attempt, failure } from './failure.ts';
import { StoreError, type StoreFault } from './store.ts';
import { LockIsHeld, sqliteCode } from './write-lock.ts';

const FAULTS: Readonly<Record<string, StoreFault>> = {
  EACCES: 'denied',
  EPERM: 'denied',
  EROFS: 'denied',
  EISDIR: 'unsupported',
  ENOTDIR: 'unsupported',
  ENOTEMPTY: 'unsupported',
  EEXIST: 'unsupported',
  ELOOP: 'unsupported',
  ENAMETOOLONG: 'unsupported',
};

/** SQLite's numbers for a file that it may not open (CANTOPEN), write to (READONLY) or have at all (PERM). */
const DENIED_BY_SQLITE = [3, 8, 14];

export function fileFailure(attempt: Attempt, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  if (error instanceof LockIsHeld) return failure('unavailable', attempt, error.message, { cause: error });
  const sqlite = sqliteCode(error);
  if (sqlite !== undefined) return lockFailure(attempt, sqlite, error);
  const code = errorCode(error);
  return failure(FAULTS[code] ?? 'unavailable', attempt, `${meaning(code)} (${code})`, { cause: error });
}

function lockFailure(attempt: Attempt, code: number, cause: unknown): StoreError {
  const fault = DENIED_BY_SQLITE.includes(code & 0xff) ? 'denied' : 'unavailable';
  return failure(fault, attempt, `its lock cannot be taken: ${cause instanceof Error ? cause.message : code}`, {
    cause,
  });
}
