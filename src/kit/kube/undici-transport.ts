/**
 * The transport over HTTP: undici with kept-alive connections, a bounded pool for short requests and one connection for each watch.
 * It speaks to undici's dispatcher directly because only there is it known whether a request has been handed to the kernel.
 */
import { buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from './transport.ts';

export interface UndiciTransportOptions {
  readonly server: URL;
  /** Certificates for new connections; read again for each, so that a rotated client certificate is picked up. */
  readonly tls?: () => TlsOptions;
  /** An HTTP proxy to go through. */
  readonly proxy?: URL;
  /** How many connections short requests may use at the most. */
  readonly connections?: number;
}

export interface TlsOptions {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly rejectUnauthorized?: boolean;
  readonly servername?: string;
}

const DEFAULT_CONNECTIONS = 32;
/** Measured, and a half-open connection takes only one stream with it: see docs/adr/0003-http-1.1.md. */
const HTTP2 = false;
/** Below the 90 s after which an API server closes an idle connection, so that we never write into one that it is closing. */
const KEEP_ALIVE_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** Unread bytes at which a response is held back until its reader has caught up. */
const HIGH_WATER_BYTES = 256 * 1024;

export function undiciTransport(options: UndiciTransportOptions): Transport {
  const origin = options.server.origin;
  const prefix = options.server.pathname.replace(/\/$/, '');
  const short = dispatcher(options, options.connections ?? DEFAULT_CONNECTIONS);
  const long = dispatcher(options, null);
  return {
    request(request) {
      const exchange = new Exchange(request, origin);
      const { method, headers, body } = request;
      const via = request.longLived ? long : short;
      via.dispatch(
        { origin, path: prefix + request.path, method, headers: { ...headers }, body: body ?? null },
        exchange,
      );
      return exchange.response;
    },
    async close() {
      await Promise.all([short.destroy(), long.destroy()]);
    },
  };
}

type Headers = Record<string, string | string[] | undefined>;

function dispatcher(options: UndiciTransportOptions, connections: number | null): Dispatcher {
  const pool = {
    connections,
    allowH2: HTTP2,
    headersTimeout: 0, // deadlines come from the caller's signal, on the caller's clock
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  };
  if (options.proxy) return new ProxyAgent({ ...pool, uri: options.proxy.href, requestTls: { ...options.tls?.(), allowH2: HTTP2 } });
  return new Pool(options.server.origin, { ...pool, connect: connector(options.tls ?? (() => ({}))) });
}

/** Makes each connection with the certificates of that moment; TLS sessions are resumed as long as those stay the same. */
function connector(tls: () => TlsOptions): buildConnector.connector {
  let used: TlsOptions | undefined;
  let connect: buildConnector.connector;
  return (options, callback) => {
    const current = tls();
    if (current !== used) {
      connect = buildConnector({
        ...current,
        allowH2: HTTP2,
        timeout: CONNECT_TIMEOUT_MS,
        keepAlive: true,
        keepAliveInitialDelay: 15_000,
      });
      used = current;
    }
    connect(options, callback);
  };
}

/** One request and its response, as undici's handler. */
class Exchange implements Dispatcher.DispatchHandler, TransportResponse {
  readonly response: Promise<TransportResponse>;
  status = 0;
  readonly #request: TransportRequest;
  readonly #origin: string;
  readonly #settle: { resolve(response: TransportResponse): void; reject(error: unknown): void };
  readonly #onAbort = () => this.#abort(this.#request.signal.reason);
  #controller: Dispatcher.DispatchController | undefined;
  #headers: Headers = {};
  #chunks: Buffer[] = [];
  #queued = 0;
  #ended = false;
  #failure: unknown;
  #wake: (() => void) | undefined;

  constructor(request: TransportRequest, origin: string) {
    this.#request = request;
    this.#origin = origin;
    const { promise, resolve, reject } = Promise.withResolvers<TransportResponse>();
    this.response = promise;
    this.#settle = { resolve, reject };
    if (request.signal.aborted) this.#abort(request.signal.reason);
    else request.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    try {
      if (this.#ended) throw this.#failure;
      this.#request.beforeSend?.();
      this.#controller = controller;
    } catch (refusal) {
      this.#end(refusal);
      controller.abort(asError(refusal));
    }
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return;
    this.status = status;
    this.#headers = headers;
    this.#settle.resolve(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#queued += chunk.length;
    if (this.#queued > HIGH_WATER_BYTES && !controller.paused) controller.pause();
    this.#wake?.();
  }

  onResponseEnd(): void {
    this.#end(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(this.#asConnectionError(error));
  }

  header(name: string): string | undefined {
    const value = this.#headers[name.toLowerCase()];
    return Array.isArray(value) ? value[0] : value;
  }

  get body(): AsyncIterable<Uint8Array> {
    return this.#read();
  }

  async text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#read()) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  }

  async *#read(): AsyncGenerator<Buffer> {
    try {
      while (true) {
        const chunk = this.#chunks.shift();
        if (chunk) {
          this.#queued -= chunk.length;
          if (this.#queued === 0 && this.#controller?.paused) this.#controller.resume();
          yield chunk;
        } else if (this.#failure !== undefined) throw this.#failure;
        else if (this.#ended) return;
        else await this.#more();
      }
    } finally {
      if (!this.#ended) this.#abort(new Error('the reader left'));
    }
  }

  #more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }

  #abort(reason: unknown): void {
    this.#end(reason);
    this.#controller?.abort(asError(reason));
  }

  #end(failure: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    this.#request.signal.removeEventListener('abort', this.#onAbort);
    if (failure !== undefined) this.#settle.reject(failure);
    this.#wake?.();
  }

  #asConnectionError(error: Error): ConnectionError {
    const { method, path } = this.#request;
    const what = this.#controller ? 'the connection broke' : 'no connection could be made';
    return new ConnectionError(`${method} ${path}: ${what} (${this.#origin}: ${describe(error)})`, {
      mayHaveHappened: this.#controller !== undefined,
      cause: error,
    });
  }
}

/** Node wraps what went wrong with several addresses in an error without a message of its own. */
function describe(error: Error): string {
  if (error instanceof AggregateError) return error.errors.map((each) => describe(asError(each))).join('; ');
  return error.message || ('code' in error ? String(error.code) : error.name);
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
