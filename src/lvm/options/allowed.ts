/**
 * Everything that a person may say to mkfs and to mount about a volume, for each filesystem. What is not in this table is
 * refused. Nothing in it reads or writes another file or device, forces anything, makes the filesystem smaller or larger
 * than its volume, makes it another filesystem than the one asked for, keeps it from growing later, or harms the node.
 */
import type { FileSystem } from '../contract.ts';

export interface Allowed {
  readonly name: string;
  /** Other spellings of it. */
  readonly aliases?: readonly string[];
  readonly value: Value;
  /** It may also stand without its value. */
  readonly isBareToo?: boolean;
  readonly what: string;
}

export type Value =
  | { readonly is: 'none' }
  | { readonly is: 'number'; readonly from: number; readonly to: number; readonly hasDecimals?: boolean }
  /** A whole number, with one of these letters after it, or without. */
  | { readonly is: 'size'; readonly suffixes: string }
  | { readonly is: 'word'; readonly words: readonly string[] }
  /** One of these words, with a colon and a level after it, or without. */
  | { readonly is: 'levelled'; readonly highest: Readonly<Record<string, number>> }
  | { readonly is: 'label'; readonly longest: number }
  /** `UID:GID`, as numbers. */
  | { readonly is: 'owner' }
  /** A list with commas. With `^` in front, a feature is turned off. */
  | { readonly is: 'features'; readonly features: Readonly<Record<string, 'on or off' | 'on'>> }
  /** A list with commas, each of them with its own value. */
  | { readonly is: 'settings'; readonly settings: readonly Allowed[] };

/** What people could expect to be allowed, and why it is not. */
export interface Refused {
  /** An option `-d`, a setting `-J.device` of it, or a value `-e=panic`. A star stands for the rest of a name. */
  readonly names: readonly string[];
  /** How the sentence goes on that begins with the name. */
  readonly why: string;
}

export interface FileSystemOptions {
  readonly mkfs: readonly Allowed[];
  readonly mkfsRefused: readonly Refused[];
  readonly mount: readonly Allowed[];
  readonly mountRefused: readonly Refused[];
}

/** Filesystems are found by label when a node starts: with another label, a volume could take the place of a disk of the node. */
export const LABEL_START = 'pv-';

const none: Value = { is: 'none' };
const number = (from: number, to: number): Value => ({ is: 'number', from, to });
const size = (suffixes: string): Value => ({ is: 'size', suffixes });
const word = (...words: string[]): Value => ({ is: 'word', words });
const settings = (...list: Allowed[]): Value => ({ is: 'settings', settings: list });
const features = (onOrOff: readonly string[], on: readonly string[] = []): Value => ({
  is: 'features',
  features: Object.fromEntries([
    ...onOrOff.map((name) => [name, 'on or off'] as const),
    ...on.map((name) => [name, 'on'] as const),
  ]),
});
const option = (name: string, value: Value, what: string): Allowed => ({ name, value, what });
const alias = (names: string, value: Value, what: string): Allowed => {
  const [name = '', ...aliases] = names.split(' ');
  return { name, aliases, value, what };
};
const bareToo = (name: string, value: Value, what: string): Allowed => ({ name, value, isBareToo: true, what });
const flags = (names: string, what: string): Allowed[] => names.split(' ').map((name) => option(name, none, what));
const refused = (names: string, why: string): Refused => ({ names: names.split(' '), why });

const ZERO_OR_ONE = word('0', '1');
const MOST_BLOCKS = 2 ** 32 - 1;
const OF_THE_NODE = 'reads a file of the node';
const OTHER_DEVICE = 'reaches for another device';
const SIZE_IS_GIVEN = 'says how large the filesystem is, and it is as large as its volume';
const CHANGES_NOTHING = 'makes no filesystem';
const UUID_IS_NEW =
  'says which UUID the filesystem has, and with that of another one it could take its place on the node';
const FORCES = 'forces mkfs to overwrite what is there';

// ext2, ext3, ext4

