/**
 * Every command that changes something on a node, as an argument vector, and how long it may take. Names, sizes and options have been
 * checked before. Which disks LVM looks at, and all else that can be configured, is for the host's own configuration to say.
 */
import { CommandError, type CommandOptions, type CommandResult, DIES_WITH_US } from '../kit/host/command.ts';
import { roundUpToMultiple } from '../kit/quantity.ts';
import type { FileSystem } from './contract.ts';
import type { LogicalVolume } from './facts.ts';

export interface Command {
  readonly argv: readonly string[];
  readonly options: CommandOptions;
}

export interface VolumeName {
  readonly vg: string;
  readonly name: string;
}

const SECOND = 1000;
/** Who changes a volume group waits until others have changed it. And none that is under way should be killed: devices may be suspended. */
const LVM: CommandOptions = { timeoutMs: 300 * SECOND };
const MKFS: CommandOptions = { timeoutMs: 600 * SECOND };
const MOUNT: CommandOptions = { timeoutMs: 300 * SECOND };
const RESIZE: CommandOptions = { timeoutMs: 600 * SECOND };
const CRYPT: CommandOptions = { timeoutMs: 120 * SECOND };
const BRIEF: CommandOptions = { timeoutMs: 30 * SECOND };

export interface NewVolume extends VolumeName {
  readonly bytes: bigint;
  /** On it from the first moment: it never exists without its owner. */
  readonly tags: readonly string[];
}

/** Signatures of what was on the disk before are wiped. */
export const createPlain = (volume: NewVolume): Command =>
  lvcreate(volume, ['--wipesignatures', 'y', '--zero', 'y', '--size', sizeOf(volume)]);

/** What is newly allocated in the pool is zeroed, so that no volume reads what another one wrote. */
export const createThinPool = (volume: NewVolume): Command =>
  lvcreate(volume, ['--type', 'thin-pool', '--zero', 'y', '--size', sizeOf(volume)]);

export const createThin = ({ pool, ...volume }: NewVolume & { readonly pool: string }): Command =>
  lvcreate(volume, ['--type', 'thin', '--thinpool', pool, '--virtualsize', sizeOf(volume)]);

/** Read-only. `bytes` is how much may change of either before it is lost. */
export const createSnapshot = ({ origin, ...volume }: NewVolume & { readonly origin: string }): Command =>
  lvcreate(volume, ['--snapshot', '--permission', 'r', '--size', sizeOf(volume)], origin);

/** Read-only, in the pool of its origin. LVM would not activate it with the others, unless told so. A size would make it a classic one. */
export const createThinSnapshot = ({
  origin,
  ...volume
}: Omit<NewVolume, 'bytes'> & { readonly origin: string }): Command =>
  lvcreate(volume, ['--snapshot', '--permission', 'r', '--setactivationskip', 'n'], origin);

function lvcreate({ vg, name, tags }: Omit<NewVolume, 'bytes'>, how: readonly string[], origin?: string): Command {
  const where = origin === undefined ? vg : `${vg}/${origin}`;
  const marks = tags.flatMap((tag) => ['--addtag', tag]);
  return { argv: ['lvcreate', '--yes', ...how, '--name', name, ...marks, where], options: LVM };
}

/** What it has done, whatever is configured. */
const SAYS = ['--config', 'log/silent=0'];

