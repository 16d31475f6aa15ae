/** What others rely on. Changing a line here is a breaking change. */

/** Of the original's annotations, and of our options beside them. */
export const PREFIX = 'local-pv.k8s.portavita.net/';

/** What a person may say of a volume, in annotations with the prefix or, for all volumes, in the ConfigMap of defaults. */
export const OPTION_KEYS = [
  'fsType',
  'mountOpts',
  'vg',
  'fsOpts',
  'cryptSecret',
  'autoRelease',
  'thinPool',
  'thinPoolSize',
  'shred',
  'removePolicy',
  'snapshotOf',
] as const;
export type OptionKey = (typeof OPTION_KEYS)[number];

/** What the agent writes, beside the options in force. */
export const WRITTEN_KEYS = ['status', 'message', 'mountPoint', 'size', 'node'] as const;
export type WrittenKey = (typeof WRITTEN_KEYS)[number];

export const annotation = (key: OptionKey | WrittenKey): string => `${PREFIX}${key}`;

/** The values of `status`, as the original writes them. */
export const PROCESSED = 'Processed';
export const FAILED = 'Not-Processed-Errors';

/** What holds when nobody says otherwise: as in the original. */
export const BUILT_IN_DEFAULTS: Readonly<Partial<Record<OptionKey, string>>> = {
  fsType: 'ext4',
  mountOpts: 'noexec',
  vg: 'storage_bulk',
  fsOpts: '',
};

/** Stands in the marks of logical volumes where the right to know the cluster is missing. */
export const UNKNOWN_CLUSTER = 'unknown';

/** In the agent's namespace; its keys are those of the options. */
export const DEFAULTS_CONFIG_MAP = 'holdfast-lvm-defaults';

/** The label of a Node that node affinities of volumes name. */
export const NODE_ID_LABEL = 'node-id.k8s.portavita.net/nodeid';
export const HOSTNAME_LABEL = 'kubernetes.io/hostname';

/** Volumes of these classes are meant for us even if they are written wrongly. */
export const STORAGE_CLASS = 'k8s-local-pv';

export const DEFAULT_MOUNT_BASE = '/mnt/pv';

/** Keeps a volume's object until what belongs to it is gone from the node. */
export const FINALIZER = 'holdfast.dev/lvm';

/** Lets a volume take over the logical volume with this uuid, which another volume left behind. `holdfast lvm adopt` writes it. */
export const ADOPT_ANNOTATION = 'holdfast.dev/adopt';

/** The uuid of the logical volume of a volume, written when it is ready for the first time: from then on its data are somewhere. */
export const MADE_ANNOTATION = 'holdfast.dev/logical-volume';

/** Kubernetes keeps a volume's object with this for as long as a claim has it. */
export const PROTECTION_FINALIZER = 'kubernetes.io/pv-protection';

/** The field manager of our writes. */
export const FIELD_MANAGER = 'holdfast-lvm';
/** Whom people see as the reporter of our Events. */
export const REPORTER = 'holdfast.dev/lvm';

/** The filesystems that a volume can have. */
export const FILE_SYSTEMS = ['ext2', 'ext3', 'ext4', 'xfs', 'btrfs'] as const;
export type FileSystem = (typeof FILE_SYSTEMS)[number];

export const SHRED_METHODS = ['none', 'zero', 'discard', 'random'] as const;
export type ShredMethod = (typeof SHRED_METHODS)[number];

/** What becomes of a logical volume when its volume is deleted: it is removed at once, or kept for a while under another name. */
export const REMOVE_POLICIES = ['delete', 'trash'] as const;
export type RemovePolicy = (typeof REMOVE_POLICIES)[number];

/** How far thin pools may be used before nothing new is made in them. */
export interface ThinLimits {
  /** How many times its size may be promised to volumes. */
  readonly overcommit: number;
  readonly dataPercent: number;
  readonly metadataPercent: number;
}

export const DEFAULT_THIN_LIMITS: ThinLimits = { overcommit: 10, dataPercent: 90, metadataPercent: 80 };

export interface LvmSettings {
  readonly node: string;
  /** Of the agent itself: of the ConfigMap of defaults, and of Secrets that are named without one. */
  readonly namespace: string;
  readonly mountBase: string;
  /** Volumes of these are meant for us even if they are written wrongly. */
  readonly storageClasses: readonly string[];
  readonly secretNamespaces: readonly string[];
  /** Whether volumes that ask for it are freed when their claim is gone. */
  readonly autoRelease: boolean;
  readonly thinLimits: ThinLimits;
  readonly resyncMs: number;
  /** How long what is in the trash is kept. */
  readonly trashTtlMs: number;
  /** Whether people are told of what belongs to no volume. */
  readonly sanityChecks: boolean;
  /**
   * Whether it goes on where the ConfigMap of defaults or its Node may not be read, as in the place of the original, which has no right to
   * either: with the defaults that are built in, and the id that the host name tells.
   */
  readonly defaultsMayBeDenied?: boolean;
}

export const DEFAULT_RESYNC = '10m';
export const DEFAULT_TRASH_TTL = '72h';