const EXT_EXTENDED: readonly Allowed[] = [
  option('stride', number(0, MOST_BLOCKS), 'How many blocks are on one disk of a RAID before the next'),
  alias('stripe_width stripe-width', number(0, MOST_BLOCKS), 'How many blocks are in one stripe of a RAID'),
  option('resize', size('kmgt'), 'For how many blocks in all there is to be space in the group descriptors'),
  bareToo('lazy_itable_init', ZERO_OR_ONE, 'Whether inode tables are written after mkfs, while the volume is in use'),
  bareToo('lazy_journal_init', ZERO_OR_ONE, 'Whether the journal is left as it is on the disk'),
  option('root_owner', { is: 'owner' }, 'Who owns the top directory'),
  ...flags('discard nodiscard', 'Whether mkfs tells the disk that its blocks are free'),
];

const EXT4_EXTENDED: readonly Allowed[] = [
  ...EXT_EXTENDED,
  bareToo('packed_meta_blocks', ZERO_OR_ONE, 'Whether bitmaps and inode tables are at the beginning of the volume'),
  option('orphan_file_size', size('kmgt'), 'How large the file is that remembers unlinked files'),
  option(
    'quotatype',
    word('usrquota', 'grpquota', 'prjquota', 'usrquota:grpquota', 'usrquota:grpquota:prjquota'),
    'Which quotas are counted',
  ),
  option('encoding', word('utf8', 'utf8-12.1'), 'How names are encoded where case does not matter'),
  option('encoding_flags', word('strict', 'nostrict'), 'Whether names that are not in that encoding are refused'),
];

const EXT_FEATURES = ['dir_index', 'ext_attr', 'filetype', 'large_file', 'resize_inode', 'sparse_super'];

/** `extent` stays, since a filesystem without anything of ext4 in it is taken for an ext3. */
const EXT4_FEATURES = features(
  [
    ...EXT_FEATURES,
    '64bit',
    'casefold',
    'dir_nlink',
    'ea_inode',
    'encrypt',
    'extra_isize',
    'fast_commit',
    'flex_bg',
    'has_journal',
    'huge_file',
    'inline_data',
    'large_dir',
    'metadata_csum',
    'metadata_csum_seed',
    'orphan_file',
    'project',
    'quota',
    'stable_inodes',
    'uninit_bg',
    'verity',
  ],
  ['extent', 'extents'],
);

const extMkfs = (extended: readonly Allowed[], allFeatures: Value): readonly Allowed[] => [
  option('-b', word('1024', '2048', '4096'), 'How large a block is, in bytes'),
  option('-D', none, 'Writes past the cache of the node'),
  option('-e', word('continue', 'remount-ro'), 'What happens when the kernel finds an error'),
  option('-E', settings(...extended), 'Further settings'),
  option('-i', size('km'), 'For how many bytes there is to be one inode'),
  option('-I', word('128', '256', '512', '1024', '2048', '4096'), 'How large an inode is, in bytes'),
  option('-L', { is: 'label', longest: 16 }, 'The label'),
  option('-m', { is: 'number', from: 0, to: 50, hasDecimals: true }, 'How many percent are kept for root'),
  option('-N', number(16, MOST_BLOCKS), 'How many inodes there are to be'),
  option('-O', allFeatures, 'Features that are turned on, or off'),
  option('-q', none, 'Says less'),
  option('-T', word('default', 'small', 'big', 'huge', 'news', 'largefile', 'largefile4'), 'What it is used for'),
  option('-v', none, 'Says more'),
];

const JOURNAL: readonly Allowed[] = [
  option('-j', none, 'Has a journal'),
  option('-J', settings(option('size', number(1, 40_960), 'How large it is, in MiB')), 'The journal'),
];

