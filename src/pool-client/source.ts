/** Bytes to be stored. They are read several times: once to know them, and again for each agent that is tried. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

export interface BlobSource {
  readonly size: number;
  readonly sha256: string;
  open(): AsyncIterable<Buffer>;
}

/** As much as is read and sent at once. */
const PIECE = 256 * 1024;

export function bytesSource(bytes: Uint8Array): BlobSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    size: buffer.length,
    sha256: createHash('sha256').update(buffer).digest('hex'),
    async *open() {
      for (let start = 0; start < buffer.length; start += PIECE) yield buffer.subarray(start, start + PIECE);
    },
  };
}

/** Reads the whole file, for its digest. A file that changes afterwards is not stored: the agents check. */
export async function fileSource(path: string): Promise<BlobSource> {
  const open = (): AsyncIterable<Buffer> => createReadStream(path, { highWaterMark: PIECE });
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of open()) {
    hash.update(piece);
    size += piece.length;
  }
  return { size, sha256: hash.digest('hex'), open };
}
