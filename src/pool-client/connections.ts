/**
 * Requests to agents over node:http: connections are kept, bodies stream both ways at the pace of the slower side, and what stands
 * still is given up by the clock that is passed in.
 */
import type { ClientRequest, Agent as HttpAgent, IncomingMessage } from 'node:http';
import type { Clock } from '../kit/clock/clock.ts';
import { describeDuration } from '../kit/duration.ts';
import { Unreachable } from './errors.ts';
import type { Peer } from './protocol.ts';
import { Watchdog } from './watchdog.ts';

/** Not imported: with all that a module of Node exports come 15 MB that an agent of 100 MB has better uses for (src/agent/node-http.ts). */
const http = process.getBuiltinModule('node:http');

export interface ConnectionsOptions {
  readonly clock: Clock;
  /** Asked for each request: a token may change. Nothing for a pool that is open. */
  readonly token?: (() => string | undefined | Promise<string | undefined>) | undefined;
  /** How long an agent may take to accept a connection. */
  readonly connectMs?: number;
  /** How long nothing may happen after that. An agent answers a PUT only when the bytes are on its disk. */
  readonly silenceMs?: number;
  /** For each agent. */
  readonly mostConnections?: number;
}

export interface AgentRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** Sent only when the agent has said that it wants it. */
  readonly body?: AsyncIterable<Buffer>;
  readonly signal?: AbortSignal | undefined;
}

export interface AgentAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** To be read to the end, or given up by leaving the loop. Throws `Unreachable` when it breaks off. */
  readonly body: AsyncIterable<Buffer>;
}

const CONNECT_MS = 5_000;
const SILENCE_MS = 60_000;
const MOST_CONNECTIONS = 64;
/** Below what servers allow an idle connection, so that it is seldom closed in the moment in which it is used again. */
const IDLE_MS = 4_000;
/** A kept connection that turns out to be dead says nothing about the agent: the request goes out again on another one. */
const MOST_STALE = 3;

export class Connections implements Disposable {
  readonly #clock: Clock;
  readonly #token: ConnectionsOptions['token'];
  readonly #connectMs: number;
  readonly #silenceMs: number;
  readonly #pool: HttpAgent;

  constructor(options: ConnectionsOptions) {
    this.#clock = options.clock;
    this.#token = options.token;
    this.#connectMs = options.connectMs ?? CONNECT_MS;
    this.#silenceMs = options.silenceMs ?? SILENCE_MS;
    this.#pool = new http.Agent({
      keepAlive: true,
      maxSockets: options.mostConnections ?? MOST_CONNECTIONS,
      timeout: IDLE_MS,
    });
  }

  async send(agent: Peer, request: AgentRequest): Promise<AgentAnswer> {
    request.signal?.throwIfAborted();
    const token = await this.#token?.();
    for (let stale = 0; ; stale++) {
      const attempt = new Attempt(agent, request, token, this.#pool, this.#clock, this.#connectMs, this.#silenceMs);
      try {
        return await attempt.answer();
      } catch (error) {
        if (!attempt.wasStale || stale >= MOST_STALE) throw error;
      }
    }
  }

  [Symbol.dispose](): void {
    this.#pool.destroy();
  }
}

/** One request on one connection. */
class Attempt {
  readonly #agent: Peer;
  readonly #what: string;
  readonly #request: ClientRequest;
  readonly #body: AsyncIterable<Buffer> | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #dog: Watchdog;
  readonly #silenceMs: number;
  #isBodyBegun = false;
  #answered = false;
  /** Whoever waits for the connection to take a piece. */
  #wake: () => void = () => {};

