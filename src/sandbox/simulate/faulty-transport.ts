/** The network between one process and the API server: every call takes its time both ways, and meets the fault that is meant for it. */
import type { Random } from '../../kit/backoff.ts';
import { type Clock, sleep } from '../../kit/clock/clock.ts';
import type { MortalClock } from '../../kit/clock/mortal.ts';
import {
  ConnectionError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../kit/kube/transport.ts';
import { type CallFault, callOf, PAUSE_MS, type WatchFault } from './fault.ts';
import { disturbed } from './faulty-stream.ts';

export interface FaultyTransportOptions {
  readonly inner: Transport;
  /** Of the process: it never hears what comes when it is dead. */
  readonly clock: MortalClock;
  /** Of the network: what has left the process arrives, whatever becomes of the process. */
  readonly network: Clock;
  readonly random: Random;
  /** Asked for each call; notes it. */
  readonly strike: (call: string) => CallFault | undefined;
  readonly strikeWatch: (call: string) => WatchFault | undefined;
  readonly arrives: (call: string) => void;
  readonly answered: (call: string, status: number | string) => void;
  readonly crash: () => void;
}

const LATENCY_MS = { least: 1, most: 12 };

export class FaultyTransport implements Transport {
  readonly #options: FaultyTransportOptions;

  constructor(options: FaultyTransportOptions) {
    this.#options = options;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { strike, crash, arrives, answered } = this.#options;
    const call = `${request.method} ${request.path}`;
    request.signal.throwIfAborted();
    request.beforeSend?.();
    const isWatch = request.longLived === true;
    const fault = strike(callOf(isWatch ? 'WATCH' : request.method, request.path));
    if (fault === 'crash-before') return dead(crash);
    await this.#latency(this.#options.network);
    if (fault === 'timeout') return until(request.signal);
    if (fault === 'reset') throw reset();
    const refusal = fault && refusalOf(fault);
    if (!refusal) arrives(call);
    const response = refusal ?? (await this.#options.inner.request(onItsWay(request)));
    answered(call, fault === undefined ? response.status : `${response.status} (${fault})`);
    if (fault === 'crash-after') return dead(crash);
    if (fault === 'pause') this.#options.clock.pause(PAUSE_MS);
    await this.#latency(this.#options.clock, request.signal);
    if (fault === 'lost-reply') throw reset();
    return isWatch ? this.#watched(response, request) : response;
  }

  close(): Promise<void> {
    return this.#options.inner.close();
  }

  #watched(response: TransportResponse, { method, path, signal }: TransportRequest): TransportResponse {
    const { clock, strikeWatch } = this.#options;
    const fault = strikeWatch(callOf(method, path));
    const body = fault ? disturbed(response.body, fault, clock, signal) : response.body;
    return { ...response, body: whileAwake(body, clock) };
  }

  #latency(clock: Clock, signal?: AbortSignal): Promise<void> {
    const ms = LATENCY_MS.least + Math.floor(this.#options.random() * (LATENCY_MS.most - LATENCY_MS.least));
    return sleep(clock, ms, signal);
  }
}

/** Nobody is there any more who could hear of it. */
function dead(crash: () => void): Promise<never> {
  crash();
  return new Promise(() => {});
}

/** A process that is paused reads nothing. */
async function* whileAwake(body: AsyncIterable<Uint8Array>, clock: MortalClock): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    await clock.awake();
    yield chunk;
  }
}

const reset = () => new ConnectionError('the connection was reset', { mayHaveHappened: true });

/** The gate was asked when the request left the process, and nobody can call it back. A watch can be ended. */
function onItsWay({ beforeSend: _, ...request }: TransportRequest): TransportRequest {
  return request.longLived ? request : { ...request, signal: NEVER };
}

const NEVER = new AbortController().signal;

function until(signal: AbortSignal): Promise<never> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

function refusalOf(fault: CallFault): TransportResponse | undefined {
  switch (fault) {
    case 'conflict':
      return refusal(409, 'Conflict');
    case 'expired':
      return refusal(410, 'Expired');
    case 'too-many':
      return refusal(429, 'TooManyRequests', '1');
    case 'internal':
      return refusal(500, 'InternalError');
    case 'unavailable':
      return refusal(503, 'ServiceUnavailable');
    default:
      return undefined;
  }
}

function refusal(code: number, reason: string, retryAfter?: string): TransportResponse {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'as simulated', reason, code };
  const text = JSON.stringify(body);
  return {
    status: code,
    header: (name) => (name.toLowerCase() === 'retry-after' ? retryAfter : undefined),
    body: (async function* () {
      yield Buffer.from(text);
    })(),
    text: async () => text,
  };
}
