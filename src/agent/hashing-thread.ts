/**
 * Digests of files while they are written, made by a thread of its own. To hash is a third of what an agent does for a large blob that
 * comes in, and the thread that takes bytes from the network has no time to spare. It reads what was written from the page cache: so the
 * digest is that of the file, and not only of what was meant to be in it.
 */
import { Worker } from 'node:worker_threads';

/** To the thread: so many more bytes are in the file; at the end, its digest is wanted. */
interface Order {
  readonly file: number;
  readonly fd: number;
  readonly bytes: number;
  readonly isLast: boolean;
}

/** To the last order for a file, and to no other: both threads have better things to do. */
interface Reply {
  readonly file: number;
  readonly digest?: string;
  readonly error?: string;
}

interface Waiting {
  readonly resolve: (digest: string) => void;
  readonly reject: (error: Error) => void;
}

/** A thread needs some memory of its own, and no more than that. */
const LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

export class HashingThread implements AsyncDisposable {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #failure: Error | undefined;
  #files = 0;

  /** Whether it can be used: one that has failed is not started again. */
  get isWell(): boolean {
    return this.#failure === undefined;
  }

  /** Of a file that can be read by this descriptor, from its beginning on. */
  digestOf(fd: number): GrowingDigest {
    const file = ++this.#files;
    return new GrowingDigest({
      tell: (bytes) => this.#order({ file, fd, bytes, isLast: false }),
      ask: (bytes) => this.#ask({ file, fd, bytes, isLast: true }),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#fail(new Error('the agent ends'));
    await this.#worker?.terminate();
  }

  #ask(order: Order): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.#waiting.set(order.file, { resolve, reject });
    this.#order(order);
    if (this.#failure) this.#fail(this.#failure);
    return promise;
  }

  /** Nothing is told to one that has failed; who asks hears of it. */
  #order(order: Order): void {
    if (this.#failure) return;
    try {
      this.#started().postMessage(order);
    } catch (cause) {
      this.#fail(new Error('the thread that hashes cannot be started', { cause }));
    }
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(HASH_FILES, { eval: true, resourceLimits: LIMITS });
    worker.unref();
    worker.on('message', (reply: Reply) => this.#replied(reply));
    worker.on('error', (error) => this.#fail(new Error('the thread that hashes has failed', { cause: error })));
    worker.on('exit', () => this.#fail(new Error('the thread that hashes has ended')));
    this.#worker = worker;
    return worker;
  }

  #replied({ file, digest, error }: Reply): void {
    const waiting = this.#waiting.get(file);
    this.#waiting.delete(file);
    if (digest !== undefined) waiting?.resolve(digest);
    else waiting?.reject(new Error(error));
  }

  #fail(failure: Error): void {
    this.#failure ??= failure;
    for (const { reject } of this.#waiting.values()) reject(failure);
    this.#waiting.clear();
  }
}

/** What the digest of one file needs of the thread: `ask` ends it, and no more is read after that. */
interface Hashing {
  readonly tell: (bytes: number) => void;
  readonly ask: (bytes: number) => Promise<string>;
}

/** So much is hashed while more comes in; the digest of less is made all at once, at its end. */
const TOLD_BYTES = 1024 * 1024;

/** Of one file that is still being written. */
export class GrowingDigest {
  readonly #hashing: Hashing;
  #untold = 0;
  #isKnown = false;
  #last: Promise<string> | undefined;

  constructor(hashing: Hashing) {
    this.#hashing = hashing;
  }

  /** So many more bytes are in the file. What comes after the digest is not part of it. */
  add(bytes: number): void {
    this.#untold += bytes;
    if (this.#last || this.#untold <= TOLD_BYTES) return;
    this.#hashing.tell(this.#untold);
    this.#isKnown = true;
    this.#untold = 0;
  }

  /** In hexadecimal digits, of all that was added. Rejects when any of it could not be read. */
  finish(): Promise<string> {
    this.#last ??= this.#hashing.ask(this.#untold);
    return this.#last;
  }

  /** Resolves when the file is not read any more, whatever became of it. */
  async end(): Promise<void> {
    if (this.#isKnown) this.#last ??= this.#hashing.ask(0);
    await Promise.allSettled([this.#last]);
  }
}

/** What runs in the thread, as text: a bundler would let it use what is not there. Each file has its hash, and how far it was read. */
const HASH_FILES = `
const { parentPort } = require('node:worker_threads');
const { createHash } = require('node:crypto');
const { readSync } = require('node:fs');
const buffer = Buffer.allocUnsafeSlow(256 * 1024);
const files = new Map();

function grown({ file, fd, bytes, isLast }) {
  const known = files.get(file) ?? { hash: createHash('sha256'), at: 0 };
  if (isLast) files.delete(file);
  else files.set(file, known);
  if (known.error !== undefined) return known;
  try {
    for (const end = known.at + bytes; known.at < end; ) {
      const count = readSync(fd, buffer, 0, Math.min(buffer.length, end - known.at), known.at);
      if (count === 0) throw new Error('the file is shorter than what was written to it');
      known.hash.update(buffer.subarray(0, count));
      known.at += count;
    }
  } catch (error) {
    known.error = String(error);
  }
  return known;
}

parentPort.on('message', (order) => {
  const { hash, error } = grown(order);
  if (!order.isLast) return;
  const { file } = order;
  parentPort.postMessage(error === undefined ? { file, digest: hash.digest('hex') } : { file, error });
});
`;
