/** A job put together as its command does it, in the process of a contender, so that its phases can be told apart and measured. */
import { openSync, writeSync } from 'node:fs';
import { systemClock } from '../../src/kit/clock/clock.ts';
import { type ProgramParts, runProgram } from '../../src/kit/manager/program.ts';
import type { Runnable } from '../../src/kit/manager/stage.ts';
import { openLog } from '../../src/kit/observe/open-log.ts';
import { type Access, clusterAccessTo } from './access.ts';

type Labels = Readonly<Record<string, string>>;

export class JobInProcess {
  readonly #stop = new AbortController();
  readonly #reached = Promise.withResolvers<void>();
  readonly #released = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;
  #metrics: ProgramParts['metrics'] | undefined;

  /** Starts it. Its controllers do nothing before they are let go. */
  constructor(name: string, access: Access, setUp: (parts: ProgramParts) => readonly Runnable[]) {
    const held = (parts: ProgramParts) => {
      this.#metrics = parts.metrics;
      return setUp(parts).map((controller) => this.#heldBack(controller));
    };
    this.#ended = runProgram({ ...programOf(name, access), setUp: held }, this.#stop.signal);
  }

  /** Resolves when its caches are complete. */
  async hasRead(): Promise<void> {
    await Promise.race([this.#reached.promise, this.#ended]);
  }

  letGo(): void {
    this.#released.resolve();
  }

  /** The sum of one of its own counters or gauges over all that match the labels; of a histogram, name its `_count` or `_sum`. */
  async counted(name: string, labels: Labels = {}): Promise<number> {
    const metric = this.#metrics?.registry.getSingleMetric(name.replace(/_(?:count|sum)$/, ''));
    const { values = [] } = (await metric?.get()) ?? {};
    return values
      .filter((each) => ('metricName' in each ? each.metricName === name : true))
      .filter((each) => Object.entries(labels).every(([key, value]) => each.labels[key] === value))
      .reduce((sum, { value }) => sum + value, 0);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  #heldBack(runnable: Runnable): Runnable {
    const run = async (signal: AbortSignal) => {
      this.#reached.resolve();
      await this.#released.promise;
      await runnable.run(signal);
    };
    return { name: runnable.name, run };
  }
}

/** Its log is written line by line, as ever, to where nobody reads it. */
function programOf(name: string, access: Access) {
  const nowhere = openSync('/dev/null', 'w');
  return {
    name,
    version: '0',
    instance: 'bench',
    access: clusterAccessTo(access),
    clock: systemClock,
    random: Math.random,
    log: openLog({ clock: systemClock, level: 'info', output: { write: (text) => writeSync(nowhere, text) } }),
  };
}
