/** A process that is looked at for as long as it lives: what it holds, what it logs, and whether it has ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Holdfast } from '../../test/harness/holdfast.ts';
import type { LogLine } from './budget.ts';
import { type Sample, sampleOf } from './sample.ts';

const INTERVAL_MS = 5_000;

export interface WatchedProcess {
  readonly name: string;
  /** Its page of metrics. */
  readonly page: () => Promise<string>;
  /** The lines of its log so far, as JSON where they are. */
  readonly log: () => Promise<readonly string[]>;
  /** How often it has ended and was started again; or that it has ended, where nobody does that. */
  readonly ended: Promise<unknown> | (() => Promise<number>);
  /** Whether it has controllers, which look at objects. */
  readonly hasControllers: boolean;
}

export const watchedHoldfast = (name: string, program: Holdfast): WatchedProcess => ({
  name,
  page: async () => (await program.page('/metrics')).text,
  log: async () => program.logged.map((line) => JSON.stringify(line)),
  ended: program.ended(),
  hasControllers: true,
});

export class Watched {
  readonly name: string;
  readonly samples: Sample[] = [];
  #endings = 0;
  readonly #process: WatchedProcess;
  readonly #beganAt: number;

  /** `beganAt` is the moment from which seconds are counted, as `Date.now` gives it. */
  constructor(process: WatchedProcess, beganAt: number) {
    this.name = process.name;
    this.#process = process;
    this.#beganAt = beganAt;
    const ends = () => {
      this.#endings = 1;
    };
    if (!(typeof process.ended === 'function')) void process.ended.then(ends, ends);
  }

  get hasControllers(): boolean {
    return this.#process.hasControllers;
  }

  /** How often it has ended by itself. */
  async endings(): Promise<number> {
    const { ended } = this.#process;
    return typeof ended === 'function' ? await ended() : this.#endings;
  }

  /** Until the signal is aborted. What cannot be read at the moment is left out. */
  async watch(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const at = this.#secondsUntil(Date.now());
      await this.#process.page().then(
        (page) => this.samples.push(sampleOf(page, at)),
        () => undefined,
      );
      await sleep(INTERVAL_MS, undefined, { signal: over }).catch(() => undefined);
    }
  }

  async log(): Promise<readonly LogLine[]> {
    return (await this.#process.log()).flatMap((text) => this.#parsed(text));
  }

  #parsed(text: string): readonly LogLine[] {
    const { level, time } = recordIn(text);
    return level && time ? [{ level, at: this.#secondsUntil(Date.parse(time)), text }] : [];
  }

  readonly #secondsUntil = (moment: number): number => (moment - this.#beganAt) / 1_000;
}

/** Of a line that is no record, such as one that is still being written, there is nothing to say. */
function recordIn(text: string): { readonly level?: string; readonly time?: string } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
