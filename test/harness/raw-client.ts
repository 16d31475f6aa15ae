/** A bare JSON client for the harness's own calls and for checking results, independent of the kit's client under test. */
import { on } from 'node:events';
import type { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import type { Certificate } from '../../src/kit/certificates.ts';

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly [field: string]: unknown;
}

/** Any API object, as it came over the wire. */
export interface RawObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly [field: string]: unknown;
}

export interface RawList<T = RawObject> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly T[];
}

export interface WatchEvent<T = RawObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}

export interface Answer<T = RawObject> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: T;
}

class RawApiError extends Error {
  readonly answer: Answer<unknown>;
  constructor(method: string, path: string, answer: Answer<unknown>) {
    super(`${method} ${path} answered ${answer.status}: ${messageOf(answer.body)}`);
    this.answer = answer;
  }
}

export type PatchType = 'json' | 'merge' | 'strategic-merge' | 'apply';

export interface Access {
  readonly url: string;
  readonly ca: string;
  /** A function is asked for each request, so that a rotated token is taken up. */
  readonly token?: string | (() => string);
  readonly certificate?: Certificate;
  /** Speak HTTP/2 when the server offers it; HTTP/1.1 otherwise, and by default. */
  readonly http2?: boolean;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The verbs give the parsed body and throw a RawApiError from status 400 on; `request` gives any answer as it is. */
export class RawClient implements AsyncDisposable {
  readonly #access: Access;
  readonly #agent: Agent;

  constructor(access: Access) {
    this.#access = access;
    const identity = access.certificate && { cert: access.certificate.certificate, key: access.certificate.key };
    this.#agent = new Agent({ allowH2: access.http2 ?? false, connect: { ca: access.ca, ...identity } });
  }

  get<T = RawObject>(path: string): Promise<T> {
    return this.#ok<T>('GET', path);
  }
  list<T = RawObject>(path: string): Promise<RawList<T>> {
    return this.#ok<RawList<T>>('GET', path);
  }
  post<T = RawObject>(path: string, body: unknown): Promise<T> {
    return this.#ok<T>('POST', path, body);
  }
  put<T = RawObject>(path: string, body: unknown): Promise<T> {
    return this.#ok<T>('PUT', path, body);
  }
  patch<T = RawObject>(path: string, body: unknown, type: PatchType = 'merge'): Promise<T> {
    const contentType = `application/${type}-patch+${type === 'apply' ? 'yaml' : 'json'}`;
    return this.#ok<T>('PATCH', path, body, contentType);
  }
  delete<T = RawObject>(path: string, options?: unknown): Promise<T> {
    return this.#ok<T>('DELETE', path, options);
  }

  async request<T = RawObject>(method: Method, path: string, body?: unknown, type?: string): Promise<Answer<T>> {
    const { statusCode, headers, body: stream } = await this.#send(method, path, body, type);
    return { status: statusCode, headers, body: parse<T>(await stream.text(), headers) };
  }

  /**
   * Resolves when the watch is open, to its events as they come; throws when it is refused. The events end when the
   * server ends them and throw when the connection breaks, after what had come.
   */
  async watch<T = RawObject>(path: string, signal?: AbortSignal): Promise<WatchEvents<T>> {
    const { statusCode, headers, body } = await this.#send('GET', path, undefined, undefined, signal);
    if (statusCode < 400) return new WatchEvents<T>(body);
    const answer = { status: statusCode, headers, body: parse<unknown>(await body.text(), headers) };
    throw new RawApiError('GET', path, answer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  async #ok<T>(method: Method, path: string, body?: unknown, type?: string): Promise<T> {
    const answer = await this.request<T>(method, path, body, type);
    if (answer.status >= 400) throw new RawApiError(method, path, answer);
    return answer.body;
  }

  #send(method: Method, path: string, body?: unknown, type = 'application/json', signal?: AbortSignal) {
    const { url } = this.#access;
    const token = typeof this.#access.token === 'function' ? this.#access.token() : this.#access.token;
    const options: Dispatcher.RequestOptions = {
      origin: url,
      path,
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': type }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      bodyTimeout: 0, // a quiet watch is no fault
      ...(signal && { signal }),
    };
    return this.#agent.request(options);
  }
}

/** The events of an open watch. Breaking out of a loop over them closes the watch, as `return` does. */
export class WatchEvents<T = RawObject> implements AsyncIterableIterator<WatchEvent<T>, undefined> {
  readonly #stream: Readable;
  readonly #events: AsyncGenerator<WatchEvent<T>, undefined>;

  constructor(stream: Readable) {
    this.#stream = stream;
    // By 'data' events from the start: iterating over a stream loses what is buffered when the stream breaks.
    this.#events = parsed<T>(on(stream.setEncoding('utf8'), 'data', { close: ['end', 'close'] }));
  }

  next(): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    return this.#events.next();
  }

  return(): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    this.#stream.destroy();
    return this.#events.return(undefined);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

async function* parsed<T>(chunks: AsyncIterable<string[]>): AsyncGenerator<WatchEvent<T>, undefined> {
  let rest = '';
  for await (const [chunk] of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as WatchEvent<T>;
  }
}

/** Text that is not JSON (`/readyz` says "ok") stays a string. */
function parse<T>(text: string, headers: Answer['headers']): T {
  const json = String(headers['content-type'] ?? '').startsWith('application/json');
  return (json ? JSON.parse(text) : text) as T;
}

function messageOf(body: unknown): string {
  const status = body as { message?: string } | string | null;
  return (typeof status === 'string' ? status : status?.message) ?? 'no message';
}
