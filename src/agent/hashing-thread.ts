/**
 * Digests of files while they are written, made by a thread of its own. To hash is a third of what an agent does for a large blob that
 * comes in, and the thread that takes bytes from the network has no time to spare. It reads what was written from the page cache: so the
 * digest is that of the file, and not only of what was meant to be in it.
 */
import { Worker } from 'node:worker_threads';

/** To the thread: so many more bytes are in the file; at the end, its digest is wanted. */
interface Order {
  readonly call: number;
  readonly file: number;
  readonly fd: number;
  readonly bytes: number;
  readonly isLast: boolean;
}

interface Reply {
  readonly call: number;
  readonly digest?: string;
  readonly error?: string;
}

interface Waiting {
  readonly resolve: (digest: string | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** A thread needs some memory of its own, and no more than that. */
const LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

export class HashingThread implements AsyncDisposable {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #failure: Error | undefined;
  #calls = 0;
  #files = 0;

  /** Whether it can be used: one that has failed is not started again. */
  get isWell(): boolean {
    return this.#failure === undefined;
  }

  /** Of a file that can be read by this descriptor, from its beginning on. */
  digestOf(fd: number): GrowingDigest {
    const file = ++this.#files;
    return new GrowingDigest((bytes, isLast) => this.#order(file, fd, bytes, isLast));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#fail(new Error('the agent ends'));
    await this.#worker?.terminate();
  }

  #order(file: number, fd: number, bytes: number, isLast: boolean): Promise<string | undefined> {
    if (this.#failure) return Promise.reject(this.#failure);
    const call = ++this.#calls;
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
    this.#waiting.set(call, { resolve, reject });
    try {
      this.#started().postMessage({ call, file, fd, bytes, isLast } satisfies Order);
    } catch (cause) {
      this.#fail(new Error('the thread that hashes cannot be started', { cause }));
    }
    return promise;
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

  #replied({ call, digest, error }: Reply): void {
    const waiting = this.#waiting.get(call);
    this.#waiting.delete(call);
    if (error === undefined) waiting?.resolve(digest);
    else waiting?.reject(new Error(error));
  }

  #fail(failure: Error): void {
    this.#failure ??= failure;
    for (const { reject } of this.#waiting.values()) reject(failure);
    this.#waiting.clear();
  }
}

/** Of one file that is still being written. */
export class GrowingDigest {
  readonly #order: (bytes: number, isLast: boolean) => Promise<string | undefined>;
  #last: Promise<string | undefined> = Promise.resolve(undefined);
  #isOver = false;

  constructor(order: (bytes: number, isLast: boolean) => Promise<string | undefined>) {
    this.#order = order;
  }

  /** So many more bytes are in the file. What comes after the digest is not part of it. */
  add(bytes: number): void {
    if (this.#isOver) return;
    this.#last = Promise.all([this.#last, this.#order(bytes, false)]).then(() => undefined);
    this.#last.catch(() => {}); // whoever finishes it is told
  }

  /** In hexadecimal digits, of all that was added. Rejects when any of it could not be read. */
  async finish(): Promise<string> {
    this.#isOver = true;
    const [digest] = await Promise.all([this.#order(0, true), this.#last]);
    if (digest === undefined) throw new Error('the thread that hashes has made no digest');
    return digest;
  }

  /** Resolves when the file is not read any more, whatever became of it. */
  async end(): Promise<void> {
    const last = this.#isOver ? this.#last : this.#order(0, true);
    this.#isOver = true;
    await Promise.allSettled([this.#last, last]);
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
  files.set(file, known);
  if (isLast) files.delete(file);
  for (const end = known.at + bytes; known.at < end; ) {
    const count = readSync(fd, buffer, 0, Math.min(buffer.length, end - known.at), known.at);
    if (count === 0) throw new Error('the file is shorter than what was written to it');
    known.hash.update(buffer.subarray(0, count));
    known.at += count;
  }
  return isLast ? { digest: known.hash.digest('hex') } : {};
}

parentPort.on('message', (order) => {
  try {
    parentPort.postMessage({ call: order.call, ...grown(order) });
  } catch (error) {
    parentPort.postMessage({ call: order.call, error: String(error) });
  }
});
`;
