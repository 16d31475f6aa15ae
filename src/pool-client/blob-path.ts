/** Where a blob is on an agent, and how its key is hashed. */
import { createHash } from 'node:crypto';
import { InvalidValue } from '../kit/invalid-value.ts';
import { BLOBS_PATH, MAX_KEY_BYTES } from './protocol.ts';

/** Checks the key as the agents do, so that a person is told before anything is sent. */
export function checkKey(key: string): void {
  const bytes = Buffer.byteLength(key);
  if (bytes < 1) throw new InvalidValue('key', key, 'it is empty');
  if (bytes > MAX_KEY_BYTES) throw new InvalidValue('key', key, `it has ${bytes} bytes; ${MAX_KEY_BYTES} is the most`);
  if (key.includes('\0')) throw new InvalidValue('key', key, 'it has a NUL in it');
  if (!key.isWellFormed()) throw new InvalidValue('key', key, 'it is not well-formed Unicode');
}

/** Where `.` or `..` stand between slashes, the slashes are encoded too: whoever stands in between might walk along them. */
export function blobPath(key: string): string {
  const encoded = encodeURIComponent(key);
  const isWalkable = key.split('/').some((part) => part === '.' || part === '..');
  return `${BLOBS_PATH}/${isWalkable ? encoded.replaceAll('.', '%2E') : encoded.replaceAll('%2F', '/')}`;
}

/** Listings are in the order of this. */
export const hashOfKey = (key: string): string => createHash('sha256').update(key).digest('hex');