const EXT_MKFS_REFUSED: readonly Refused[] = [
  refused('-d', 'copies files of the node into the volume'),
  refused('-l', OF_THE_NODE),
  refused('-z', 'writes a file on the node'),
  refused('-J.device', OTHER_DEVICE),
  refused('-F', FORCES),
  refused('-S', 'leaves in the volume what was on the disk before'),
  refused('-E.assume_storage_prezeroed', 'takes what was on the disk before for empty'),
  refused('-E.offset', SIZE_IS_GIVEN),
  refused('-U', UUID_IS_NEW),
  refused('-t', 'says which filesystem it is, and that is for fsType to say'),
  refused('-n -V', CHANGES_NOTHING),
  refused('-c', 'reads all of the volume for bad blocks, which takes hours'),
  refused('-e=panic', 'lets a broken volume stop the whole node'),
  refused('-O=journal_dev', CHANGES_NOTHING),
  refused('-O=bigalloc -O=sparse_super2 -O=meta_bg -C', 'keeps the volume from growing'),
];

// xfs

const XFS_SIZE = size('kmgtsb');

const XFS_MKFS: readonly Allowed[] = [
  option(
    '-b',
    settings(option('size', word('1024', '2048', '4096', '1k', '2k', '4k'), 'How large a block is')),
    'Blocks',
  ),
  option(
    '-d',
    settings(
      option('agcount', number(1, 1_000_000), 'How many allocation groups there are'),
      option('agsize', XFS_SIZE, 'How large an allocation group is'),
      option('cowextsize', number(0, MOST_BLOCKS), 'How many blocks are copied at a time when shared ones are written'),
      option('extszinherit', number(0, MOST_BLOCKS), 'How many blocks are allocated at a time'),
      option('su', XFS_SIZE, 'How much is on one disk of a RAID before the next'),
      option('sw', number(0, MOST_BLOCKS), 'How many disks a RAID has for data'),
      option('sunit', number(0, MOST_BLOCKS), 'The same as su, in pieces of 512 bytes'),
      option('swidth', number(0, MOST_BLOCKS), 'How large a stripe of a RAID is, in pieces of 512 bytes'),
      ...flags('noalign', 'Does not align data to the stripes of a RAID'),
    ),
    'Data',
  ),
  option(
    '-i',
    settings(
      option('size', word('256', '512', '1024', '2048'), 'How large an inode is, in bytes'),
      option('perblock', word('2', '4', '8', '16'), 'How many inodes are in one block'),
      option('maxpct', number(0, 100), 'How many percent of the volume inodes may take'),
      option('align', ZERO_OR_ONE, 'Whether inodes are aligned'),
      option('attr', word('1', '2'), 'The version of how attributes are stored'),
      option('projid32bit', ZERO_OR_ONE, 'Whether project ids have 32 bits'),
      option('sparse', ZERO_OR_ONE, 'Whether inodes fit into fragmented space'),
      option('nrext64', ZERO_OR_ONE, 'Whether a file may have very many extents'),
    ),
    'Inodes',
  ),
  option('-K', none, 'Does not tell the disk that its blocks are free'),
  option('-L', { is: 'label', longest: 12 }, 'The label'),
  option(
    '-l',
    settings(
      bareToo('internal', word('1'), 'The log is in the volume'),
      option('size', XFS_SIZE, 'How large the log is'),
      option('version', word('1', '2'), 'The version of the log'),
      option('su', XFS_SIZE, 'To what the log is aligned'),
      option('sunit', number(0, MOST_BLOCKS), 'The same as su, in pieces of 512 bytes'),
      option('lazy-count', ZERO_OR_ONE, 'Whether counters are written less often'),
    ),
    'The log',
  ),
  option(
    '-m',
    settings(
      option('bigtime', ZERO_OR_ONE, 'Whether times after 2038 can be stored'),
      option('crc', ZERO_OR_ONE, 'Whether metadata have checksums'),
      option('finobt', ZERO_OR_ONE, 'Whether free inodes have an index'),
      option('inobtcount', ZERO_OR_ONE, 'Whether the sizes of the indexes of inodes are stored'),
      option('reflink', ZERO_OR_ONE, 'Whether files can share blocks'),
      option('rmapbt', ZERO_OR_ONE, 'Whether it is stored to which file a block belongs'),
    ),
    'Metadata',
  ),
  option(
    '-n',
    settings(
      option(
        'size',
        word('4096', '8192', '16384', '32768', '65536', '4k', '8k', '16k', '32k', '64k'),
        'How large a block of a directory is',
      ),
      option('version', word('2', 'ci'), 'With ci, case does not matter in names'),
      option('ftype', ZERO_OR_ONE, 'Whether directories know the types of their files'),
    ),
    'Directories',
  ),
  option('-q', none, 'Says less'),
  option('-s', settings(option('size', word('512', '1024', '2048', '4096', '4k'), 'How large a sector is')), 'Sectors'),
];

