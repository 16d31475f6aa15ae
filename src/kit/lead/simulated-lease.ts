/** For tests: an API server that knows one Lease and its resourceVersion, a network in front of it, and processes that can be stopped. */
import { type Cancel, type Clock, sleep } from '../clock/clock.ts';
import type { VirtualClock } from '../clock/virtual.ts';
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from '../kube/transport.ts';
import type { Lease } from './lease.ts';

export interface LeaseRequest {
  readonly at: number;
  readonly from: string;
  readonly method: TransportRequest['method'] | 'WATCH';
  /** Whom the request made the holder, when it was a write. */
  readonly holder: string | undefined;
}

export class SimulatedLease {
  lease: Lease | undefined;
  /** Every request that was sent, when it was sent. */
  readonly journal: LeaseRequest[] = [];
  readonly #watchers = new Set<() => void>();
  #version = 0;

  get writes(): readonly LeaseRequest[] {
    return this.journal.filter(({ method }) => method !== 'GET' && method !== 'WATCH');
  }

  /** Each version of the lease that comes after this one, as the server tells it to whoever watches. */
  async *watch(since: string): AsyncGenerator<string> {
    for (let known = since; ; ) {
      const version = this.lease?.metadata.resourceVersion;
      if (version !== known) {
        yield `${JSON.stringify({ type: this.lease ? 'MODIFIED' : 'DELETED', object: this.lease ?? { metadata: {} } })}\n`;
        known = version ?? '';
      } else await new Promise<void>((resolve) => this.#watchers.add(resolve));
    }
  }

  /** Somebody else changes it, or deletes it. */
  put(lease: Lease | undefined): void {
    this.lease = lease;
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }

  answer({ method, body }: Pick<TransportRequest, 'method' | 'body'>): { status: number; body: unknown } {
    if (method === 'GET') return this.lease ? { status: 200, body: this.lease } : failure(404, 'NotFound');
    const wanted = JSON.parse(body ?? '') as Lease;
    if (method === 'POST') return this.lease ? failure(409, 'AlreadyExists') : this.#store(wanted, 201);
    if (!this.lease) return failure(404, 'NotFound');
    const { uid, resourceVersion } = this.lease.metadata;
    const isCurrent = wanted.metadata.uid === uid && wanted.metadata.resourceVersion === resourceVersion;
    return isCurrent ? this.#store(wanted, 200) : failure(409, 'Conflict');
  }

  #store(lease: Lease, status: number): { status: number; body: unknown } {
    this.#version += 1;
    const { uid = `uid-${this.#version}` } = lease.metadata;
    this.put({ ...lease, metadata: { ...lease.metadata, uid, resourceVersion: String(this.#version) } });
    return { status, body: this.lease };
  }
}

const failure = (code: number, reason: string) => ({
  status: code,
  body: { kind: 'Status', code, reason, message: reason },
});

/** What happens to one request on its way. */
export interface Weather {
  /** How long no connection is free for it. */
  readonly waitMs?: number;
  readonly thereMs?: number;
  readonly backMs?: number;
  /** The connection breaks before or after the server has done it, or the server does nothing and says so. */
  readonly trouble?: 'request lost' | 'reply lost' | 'unavailable';
}

/** A process among others: its clocks go wrong, and it can be stopped and continued as SIGSTOP and SIGCONT do. */
export class SimulatedProcess implements Clock, Transport {
  readonly name: string;
  readonly #world: VirtualClock;
  readonly #server: SimulatedLease;
  readonly #weather: (request: TransportRequest) => Weather;
  readonly #skewMs: number;
  /** How fast its clock goes. */
  readonly #rate: number;
  #waiting: (() => void)[] | undefined;

  constructor(options: {
    readonly name: string;
    readonly world: VirtualClock;
    readonly server: SimulatedLease;
    readonly weather?: (request: TransportRequest) => Weather;
    readonly skewMs?: number;
    readonly rate?: number;
  }) {
    this.name = options.name;
    this.#world = options.world;
    this.#server = options.server;
    this.#weather = options.weather ?? (() => ({}));
    this.#skewMs = options.skewMs ?? 0;
    this.#rate = options.rate ?? 1;
  }

  now(): Date {
    return new Date(this.#world.now().getTime() + this.#skewMs);
  }

  monotonic(): number {
    return this.#world.monotonic() * this.#rate;
  }

  after(ms: number, call: () => void): Cancel {
    let cancelled = false;
    const cancel = this.#world.after(ms / this.#rate, () => this.#whenAwake(() => cancelled || call()));
    return () => {
      cancelled = true;
      cancel();
    };
  }

  stop(): void {
    this.#waiting ??= [];
  }

  /** What fell due meanwhile happens now, one thing after another. */
  continue(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const call of waiting) setImmediate(call);
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    request.signal.throwIfAborted();
    return await Promise.race([this.#exchange(request, this.#weather(request)), aborted(request.signal)]);
  }

  async close(): Promise<void> {}

  async #exchange(request: TransportRequest, weather: Weather): Promise<TransportResponse> {
    const { waitMs, thereMs, backMs, trouble } = weather;
    if (waitMs) await sleep(this, waitMs);
    request.signal.throwIfAborted();
    request.beforeSend?.();
    this.#server.journal.push(this.#entry(request));
    if (thereMs) await sleep(this.#world, thereMs);
    const isDone = trouble === undefined || trouble === 'reply lost';
    if (request.longLived && isDone) return this.#watched(request, weather);
    const { status, body } = isDone ? this.#server.answer(request) : failure(503, 'ServiceUnavailable');
    if (backMs) await sleep(this.#world, backMs);
    await new Promise<void>((resolve) => this.#whenAwake(resolve));
    if (trouble === 'request lost' || trouble === 'reply lost') {
      throw new ConnectionError('the connection broke', { mayHaveHappened: true });
    }
    return response(status, JSON.stringify(body));
  }

  /** A stream whose every line is as late as the weather was when it began, and that breaks after the first if a reply is lost. */
  #watched({ path, signal }: TransportRequest, { backMs, trouble }: Weather): TransportResponse {
    const since = new URL(path, 'https://server').searchParams.get('resourceVersion') ?? '';
    const lines = this.#server.watch(since);
    const late = async (): Promise<Uint8Array> => {
      const { value = '' } = await lines.next();
      if (backMs) await sleep(this.#world, backMs);
      await new Promise<void>((resolve) => this.#whenAwake(resolve));
      return Buffer.from(value);
    };
    const body = (async function* () {
      for (let count = 0; ; count++) {
        if (count > 0 && trouble) throw new ConnectionError('the connection broke', { mayHaveHappened: true });
        yield await Promise.race([late(), aborted(signal)]);
      }
    })();
    return { ...response(200, ''), body };
  }

  #entry({ method, body, longLived }: TransportRequest): LeaseRequest {
    const holder = body === undefined ? undefined : (JSON.parse(body) as Lease).spec?.holderIdentity;
    return { at: this.#world.monotonic(), from: this.name, method: longLived ? 'WATCH' : method, holder };
  }

  #whenAwake(call: () => void): void {
    if (this.#waiting) this.#waiting.push(call);
    else call();
  }
}

const response = (status: number, text: string): TransportResponse => ({
  status,
  header: () => undefined,
  body: (async function* () {
    yield Buffer.from(text);
  })(),
  text: async () => text,
});

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
