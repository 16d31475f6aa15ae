/** Reads a blob to its end, whatever breaks on the way: goes on where it broke off, at whichever agent has the blob by then. */
import { createHash, type Hash } from 'node:crypto';
import type { Download, Resumption } from './agent-calls.ts';
import { Corrupt } from './errors.ts';
import type { Patience } from './patience.ts';
import type { BlobInfo } from './protocol.ts';
import { asError } from './rounds.ts';

/** Where the rest is. Throws when it is nowhere. */
export type Resume = (from: Resumption) => Promise<Download>;

/** The digest is checked when the last byte has come: who reads has the blob only when this ends without an error. */
export async function* wholeOf(first: Download, resume: Resume, patience: Patience): AsyncGenerator<Buffer> {
  const { info } = first;
  const hash = createHash('sha256');
  let read = 0;
  for (let download = first; ; download = await resume({ start: read, sha256: info.sha256 })) {
    try {
      for await (const piece of download.body) {
        hash.update(piece);
        read += piece.length;
        yield piece;
        patience.renew();
      }
      if (read >= info.size) return check(info, read, hash);
      throw new Error(`the blob ${JSON.stringify(info.key)} ended after ${read} of ${info.size} bytes`);
    } catch (error) {
      if (read >= info.size || error instanceof Corrupt) throw error;
      await patience.after(asError(error));
    }
  }
}

function check({ key, size, sha256 }: BlobInfo, read: number, hash: Hash): void {
  const digest = hash.digest('hex');
  if (read === size && digest === sha256) return;
  throw new Corrupt(
    `what was read of the blob ${JSON.stringify(key)} is not what was stored: ${read} bytes with the digest ${digest} ` +
      `instead of ${size} with ${sha256}; do not use it, and try again`,
  );
}
