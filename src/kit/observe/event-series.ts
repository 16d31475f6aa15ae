/**
 * One Event and its repetitions: how often it happened, what the server knows of that, and when it should hear more. Times come in
 * as arguments. The first occurrence and the first repetition are told at once, later ones only counted, and told after pauses that
 * grow: fresh while it is young, quiet when it has become a habit.
 */
import { type EventSeries, microTime, type Occurrence, type Reporter } from './event.ts';

/** After so long without a repetition it is over: the next one is a new Event. */
const FOLD_MS = 6 * 60_000;
const FIRST_PAUSE_MS = 60_000;
/** Well within the hour for which API servers keep Events. */
const LONGEST_PAUSE_MS = 30 * 60_000;

/** An instant, on both of a clock's scales. */
export interface Instant {
  readonly date: Date;
  readonly ms: number;
}

/** An Event that is on the server. The uid is unknown when the reply to its creation was lost. */
export interface StoredEvent {
  readonly name: string;
  readonly uid: string | undefined;
}

export class Series {
  readonly reporter: Reporter;
  readonly occurrence: Occurrence;
  readonly firstAt: Date;
  stored: StoredEvent | undefined;
  #count = 1;
  #last: Instant;
  #toldCount = 0;
  #toldMs = 0;
  #pauseMs = FIRST_PAUSE_MS / 2;

  constructor(reporter: Reporter, occurrence: Occurrence, now: Instant) {
    this.reporter = reporter;
    this.occurrence = occurrence;
    this.firstAt = now.date;
    this.#last = now;
  }

  get count(): number {
    return this.#count;
  }

  /** Absent for what has happened once. */
  get series(): EventSeries | undefined {
    if (this.#count === 1) return undefined;
    return { count: this.#count, lastObservedTime: microTime(this.#last.date) };
  }

  get isTold(): boolean {
    return this.#toldCount === this.#count;
  }

  /** When it is over, unless it repeats before. */
  get overMs(): number {
    return this.#last.ms + FOLD_MS;
  }

  /** When the server should hear of what it does not know yet. */
  get dueMs(): number | undefined {
    if (this.isTold) return undefined;
    return this.#toldCount < 2 ? this.#last.ms : this.#toldMs + this.#pauseMs;
  }

  repeat(now: Instant): void {
    this.#count += 1;
    this.#last = now;
  }

  /** The server knows of `count` of them. */
  told(count: number, ms: number): void {
    this.#toldCount = count;
    this.#toldMs = ms;
    if (count > 1) this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
  }
}
