/** The kit's transport to a server in the same process. Everything is as over a wire, bytes included, but for the wire. */
import {
  ConnectionError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../kit/kube/transport.ts';
import { textOf } from './object-text.ts';
import type { Answer } from './server/answer.ts';
import { linesOf } from './server/answer-text.ts';
import type { Server } from './server/server.ts';
import type { User } from './server/target.ts';

export class InProcessTransport implements Transport {
  readonly #server: Server;
  readonly #user: User;
  readonly #closed = new AbortController();

  constructor(server: Server, user: User) {
    this.#server = server;
    this.#user = user;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { method, path, headers, body = '', beforeSend } = request;
    for (const each of [request.signal, this.#closed.signal]) each.throwIfAborted();
    beforeSend?.();
    // What is answered at once is not ended later.
    const signal = request.longLived ? AbortSignal.any([request.signal, this.#closed.signal]) : request.signal;
    const header = (name: string) => headers[name];
    return responseOf(this.#server.answer({ user: this.#user, method, path, header, body, signal }), signal);
  }

  async close(): Promise<void> {
    this.#closed.abort(new ConnectionError('the connection was closed', { mayHaveHappened: true }));
  }
}

function responseOf(answer: Answer, signal: AbortSignal): TransportResponse {
  const header = () => undefined;
  if ('events' in answer) {
    const body = untilAborted(linesOf(answer.events), signal);
    return { status: answer.status, header, body, text: () => whole(body) };
  }
  const text = typeof answer.body === 'string' ? answer.body : textOf(answer.body);
  return { status: answer.status, header, body: once(text), text: async () => text };
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** A stream that is aborted does not merely end. */
async function* untilAborted(lines: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const text of lines) {
    signal.throwIfAborted();
    yield Buffer.from(text);
  }
  signal.throwIfAborted();
}

async function whole(body: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body)).toString('utf8');
}
