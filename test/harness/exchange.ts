/** One request at a fault proxy: goes to the server and back, or meets its fault on the way. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Body, firstPart, inPieces, rewritten } from './body-stream.ts';
import type { RelayedConnection } from './connection-relay.ts';
import type { Fault, Passing, Reply } from './faults.ts';
import type { Upstream, UpstreamAnswer } from './upstream.ts';

export interface ExchangeParts {
  readonly request: IncomingMessage;
  /** HTTP/2's has the same methods, and a stream. */
  readonly response: ServerResponse & { readonly stream?: ServerHttp2Stream };
  readonly connection: RelayedConnection;
  readonly upstream: Upstream;
  /** The reply that a stale read repeats. */
  readonly earlier?: Reply | undefined;
  /** Takes the reply for stale reads to come. */
  readonly record?: ((recorded: Reply) => void) | undefined;
}

export class Exchange {
  readonly #parts: ExchangeParts;
  readonly #clientGone = new AbortController();

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    parts.response.once('close', () => this.#clientGone.abort());
    for (const side of [parts.request, parts.response]) side.on('error', () => this.#clientGone.abort());
  }

  /**
   * Resolves when the proxy has done its part, to the error of a server that cannot be reached or goes away: a reset to
   * the client.
   */
  async run(fault: Fault | undefined): Promise<Error | undefined> {
    try {
      await (fault ? this.#suffer(fault) : this.#pass());
      return undefined;
    } catch (error) {
      if (this.#clientGone.signal.aborted) return undefined;
      this.#parts.connection.reset();
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  async #suffer(fault: Fault): Promise<void> {
    const { connection, earlier, request, upstream } = this.#parts;
    switch (fault.fault) {
      case 'drop':
        return;
      case 'freeze':
        return connection.freeze();
      case 'reset':
        return connection.reset();
      case 'lost-reply':
        await this.#carriedOut();
        return connection.reset();
      case 'delay':
        await this.#wait(fault.until);
        return this.#pass();
      case 'delay-reply':
        return this.#delayReply(fault.until);
      case 'cut':
        await this.#passPart(fault);
        return this.#cut();
      case 'half-open':
        return this.#passPart(fault);
      case 'rewrite':
        return this.#rewrite(fault.events);
      case 'stale':
        return earlier ? this.#reply(earlier) : this.#pass();
      case 'slow':
        return this.#slowly(fault);
      case 'torn-upload':
        await upstream.sendPart(request, fault.afterBytes);
        return connection.reset();
      case 'rewrite-reply':
        return this.#reply(fault.rewrite(await this.#carriedOut()));
      case 'reply':
        if (fault.carriedOut) await this.#carriedOut();
        return this.#reply(fault.reply);
      case 'status':
        if (fault.carriedOut) await this.#carriedOut();
        return this.#reply(statusReply(fault.status, fault.retryAfter));
    }
  }

  #send(): Promise<UpstreamAnswer> {
    return this.#parts.upstream.send(this.#parts.request, this.#clientGone.signal);
  }

  async #pass(): Promise<void> {
    const answer = await this.#send();
    if (!this.#parts.record) return this.#deliver(answer);
    const recorded = { ...answer, body: await wholeOf(answer.body) };
    this.#parts.record(recorded);
    await this.#reply(recorded);
  }

  /** Even a client that gives up meanwhile leaves the server at work. */
  async #carriedOut(): Promise<Reply> {
    const answer = await this.#parts.upstream.send(this.#parts.request, new AbortController().signal);
    return { ...answer, body: await wholeOf(answer.body) };
  }

  async #delayReply(until: number | Promise<unknown>): Promise<void> {
    const recorded = await this.#carriedOut();
    await this.#wait(until);
    await this.#reply(recorded);
  }

  async #passPart(passing: Passing): Promise<void> {
    const answer = await this.#send();
    this.#head(answer);
    await this.#body(firstPart(answer.body, passing));
  }

  async #slowly({ pieceBytes, everyMs }: { readonly pieceBytes: number; readonly everyMs: number }): Promise<void> {
    const answer = await this.#send();
    const { signal } = this.#clientGone;
    await this.#deliver({
      ...answer,
      body: inPieces(answer.body, pieceBytes, () => sleep(everyMs, undefined, { signal })),
    });
  }

  async #rewrite(events: Parameters<typeof rewritten>[1]): Promise<void> {
    const answer = await this.#send();
    await this.#deliver({ ...answer, body: rewritten(answer.body, events) });
  }

  async #deliver(answer: UpstreamAnswer): Promise<void> {
    this.#head(answer);
    await this.#body(answer.body);
    this.#parts.response.end();
  }

  async #reply({ status, headers, body }: Reply): Promise<void> {
    const { request, response } = this.#parts;
    request.resume();
    const length = request.method === 'HEAD' ? {} : { 'content-length': String(body.length) }; // there it is that of the object
    response.writeHead(status, { ...headers, ...length });
    response.end(body);
  }

  /** At once: a watch is open as soon as its head is there, though the first event may take hours. */
  #head({ status, headers }: UpstreamAnswer): void {
    this.#parts.response.writeHead(status, headers);
    this.#parts.response.flushHeaders();
  }

  /** Each chunk is on its way before the next is taken: nothing is held back, and a slow client slows the server. */
  async #body(body: Body): Promise<void> {
    for await (const chunk of body) {
      const { promise: sent, resolve, reject } = Promise.withResolvers<void>();
      this.#parts.response.write(chunk, (error) => (error ? reject(error) : resolve()));
      await sent;
    }
  }

  /** What was written arrives; then the connection ends where more was promised. */
  #cut(): void {
    const { response } = this.#parts;
    if (response.stream) response.stream.session?.destroy();
    else response.socket?.destroySoon();
  }

  async #wait(until: number | Promise<unknown>): Promise<void> {
    const { signal } = this.#clientGone;
    if (typeof until === 'number') await sleep(until, undefined, { signal });
    else await Promise.race([until, once(signal, 'abort')]);
  }
}

/** As an API server words it. */
function statusReply(status: number, retryAfter?: number): Reply {
  const reason = { 409: 'Conflict', 410: 'Expired', 429: 'TooManyRequests', 500: 'InternalError' }[status];
  const details = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: status };
  const body = { ...details, message: `status ${status} put in by a test's fault proxy`, ...(reason && { reason }) };
  return {
    status,
    headers: {
      'content-type': 'application/json',
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    },
    body: Buffer.from(JSON.stringify(body)),
  };
}

async function wholeOf(body: Body): Promise<Buffer> {
  return Buffer.from(await buffer(body));
}
