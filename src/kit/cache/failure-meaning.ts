/** What a failed list or watch means to a reflector. Pure. */
import { ApiError, hasReason } from '../kube/api-error.ts';
import { ConnectionError } from '../kube/transport.ts';
import type { Happening } from './reflector-state.ts';

/** What it means that a list as a stream failed, beyond what any failure means. */
export function meaningOfBrokenList(error: unknown): Happening {
  if (hasReason(error, 'Invalid', 'BadRequest', 'MethodNotAllowed', 'NotAcceptable')) return { what: 'streamRefused' };
  const meaning = meaningOf(error);
  return meaning.what === 'failed' && !isTooEarly(error) ? { ...meaning, what: 'streamBroke' } : meaning;
}

/** Not the stream was the trouble: nobody was there, or too many were. */
const isTooEarly = (error: unknown): boolean =>
  hasReason(error, 'TooManyRequests') || (error instanceof ConnectionError && !error.mayHaveHappened);

export function meaningOf(error: unknown): Happening {
  if (hasReason(error, 'Expired', 'Gone')) return { what: 'expired' };
  if (hasReason(error, 'Forbidden', 'NotFound', 'MethodNotAllowed')) return { what: 'denied', why: error.message };
  const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : undefined;
  return { what: 'failed', why: error instanceof Error ? error.message : String(error), retryAfterMs };
}
