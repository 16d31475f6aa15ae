/** When a program that has not ended by itself is to be ended: its time is over, or the caller no longer wants it. */
import type { Clock } from '../clock/clock.ts';
import { type CommandOptions, DEFAULT_TIMEOUT_MS } from './command.ts';

export type Stop = { readonly kind: 'timed-out'; readonly afterMs: number } | { readonly kind: 'aborted' };

export interface StopRequest {
  /** Resolves when the program is to be ended; never, if it ends before that. */
  readonly requested: Promise<Stop>;
  /** To be called when the program has ended. */
  forget(): void;
}

export function stopRequest({ signal, timeoutMs = DEFAULT_TIMEOUT_MS }: CommandOptions, clock: Clock): StopRequest {
  const { promise: requested, resolve } = Promise.withResolvers<Stop>();
  const onAbort = () => resolve({ kind: 'aborted' });
  const cancel = clock.after(timeoutMs, () => resolve({ kind: 'timed-out', afterMs: timeoutMs }));
  signal?.addEventListener('abort', onAbort, { once: true });
  return {
    requested,
    forget() {
      cancel();
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