const XFS_MKFS_REFUSED: readonly Refused[] = [
  refused('-f', FORCES),
  refused('-p', 'copies files of the node into the volume'),
  refused('-c', OF_THE_NODE),
  refused('-r -l.logdev -d.name -d.rtinherit', OTHER_DEVICE),
  refused('-d.file -d.size', SIZE_IS_GIVEN),
  refused('-m.uuid', UUID_IS_NEW),
  refused('-N -V', CHANGES_NOTHING),
];

// btrfs

const BTRFS_PROFILE = word('single', 'dup');
const BTRFS_FEATURES = [
  'block-group-tree',
  'extref',
  'free-space-tree',
  'mixed-bg',
  'no-holes',
  'quota',
  'skinny-metadata',
  'squota',
];

const BTRFS_MKFS: readonly Allowed[] = [
  alias('--csum --checksum', word('crc32c', 'xxhash', 'sha256', 'blake2'), 'How checksums are made'),
  alias('-d --data', BTRFS_PROFILE, 'How often data are stored on the one device'),
  alias('-m --metadata', BTRFS_PROFILE, 'How often metadata are stored on the one device'),
  alias('-M --mixed', none, 'Data and metadata are stored together, for small volumes'),
  alias(
    '-n --nodesize',
    word('4096', '8192', '16384', '32768', '65536', '4k', '8k', '16k', '32k', '64k'),
    'How large a block of metadata is',
  ),
  alias(
    '-s --sectorsize',
    word('4096', '8192', '16384', '32768', '65536', '4k', '8k', '16k', '32k', '64k'),
    'How large a block of data is',
  ),
  alias('-L --label', { is: 'label', longest: 255 }, 'The label'),
  alias('-K --nodiscard', none, 'Does not tell the disk that its blocks are free'),
  alias('-O --features', features(BTRFS_FEATURES), 'Features that are turned on, or off'),
  alias('-R --runtime-features', features(['free-space-tree', 'quota']), 'Features that are turned on, or off'),
  alias('-q --quiet', none, 'Says less'),
  alias('-v --verbose', none, 'Says more'),
];

const BTRFS_MKFS_REFUSED: readonly Refused[] = [
  refused('-f --force', FORCES),
  refused('-r --rootdir -u --subvol --inode-flags --compress', 'copies files of the node into the volume'),
  refused('-b --byte-count --shrink', SIZE_IS_GIVEN),
  refused('-U --uuid --device-uuid', UUID_IS_NEW),
  refused('-V --version --help -O=list-all -R=list-all', CHANGES_NOTHING),
  refused('-O=zoned -O=raid56 -O=raid1c34 -O=raid-stripe-tree', 'is for other devices than a logical volume'),
];

// mount

const ANY_MOUNT: readonly Allowed[] = [
  ...flags('defaults', 'As the kernel has it'),
  ...flags('ro rw', 'Whether it can be written to'),
  ...flags('exec noexec', 'Whether programs in it can be run'),
  ...flags('nodev', 'Device files in it are files like others'),
  ...flags('nosuid', 'Programs in it run as whoever starts them'),
  ...flags('nosymfollow', 'Symbolic links in it lead nowhere'),
  ...flags(
    'atime noatime relatime norelatime strictatime nostrictatime diratime nodiratime',
    'Whether it is noted when files and directories are read',
  ),
  ...flags('lazytime nolazytime', 'Whether times are written only with other things'),
  ...flags('async sync dirsync', 'Whether programs wait until what they write is on the disk'),
  option(
    'context',
    word('system_u:object_r:container_file_t:s0', 'system_u:object_r:svirt_sandbox_file_t:s0'),
    'What SELinux takes all files in it for: files of containers',
  ),
];

