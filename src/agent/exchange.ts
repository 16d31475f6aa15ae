/** One request and its answer. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { REASON_HEADER } from '../pool-client/protocol.ts';
import type { Connection } from './connection.ts';
import { refusalFor } from './refusals.ts';
import { StoreError } from './store.ts';

export class Exchange {
  readonly request: IncomingMessage;
  /** As it came: nothing in it is decoded or resolved. */
  readonly path: string;
  readonly query: URLSearchParams;
  bytesIn = 0;
  bytesOut = 0;
  /** Made when somebody asks for it: hardly anybody does. */
  #gone: AbortController | undefined;
  readonly #response: ServerResponse;
  readonly #connection: Connection;
  #waitsToContinue: boolean;
  #waiting: ((error?: Error | null) => void) | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, connection: Connection, waitsToContinue: boolean) {
    const { url = '' } = request;
    const mark = url.indexOf('?');
    this.request = request;
    this.path = mark === -1 ? url : url.slice(0, mark);
    this.query = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
    this.#response = response;
    this.#connection = connection;
    this.#waitsToContinue = waitsToContinue;
    response.once('close', () => {
      this.#waiting?.(new Error('the connection was closed'));
      this.#gone?.abort();
    });
  }

  get status(): number {
    return this.#response.statusCode;
  }

  /** Aborted when there is nobody any more to be answered. */
  get gone(): AbortSignal {
    this.#gone ??= new AbortController();
    if (this.#response.destroyed) this.#gone.abort();
    return this.#gone.signal;
  }

  get hasAnswered(): boolean {
    return this.#response.headersSent;
  }

  /** The client is told to send it only when somebody reads it, and is waited for only while somebody does. */
  async *body(): AsyncGenerator<Buffer, void, void> {
    if (this.#waitsToContinue) this.#response.writeContinue();
    this.#waitsToContinue = false;
    this.#connection.waitsForClient();
    for await (const bytes of this.request.iterator({ destroyOnReturn: false })) {
      this.#connection.waitsForUs();
      this.bytesIn += bytes.length;
      yield bytes;
      this.#connection.waitsForClient();
    }
    this.#connection.waitsForUs();
  }

  async text(mostBytes: number): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const bytes of this.body()) {
      chunks.push(bytes);
      if (this.bytesIn > mostBytes) throw new StoreError('TooLarge', `more than ${mostBytes} bytes have come`);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  head(status: number, headers: OutgoingHttpHeaders): void {
    this.#response.writeHead(status, headers);
  }

  /** Resolves when the client has taken so much that there is room for more. */
  async send(bytes: Buffer): Promise<void> {
    this.bytesOut += bytes.length;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting = (error) => (error ? reject(error) : resolve());
    this.#connection.waitsForClient();
    if (this.#response.destroyed) this.#waiting(new Error('the connection was closed'));
    else this.#response.write(bytes, this.#waiting);
    await promise;
    this.#connection.waitsForUs();
  }

  end(): void {
    this.#connection.waitsForClient();
    this.#response.end();
  }

  /** An answer without a body. */
  empty(status: number, headers: OutgoingHttpHeaders = {}): void {
    this.head(status, status === 204 || status === 304 ? headers : { 'content-length': 0, ...headers });
    this.end();
  }

  page(status: number, contentType: string, body: string, headers: OutgoingHttpHeaders = {}): void {
    this.head(status, {
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      ...headers,
    });
    this.#connection.waitsForClient();
    this.#response.end(body);
  }

  json(status: number, value: unknown, headers: OutgoingHttpHeaders = {}): void {
    this.page(status, 'application/json', `${JSON.stringify(value)}\n`, headers);
  }

  /** Whoever still sends is read to the end for a moment, so that the answer is not lost with the rest; who waits to send does not. */
  refuse(error: unknown): void {
    const { status, headers, body } = refusalFor(error);
    const ending = this.#waitsToContinue && { connection: 'close' };
    this.json(status, body, { ...headers, [REASON_HEADER]: body.reason, ...ending });
    if (this.request.complete) return;
    this.request.resume();
    this.#connection.lingers();
  }

  /** Nobody takes for whole what has gone out so far. */
  reset(): void {
    this.request.socket.resetAndDestroy();
  }
}
