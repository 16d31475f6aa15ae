/** What is on a device, read and written by other means than the program's own. */
import { open } from 'node:fs/promises';
import { MIB, run } from './machine.ts';

/** What was on the device before: no wipe writes it. */
const OLD = Buffer.alloc(MIB, 'somebody still needs this. ');
const A_WORD = OLD.subarray(0, 27);

export async function fill(path: string): Promise<void> {
  await using device = await open(path, 'r+');
  const bytes = Number(await run('blockdev', '--getsize64', path));
  for (let at = 0; at < bytes; at += MIB) await device.write(OLD, 0, Math.min(MIB, bytes - at), at);
  await device.sync();
}

/** Each stretch of MiBs that are of one kind, in order. */
export async function stretchesOf(path: string): Promise<readonly string[]> {
  await run('blockdev', '--flushbufs', path);
  await using device = await open(path, 'r');
  const bytes = Number(await run('blockdev', '--getsize64', path));
  const stretches: { kind: string; mibs: number }[] = [];
  const piece = Buffer.alloc(MIB);
  for (let at = 0; at < bytes; at += MIB) {
    const { bytesRead } = await device.read(piece, 0, MIB, at);
    const kind = kindOf(piece.subarray(0, bytesRead));
    const last = stretches.at(-1);
    if (last?.kind === kind) last.mibs += 1;
    else stretches.push({ kind, mibs: 1 });
  }
  return stretches.map(({ kind, mibs }) => `${mibs} MiB ${kind}`);
}

const zeroes = Buffer.alloc(MIB);

function kindOf(piece: Buffer): string {
  if (piece.equals(zeroes.subarray(0, piece.length))) return 'zero';
  if (piece.equals(OLD.subarray(0, piece.length))) return 'old';
  return piece.includes(A_WORD) ? 'partly old' : 'other';
}
