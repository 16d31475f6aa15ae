/**
 * A TCP relay that can do to a connection what networks do: reset it, or let it go silent. It looks at no byte, so TLS
 * and client certificates pass through it.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface RelayedConnection {
  /** 1 for the first. */
  readonly number: number;
  /** The port that the target sees as the peer's. */
  readonly localPort: number;
  /** Both sides see it end at once, by RST. Bytes under way are lost. */
  reset(): void;
  /** No byte passes any more, in either direction, and no end: as if the peer's machine were gone. */
  freeze(): void;
}

export class ConnectionRelay implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #open: Set<Relayed>;
  readonly #opened: () => number;

  private constructor(server: Server, open: Set<Relayed>, opened: () => number) {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the relay listens on no port');
    this.port = address.port;
    this.#server = server;
    this.#open = open;
    this.#opened = opened;
  }

  static async start(targetPort: number): Promise<ConnectionRelay> {
    const open = new Set<Relayed>();
    let opened = 0;
    const server = createServer({ allowHalfOpen: true }, (client) => {
      const relayed = new Relayed(++opened, client, targetPort, () => open.delete(relayed));
      open.add(relayed);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ConnectionRelay(server, open, () => opened);
  }

  /** Connections since the start. */
  get opened(): number {
    return this.#opened();
  }

  get open(): readonly RelayedConnection[] {
    return [...this.#open];
  }

  /** The open connection that the target sees coming from this port. */
  from(localPort: number | undefined): RelayedConnection | undefined {
    return this.open.find((connection) => connection.localPort === localPort);
  }

  resetAll(): void {
    for (const connection of this.#open) connection.reset();
  }

  freezeAll(): void {
    for (const connection of this.#open) connection.freeze();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.resetAll();
    await closed;
  }
}

class Relayed implements RelayedConnection {
  readonly number: number;
  readonly #client: Socket;
  readonly #target: Socket;

  constructor(number: number, client: Socket, targetPort: number, closed: () => void) {
    this.number = number;
    this.#client = client;
    this.#target = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    client.setNoDelay();
    client.pipe(this.#target);
    this.#target.pipe(client);
    for (const socket of [client, this.#target]) socket.on('error', () => this.reset());
    client.once('close', closed);
  }

  get localPort(): number {
    return this.#target.localPort ?? 0;
  }

  reset(): void {
    this.#client.resetAndDestroy();
    this.#target.resetAndDestroy();
  }

  freeze(): void {
    for (const socket of [this.#client, this.#target]) {
      socket.unpipe();
      socket.pause();
    }
  }
}
