/** One connection, and how long we wait for the one at its other end. Never for longer than it takes to say that it is slow. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../kit/clock/clock.ts';
import { Watchdog } from '../pool-client/watchdog.ts';

/** For the first request: all of its headers. */
const HEADERS_MS = 30_000;
/** For the next bytes of a body, or for room for the next ones of an answer. */
const PROGRESS_MS = 60_000;
/** For the next request. */
const IDLE_MS = 75_000;
/** For who still sends a body that was refused to read why. */
const LINGER_MS = 5_000;

export class Connection {
  readonly #watchdog: Watchdog;
  readonly #socket: Socket;
  #isAsked = false;
  #isOver = false;

  /** `onSlow` is told when it is cut off. */
  constructor(socket: Socket, clock: Clock, onSlow: () => void) {
    this.#socket = socket;
    this.#watchdog = new Watchdog(clock, () => {
      onSlow();
      socket.destroy();
    });
    this.#watchdog.guard(HEADERS_MS);
    socket.once('close', () => this.#watchdog.rest());
  }

  /**
   * False for a request that comes before the one before it is answered: it is not served, and the connection ends with that answer. So
   * nobody can have more done at once, and held in memory, than one thing for each connection.
   */
  takes(response: ServerResponse): boolean {
    if (this.#isAsked) {
      this.#socket.pause();
      this.#isOver = true;
      return false;
    }
    this.#isAsked = true;
    response.once('finish', () => {
      this.#isAsked = false;
      if (this.#isOver) this.#socket.destroySoon();
    });
    return true;
  }

  waitsForClient(): void {
    this.#watchdog.guard(PROGRESS_MS);
  }

  /** It is our turn: nobody is cut off since our disk is slow. */
  waitsForUs(): void {
    this.#watchdog.rest();
  }

  waitsForNextRequest(): void {
    this.#watchdog.guard(IDLE_MS);
  }

  lingers(): void {
    this.#watchdog.guard(LINGER_MS);
  }
}
