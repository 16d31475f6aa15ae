/** What is taken away from the jobs meanwhile: API servers that are killed and come back, and histories that are forgotten. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from '../../test/harness/control-plane.ts';
import type { Disruption } from './budget.ts';

interface Kind {
  readonly what: string;
  readonly act: () => Promise<void>;
}

/** Each in its turn, evenly over the time, and none near the beginning or the end. */
const COUNT = 7;

export class Disruptions {
  readonly done: Disruption[] = [];
  readonly #kinds: readonly Kind[];
  readonly #beganAt: number;

  constructor(here: ControlPlane, there: ControlPlane, beganAt: number) {
    this.#kinds = [
      { what: 'the API server of the protected cluster is killed', act: () => restart(here) },
      {
        what: 'etcd of the protected cluster forgets its history, and the API server its cache',
        act: () => forget(here),
      },
      { what: 'the API server of the recovery cluster is killed', act: () => restart(there) },
      { what: 'etcd of the protected cluster forgets its history', act: async () => void (await here.compact()) },
      {
        what: 'etcd of the recovery cluster forgets its history, and the API server its cache',
        act: () => forget(there),
      },
    ];
    this.#beganAt = beganAt;
  }

  async run(minutes: number, progress: (line: string) => void, over: AbortSignal): Promise<void> {
    const pauseMs = (minutes * 60_000) / (COUNT + 1);
    for (let count = 0; count < COUNT && !over.aborted; count++) {
      await sleep(pauseMs, undefined, { signal: over }).catch(() => undefined);
      const kind = this.#kinds[count % this.#kinds.length];
      if (kind && !over.aborted) await this.#disrupt(kind, progress);
    }
  }

  async #disrupt({ what, act }: Kind, progress: (line: string) => void): Promise<void> {
    const from = this.#seconds();
    await act();
    const to = this.#seconds();
    this.done.push({ what, from, to });
    progress(`  minute ${(from / 60).toFixed(1)}: ${what}, for ${(to - from).toFixed(1)} s`);
  }

  #seconds(): number {
    return (Date.now() - this.#beganAt) / 1_000;
  }
}

async function restart({ apiServer }: ControlPlane): Promise<void> {
  await apiServer.kill();
  await apiServer.start();
}

/** Whoever watched is told 410 afterwards, and has to list anew. */
async function forget(plane: ControlPlane): Promise<void> {
  await plane.apiServer.kill();
  await plane.compact();
  await plane.apiServer.start();
}
