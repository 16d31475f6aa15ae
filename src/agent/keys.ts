/** Keys, which come from outside and may be anything, and the names of files that they become, which may not. */
import { createHash } from 'node:crypto';
import { BLOBS_PATH, MAX_KEY_BYTES } from '../pool-client/protocol.ts';
import { StoreError } from './store.ts';

/** The name of the file of a blob: nothing of the key itself gets into a path. */
export const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

const HASH = /^[0-9a-f]{64}$/;
export const isHash = (name: string): boolean => HASH.test(name);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The key that a path means. Nothing is resolved in it: `..` and `//` are bytes like others. */
export function keyInPath(path: string): string {
  const bytes = percentDecoded(path.slice(BLOBS_PATH.length + 1));
  if (bytes.length === 0) throw badKey('it is empty');
  if (bytes.length > MAX_KEY_BYTES) throw badKey(`it has ${bytes.length} bytes, and ${MAX_KEY_BYTES} are the most`);
  if (bytes.includes(0)) throw badKey('there is a NUL in it');
  try {
    return utf8.decode(bytes);
  } catch {
    throw badKey('it is not UTF-8');
  }
}

/** Node gives each byte of a path as one character. */
function percentDecoded(text: string): Buffer {
  if (/%(?![0-9a-fA-F]{2})/.test(text)) throw badKey('a % in it is not followed by two hexadecimal digits');
  const characters = text.replace(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Buffer.from(characters, 'latin1');
}

const badKey = (why: string): StoreError => new StoreError('BadKey', `this is no key: ${why}`);
