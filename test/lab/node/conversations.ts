/** The conversations over one line, as either side has them. */
import { createConnection, createServer, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { type Ending, encode, type Frame, type FrameKind, FrameReader, type Request } from './frames.ts';

/** What happens to a conversation when a frame of it comes. */
export type Listener = (kind: FrameKind, body: Buffer) => void;

export interface Line {
  readonly readable: Readable;
  readonly writable: Writable;
}

/** The conversation about the guest itself. */
export const THE_GUEST = 0;

export class Conversations {
  readonly #line: Line;
  readonly #listeners = new Map<number, Listener>();
  readonly #onRequest: (conversation: Conversation, request: Request) => void;
  #next: number;

  /** One side counts even numbers, the other one odd ones. */
  constructor(line: Line, parity: 0 | 1, onRequest: (conversation: Conversation, request: Request) => void) {
    this.#line = line;
    this.#next = 2 + parity;
    this.#onRequest = onRequest;
    const reader = new FrameReader();
    line.readable.on('data', (piece: Buffer) => {
      if (parity === 0) this.send(THE_GUEST, 'heard', `${piece.length}`);
      for (const frame of reader.push(piece)) this.#receive(frame);
    });
    line.readable.on('close', () => this.#lost());
  }

  open(request: Request, listener: Listener): Conversation {
    const conversation = new Conversation(this, this.#next);
    this.#next += 2;
    this.listen(conversation.number, listener);
    conversation.send('open', JSON.stringify(request));
    return conversation;
  }

  listen(number: number, listener: Listener): void {
    this.#listeners.set(number, listener);
  }

  forget(number: number): void {
    this.#listeners.delete(number);
  }

  send(conversation: number, kind: FrameKind, body: Buffer | string): void {
    const bytes = encode({ conversation, kind, body: Buffer.from(body) });
    if (this.#line.writable.writable) this.#line.writable.write(bytes);
  }

  #receive({ conversation: number, kind, body }: Frame): void {
    const listener = this.#listeners.get(number);
    if (kind === 'close') this.forget(number);
    if (kind === 'open') this.#onRequest(new Conversation(this, number), JSON.parse(body.toString()));
    else listener?.(kind, body);
  }

  #lost(): void {
    const ending: Ending = { failure: 'the guest is off' };
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    for (const listener of listeners) listener('close', Buffer.from(JSON.stringify(ending)));
  }
}

export class Conversation {
  readonly number: number;
  readonly #all: Conversations;

  constructor(all: Conversations, number: number) {
    this.#all = all;
    this.number = number;
  }

  on(listener: Listener): void {
    this.#all.listen(this.number, listener);
  }

  send(kind: FrameKind, body: Buffer | string = ''): void {
    this.#all.send(this.number, kind, body);
  }

  close(ending: Ending = {}): void {
    this.#all.forget(this.number);
    this.send('close', JSON.stringify(ending));
  }
}

/** Carries all that comes from one to the other, until either ends. */
function join(conversation: Conversation, socket: Socket): Listener {
  socket.on('data', (bytes: Buffer) => conversation.send('data', bytes));
  socket.on('end', () => conversation.send('end'));
  socket.on('error', () => undefined).on('close', () => conversation.close());
  return (kind, body) => {
    if (kind === 'data') socket.write(body);
    else if (kind === 'end') socket.end();
    else if (kind === 'close') socket.destroy();
  };
}

/** Answers a request for a connection to a port of the loopback of this side. */
export function connect(conversation: Conversation, port: number): void {
  conversation.on(join(conversation, createConnection({ port, host: '127.0.0.1', allowHalfOpen: true })));
}

/** Takes connections at a port of the loopback of this side to the same, or another one, of the other side. Gives what ends it. */
export async function listen(conversations: Conversations, port: number, to = port): Promise<Listening> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)));
    const conversation = conversations.open({ connect: to }, (kind, body) => listener(kind, body));
    const listener = join(conversation, socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: typeof address === 'object' && address ? address.port : port, close };
}

export interface Listening {
  readonly port: number;
  close(): void;
}
