/** Waiting for what real processes bring about: poll, and when time is up, say what was still wrong. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  /** Milliseconds until giving up; generous by default, since a passing wait ends as soon as it can. */
  readonly timeout?: number;
  /** Milliseconds between two tries. */
  readonly interval?: number;
  /** What is waited for, as in "waited 5 s for …". */
  readonly for?: string;
}

/**
 * Runs the assertion until it neither throws nor gives `false`, and returns what it gave. A failure shows the last
 * try's failure as its cause.
 */
export async function eventually<T>(assertion: () => T | Promise<T>, patience: Patience = {}): Promise<T> {
  const { timeout = 60_000, interval = 25 } = patience;
  const deadline = performance.now() + timeout;
  for (let tries = 1; ; tries++) {
    const result = await attempt(assertion);
    if ('value' in result) return result.value;
    if (performance.now() >= deadline) throw givenUp(result.failure, tries, patience.for, timeout);
    await sleep(interval);
  }
}

async function attempt<T>(assertion: () => T | Promise<T>): Promise<{ value: T } | { failure: unknown }> {
  try {
    const value = await assertion();
    return value === false ? { failure: new Error('the condition is false') } : { value };
  } catch (failure) {
    return { failure };
  }
}

function givenUp(failure: unknown, tries: number, what = 'a condition', timeout: number): Error {
  const last = failure instanceof Error ? failure.message : String(failure);
  const message = `waited ${timeout / 1000} s for ${what}, in vain; try ${tries}, the last, failed with: ${last}`;
  return new Error(message, { cause: failure });
}