const ANY_MOUNT_REFUSED: readonly Refused[] = [
  refused('suid dev', 'lets what is in a volume act on the node'),
  refused('bind rbind move remount loop offset sizelimit', 'mounts something else than the volume'),
  refused('shared rshared slave rslave private rprivate unbindable runbindable', 'changes who else sees the mount'),
  refused('user users owner group uid gid', 'lets others than root mount it'),
  refused('auto noauto nofail _netdev', 'says when it is mounted, and that is for the agent to say'),
  refused('fscontext defcontext rootcontext seclabel', 'changes what SELinux allows on the node'),
  refused('x-* X-* comment helper', 'is for other programs on the node, such as systemd'),
  refused('verity.* encryption', 'reaches for another file or device'),
];

const GROUP_IDS = flags('grpid nogrpid bsdgroups sysvgroups', 'Whether new files get the group of their directory');
const DISCARD = flags('discard nodiscard', 'Whether the disk is told at once that blocks are free');
const DAX = bareToo('dax', word('always', 'inode', 'never'), 'Whether memory that is a disk is used without a cache');
const BARRIER = bareToo(
  'barrier',
  ZERO_OR_ONE,
  'Whether the disk has to write in order: without, a power cut does harm',
);
const NO_BARRIER = flags('nobarrier', 'The same as barrier=0');
const ACL = flags('acl noacl', 'Whether there are access control lists');
const COMMIT = option(
  'commit',
  number(0, 3600),
  'After how many seconds what was written is put on the disk at the latest',
);

const EXT2_MOUNT: readonly Allowed[] = [
  ...ANY_MOUNT,
  ...ACL,
  ...flags('user_xattr nouser_xattr', 'Whether programs can give attributes to files'),
  ...flags('bsddf minixdf', 'Whether what the filesystem takes for itself counts as space'),
  option('errors', word('continue', 'remount-ro'), 'What happens when the kernel finds an error'),
  ...GROUP_IDS,
  ...flags('quota noquota usrquota grpquota', 'Which quotas are counted'),
  option('resuid', number(0, MOST_BLOCKS), 'Which user may use what is kept for root'),
  option('resgid', number(0, MOST_BLOCKS), 'Which group may use what is kept for root'),
];

const EXT3_MOUNT: readonly Allowed[] = [
  ...EXT2_MOUNT,
  option(
    'data',
    word('journal', 'ordered', 'writeback'),
    'How data are journaled. With writeback, files can hold what was on the disk before after a power cut',
  ),
  option('data_err', word('ignore', 'abort'), 'What happens when data cannot be written'),
  BARRIER,
  ...NO_BARRIER,
  COMMIT,
  option('jqfmt', word('vfsold', 'vfsv0', 'vfsv1'), 'How quotas are stored'),
  option('usrjquota', word('aquota.user'), 'The file in the volume with the quotas of users'),
  option('grpjquota', word('aquota.group'), 'The file in the volume with the quotas of groups'),
];

