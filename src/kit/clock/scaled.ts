/** Time that passes so many times as fast: for demonstrations. */
import type { Clock } from './clock.ts';

export function scaledClock(clock: Clock, speed: number): Clock {
  const [start, from] = [clock.now().getTime(), clock.monotonic()];
  const elapsed = () => (clock.monotonic() - from) * speed;
  return {
    now: () => new Date(start + elapsed()),
    monotonic: elapsed,
    after: (ms, call) => clock.after(ms / speed, call),
  };
}
