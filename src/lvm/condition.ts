/** Whether a filesystem is complete, or what a cut-off mkfs has left: asked of the filesystem's own checker, which changes nothing. */
import type { Commands } from '../kit/host/command.ts';
import type { FileSystem } from './contract.ts';

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
  ext2: [4, 8],
  ext3: [4, 8],
  ext4: [4, 8],
  xfs: [1],
  btrfs: [1],
};

export async function isWhole(commands: Commands, fsType: FileSystem, device: string): Promise<boolean> {
  const successCodes = [0, ...FOUND_WRONG[fsType]];
  const { code } = await commands.exec([...CHECKS[fsType], device], { timeoutMs: TIMEOUT_MS, successCodes });
  return code === 0;
}