const EXT4_MOUNT: readonly Allowed[] = [
  ...EXT3_MOUNT,
  ...DISCARD,
  DAX,
  ...flags('auto_da_alloc noauto_da_alloc', 'Whether a file that replaces another is on the disk before it does'),
  ...flags('block_validity noblock_validity', 'Whether the kernel checks that data are not put over metadata'),
  ...flags('delalloc nodelalloc', 'Whether it is chosen late where data go'),
  ...flags('dioread_lock dioread_nolock', 'Whether reads past the cache wait for writes'),
  ...flags('i_version', 'Changes of files are counted'),
  bareToo('init_itable', number(0, 1000), 'How slowly inode tables are written after mkfs'),
  ...flags('noinit_itable', 'Inode tables are not written after mkfs'),
  option('inode_readahead_blks', number(0, 2 ** 30), 'How many blocks of inodes are read ahead'),
  ...flags('journal_checksum nojournal_checksum', 'Whether the journal has checksums'),
  ...flags('journal_async_commit', 'The journal is written without waiting in between'),
  option('journal_ioprio', number(0, 7), 'How urgent the journal is; 0 is the most'),
  option('max_batch_time', number(0, 1_000_000), 'For how many microseconds a write waits for others at most'),
  option('min_batch_time', number(0, 1_000_000), 'For how many microseconds a write waits for others at least'),
  option('max_dir_size_kb', number(0, MOST_BLOCKS), 'How large a directory may be, in KiB'),
  ...flags('nombcache', 'Attributes of files are not shared'),
  ...flags('prjquota', 'Quotas of projects are counted'),
  option('stripe', number(0, MOST_BLOCKS), 'How many blocks are in one stripe of a RAID'),
];

const EXT_MOUNT_REFUSED: readonly Refused[] = [
  ...ANY_MOUNT_REFUSED,
  refused('errors=panic', 'lets a broken volume stop the whole node'),
  refused('journal_dev journal_path', OTHER_DEVICE),
  refused('sb', 'lets whoever writes to the volume make up the filesystem that the kernel reads'),
  refused('noload norecovery', 'leaves out what a power cut interrupted; snapshots have it where they need it'),
  refused('abort debug test_dummy_encryption', 'is for the developers of the kernel'),
];

const XFS_MOUNT: readonly Allowed[] = [
  ...ANY_MOUNT,
  option('allocsize', size('kmg'), 'How much is allocated ahead for a file that grows'),
  ...flags('attr2 noattr2', 'How attributes are stored'),
  DAX,
  ...DISCARD,
  ...flags('filestreams', 'Files of one directory are kept together'),
  ...GROUP_IDS,
  ...flags('ikeep noikeep', 'Whether space of deleted inodes is kept for inodes'),
  ...flags('inode32 inode64', 'Whether inodes have small numbers only'),
  ...flags('largeio nolargeio', 'Whether programs are told to read and write much at a time'),
  option('logbufs', number(2, 8), 'How many buffers the log has'),
  option(
    'logbsize',
    word('16384', '32768', '65536', '131072', '262144', '16k', '32k', '64k', '128k', '256k'),
    'How large each of them is',
  ),
  ...flags('noalign swalloc', 'How data are aligned to the stripes of a RAID'),
  ...flags('noquota', 'No quotas are counted'),
  ...flags('quota uquota usrquota qnoenforce uqnoenforce', 'Quotas of users are counted, and enforced or not'),
  ...flags('gquota grpquota gqnoenforce', 'Quotas of groups are counted, and enforced or not'),
  ...flags('pquota prjquota pqnoenforce', 'Quotas of projects are counted, and enforced or not'),
  option('sunit', number(0, MOST_BLOCKS), 'How much is on one disk of a RAID, in pieces of 512 bytes'),
  option('swidth', number(0, MOST_BLOCKS), 'How large a stripe of a RAID is, in pieces of 512 bytes'),
  ...flags('wsync', 'Programs wait until what they create and delete is on the disk'),
];

const XFS_MOUNT_REFUSED: readonly Refused[] = [
  ...ANY_MOUNT_REFUSED,
  refused('logdev rtdev', OTHER_DEVICE),
  refused('norecovery', 'leaves out what a power cut interrupted; snapshots have it where they need it'),
  refused('nouuid', 'is for copies of other volumes; snapshots have it where they need it'),
  refused('barrier nobarrier', 'is not known to the kernel any more'),
];

const COMPRESSION: Value = { is: 'levelled', highest: { zlib: 9, lzo: 0, zstd: 15, no: 0, none: 0 } };

