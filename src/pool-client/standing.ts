/** What a failed call means for whoever asked. Pure. */
import { Conflict, Refused } from './errors.ts';

/** Asking again, or asking another agent, would change nothing: the request itself is wrong. */
export const isLasting = (error: unknown): boolean =>
  error instanceof Conflict || (error instanceof Refused && LASTING.includes(error.status));

const LASTING = [400, 401, 403, 412, 413, 414, 422, 431];

export const isFull = (error: unknown): boolean => error instanceof Refused && error.reason === 'Full';

/** The agent has the blob, and its bytes are not any more what was stored. */
export const isCorrupt = (error: unknown): boolean => error instanceof Refused && error.reason === 'Corrupt';
