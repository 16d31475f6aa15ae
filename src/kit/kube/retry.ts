/** Decides whether a failed request may be sent again, and when. Pure. */
import { type Backoff, backoffMs, type Random } from '../backoff.ts';
import { ApiError } from './api-error.ts';
import { ConnectionError } from './transport.ts';

export interface Attempt {
  /** How many times the request has been sent, counted from 1. */
  readonly number: number;
  /** Sending it twice leads to the same end as sending it once. True of reads, and of writes whose preconditions make it so. */
  readonly repeatable: boolean;
}

export type RetryDecision = { readonly retry: true; readonly afterMs: number } | { readonly retry: false };

const BACKOFF: Backoff = { baseMs: 100, maxMs: 2_000 };
const MOST_ATTEMPTS = 5;
/** A server that wants a longer pause than this is left to the caller, which can do something else meanwhile. */
const LONGEST_PAUSE_MS = 30_000;

export function decideRetry(failure: unknown, attempt: Attempt, random: Random): RetryDecision {
  if (attempt.number >= MOST_ATTEMPTS) return NO;
  if (!passesByItself(failure)) return NO;
  if (mayHaveHappened(failure) && !attempt.repeatable) return NO;
  const afterMs = pauseAskedFor(failure) ?? backoffMs(BACKOFF, attempt.number, random);
  return afterMs <= LONGEST_PAUSE_MS ? { retry: true, afterMs } : NO;
}

const NO: RetryDecision = { retry: false };

/** Overload, a server that restarts, a broken connection: the same request may well succeed in a moment. */
const passesByItself = (failure: unknown): boolean =>
  failure instanceof ConnectionError ||
  (failure instanceof ApiError && (failure.status === 429 || failure.status >= 500));

/**
 * Only two failures prove that nothing happened: no connection was made, or the server refused the request for its load (429).
 * A 5xx proves nothing: something between us and etcd gave up waiting, and the write may still have landed.
 */
export function mayHaveHappened(failure: unknown): boolean {
  if (failure instanceof ConnectionError) return failure.mayHaveHappened;
  return failure instanceof ApiError && failure.status >= 500;
}

const pauseAskedFor = (failure: unknown): number | undefined =>
  failure instanceof ApiError ? failure.retryAfterMs : undefined;
