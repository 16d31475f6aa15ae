/** Time, passed in. Everything that waits or reads the time takes a `Clock`, so that a whole process can run on virtual time. */

export interface Clock {
  /** The time of day. It can jump: use it for what people read, never to measure how long something took. */
  now(): Date;
  /** Milliseconds since some fixed point. It never goes back. */
  monotonic(): number;
  /** Calls back once after `ms` milliseconds, unless cancelled first. */
  after(ms: number, call: () => void): Cancel;
}

export type Cancel = () => void;

/** The longest delay that Node's timers take; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
  after: systemAfter,
};

function systemAfter(ms: number, call: () => void): Cancel {
  let timer = setTimeout(next, Math.min(ms, LONGEST_TIMER_MS));
  let left = ms - LONGEST_TIMER_MS;
  return () => clearTimeout(timer);

  function next(): void {
    if (left <= 0) {
      call();
      return;
    }
    timer = setTimeout(next, Math.min(left, LONGEST_TIMER_MS));
    left -= LONGEST_TIMER_MS;
  }
}

/** Resolves after `ms` milliseconds, or rejects with the signal's reason as soon as it is aborted. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
