/** A transport for tests: answers by method and path as scripted, and keeps a journal of what was asked. */
import type { StatusCause } from './api-error.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface FakeAnswer {
  readonly status: number;
  /** Sent as JSON, unless it is text already or a stream of chunks as a watch has it. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error is thrown in place of a response: a `ConnectionError` for a broken connection. `hang` never answers, until aborted. */
export type Script = FakeAnswer | Error | 'hang' | ((request: JournalEntry) => Reply | Promise<Reply>);
type Reply = FakeAnswer | Error | 'hang';

export interface JournalEntry {
  readonly method: TransportRequest['method'];
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed, when the request had one. */
  readonly body: unknown;
  /** The body as it was sent. */
  readonly text: string | undefined;
}

interface Rule {
  readonly method: string;
  readonly path: string | RegExp;
  readonly script: Script[];
}

export class FakeTransport implements Transport {
  /** Every request that came so far, oldest first, answered or not. */
  readonly journal: JournalEntry[] = [];
  readonly #rules: Rule[] = [];

  /** The answers are given one after another; the last of them again and again. A later rule for the same path replaces an earlier one. */
  on(method: TransportRequest['method'], path: string | RegExp, ...script: readonly Script[]): this {
    this.#rules.unshift({ method, path, script: [...script] });
    return this;
  }

  /** The requests of one method, in short: their bodies. */
  bodies<T = unknown>(method: TransportRequest['method']): T[] {
    return this.journal.filter((entry) => entry.method === method).map((entry) => entry.body as T);
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    request.signal.throwIfAborted();
    request.beforeSend?.();
    const entry = journalEntry(request);
    this.journal.push(entry);
    const next = this.#next(entry);
    const reply = typeof next === 'function' ? await next(entry) : next;
    if (reply === 'hang') return aborted(request.signal);
    await turn();
    request.signal.throwIfAborted();
    if (reply instanceof Error) throw reply;
    return response(reply);
  }

  async close(): Promise<void> {}

  #next({ method, path }: JournalEntry): Script {
    const rule = this.#rules.find((each) => each.method === method && matches(each.path, path));
    const [script] = rule?.script ?? [];
    if (!rule || script === undefined) throw new Error(`no answer is scripted for ${method} ${path}`);
    if (rule.script.length > 1) rule.script.shift();
    return script;
  }
}

export const answer = (status: number, body: unknown): FakeAnswer => ({ status, body });

/** What an API server sends when it refuses: a Status object. */
export function refusal(
  status: number,
  reason: string,
  message: string,
  causes: readonly StatusCause[] = [],
): FakeAnswer {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, reason, message };
  return { status, body: causes.length > 0 ? { ...body, details: { causes } } : body };
}

const matches = (pattern: string | RegExp, path: string): boolean =>
  typeof pattern === 'string' ? pattern === path : pattern.test(path);

function journalEntry({ method, path, headers, body }: TransportRequest): JournalEntry {
  const url = new URL(path, 'http://server');
  return {
    method,
    path: url.pathname,
    query: url.searchParams,
    headers,
    body: body === undefined ? undefined : JSON.parse(body),
    text: body,
  };
}

function response({ status, body, headers = {} }: FakeAnswer): TransportResponse {
  return {
    status,
    header: (name) => headers[name.toLowerCase()],
    body: chunks(body),
    async text() {
      const parts: Uint8Array[] = [];
      for await (const part of chunks(body)) parts.push(part);
      return Buffer.concat(parts).toString('utf8');
    },
  };
}

function chunks(body: unknown): AsyncIterable<Uint8Array> {
  if (isStream(body)) return body;
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  return (async function* () {
    if (text !== '') yield Buffer.from(text);
  })();
}

const isStream = (body: unknown): body is AsyncIterable<Uint8Array> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** No real answer comes in the same turn in which it was asked for. */
const turn = (): Promise<void> => Promise.resolve();
