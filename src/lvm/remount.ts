/** Other mount options for what is mounted: what mount(8) is told, and what has not come of it. Pure. */
import type { Mount } from '../kit/host/mounts.ts';
import type { FileSystem } from './contract.ts';
import { keyAndValue } from './options/values.ts';
import type { VolumeOptions } from './options.ts';

/** How a snapshot can be mounted beside what it is a snapshot of, without a byte being written to it. */
const OF_SNAPSHOT: Readonly<Record<FileSystem, readonly string[]>> = {
  ext2: ['ro'],
  ext3: ['ro', 'noload'],
  ext4: ['ro', 'noload'],
  xfs: ['ro', 'norecovery', 'nouuid'],
  btrfs: ['ro', 'rescue=nologreplay'],
};

/** What a volume is mounted with. */
export const mountOptsOf = ({ mountOpts, fsType, snapshotOf }: VolumeOptions): readonly string[] => [
  ...new Set([...mountOpts, ...(snapshotOf === undefined ? [] : OF_SNAPSHOT[fsType])]),
];

export interface Remount {
  readonly fsType: FileSystem;
  readonly was: readonly string[];
  readonly wanted: readonly string[];
}

/** What is not named stays as it is with many filesystems: so what holds by itself is named in place of what is no longer wanted. */
export function remountOptions(remount: Remount): readonly string[] {
  const { wanted } = remount;
  const back = dropped(remount).flatMap((option) => DEFAULT_INSTEAD[option] ?? []);
  const isSaid = (option: string) => wanted.some((each) => (DEFAULT_INSTEAD[each] ?? each) === option);
  return [...new Set([...wanted, ...back.filter((option) => !isSaid(option))])];
}

const dropped = ({ was, wanted }: Remount): readonly string[] => was.filter((option) => !wanted.includes(option));

/** What holds when nobody says otherwise, of all options that have a word for it. */
const DEFAULT_INSTEAD: Readonly<Record<string, string>> = {
  ro: 'rw',
  sync: 'async',
  noexec: 'exec',
  nosuid: 'suid',
  nodev: 'dev',
  noatime: 'relatime',
  strictatime: 'relatime',
  nodiratime: 'diratime',
  lazytime: 'nolazytime',
  discard: 'nodiscard',
  nobarrier: 'barrier',
  noacl: 'acl',
  nouser_xattr: 'user_xattr',
  grpid: 'nogrpid',
  bsdgroups: 'nogrpid',
  minixdf: 'bsddf',
  nodelalloc: 'delalloc',
  noauto_da_alloc: 'auto_da_alloc',
  noblock_validity: 'block_validity',
  ikeep: 'noikeep',
  largeio: 'nolargeio',
  inode32: 'inode64',
  autodefrag: 'noautodefrag',
  nodatacow: 'datacow',
  nodatasum: 'datasum',
  flushoncommit: 'noflushoncommit',
  notreelog: 'treelog',
};

/**
 * Of what was asked for by a remount, what the kernel shows otherwise: it passes over some of it without a word. What it does not show at
 * all may be in force: it leaves out what is its default.
 */
export function unmetBy(
  remount: Remount,
  { options, superOptions }: Pick<Mount, 'options' | 'superOptions'>,
): readonly string[] {
  const shown = [...options, ...superOptions];
  const stays = dropped(remount).filter((option) => shown.includes(option) && !isRepeated(option, options));
  return [
    ...stays.map((option) => `${option} stays`),
    ...remount.wanted.flatMap((option) => {
      const other = shown.find((each) => isAnotherValue(option, each));
      return other === undefined ? [] : [`${option} is asked for, and it is ${other}`];
    }),
  ];
}

/** `ro` and `rw` are shown of the mount and of the filesystem, which may be mounted elsewhere: that of the mount counts. */
const isRepeated = (option: string, ofMount: readonly string[]): boolean =>
  ['ro', 'rw'].includes(option) && !ofMount.includes(option);

/** A level can stand behind a value that has none: `zstd` is shown as `zstd:3`. */
function isAnotherValue(wanted: string, shown: string): boolean {
  const [[key, value], [shownKey, shownValue]] = [keyAndValue(wanted), keyAndValue(shown)];
  if (key !== shownKey || value === undefined || shownValue === undefined) return false;
  return comparable(value) !== comparable(shownValue) && !shownValue.startsWith(`${value}:`);
}

/** Sizes are shown in another unit than they were given in. */
function comparable(value: string): string {
  const [, digits, unit] = /^(\d+)([kmg]?)$/i.exec(value) ?? [];
  if (digits === undefined) return value;
  return `${Number(digits) * 1024 ** ' kmg'.indexOf((unit || ' ').toLowerCase())}`;
}
