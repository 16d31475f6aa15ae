/** Pages of what is stored, by looking at the directories. The order is that of the hashes, so that what comes and goes moves nothing else. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fewAtATime } from '../kit/few-at-a-time.ts';
import type { BlobInfo, BlobPage } from '../pool-client/protocol.ts';
import { isHash } from './keys.ts';
import type { Layout } from './layout.ts';
import { type PageOfBlobs, StoreError } from './store.ts';

/** So many are looked at for one page, where few of them begin as was asked for: the page is then short, and the next one goes on. */
const MOST_LOOKED_AT = 10_000;
const LOOKED_AT_TOGETHER = 256;
const AT_ONCE = 8;

export async function pageOfBlobs(
  layout: Layout,
  { after = '', limit, prefix = '' }: PageOfBlobs,
  look: (hash: string) => Promise<BlobInfo | undefined>,
): Promise<BlobPage> {
  if (after !== '' && !isHash(after)) throw new StoreError('BadRequest', 'this is not where a page of ours ended');
  const items: BlobInfo[] = [];
  let lookedAt = 0;
  let last = after;
  for await (const hashes of batches(layout, after, prefix === '' ? limit : LOOKED_AT_TOGETHER)) {
    if (items.length === limit || lookedAt >= MOST_LOOKED_AT) return { items, continue: last };
    for (const [index, info] of (await fewAtATime(AT_ONCE, hashes, look)).entries()) {
      if (items.length === limit) return { items, continue: last };
      if (info?.key.startsWith(prefix)) items.push(info);
      last = hashes[index] ?? last;
    }
    lookedAt += hashes.length;
  }
  return { items };
}

/** Hashes after the given one, in order, a shelf or a part of one at a time; none of them is empty. */
async function* batches(layout: Layout, after: string, most: number): AsyncGenerator<readonly string[], void, void> {
  for (const shelf of layout.shelves) {
    if (shelf < after.slice(0, 2)) continue;
    const hashes = (await hashesOn(layout, shelf)).filter((hash) => hash > after);
    for (let at = 0; at < hashes.length; at += most) yield hashes.slice(at, at + most);
  }
}

/** All that there are, in order; each shelf is looked at when it is its turn. One that cannot be read is told of after the others. */
export async function* hashesIn(layout: Layout): AsyncGenerator<string, void, void> {
  const failures: unknown[] = [];
  for (const shelf of layout.shelves) {
    yield* await hashesOn(layout, shelf).catch((error: unknown) => {
      failures.push(error);
      return [];
    });
  }
  if (failures.length > 0) throw failures[0];
}

const hashesOn = async (layout: Layout, shelf: string): Promise<readonly string[]> =>
  (await readdir(join(layout.blobs, shelf))).filter(isHash).sort();
