/**
 * A bounded number of connections, each for one request at a time, and as few of them in use as will do. undici's own pool opens a
 * second connection for requests that merely follow one another, because a connection counts as busy there until the event loop has
 * turned once more.
 */
import type { Dispatcher } from 'undici';
import { Line } from '../line.ts';

type Connection = Pick<Dispatcher, 'dispatch' | 'destroy'>;

/** One request's claim to a connection. */
interface Turn {
  readonly begin: (connection: Connection) => void;
  /** None while it waits. */
  connection?: Connection;
}

export class Connections {
  readonly #make: () => Connection;
  readonly #most: number;
  readonly #all: Connection[] = [];
  /** Those that were used last come last, and are used next: the others may become idle and close. */
  readonly #free: Connection[] = [];
  readonly #waiting = new Line<Turn, Turn>();

  constructor(make: () => Connection, most: number) {
    this.#make = make;
    this.#most = most;
  }

  /**
   * Begins on a connection that is free, else on a new one while there may be more, else, in the order of the calls, on whichever
   * becomes free first. Returns what is to be called once when the request has ended, or has given up waiting.
   */
  take(begin: (connection: Connection) => void): () => void {
    const turn: Turn = { begin };
    const connection = this.#free.pop() ?? this.#another();
    if (connection) give(connection, turn);
    else this.#waiting.join(turn, turn);
    return () => this.#end(turn);
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((connection) => connection.destroy()));
  }

  #another(): Connection | undefined {
    if (this.#all.length >= this.#most) return undefined;
    const connection = this.#make();
    this.#all.push(connection);
    return connection;
  }

  /** The next request begins a moment later: undici calls this from where it cannot yet take one. */
  #end(turn: Turn): void {
    const { connection } = turn;
    this.#waiting.leave(turn);
    if (!connection) return;
    if (this.#waiting.size === 0) this.#free.push(connection);
    else queueMicrotask(() => this.#pass(connection));
  }

  #pass(connection: Connection): void {
    const [next] = this.#waiting.next() ?? [];
    if (next) give(connection, next);
    else this.#free.push(connection);
  }
}

function give(connection: Connection, turn: Turn): void {
  turn.connection = connection;
  turn.begin(connection);
}
