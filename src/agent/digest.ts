/** `Repr-Digest` (RFC 9530): what the bytes are to be, or are. */
import { StoreError } from './store.ts';

const SHA_256 = /^sha-256=:(?<base64>[A-Za-z0-9+/]{43}=):$/;

export const reprDigest = (sha256: string): string => `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;

/** In hexadecimal digits; nothing if the header is not there, or has other algorithms only. */
export function announcedSha256(header: string | undefined): string | undefined {
  const own = header?.split(',').find((each) => each.trim().toLowerCase().startsWith('sha-256='));
  if (own === undefined) return undefined;
  const base64 = SHA_256.exec(own.trim())?.groups?.base64;
  if (base64 === undefined) throw new StoreError('BadRequest', 'Repr-Digest must be sha-256=:BASE64: of 32 bytes');
  return Buffer.from(base64, 'base64').toString('hex');
}
