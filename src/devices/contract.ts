/** What others rely on. Changing a line here is a breaking change. */
import { VERIFICATIONS, type Verification, WIPE_METHODS, type WipeMethod } from '../kit/wipe/methods.ts';

/** On the Node: the name of the ConfigMap that says which devices become volumes. */
export const CONFIG_ANNOTATION = 'local-pv-provisioner.cybozu.io/pv-spec-configmap';

/** On each volume of ours: its node. Volumes that were made long ago have only the first. */
export const NODE_LABEL = 'local-pv-provisioner.cybozu.com/node';
export const NODE_LABELS = [NODE_LABEL, 'local-pv-provisioner.cybozu.io/node'] as const;

/** On each volume of ours: the settings that it was made with. */
export const SETTING_PREFIX = 'local-pv-provisioner.cybozu.io/';

/** Keeps a volume that is being deleted until its device is wiped. */
export const WIPE_FINALIZER = 'holdfast.dev/wipe';

/** On a volume: which device it is, so that another one at the same path is told from it. */
export const DEVICE_ANNOTATION = 'holdfast.dev/device';
/** On a volume: how its device was wiped before it was made. */
export const RECEIPT_ANNOTATION = 'holdfast.dev/wiped';
/** On a volume that is being recycled: how far the wipe is. */
export const PROGRESS_ANNOTATION = 'holdfast.dev/wipe-progress';
/** On a volume: why it is not recycled, or what is wrong with its device. */
export const TROUBLE_ANNOTATION = 'holdfast.dev/device-trouble';
/** On the Node: the devices for which a person has lifted a refusal. */
export const APPROVALS_ANNOTATION = 'holdfast.dev/approved-devices';

export const HOSTNAME_LABEL = 'kubernetes.io/hostname';

/** The field manager of our writes. */
export const FIELD_MANAGER = 'holdfast-devices';
/** Whom people see as the reporter of our Events. */
export const REPORTER = 'holdfast.dev/devices';

export const FS_TYPES = ['ext4', 'xfs', 'btrfs'] as const;
export type FsType = (typeof FS_TYPES)[number];

export { VERIFICATIONS, type Verification, WIPE_METHODS, type WipeMethod };

export const DEFAULT_STORAGE_CLASS = 'local-storage';
export const DEFAULT_STATE_DIR = '/var/lib/holdfast';
export const DEFAULT_POLLING_INTERVAL = '5m';
export const DEFAULT_WIPES_AT_ONCE = 8;
export const MOST_WIPES_AT_ONCE = 64;
export const RESCAN_MS = 3_600_000;

/** What a ConfigMap says about the devices of a node. */
export interface Config {
  readonly deviceDir: string;
  /** As it is written. */
  readonly deviceNameFilter: string;
  readonly volumeMode: 'Filesystem' | 'Block';
  /** Exactly with `Filesystem`. */
  readonly fsType?: FsType;
  readonly storageClassName: string;
  readonly wipeMethod: WipeMethod;
  readonly wipeVerify: Verification;
  /** A filesystem or the like on a device that has never been a volume of ours is wiped, too. */
  readonly wipeExisting: boolean;
}

/** What the running job is told, besides. */
export interface DevicesSettings {
  readonly node: string;
  readonly namespace: string;
  readonly defaultConfigMap?: string | undefined;
  readonly pollingMs: number;
  readonly stateDir: string;
  /** How many devices are wiped at the same time. */
  readonly wipesAtOnce: number;
  /** Of each wipe, in bytes per second; without it, as fast as the device. */
  readonly wipeBandwidth?: number | undefined;
  /** Process 1 is taken to have no disk open where its descriptors cannot be read. */
  readonly trustInit: boolean;
  /** Nothing is written to a device, a volume or the ledger. The report is: it is where people read what would be done. */
  readonly dryRun: boolean;
}
