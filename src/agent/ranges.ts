/** Which part of a blob is asked for (RFC 9110, section 14). */
import type { ByteRange } from './store.ts';

/** `all` also for what is not understood, and for several ranges at once: to send everything is always right. */
export type AskedRange = ByteRange | 'all' | 'none';

const ONE_RANGE = /^bytes=(?:(?<from>\d{1,15})-(?<to>\d{0,15})|-(?<last>\d{1,15}))$/i;

/** `none` when no byte of the blob is in the range. */
export function askedRange(header: string | undefined, size: number): AskedRange {
  const { from, to, last } = ONE_RANGE.exec(header?.replaceAll(' ', '') ?? '')?.groups ?? {};
  if (last !== undefined) return within(Math.max(0, size - Number(last)), size, size);
  if (from === undefined) return 'all';
  if (to && Number(to) < Number(from)) return 'all';
  return within(Number(from), to ? Number(to) + 1 : size, size);
}

function within(start: number, end: number, size: number): AskedRange {
  return start < Math.min(end, size) ? { start, end: Math.min(end, size) } : 'none';
}
