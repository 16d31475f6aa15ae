/**
 * A file by its descriptor. To have another thread do something and to hear of it wakes two threads, which can take longer than what it
 * does: what the kernel does without its disk is done at once.
 */
import { type BigIntStats, close, closeSync, fstatSync, fsync, open, read, writev } from 'node:fs';
import { promisify } from 'node:util';

const [openAsync, readAsync, writevAsync] = [promisify(open), promisify(read), promisify(writev)];
const [fsyncAsync, closeAsync] = [promisify(fsync), promisify(close)];

/** If its name is gone, its blocks are given back when it is closed. Of more than so many bytes that may take a while. */
const CLOSED_AT_ONCE_BYTES = 1024 * 1024;

export class OpenFile {
  readonly fd: number;
  #isClosed = false;

  private constructor(fd: number) {
    this.fd = fd;
  }

  static async open(path: string, flags: string | number, mode?: number): Promise<OpenFile> {
    return new OpenFile(await openAsync(path, flags, mode));
  }

  stat(): BigIntStats {
    return fstatSync(this.fd, { bigint: true });
  }

  /** How many there were. */
  async read(into: Buffer, start: number, length: number, at: number): Promise<number> {
    return (await readAsync(this.fd, into, start, length, at)).bytesRead;
  }

  /** How many were taken. */
  async writev(chunks: readonly Buffer[]): Promise<number> {
    return (await writevAsync(this.fd, chunks)).bytesWritten;
  }

  sync(): Promise<void> {
    return fsyncAsync(this.fd);
  }

  /** Does nothing when it is closed already: its number may be that of another file by then. */
  async close(bytes: number): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (bytes <= CLOSED_AT_ONCE_BYTES) closeSync(this.fd);
    else await closeAsync(this.fd);
  }
}
