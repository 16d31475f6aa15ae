/** All that happens in a simulation, in order: every call with its answer, every change of an object. Two runs are the same if their hashes are. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../kit/clock/clock.ts';

const RENEWAL = /(?:^modified leases|PUT .*\/leases\/.* 200$)/;

export class History {
  readonly #clock: Clock;
  readonly #hash = createHash('sha256');
  readonly #lines: string[] = [];
  readonly #most: number;

  constructor(clock: Clock, most = 20_000) {
    this.#clock = clock;
    this.#most = most;
  }

  /** A line for people, and what else counts for the hash. Leases are renewed all the time, which nobody wants to read. */
  note(line: string, detail = ''): void {
    const timed = `${(this.#clock.monotonic() / 1000).toFixed(3).padStart(9)} s  ${line}`;
    this.#hash.update(`${timed} ${detail}\n`);
    if (this.#lines.length < this.#most && !RENEWAL.test(line)) this.#lines.push(timed);
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  get hash(): string {
    return this.#hash.copy().digest('hex');
  }
}
