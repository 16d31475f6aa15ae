/** What is on a disk, or in the file behind one, read and written by other means than the program's own. */
import { execFile } from 'node:child_process';
import { open, stat } from 'node:fs/promises';
import { promisify } from 'node:util';

const MIB = 2 ** 20;

/** What was there before: no wipe writes it. */
const OLD = Buffer.alloc(MIB, 'somebody still needs this. ');
const A_WORD = OLD.subarray(0, 27);

export async function fill(path: string): Promise<void> {
  const bytes = await sizeOf(path);
  await using disk = await open(path, 'r+');
  for (let at = 0; at < bytes; at += MIB) await disk.write(OLD, 0, Math.min(MIB, bytes - at), at);
  await disk.sync();
}

/** Each stretch of MiBs that are of one kind, in order. */
export async function stretchesOf(path: string): Promise<readonly string[]> {
  const bytes = await sizeOf(path);
  await using disk = await open(path, 'r');
  const stretches: { kind: string; mibs: number }[] = [];
  const piece = Buffer.alloc(MIB);
  for (let at = 0; at < bytes; at += MIB) {
    const { bytesRead } = await disk.read(piece, 0, MIB, at);
    const kind = kindOf(piece.subarray(0, bytesRead));
    const last = stretches.at(-1);
    if (last?.kind === kind) last.mibs += 1;
    else stretches.push({ kind, mibs: 1 });
  }
  return stretches.map(({ kind, mibs }) => `${mibs} MiB ${kind}`);
}

/** Where the first of it is that was there before; after the end when there is none. */
export async function firstOldAt(path: string): Promise<number> {
  const bytes = await sizeOf(path);
  await using disk = await open(path, 'r');
  const piece = Buffer.alloc(MIB);
  for (let at = 0; at < bytes; at += MIB) {
    const { bytesRead } = await disk.read(piece, 0, MIB, at);
    const found = piece.subarray(0, bytesRead).indexOf(A_WORD);
    if (found >= 0) return at + found;
  }
  return bytes;
}

/** Also forgets what the kernel remembers of the bytes of a device: somebody may have written them past it. */
async function sizeOf(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isBlockDevice()) return found.size;
  const { stdout } = await promisify(execFile)('blockdev', ['--flushbufs', '--getsize64', path]);
  return Number(stdout);
}

const zeroes = Buffer.alloc(MIB);

function kindOf(piece: Buffer): string {
  if (piece.equals(zeroes.subarray(0, piece.length))) return 'zero';
  if (piece.equals(OLD.subarray(0, piece.length))) return 'old';
  return piece.includes(A_WORD) ? 'partly old' : 'other';
}
