/** Looks at something again and again while something else goes on. */

const LOOK_MS = 50;

export interface Watched<T> {
  readonly result: T;
  /** In the order in which they were seen. */
  readonly samples: readonly number[];
}

export async function watched<T>(work: () => Promise<T>, look: () => number): Promise<Watched<T>> {
  const samples = [look()];
  const timer = setInterval(() => samples.push(look()), LOOK_MS);
  try {
    const result = await work();
    return { result, samples };
  } finally {
    clearInterval(timer);
  }
}

export const most = (samples: readonly number[]): number => samples.reduce((a, b) => Math.max(a, b), 0);
