/** Somebody who uses a cluster all the time, and knows what has to be there. */

export interface Churn {
  readonly name: string;
  /** Milliseconds between two rounds. */
  readonly pauseMs: number;
  /** Fails when what was asked for does not come about. */
  round(): Promise<void>;
  /** What is missing or wrong when nothing changes any more, each a sentence; waits for what is still to come. */
  audit(): Promise<readonly string[]>;
}

/** The end of a wait as a sentence, or nothing. */
export async function unless(wait: Promise<unknown>): Promise<readonly string[]> {
  return await wait.then(
    () => [],
    (error: Error) => [error.message],
  );
}
