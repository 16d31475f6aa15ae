/** Sends one call: authorization, deadline, rate limit, write gate, retries. Everything that all verbs have in common. */
import type { Random } from '../backoff.ts';
import { type Clock, sleep } from '../clock/clock.ts';
import { type Deadline, deadline } from '../clock/deadline.ts';
import { ApiError, apiErrorFrom, hasReason } from './api-error.ts';
import type { RateLimiter } from './rate-limit.ts';
import { decideRetry, mayHaveHappened } from './retry.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export interface CallerOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** Who we are to the server, as headers. `refresh` is set when it did not accept what we sent. */
  readonly authorize?: (refresh: boolean) => Identity | Promise<Identity>;
  readonly userAgent?: string;
  readonly limiter?: RateLimiter;
  readonly gate?: WriteGate;
  readonly onCall?: (call: CallRecord) => void;
}

export type Identity = Readonly<Record<string, string>>;

/** Decides, at the last moment before the bytes leave, whether this process may still write. */
export interface WriteGate {
  /** Throws when it may not. */
  check(): void;
}

/** One request that was sent or could not be, for those who count. A retry is one more. */
export interface CallRecord {
  readonly method: string;
  readonly path: string;
  /** The status of the answer, or `<error>` when none came. */
  readonly code: string;
  /** Until the answer had been read to its end; of a stream, until it began. */
  readonly seconds: number;
  /** What time the server says it was when it answered, if it says so. */
  readonly date?: string | undefined;
}

export interface Call {
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly repeatable?: boolean;
  /** Changes nothing although it is a POST: an access review, a dry question. */
  readonly readOnly?: boolean;
}

/** One attempt at a call, and what to do with its response when it succeeds. */
interface Sending<T> {
  readonly call: Call;
  readonly signal: AbortSignal;
  readonly longLived: boolean;
  readonly read: (response: TransportResponse) => Promise<T>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

export class Caller {
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  gatedBy(gate: WriteGate): Caller {
    return new Caller({ ...this.#options, gate });
  }

  /** Resolves with the text of a successful answer. */
  async call(call: Call): Promise<string> {
    const { clock, random } = this.#options;
    const repeatable = call.repeatable ?? isRead(call);
    let mayBeDone = false;
    for (let number = 1; ; number++) {
      try {
        return await this.#attempt(call);
      } catch (failure) {
        // What was to be deleted is gone, and the attempt whose answer was lost may well have done that.
        if (mayBeDone && call.method === 'DELETE' && hasReason(failure, 'NotFound')) return '';
        mayBeDone ||= mayHaveHappened(failure);
        const decision = decideRetry(failure, { number, repeatable }, random);
        if (!decision.retry) throw failure;
        await sleep(clock, decision.afterMs, call.signal);
      }
    }
  }

  /** Resolves with the response of a stream as soon as it is accepted. Not repeated: its reader knows where to resume. */
  async open(call: Call & { readonly signal: AbortSignal }): Promise<TransportResponse> {
    await this.#options.limiter?.take(call.signal);
    const opening = this.#deadline(call);
    const signal = AbortSignal.any([call.signal, opening.signal]);
    try {
      return await this.#authorized({ call, signal, longLived: true, read: async (response) => response });
    } finally {
      opening.cancel();
    }
  }

  async #attempt(call: Call): Promise<string> {
    await this.#options.limiter?.take(call.signal);
    const { signal, cancel } = this.#deadline(call);
    try {
      return await this.#authorized({ call, signal, longLived: false, read: (response) => response.text() });
    } finally {
      cancel();
    }
  }

  /** A token can be replaced at any time: one refusal is answered by reading it anew. */
  async #authorized<T>(sending: Sending<T>): Promise<T> {
    try {
      return await this.#send(sending, false);
    } catch (error) {
      if (!hasReason(error, 'Unauthorized') || !this.#options.authorize) throw error;
      return await this.#send(sending, true);
    }
  }

  async #send<T>({ call, signal, longLived, read }: Sending<T>, refresh: boolean): Promise<T> {
    const { transport, clock, authorize } = this.#options;
    const given = authorize?.(refresh) ?? {};
    const identity = given instanceof Promise ? await unlessAborted(given, signal) : given;
    const started = clock.monotonic();
    let code = '<error>';
    let date: string | undefined;
    try {
      const response = await transport.request({ ...this.#request(call, identity), signal, longLived });
      code = String(response.status);
      date = response.header('date');
      if (response.status >= 200 && response.status < 300) return await read(response);
      const retryAfter = response.header('retry-after');
      throw apiErrorFrom(`${call.method} ${call.path}`, response.status, await response.text(), retryAfter);
    } finally {
      const seconds = (clock.monotonic() - started) / 1000;
      this.#options.onCall?.({
        method: call.method,
        path: call.path,
        code,
        seconds,
        ...(date !== undefined && { date }),
      });
    }
  }

  #request(call: Call, identity: Identity): Omit<TransportRequest, 'signal' | 'longLived'> {
    const { gate, userAgent = 'holdfast' } = this.#options;
    const content = call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' };
    return {
      method: call.method,
      path: call.path,
      headers: { accept: 'application/json', 'user-agent': userAgent, ...content, ...identity },
      ...(call.body === undefined ? {} : { body: call.body }),
      ...(gate && !isRead(call) ? { beforeSend: () => gate.check() } : {}),
    };
  }

  /** Ends a call that takes too long as a timeout: it may have happened. */
  #deadline(call: Call): Deadline {
    const timeoutMs = call.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    return deadline(this.#options.clock, timeoutMs, () => timeoutError(call, timeoutMs), call.signal);
  }
}

/** To find out who we are, a program may be run that hangs: the call does not hang with it. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const isRead = (call: Call): boolean => call.method === 'GET' || call.readOnly === true;

const timeoutError = (call: Call, timeoutMs: number): ApiError =>
  new ApiError({
    request: `${call.method} ${call.path}`,
    status: 504,
    reason: 'Timeout',
    detail: `no answer within ${timeoutMs / 1000} s`,
  });
