/**
 * Runs in a guest, on a filesystem on /dev/ubda: `write LIFE` stores and removes blobs until the power is cut, and tells of each when the
 * store says that it is done; `read` tells what is there. What is stored under a key can be made again from the key.
 */
import { createHash } from 'node:crypto';
import { DiskStore } from '../../../src/agent/disk-store.ts';
import { Layout } from '../../../src/agent/layout.ts';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { silentLog } from '../../../src/kit/observe/log.ts';
import { run } from '../machine.ts';

const WRITERS = 4;
/** From what is written at once with its trailer to what takes several writes. */
const SIZES = [0, 100, 5_000, 70_000, 600_000];
const tell = (what: object) => process.stdout.write(`${JSON.stringify(what)}\n`);

await run('mount', '/dev/ubda', '/mnt');
const layout = new Layout('/mnt/data');
await run('mkdir', '-p', layout.root);
const store = await DiskStore.open({
  layout,
  clock: systemClock,
  random: Math.random,
  log: silentLog,
  mostBytes: 2 ** 30,
});

const [what, life] = process.argv.slice(2);
if (what === 'write') await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
else await read();

/** Of every five one is removed again. */
async function write(writer: number): Promise<never> {
  for (let index = 0; ; index++) {
    const key = `${life}-${writer}-${index}`;
    await store.put(key, piecesOf(bytesOf(key, SIZES[index % SIZES.length] ?? 0)));
    tell({ stored: key });
    if (index % 5 !== 3) continue;
    tell({ removing: key });
    await store.remove(key);
    tell({ removed: key });
  }
}

async function read(): Promise<void> {
  await store.count();
  let after: string | undefined;
  do {
    const page = await store.list({ limit: 100, ...(after && { after }) });
    for (const { key, size } of page.items) tell({ there: key, isWhole: await isWhole(key, size) });
    after = page.continue;
  } while (after);
  tell({ totals: store.totals() });
}

async function isWhole(key: string, size: number): Promise<boolean> {
  await using blob = await store.open(key);
  const pieces: Buffer[] = [];
  for await (const bytes of blob?.read() ?? []) pieces.push(Buffer.from(bytes));
  return Buffer.concat(pieces).equals(bytesOf(key, size)) && SIZES.includes(size);
}

function bytesOf(key: string, size: number): Buffer {
  return Buffer.alloc(size, createHash('sha512').update(key).digest());
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536);
}
