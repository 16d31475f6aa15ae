/**
 * Whether a filesystem is complete: asked of its own checker, which changes nothing. And of one that is not, whether it is surely what a
 * cut-off mkfs has left, or may be what somebody has used.
 */
import { alignedBuffer } from '../kit/host/aligned-buffer.ts';
import type { Host } from '../kit/host/host.ts';
import type { FileSystem } from './contract.ts';

/** `begun` by an mkfs that was cut off, and never used. Whatever else is not whole is damaged, and may hold data. */
export type Condition = 'whole' | 'begun' | 'damaged';

const CHECKS: Readonly<Record<FileSystem, readonly string[]>> = {
  ext2: ['e2fsck', '-n', '-f'],
  ext3: ['e2fsck', '-n', '-f'],
  ext4: ['e2fsck', '-n', '-f'],
  xfs: ['xfs_repair', '-n'],
  btrfs: ['btrfs', 'check', '--readonly'],
};

const TIMEOUT_MS = 600_000;
/** What these end with when they have looked and found something wrong. Everything else is a failure to look. */
const FOUND_WRONG: Readonly<Record<FileSystem, readonly number[]>> = {
  ext2: [4, 8, 12],
  ext3: [4, 8, 12],
  ext4: [4, 8, 12],
  xfs: [1],
  btrfs: [1],
};

/** `seen` is where the device is seen from here. */
export async function conditionOf(
  host: Host,
  fsType: FileSystem,
  { device, seen }: { readonly device: string; readonly seen: string },
): Promise<Condition> {
  const successCodes = [0, ...FOUND_WRONG[fsType]];
  const { code } = await host.exec([...CHECKS[fsType], device], { timeoutMs: TIMEOUT_MS, successCodes });
  if (code === 0) return 'whole';
  return IS_BEGUN[fsType](await beginningOf(host, seen)) ? 'begun' : 'damaged';
}

const BEGINNING_BYTES = 4096;

async function beginningOf(host: Host, path: string): Promise<Buffer> {
  await using device = await host.devices.open(path, { access: 'read', direct: true });
  const bytes = alignedBuffer(BEGINNING_BYTES);
  await device.read(bytes, 0);
  return bytes;
}

/** When it was mounted last, and how often: in its superblock, which mkfs writes last of all. */
const EXT_MOUNTED_AT = 1024 + 0x2c;
const EXT_MOUNTS = 1024 + 0x34;
const isNeverMounted = (bytes: Buffer): boolean =>
  bytes.readUInt32LE(EXT_MOUNTED_AT) === 0 && bytes.readUInt16LE(EXT_MOUNTS) === 0;

/** Which mkfs sets first and clears last. */
const XFS_IN_PROGRESS = 126;

/** That of btrfs is recognised only when mkfs is done. */
const IS_BEGUN: Readonly<Record<FileSystem, (beginning: Buffer) => boolean>> = {
  ext2: isNeverMounted,
  ext3: isNeverMounted,
  ext4: isNeverMounted,
  xfs: (bytes) => bytes.readUInt8(XFS_IN_PROGRESS) === 1,
  btrfs: () => false,
};
