/**
 * For tests: one collection of an API server, in process, with the faults that lists and watches suffer from.
 * It keeps every event since its last compaction, so that a watch can start anywhere after it.
 */
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from '../kube/transport.ts';

interface StoredObject {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly data: string;
}

interface StoredEvent {
  readonly type: string;
  readonly version: number;
  readonly object: unknown;
}

export class SimulatedCollection implements Transport {
  readonly requests: string[] = [];
  /** Taken one by one, by the next requests: an error is thrown, a status answered. */
  readonly refusals: (number | Error)[] = [];
  /** `ignored` is what a server does that has never heard of streamed lists, `broken` one whose etcd is too old for them. */
  streams: 'offered' | 'refused' | 'ignored' | 'broken' = 'offered';
  /** Called when a streamed list has brought all objects, and before it says so. */
  beforeInitialEnd = () => {};
  /** Called before each answer. */
  beforeAnswer = (_path: string) => {};
  version = 10;
  #objects = new Map<string, StoredObject>();
  #history: StoredEvent[] = [];
  #compacted = 10;
  readonly #watches = new Set<Pipe>();
  #heldBack: StoredEvent | 'next' | undefined;

  get names(): readonly string[] {
    return [...this.#objects.keys()].sort();
  }

  contents(): Record<string, string> {
    return Object.fromEntries([...this.#objects].map(([name, { data }]) => [name, data]));
  }

  get watches(): number {
    return this.#watches.size;
  }

  put(name: string, data: string): void {
    const known = this.#objects.get(name);
    const version = ++this.version;
    const object = {
      metadata: { name, uid: known?.metadata.uid ?? `uid-${version}`, resourceVersion: `${version}` },
      data,
    };
    this.#objects.set(name, object);
    this.#happen({ type: known ? 'MODIFIED' : 'ADDED', version, object });
  }

  remove(name: string): void {
    const known = this.#objects.get(name);
    if (!known) return;
    const version = ++this.version;
    this.#objects.delete(name);
    const object = { ...known, metadata: { ...known.metadata, resourceVersion: `${version}` } };
    this.#happen({ type: 'DELETED', version, object });
  }

  bookmark(): void {
    this.#send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: `${this.version}` } } });
  }

  /** Ends every watch, in the ordinary way or with an error. */
  endWatches(error?: Error): void {
    for (const watch of this.#watches) watch.end(error);
    this.#watches.clear();
  }

  /** Watches stay open and never hear anything again. */
  silence(): void {
    this.#watches.clear();
  }

  /** Forgets the past: a watch that wants to start before now gets 410. */
  compact(): void {
    this.#history = [];
    this.#compacted = this.version;
  }

  /** The next event is sent only after the one that follows it. */
  swapNext(): void {
    this.#heldBack = 'next';
  }

  /** Sends the last `count` events once more, the newest first when `backwards`. */
  replay(count: number, backwards = false): void {
    const events = count > 0 ? this.#history.slice(-count) : [];
    for (const event of backwards ? events.reverse() : events) this.#send(event);
  }

  backup(): () => void {
    const saved = { objects: new Map(this.#objects), version: this.version };
    return () => {
      this.endWatches(broken());
      this.#objects = new Map(saved.objects);
      this.version = saved.version;
      this.#history = [];
      this.#compacted = Math.min(this.#compacted, saved.version);
    };
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    request.signal.throwIfAborted();
    this.requests.push(request.path);
    this.beforeAnswer(request.path);
    const refusal = this.refusals.shift();
    if (refusal instanceof Error) throw refusal;
    if (refusal !== undefined) return answer(refusal, status(refusal));
    const query = new URL(request.path, 'http://server').searchParams;
    return query.get('watch') === 'true' ? this.#watch(query, request.signal) : this.#list(query);
  }

  async close(): Promise<void> {}

  #list(query: URLSearchParams): TransportResponse {
    const [from, version] = (query.get('continue') ?? `/${this.version}`).split('/') as [string, string];
    if (query.has('continue') && Number(version) < this.#compacted) return answer(410, status(410, 'Expired'));
    const after = this.names.filter((name) => name > from);
    const page = after.slice(0, Number(query.get('limit') ?? after.length));
    const last = page.at(-1);
    const next = page.length < after.length ? { continue: `${last}/${version}` } : {};
    const items = page.map((name) => this.#objects.get(name));
    return answer(200, { kind: 'List', metadata: { resourceVersion: version, ...next }, items });
  }

  #watch(query: URLSearchParams, signal: AbortSignal): TransportResponse {
    const initial = query.get('sendInitialEvents') === 'true';
    if (initial && this.streams === 'refused') return answer(422, status(422, 'Invalid'));
    const since = Number(query.get('resourceVersion') ?? this.version);
    if (!initial && since < this.#compacted) return answer(200, { type: 'ERROR', object: status(410, 'Expired') });
    if (initial && this.streams === 'broken') return answer(200, { type: 'ERROR', object: status(500) });
    const pipe = new Pipe(since);
    this.#watches.add(pipe);
    if (initial) {
      for (const object of this.#objects.values()) pipe.send({ type: 'ADDED', object });
      this.beforeInitialEnd();
      if (this.streams === 'offered') pipe.send(initialEventsEnd(this.version));
    } else for (const event of this.#history) if (event.version > since) pipe.send(event);
    signal.addEventListener('abort', () => pipe.end(signal.reason), { once: true });
    return { status: 200, header: () => undefined, body: pipe, text: async () => '' };
  }

  #happen(event: StoredEvent): void {
    this.#history.push(event);
    const late = this.#heldBack;
    this.#heldBack = late === 'next' ? event : undefined;
    if (late !== 'next') this.#deliver(event);
    if (late && late !== 'next') this.#deliver(late);
  }

  /** A server that was restored does not send what lies before the version that a watch has asked for. */
  #deliver(event: StoredEvent): void {
    for (const watch of this.#watches) if (event.version > watch.since) watch.send(event);
  }

  #send(event: object): void {
    for (const watch of this.#watches) watch.send(event);
  }
}

export const broken = (): ConnectionError => new ConnectionError('the connection broke', { mayHaveHappened: true });

/** A body that is written while it is read. */
class Pipe implements AsyncIterable<Uint8Array> {
  readonly since: number;
  readonly #lines: Buffer[] = [];
  #ended: { readonly error: unknown } | undefined;
  #wake = () => {};

  constructor(since: number) {
    this.since = since;
  }

  send(event: object): void {
    this.#lines.push(Buffer.from(`${JSON.stringify(event)}\n`));
    this.#wake();
  }

  end(error?: unknown): void {
    this.#ended ??= { error };
    this.#wake();
  }

  #more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    while (true) {
      const line = this.#lines.shift();
      if (line) yield line;
      else if (this.#ended?.error) throw this.#ended.error;
      else if (this.#ended) return;
      else await this.#more();
    }
  }
}

const initialEventsEnd = (version: number) => ({
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: `${version}`, annotations: { 'k8s.io/initial-events-end': 'true' } } },
});

const status = (code: number, reason?: string) => ({ kind: 'Status', code, reason, message: 'as the test wanted it' });

function answer(code: number, body: object): TransportResponse {
  const text = `${JSON.stringify(body)}\n`;
  const bytes = (async function* () {
    yield Buffer.from(text);
  })();
  return { status: code, header: () => undefined, body: bytes, text: async () => text };
}
