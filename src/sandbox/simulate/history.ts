/** All that happens in a simulation, in order: every call with its answer, every change of an object. Two runs are the same if their hashes are. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../kit/clock/clock.ts';

const RENEWAL = /(?:^modified leases|PUT .*\/leases\/.* 200$)/;
const HASHED_AT_ONCE = 64 * 1024;

export class History {
  readonly #clock: Clock;
  readonly #hash = createHash('sha256');
  /** What is to be hashed with what comes next: many small pieces cost far more than a large one. */
  #unhashed = '';
  /** The last of them: how it ended is what a failing run is read for. */
  #lines: string[] = [];
  readonly #most: number;

  constructor(clock: Clock, most = 20_000) {
    this.#clock = clock;
    this.#most = most;
  }

  /** A line for people, and what else counts for the hash. Leases are renewed all the time, which nobody wants to read. */
  note(line: string, detail = ''): void {
    const timed = `${(this.#clock.monotonic() / 1000).toFixed(3).padStart(9)} s  ${line}`;
    this.#unhashed += `${timed} ${detail}\n`;
    if (this.#unhashed.length >= HASHED_AT_ONCE) this.#takeIn();
    if (RENEWAL.test(line)) return;
    this.#lines.push(timed);
    if (this.#lines.length >= 2 * this.#most) this.#lines = this.#lines.slice(-this.#most);
  }

  get lines(): readonly string[] {
    return this.#lines.slice(-this.#most);
  }

  get hash(): string {
    this.#takeIn();
    return this.#hash.copy().digest('hex');
  }

  #takeIn(): void {
    this.#hash.update(this.#unhashed);
    this.#unhashed = '';
  }
}
