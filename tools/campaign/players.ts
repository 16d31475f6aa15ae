/** Plays cases on all processors, and tells of each as soon as it is over, also of one that ends its worker or never ends. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Case, replayOfCase } from './cases.ts';
import type { Asked, Played } from './worker.ts';

export interface PlayOptions {
  readonly told: (each: Case, played: Played) => void;
  /** No case is begun after it. */
  readonly until?: () => boolean;
  /** For tests: what plays, and how long a case may take. */
  readonly worker?: URL;
  readonly mostMs?: number;
}

const WORKER = new URL('./worker.ts', import.meta.url);
/** A case takes seconds. Others may want the processors, too. */
const MOST_MS = 600_000;
/** Each of the many runs of a case that is made shorter. */
const MOST_SHORTENING_MS = 3_600_000;

export async function playAll(
  cases: readonly Case[],
  { told, until = () => false, worker = WORKER, mostMs = MOST_MS }: PlayOptions,
): Promise<void> {
  const left = [...cases].reverse();
  await Promise.all(
    Array.from({ length: Math.min(availableParallelism(), cases.length) }, async () => {
      await using player = new Player(worker);
      for (let each = left.pop(); each && !until(); each = left.pop()) told(each, await played(player, each, mostMs));
    }),
  );
}

/** A case of which the worker dies has failed as any other has. */
async function played(player: Player, each: Case, mostMs: number): Promise<Played> {
  try {
    return (await player.ask({ play: each }, mostMs)) as Played;
  } catch (error) {
    return { wrong: [(error as Error).message], struck: [], replay: replayOfCase(each) };
  }
}

/** The same failure as short as it can be, in words. */
export async function shortened(each: Case): Promise<string> {
  await using player = new Player(WORKER);
  return (await player
    .ask({ shrink: each }, MOST_SHORTENING_MS)
    .catch((error: Error) => `it could not be made shorter: ${error.message}`)) as string;
}

/** A worker, and another when that has ended. */
class Player {
  readonly #url: URL;
  #worker: Worker | undefined;

  constructor(url: URL) {
    this.#url = url;
  }

  async ask(asked: Asked, mostMs: number): Promise<unknown> {
    this.#worker ??= new Worker(this.#url, { execArgv: ['--disable-warning=ExperimentalWarning'] });
    try {
      return await answerOf(this.#worker, asked, mostMs);
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }
}

function answerOf(worker: Worker, asked: Asked, mostMs: number): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const onError = (error: Error) => reject(new Error(`the simulator fails: ${error.stack}`));
  const onExit = () => reject(new Error('the simulator ends'));
  const timer = setTimeout(() => reject(new Error(`it does not end within ${mostMs / 1000} s`)), mostMs);
  worker.once('message', resolve).once('error', onError).once('exit', onExit);
  worker.postMessage(asked);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', resolve).off('error', onError).off('exit', onExit);
  });
}
