/** A signal that is aborted after a while, or together with a parent. */
import type { Clock } from './clock.ts';

export interface Deadline {
  readonly signal: AbortSignal;
  /** Ends the wait. The signal is not aborted any more by time or parent. */
  cancel(): void;
}

/** `AbortSignal.timeout` and `AbortSignal.any` in one, on the injected clock, and with nothing left behind on a long-lived parent. */
export function deadline(clock: Clock, ms: number, reason: () => Error, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const onParent = () => controller.abort(parent?.reason);
  const cancelTimer = clock.after(ms, () => controller.abort(reason()));
  if (parent?.aborted) onParent();
  else parent?.addEventListener('abort', onParent, { once: true });
  return {
    signal: controller.signal,
    cancel() {
      cancelTimer();
      parent?.removeEventListener('abort', onParent);
    },
  };
}
