/** Long computations that let others have their turn: they are written as generators that yield after each small step. */
import { setImmediate } from 'node:timers/promises';

/** Few enough that nobody waits long, and so many that giving way costs nothing. */
const STEPS = 256;

/** What the computation comes to. Rejects when the signal is aborted before. */
export async function inTurns<T>(computation: Generator<void, T>, signal: AbortSignal, steps = STEPS): Promise<T> {
  for (let step = 1; ; step++) {
    const { done, value } = computation.next();
    if (done) return value;
    if (step % steps !== 0) continue;
    await setImmediate();
    signal.throwIfAborted();
  }
}

/** The same, at once. */
export function atOnce<T>(computation: Generator<void, T>): T {
  for (;;) {
    const { done, value } = computation.next();
    if (done) return value;
  }
}
