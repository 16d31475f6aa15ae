/** Has the report of this node written for people, not oftener than they can read it. */
import { Bell } from '../clock/bell.ts';
import { type Clock, sleep } from '../clock/clock.ts';
import type { Runnable } from '../manager/stage.ts';
import type { Log } from '../observe/log.ts';
import { onceEvery } from '../observe/once.ts';

export interface ReporterParts {
  readonly job: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Who is called when there is something new to report; gives back how to end that. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly write: (signal: AbortSignal) => Promise<unknown>;
}

/** Changes come in crowds: all of them are told together. */
const GATHERING_MS = 1_000;
const PAUSE_MS = 9_000;
/** Without a change: so that readers can tell an agent that is well from one that is gone. */
const AT_LEAST_EVERY_MS = 300_000;
const COMPLAINT_MS = 3_600_000;

export class Reporter implements Runnable {
  readonly name: string;
  readonly #parts: ReporterParts;
  readonly #bell = new Bell();
  readonly #isToBeSaid: (what: string) => boolean;

  constructor(parts: ReporterParts) {
    this.name = `the report on ${parts.job}`;
    this.#parts = parts;
    this.#isToBeSaid = onceEvery(parts.clock, COMPLAINT_MS);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, subscribe } = this.#parts;
    const stop = subscribe(() => this.#bell.ring());
    try {
      for (;;) {
        await this.#bell.wait(clock, AT_LEAST_EVERY_MS, signal);
        await sleep(clock, GATHERING_MS, signal);
        await this.#write(signal);
        await sleep(clock, PAUSE_MS, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      stop();
    }
  }

  /** It is for people only: without it, or without the right to write it, everything else goes on. */
  async #write(signal: AbortSignal): Promise<void> {
    const { job, log, write } = this.#parts;
    try {
      await write(signal);
    } catch (error) {
      if (signal.aborted) return;
      const why = error instanceof Error ? error.message : String(error);
      if (this.#isToBeSaid(why)) log.warn({ why }, `the report for \`holdfast status ${job}\` could not be written`);
    }
  }
}
