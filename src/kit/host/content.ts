/** What is on a device: a filesystem, a part of LVM or RAID, a partition table. Asked of libblkid, which knows them all. */
import type { Known } from '../known.ts';
import { alignedBuffer } from './aligned-buffer.ts';
import type { DeviceFacts, OpenDevice } from './block-device.ts';
import type { Commands } from './command.ts';

export interface Content {
  /** `undefined` when there is nothing that would be recognised. */
  readonly signature: Known<string | undefined>;
  /** That there is nothing but zeroes where signatures are. */
  readonly isBlank: boolean;
  /** The same of its beginning alone, which every method but `random-all` leaves so. */
  readonly isHeadBlank: boolean;
}

/** The codes of blkid(8): nothing that it knows, and several things at once. */
const NOTHING = 2;
const AMBIVALENT = 8;

const MIB = 2 ** 20;
/** Signatures are in the first 4 MiB (the second header of LUKS is the last) or in the last one (RAID, ZFS). */
const HEAD_BYTES = 5 * MIB;
const TAIL_BYTES = MIB;
/** Of each device that is looked at, at the same time: small, since there may be many. */
const PIECE_BYTES = MIB / 4;

/**
 * The device is looked at by its descriptor, not by its path. First by ourselves: blkid says of a device that cannot be read what it
 * says of one on which there is nothing.
 */
export async function contentOf(commands: Commands, device: OpenDevice, facts: DeviceFacts): Promise<Content> {
  try {
    const blank = await blankOf(device, facts.sizeBytes);
    return { signature: { known: true, value: await signatureOf(commands, device) }, ...blank };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { signature: { known: false, why }, isBlank: false, isHeadBlank: false };
  }
}

/**
 * Whether there is nothing but zeroes where signatures are. Rejects when a part of that cannot be read. All of it is read, also after something is found: what cannot be read may be where a
 * signature is.
 */
export async function blankOf(device: OpenDevice, sizeBytes: number): Promise<Omit<Content, 'signature'>> {
  const buffer = free.pop() ?? alignedBuffer(PIECE_BYTES);
  try {
    let [isBlank, isHeadBlank] = [true, true];
    for (const [position, length] of partsOf(sizeBytes)) {
      const bytes = buffer.subarray(0, length);
      await device.read(bytes, position);
      isBlank &&= bytes.equals(ZEROES.subarray(0, length));
      if (position < HEAD_BYTES) isHeadBlank = isBlank;
    }
    return { isBlank, isHeadBlank };
  } finally {
    free.push(buffer);
  }
}

/** Used again and again: as many as devices are looked at at once. */
const free: Buffer[] = [];
const ZEROES = Buffer.alloc(PIECE_BYTES);

function* partsOf(sizeBytes: number): Generator<readonly [position: number, length: number]> {
  const head = Math.min(HEAD_BYTES, sizeBytes);
  yield* piecesOf(0, head);
  yield* piecesOf(Math.max(head, sizeBytes - TAIL_BYTES), sizeBytes);
}

function* piecesOf(start: number, end: number): Generator<readonly [position: number, length: number]> {
  for (let at = start; at < end; at += PIECE_BYTES) yield [at, Math.min(PIECE_BYTES, end - at)];
}

/** `undefined` when blkid recognises nothing, which it also says of a device that it cannot read. */
export async function signatureOf(commands: Commands, device: OpenDevice): Promise<string | undefined> {
  const argv = ['blkid', '--probe', '--output', 'export', '/proc/self/fd/3'];
  const options = { inheritFds: [device], successCodes: [0, NOTHING, AMBIVALENT] };
  const { code, stdout, stderr } = await commands.exec(argv, options);
  if (code === AMBIVALENT) return 'several kinds of data at once';
  if (code === NOTHING && stderr.trim() !== '') throw new Error(`blkid could not look: ${stderr.trim()}`);
  return code === NOTHING ? undefined : kindIn(stdout);
}

/** What stands there about every partition, which is said by the table of its disk and not by what is on it. */
const ABOUT_THE_PLACE = /^(DEVNAME|PART_ENTRY_\w+)$/;

/** Partitions that hold a boot loader without any filesystem, by their type in the table of the disk: BIOS boot, and PReP. */
const BOOT_LOADERS: ReadonlySet<string> = new Set([
  '21686148-6449-6e6f-744e-656564454649',
  '9e1a2d38-c612-4316-aa26-8b49521e5a8b',
  '0x41',
]);

/** Something was found: if it is of a kind without a name, then that. */
export function kindIn(exported: string): string | undefined {
  const fields = new Map(
    exported
      .split('\n')
      .filter((line) => line.includes('='))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  if (BOOT_LOADERS.has(fields.get('PART_ENTRY_TYPE') ?? '')) return 'a boot loader';
  if ([...fields.keys()].every((key) => ABOUT_THE_PLACE.test(key))) return undefined;
  const [type, table] = [fields.get('TYPE'), fields.get('PTTYPE')];
  const kinds = [...(type ? [type] : []), ...(table ? [`a partition table (${table})`] : [])];
  return kinds.join(' and ') || 'data of an unnamed kind';
}
