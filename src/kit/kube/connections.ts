/**
 * A bounded number of connections, used as few at a time as will do. undici's own pool opens a second connection for requests that
 * merely follow one another, because a connection counts as busy there until the event loop has turned once more.
 */
import type { Dispatcher } from 'undici';

export interface TakenConnection {
  readonly dispatcher: Dispatcher;
  /** To be called once, when the request that it was taken for has ended. */
  readonly release: () => void;
}

interface Connection {
  readonly dispatcher: Dispatcher;
  requests: number;
}

export class Connections {
  readonly #make: () => Dispatcher;
  readonly #most: number;
  readonly #all: Connection[] = [];

  constructor(make: () => Dispatcher, most: number) {
    this.#make = make;
    this.#most = most;
  }

  /** One that is free, else a new one while there may be more, else the one that the fewest requests wait for. */
  take(): TakenConnection {
    const connection = this.#least();
    connection.requests += 1;
    return {
      dispatcher: connection.dispatcher,
      release: () => {
        connection.requests -= 1;
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map(({ dispatcher }) => dispatcher.destroy()));
  }

  #least(): Connection {
    let least: Connection | undefined;
    for (const each of this.#all) {
      if (each.requests === 0) return each;
      if (!least || each.requests < least.requests) least = each;
    }
    return least && this.#all.length >= this.#most ? least : this.#add();
  }

  #add(): Connection {
    const connection = { dispatcher: this.#make(), requests: 0 };
    this.#all.push(connection);
    return connection;
  }
}