const BTRFS_MOUNT: readonly Allowed[] = [
  ...ANY_MOUNT,
  ...ACL,
  ...flags('autodefrag noautodefrag', 'Whether files that are written here and there are put in order'),
  ...flags('barrier nobarrier', 'Whether the disk has to write in order: without, a power cut does harm'),
  ...flags('clear_cache', 'What is known of free space is found out anew'),
  COMMIT,
  bareToo('compress', COMPRESSION, 'How data are compressed where that helps'),
  bareToo('compress-force', COMPRESSION, 'How data are compressed, helpful or not'),
  ...flags('datacow nodatacow', 'Whether data are written to a new place each time'),
  ...flags('datasum nodatasum', 'Whether data have checksums'),
  bareToo('discard', word('sync', 'async'), 'Whether the disk is told that blocks are free, at once or later'),
  ...flags('nodiscard', 'The disk is not told that blocks are free'),
  ...flags('flushoncommit noflushoncommit', 'Whether data are written with the metadata of the same moment'),
  option('max_inline', size('k'), 'Up to what size a file is stored with the metadata'),
  option('metadata_ratio', number(0, 1000), 'After how many pieces of data there is one for metadata'),
  bareToo('space_cache', word('v1', 'v2'), 'How it is stored which space is free'),
  ...flags('nospace_cache', 'It is not stored which space is free'),
  ...flags('skip_balance', 'What an interrupted balance left is not continued'),
  ...flags('ssd nossd ssd_spread nossd_spread', 'Whether it is laid out for disks without moving parts'),
  option('thread_pool', number(1, 64), 'How many threads work for it'),
  ...flags('treelog notreelog', 'Whether single files can be put on the disk quickly'),
  ...flags('user_subvol_rm_allowed', 'Owners may delete their subvolumes'),
];

const BTRFS_MOUNT_REFUSED: readonly Refused[] = [
  ...ANY_MOUNT_REFUSED,
  refused('device', OTHER_DEVICE),
  refused('subvol subvolid', 'mounts a part of the volume that whoever writes to it chooses'),
  refused('degraded', 'is for filesystems on several devices'),
  refused('fatal_errors', 'lets a broken volume stop the whole node'),
  refused('norecovery nologreplay rescue recovery usebackuproot', 'is for a person who repairs a filesystem'),
  refused(
    'check_int check_int_data check_int_print_mask enospc_debug ref_verify',
    'is for the developers of the kernel',
  ),
];

export const ALLOWED: Readonly<Record<FileSystem, FileSystemOptions>> = {
  ext2: {
    mkfs: extMkfs(EXT_EXTENDED, features(EXT_FEATURES)),
    mkfsRefused: [...EXT_MKFS_REFUSED, refused('-j -J -O=has_journal', 'makes it an ext3')],
    mount: EXT2_MOUNT,
    mountRefused: EXT_MOUNT_REFUSED,
  },
  ext3: {
    mkfs: [...extMkfs(EXT_EXTENDED, features(EXT_FEATURES, ['has_journal'])), ...JOURNAL],
    mkfsRefused: EXT_MKFS_REFUSED,
    mount: EXT3_MOUNT,
    mountRefused: EXT_MOUNT_REFUSED,
  },
  ext4: {
    mkfs: [
      ...extMkfs(EXT4_EXTENDED, EXT4_FEATURES),
      ...JOURNAL,
      option('-G', number(1, 2 ** 20), 'How many block groups are kept together; a power of two'),
    ],
    mkfsRefused: EXT_MKFS_REFUSED,
    mount: EXT4_MOUNT,
    mountRefused: EXT_MOUNT_REFUSED,
  },
  xfs: { mkfs: XFS_MKFS, mkfsRefused: XFS_MKFS_REFUSED, mount: XFS_MOUNT, mountRefused: XFS_MOUNT_REFUSED },
  btrfs: { mkfs: BTRFS_MKFS, mkfsRefused: BTRFS_MKFS_REFUSED, mount: BTRFS_MOUNT, mountRefused: BTRFS_MOUNT_REFUSED },
};
