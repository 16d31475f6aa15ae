/** For tests: lets time pass until something has ended. */
import { settled, type VirtualClock } from '../../kit/clock/virtual.ts';

const STEP_MS = 250;

export async function inTime<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  for (;;) {
    await settled();
    if (isOver) return await work;
    if (clock.pending > 0) await clock.advance(STEP_MS);
  }
}
