/** A program that runs in a guest, as the test outside sees it. */
import { StringDecoder } from 'node:string_decoder';
import type { Conversation, Conversations } from './conversations.ts';
import type { Ending, FrameKind } from './frames.ts';

/** The exit code, or the signal that it was ended by. */
export type Status = number | string;

export class Program {
  /** What it has written so far, byte for byte. */
  readonly output: Buffer[] = [];
  readonly errors: Buffer[] = [];
  /** The lines that are complete so far, of both outputs as they came. */
  readonly lines: string[] = [];
  readonly #argv: readonly string[];
  readonly #conversation: Conversation;
  readonly #ended = Promise.withResolvers<Status>();
  readonly #rests = { data: new Rest(), error: new Rest() };

  constructor(conversations: Conversations, argv: readonly string[], env: Readonly<Record<string, string>>) {
    this.#argv = argv;
    this.#ended.promise.catch(() => undefined); // not everybody waits for it
    this.#conversation = conversations.open({ run: argv, env }, (kind, body) => this.#hear(kind, body));
  }

  write(input: string | Buffer): void {
    this.#conversation.send('data', input);
  }

  endInput(): void {
    this.#conversation.send('end');
  }

  kill(signal: NodeJS.Signals): void {
    this.#conversation.send('signal', signal);
  }

  /** Resolves when it has ended and all that it wrote is here. */
  ended(): Promise<Status> {
    return this.#ended.promise;
  }

  #hear(kind: FrameKind, body: Buffer): void {
    if (kind === 'close') this.#end(JSON.parse(body.toString()));
    if (kind !== 'data' && kind !== 'error') return;
    (kind === 'data' ? this.output : this.errors).push(body);
    this.lines.push(...this.#rests[kind].linesWith(body));
  }

  #end({ status, failure }: Ending): void {
    if (status !== undefined) this.#ended.resolve(status);
    else this.#ended.reject(new Error(`${this.#argv.join(' ')}: ${failure}`));
  }
}

/** What came after the last newline. */
class Rest {
  readonly #decoder = new StringDecoder();
  #text = '';

  linesWith(bytes: Buffer): readonly string[] {
    const lines = (this.#text + this.#decoder.write(bytes)).split('\n');
    this.#text = lines.pop() ?? '';
    return lines;
  }
}