/** What neither its shell nor anything else could take for more than one word. */
const WORD = /^[\w+./=!:&,@%-][\w+./=!:&#,@%-]*$/;

/**
 * Commands of LVM, one after the other, as the lines that its own shell reads. It goes on after one that fails, and ends well in any case:
 * look what they have done. Nothing when one of them cannot be written so, and a failure where LVM was built without its shell.
 */
export function inOneProcess(all: readonly Command[]): Command | undefined {
  if (!all.every(({ argv }) => argv.every((word) => WORD.test(word)))) return undefined;
  const input = all.map(({ argv: [program, ...words] }) => `${[program, ...SAYS, ...words].join(' ')}\n`).join('');
  // It keeps what it was told in a file of the user, whom it must not find.
  const env = { HOME: '/dev/null', TERM: 'dumb' };
  return { argv: ['lvm'], options: { input, env, timeoutMs: 300 * SECOND + all.length * 30 * SECOND } };
}

/** LVM takes only whole sectors, and rounds these up to extents. */
const sizeOf = ({ bytes }: { readonly bytes: bigint }): string => `${roundUpToMultiple(bytes, 512n)}b`;

export interface TagChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/**
 * The same change for all of these. One whose name has another uuid by now is left alone, and the command ends well all the same; one
 * whose name is gone lets the command fail after it has changed the others. So look afterwards what it has done.
 */
export function changeTags(volumes: readonly IdentifiedVolume[], { add, remove }: TagChange): Command {
  const change = [...add.flatMap((tag) => ['--addtag', tag]), ...remove.flatMap((tag) => ['--deltag', tag])];
  return { argv: ['lvchange', '--yes', ...change, ...ifStill(volumes)], options: LVM };
}

/** Also snapshots, of which some are skipped otherwise. A classic one is active together with its origin. The same holds as for tags. */
export const activate = (volumes: readonly IdentifiedVolume[]): Command => ({
  argv: ['lvchange', '--yes', '--activate', 'y', '--ignoreactivationskip', ...ifStill(volumes)],
  options: LVM,
});

/** Loads their tables anew, after which none of them is suspended. The same holds as for tags. */
export const resume = (volumes: readonly IdentifiedVolume[]): Command => ({
  argv: ['lvchange', '--yes', '--refresh', ...ifStill(volumes)],
  options: LVM,
});

/** Never a classic snapshot: LVM would deactivate its origin with it. The same holds as for tags. */
export const deactivate = (volumes: readonly IdentifiedVolume[]): Command => ({
  argv: ['lvchange', '--yes', '--activate', 'n', ...ifStill(volumes)],
  options: LVM,
});

/** Of a snapshot in a thin pool, which was made to be read only. The same holds as for tags. */
export const makeWritable = (volume: IdentifiedVolume): Command => ({
  argv: ['lvchange', '--yes', '--permission', 'rw', ...ifStill([volume])],
  options: LVM,
});

/** How the kernel really treats discards of a thin pool, whatever is configured: see `passesDiscardsOn`. */
export const discardsOfPool = ({ vg, name }: VolumeName): Command => ({
  argv: ['lvs', '--reportformat', 'json', '--options', 'kernel_discards', `${vg}/${name}`],
  options: LVM,
});

export type IdentifiedVolume = Pick<LogicalVolume, 'group' | 'name' | 'uuid'>;

/** Each is named, too: of a whole group, LVM would leave out the classic snapshots. */
const ifStill = (volumes: readonly IdentifiedVolume[]): readonly string[] => [
  '--select',
  volumes.map(isIt).join(' || '),
  ...volumes.map(({ group, name }) => `${group}/${name}`),
];

const isIt = ({ name, uuid }: IdentifiedVolume): string => `(lv_name="${name}" && lv_uuid="${uuid}")`;

/** LVM has no condition for this one: only the name tells which volume is meant. */
export const rename = ({ vg, name, to }: VolumeName & { readonly to: string }): Command => ({
  argv: ['lvrename', '--yes', vg, name, to],
  options: LVM,
});

/** Never smaller. A volume that is as large already is a failure to LVM, and so is one with classic snapshots. */
export const extend = ({ vg, name, bytes }: VolumeName & { readonly bytes: bigint }): Command => ({
  argv: ['lvextend', '--yes', '--size', sizeOf({ bytes }), `${vg}/${name}`],
  options: LVM,
});

/**
 * Only if it is still the one with this uuid, and neither a pool nor the origin of a classic snapshot, with which LVM would remove
 * everything that depends on it. Otherwise it does nothing, and ends well all the same: look whether it is gone.
 */
export const remove = ({ group, name, uuid }: IdentifiedVolume): Command => ({
  argv: [
    ...['lvremove', '--yes', '--select', `lv_uuid="${uuid}" && lv_role!=thickorigin && lv_layout!=pool`],
    `${group}/${name}`,
  ],
  options: LVM,
});

/** Over what is there: who asks for it has looked. None of them does it on a device that is mounted. */
const OVERWRITES: Readonly<Record<FileSystem, readonly string[]>> = {
  ext2: ['-F', '-q'],
  ext3: ['-F', '-q'],
  ext4: ['-F', '-q'],
  xfs: ['-f', '-q'],
  btrfs: ['-f', '-q'],
};

export interface NewFileSystem {
  readonly fsType: FileSystem;
  readonly fsArgs: readonly string[];
  readonly device: string;
}

/**
 * Killed together with us, as everything that takes long to write something new. Not all of these have the device for themselves alone
 * while they write: one that is left over would write on beneath what the next agent makes there.
 */
export const makeFileSystem = ({ fsType, fsArgs, device }: NewFileSystem): Command => ({
  argv: [...DIES_WITH_US, `mkfs.${fsType}`, ...OVERWRITES[fsType], ...fsArgs, device],
  options: MKFS,
});

/** How many filesystems are made at once. */
const FORMATS_AT_ONCE = 8;

/**
 * The same for many devices, and nothing else that differs. It ends badly when one of them has failed, and does not say which: look at
 * each of them.
 */
export function makeFileSystems(fileSystems: readonly [NewFileSystem, ...NewFileSystem[]]): Command {
  const [first] = fileSystems;
  const each = makeFileSystem(first).argv.slice(0, -1);
  const turns = Math.ceil(fileSystems.length / FORMATS_AT_ONCE);
  return {
    argv: [...DIES_WITH_US, 'xargs', '-0', '-n', '1', '-P', `${FORMATS_AT_ONCE}`, ...each],
    options: {
      input: fileSystems.map(({ device }) => device).join('\0'),
      timeoutMs: turns * (MKFS.timeoutMs ?? 0),
    },
  };
}

/** All of them have failed, or some. */
const NONE_MOUNTED = 32;
const SOME_MOUNTED = 64;

/** Mounts what is in a table of ours and not mounted there yet. `mountFailures` tells what it could not mount. */
export const mountAll = (fstab: string): Command => ({
  argv: ['mount', '--all', '--fstab', fstab],
  options: { ...MOUNT, successCodes: [0, NONE_MOUNTED, SOME_MOUNTED] },
});

/** What is mounted there. Since both the device and the place are named, no table of the node has a say in it. */
export const remount = ({ device, path, options }: Remounted): Command => ({
  argv: ['mount', '--options', ['remount', ...options].join(','), '--source', device, '--target', path],
  options: MOUNT,
});

export interface Remounted {
  readonly device: string;
  readonly path: string;
  readonly options: readonly string[];
}

/** systemd reads what its units are by now. */
export const reloadUnits: Command = { argv: ['systemctl', 'daemon-reload'], options: MOUNT };

/** At every boot, and now. One that fails does not keep the others from it. */
export const enableUnits = (units: readonly string[]): Command => ({
  argv: ['systemctl', 'enable', '--now', '--', ...units],
  options: MOUNT,
});

export const disableUnits = (units: readonly string[]): Command => ({
  argv: ['systemctl', 'disable', '--now', '--', ...units],
  options: MOUNT,
});

/** The uppermost, if there are several. */
export const unmount = (path: string): Command => ({ argv: ['umount', '--', path], options: MOUNT });

export interface MountedFileSystem {
  readonly fsType: FileSystem;
  readonly device: string;
  readonly path: string;
}

/**
 * To the size of its device, while it is mounted. One that fills it already stays as it is. Where the kernel has a driver of its own for
 * ext2, that cannot do it and resize2fs says so.
 */
export function growFileSystem({ fsType, device, path }: MountedFileSystem): Command {
  if (fsType === 'xfs') return { argv: ['xfs_growfs', '-d', path], options: RESIZE };
  if (fsType === 'btrfs') return { argv: ['btrfs', 'filesystem', 'resize', 'max', path], options: RESIZE };
  return { argv: ['resize2fs', device], options: RESIZE };
}

/** All that was written is on the device, and who writes more waits until it is thawed. */
export const freeze = (path: string): Command => ({ argv: ['fsfreeze', '--freeze', path], options: BRIEF });
/** To thaw what is not frozen is a failure: see `isNotFrozen`. What is gone is frozen by nobody. */
export const thaw = (path: string): Command => ({
  argv: ['fsfreeze', '--unfreeze', path],
  options: { ...BRIEF, successCodes: [0, 1] },
});
export const isNotFrozen = ({ stderr }: Pick<CommandResult, 'stderr'>): boolean =>
  /Invalid argument|No such file or directory/.test(stderr);

/** Nothing can be made in the directory, so that nobody writes to the node's own disk while nothing is mounted there. */
export const makeImmutable = (paths: readonly string[]): Command => ({
  argv: ['chattr', '+i', '--', ...paths],
  options: BRIEF,
});
export const makeMutable = (path: string): Command => ({ argv: ['chattr', '-i', '--', path], options: BRIEF });

/** The key is given on standard input, of which all is read, and is seen nowhere else. */
const KEY_ON_STANDARD_INPUT = ['--key-file', '-'];

/** What deriving a key takes of memory, in KiB: cryptsetup would take up to a GiB, which an agent with a limit does not have. */
const DERIVATION = ['--pbkdf', 'argon2id', '--pbkdf-memory', '65536'];

export interface Keyed {
  readonly device: string;
  readonly key: Uint8Array;
}

const cryptsetup = (argv: readonly string[], options: CommandOptions = {}): Command => ({
  argv: ['cryptsetup', ...argv],
  options: { ...CRYPT, ...options },
});

/** Over what is there: who asks for it has looked. */
export function luksFormat({ device, key }: Keyed): Command {
  const how = ['luksFormat', '--batch-mode', '--type', 'luks2', ...DERIVATION, ...KEY_ON_STANDARD_INPUT, device];
  const { argv, options } = cryptsetup(how, { input: key });
  return { argv: [...DIES_WITH_US, ...argv], options };
}

export interface Opened extends Keyed {
  readonly name: string;
  readonly readOnly?: boolean;
}

/** As /dev/mapper/NAME. `isWrongKey` tells of a failure whether the key was to blame. */
export const luksOpen = ({ device, key, name, readOnly = false }: Opened): Command =>
  cryptsetup(['open', '--type', 'luks2', ...(readOnly ? ['--readonly'] : []), ...KEY_ON_STANDARD_INPUT, device, name], {
    input: key,
  });

export const isWrongKey = (error: unknown): boolean =>
  error instanceof CommandError && error.outcome.kind === 'exited' && error.outcome.code === WRONG_KEY;

export const luksClose = (name: string): Command => cryptsetup(['close', name]);

/** To the size of what it is on. */
export const luksResize = ({ name, key }: { readonly name: string; readonly key: Uint8Array }): Command =>
  cryptsetup(['resize', ...KEY_ON_STANDARD_INPUT, name], { input: key });

const WRONG_KEY = 2;
/** For several reasons, of which only what it says tells. */
const NO_SUCH_THING = 1;
/** All slots were erased, or a luksFormat was cut off before it came to the first: deriving a key takes most of its time. */
const WITHOUT_SLOTS = /^No usable keyslot is available\.$/m;

/** Which slot a key opens, if any: see `slotIn`. Changes nothing. */
export const luksTestKey = ({ device, key }: Keyed): Command =>
  cryptsetup(['open', '--type', 'luks2', '--test-passphrase', '--verbose', ...KEY_ON_STANDARD_INPUT, device], {
    input: key,
    successCodes: [0, NO_SUCH_THING, WRONG_KEY],
  });

type Said = Omit<CommandResult, 'truncated'>;

/** There is no key that would open it, and never was one with which something could have been written inside. */
export const isWithoutSlots = ({ code, stderr }: Said): boolean => code === NO_SUCH_THING && WITHOUT_SLOTS.test(stderr);

/** Nothing when the key opens none. */
export function slotIn(result: Said): number | undefined {
  const { code, stdout, stderr } = result;
  if (code === WRONG_KEY || isWithoutSlots(result)) return undefined;
  if (code === NO_SUCH_THING) throw new Error(`cryptsetup could not try the key: ${stderr.trim()}`);
  const slot = /^Key slot (\d+) unlocked\.$/m.exec(stdout)?.[1];
  if (slot === undefined) throw new Error('cryptsetup does not say which slot the key has opened');
  return Number(slot);
}

/** Both keys are on standard input, the old one first. Test afterwards whether the new one opens it. */
export const luksAddKey = ({ device, key, newKey }: Keyed & { readonly newKey: Uint8Array }): Command =>
  cryptsetup(
    [
      ...['luksAddKey', '--batch-mode', ...DERIVATION],
      ...[...KEY_ON_STANDARD_INPUT, '--keyfile-size', `${key.length}`, device, '-'],
    ],
    { input: Buffer.concat([key, newKey]) },
  );

/** Only if the key opens another slot. Not in batch mode, in which cryptsetup does not ask for it. */
export const luksKillSlot = ({ device, key, slot }: Keyed & { readonly slot: number }): Command =>
  cryptsetup(['luksKillSlot', ...KEY_ON_STANDARD_INPUT, device, `${slot}`], { input: key });

/** All slots: what is on it cannot be read by anybody ever again, unless there is a backup of the header. */
export const luksErase = (device: string): Command => cryptsetup(['erase', '--batch-mode', device]);

/** Into a file that must not exist yet, and that only root can read. */
export const luksHeaderBackup = ({ device, file }: { readonly device: string; readonly file: string }): Command =>
  cryptsetup(['luksHeaderBackup', '--batch-mode', '--header-backup-file', file, device]);
