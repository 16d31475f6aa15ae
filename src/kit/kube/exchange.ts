/** One request and its response over undici, which tells exactly whether the request has been handed to the kernel. */
import type { Dispatcher } from 'undici';
import { ConnectionError, type TransportRequest, type TransportResponse } from './transport.ts';

/** After so many bytes a response is held back until its reader has caught up and the event loop has come around for everybody else. */
const PORTION_BYTES = 128 * 1024;

type Headers = Record<string, string | string[] | undefined>;

export class Exchange implements Dispatcher.DispatchHandler, TransportResponse {
  readonly response: Promise<TransportResponse>;
  status = 0;
  readonly #request: TransportRequest;
  readonly #origin: string;
  readonly #settle: { resolve(response: TransportResponse): void; reject(error: unknown): void };
  readonly #onAbort = () => this.#abort(this.#request.signal.reason);
  /** Set from the moment at which the request is handed to the kernel. */
  #controller: Dispatcher.DispatchController | undefined;
  #headers: Headers = {};
  #chunks: Buffer[] = [];
  #unread = 0;
  /** Bytes of the present portion that have come. */
  #portion = 0;
  #end: { readonly failure: unknown } | undefined;
  #wake: (() => void) | undefined;
  #whenEnded: (() => void) | undefined;

  constructor(request: TransportRequest, origin: string) {
    this.#request = request;
    this.#origin = origin;
    const { promise, resolve, reject } = Promise.withResolvers<TransportResponse>();
    this.response = promise;
    this.#settle = { resolve, reject };
    request.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Calls back once, when nothing more will come and nothing more will be sent; at once when that is so already. */
  whenEnded(call: () => void): void {
    if (this.#end) call();
    else this.#whenEnded = call;
  }

  /** What is thrown here undici hands to `onResponseError`, and sends nothing. The connection stays as it is. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#end) throw asError(this.#end.failure);
    try {
      this.#request.beforeSend?.();
    } catch (refusal) {
      this.#finish(refusal);
      throw asError(refusal);
    }
    this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return;
    this.status = status;
    this.#headers = headers;
    this.#settle.resolve(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#unread += chunk.length;
    this.#portion += chunk.length;
    if (this.#portion >= PORTION_BYTES && !controller.paused) this.#holdBack(controller);
    this.#wake?.();
  }

  onResponseEnd(): void {
    this.#finish(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish(this.#asConnectionError(error));
  }

  header(name: string): string | undefined {
    const value = this.#headers[name.toLowerCase()];
    return Array.isArray(value) ? value[0] : value;
  }

  get body(): AsyncIterable<Uint8Array> {
    return this.#read();
  }

  async text(): Promise<string> {
    const chunks: Buffer[] = [];
    while (true) {
      for (let chunk = this.#next(); chunk; chunk = this.#next()) chunks.push(chunk);
      if (this.#end) break;
      await this.#more();
    }
    if (this.#end.failure !== undefined) throw this.#end.failure;
    const [first] = chunks;
    return (first && chunks.length === 1 ? first : Buffer.concat(chunks)).toString('utf8');
  }

  async *#read(): AsyncGenerator<Buffer> {
    try {
      while (true) {
        const chunk = this.#next();
        if (chunk) yield chunk;
        else if (!this.#end) await this.#more();
        else if (this.#end.failure !== undefined) throw this.#end.failure;
        else return;
      }
    } finally {
      if (!this.#end) this.#abort(new Error('the reader left'));
    }
  }

  /** Of what has come and has not been read. */
  #next(): Buffer | undefined {
    const chunk = this.#chunks.shift();
    if (!chunk) return undefined;
    this.#unread -= chunk.length;
    this.#nextPortion();
    return chunk;
  }

  #holdBack(controller: Dispatcher.DispatchController): void {
    controller.pause();
    setImmediate(() => {
      this.#portion = 0;
      this.#nextPortion();
    });
  }

  #nextPortion(): void {
    if (this.#unread === 0 && this.#portion === 0 && this.#controller?.paused) this.#controller.resume();
  }

  #more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }

  /** Nothing, when it has ended before. */
  #abort(reason: unknown): void {
    if (this.#end) return;
    this.#end = { failure: reason };
    this.#controller?.abort(asError(reason));
    this.#conclude(reason);
  }

  #finish(failure: unknown): void {
    if (this.#end) return;
    this.#end = { failure };
    this.#conclude(failure);
  }

  #conclude(failure: unknown): void {
    this.#request.signal.removeEventListener('abort', this.#onAbort);
    if (failure !== undefined) this.#settle.reject(failure);
    this.#wake?.();
    this.#whenEnded?.();
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
