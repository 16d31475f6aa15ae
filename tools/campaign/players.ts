/** Plays cases on all processors, and tells of each as soon as it is over. */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Case } from './cases.ts';
import type { Asked, Played } from './worker.ts';

export interface PlayOptions {
  readonly told: (each: Case, played: Played) => void;
  /** No case is begun after it. */
  readonly until?: () => boolean;
}

export async function playAll(cases: readonly Case[], { told, until = () => false }: PlayOptions): Promise<void> {
  const left = [...cases].reverse();
  await Promise.all(
    Array.from({ length: Math.min(availableParallelism(), cases.length) }, () =>
      onAWorker(async (ask) => {
        for (let each = left.pop(); each && !until(); each = left.pop())
          told(each, (await ask({ play: each })) as Played);
      }),
    ),
  );
}

/** The same failure as short as it can be, in words. */
export async function shortened(each: Case): Promise<string> {
  let words = '';
  await onAWorker(async (ask) => {
    words = (await ask({ shrink: each })) as string;
  });
  return words;
}

async function onAWorker(work: (ask: (asked: Asked) => Promise<unknown>) => Promise<void>): Promise<void> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  try {
    await work(async (asked) => {
      worker.postMessage(asked);
      const [answer] = await once(worker, 'message');
      return answer;
    });
  } finally {
    await worker.terminate();
  }
}
