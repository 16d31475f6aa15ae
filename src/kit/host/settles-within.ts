/** Waiting for something that may never come. */
import type { Clock } from '../clock/clock.ts';

/** Whether the promise settles, in whichever way, before `ms` have passed. */
export function settlesWithin(clock: Clock, ms: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(false));
    const settled = () => {
      cancel();
      resolve(true);
    };
    promise.then(settled, settled);
  });
}