  constructor(
    agent: Peer,
    { method, path, headers, body, signal }: AgentRequest,
    token: string | undefined,
    pool: HttpAgent,
    clock: Clock,
    connectMs: number,
    silenceMs: number,
  ) {
    this.#agent = agent;
    this.#what = `${method} ${path}`;
    this.#body = body;
    this.#signal = signal;
    this.#silenceMs = silenceMs;
    this.#request = http.request({
      ...addressOf(agent),
      method,
      path,
      agent: pool,
      headers: {
        ...headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body && { expect: '100-continue' }),
      },
    });
    this.#dog = new Watchdog(clock, (ms) => this.#giveUp(new Error(`nothing happened for ${describeDuration(ms)}`)));
    this.#dog.guard(connectMs);
  }

  /** The connection was kept from an earlier request and closed by the other side before this one was heard. */
  get wasStale(): boolean {
    return this.#request.reusedSocket && !this.#isBodyBegun && !this.#answered && !this.#signal?.aborted;
  }

  async answer(): Promise<AgentAnswer> {
    const onAbort = () => this.#giveUp(this.#signal?.reason);
    this.#signal?.addEventListener('abort', onAbort, { once: true });
    const done = () => {
      this.#dog.rest();
      this.#signal?.removeEventListener('abort', onAbort);
    };
    try {
      const message = await this.#exchange();
      return { status: message.statusCode ?? 0, headers: message.headers, body: this.#pieces(message, done) };
    } catch (error) {
      done();
      this.#request.destroy();
      throw this.#signal?.aborted ? this.#signal.reason : error;
    }
  }

  async #exchange(): Promise<IncomingMessage> {
    const request = this.#request;
    request.once('socket', (socket) => {
      const connected = () => this.#dog.guard(this.#silenceMs);
      if (socket.connecting) socket.once('connect', connected);
      else connected();
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', (message) => {
        this.#answered = true;
        resolve(message);
      });
      request.once('error', (cause) => reject(new Unreachable(this.#agent, this.#what, cause)));
      request.once('close', () => this.#answered || reject(new Unreachable(this.#agent, this.#what)));
    });
    for (const event of ['response', 'error', 'close']) request.on(event, () => this.#wake());
    request.on('error', () => {}); // the first one tells; a connection that breaks may break again
    answered.catch(() => {});
    if (this.#body) await this.#upload(this.#body, answered);
    else request.end();
    return await answered;
  }

  /** The bytes only leave when the agent has taken the request: one that it has not seen yet can then never store anything later. */
  async #upload(body: AsyncIterable<Buffer>, answered: Promise<IncomingMessage>): Promise<void> {
    const request = this.#request;
    const wanted = heard(request, 'continue');
    request.flushHeaders();
    await Promise.race([wanted, answered]);
    if (this.#answered) return;
    this.#isBodyBegun = true;
    for await (const piece of body) {
      this.#dog.guard(this.#silenceMs);
      if (!this.#answered && !request.destroyed) await this.#taken(piece);
      if (this.#answered || request.destroyed) break;
    }
    this.#dog.guard(this.#silenceMs);
    if (!this.#answered && !request.destroyed) request.end();
  }

  /** Resolves when nobody needs the piece any more: the system has it, or the exchange is over. Never rejects. */
  #taken(piece: Buffer): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    this.#request.write(piece, () => resolve());
    return promise;
  }

  async *#pieces(message: IncomingMessage, done: () => void): AsyncGenerator<Buffer> {
    const pieces = message[Symbol.asyncIterator]();
    try {
      for (;;) {
        this.#dog.guard(this.#silenceMs);
        const { done: isOver, value } = await pieces.next();
        this.#dog.rest(); // whoever reads may take their time
        if (isOver) break;
        yield value;
      }
    } catch (cause) {
      throw this.#signal?.aborted ? this.#signal.reason : new Unreachable(this.#agent, this.#what, cause);
    } finally {
      done();
      if (!message.readableEnded || !this.#request.writableEnded) this.#request.destroy();
    }
  }

  #giveUp(why: unknown): void {
    this.#request.destroy(why instanceof Error ? why : new Error(String(why)));
  }
}

/** Never rejects: that is for whoever waits for the answer. */
const heard = (request: ClientRequest, event: string): Promise<void> =>
  new Promise((resolve) => request.once(event, () => resolve()));

function addressOf({ name, url }: Peer): { readonly hostname: string; readonly port: number } {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== 'http:') {
    throw new Error(
      `the agent ${name} cannot be reached at ${JSON.stringify(url)}: agents have URLs like http://10.0.0.7:8080`,
    );
  }
  return { hostname: parsed.hostname.replace(/^\[|\]$/g, ''), port: Number(parsed.port || 80) };
}
