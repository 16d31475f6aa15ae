/**
 * What others rely on: the kind, its fields, labels and finalizer, the names of objects in the store, and the variables of the
 * environment. The original reads what we export and we read what it does, so none of these may change.
 */
import type { KubeObject, Resource } from '../kit/kube/resource.ts';

export const PERSISTENT_VOLUME_SYNCS: Resource<PersistentVolumeSync> = {
  group: 'storage.cndev.nl',
  version: 'v1alpha1',
  plural: 'persistentvolumesyncs',
  kind: 'PersistentVolumeSync',
  namespaced: false,
};
export const SHORT_NAME = 'pvsync';

/** On a volume or claim: it is exported. */
export const SYNC_LABEL = 'volumesyncs.storage.cndev.nl/sync';
export const SYNC_ENABLED = 'enabled';
/** On what we restored, with the name of the resource that it was restored for. */
export const RECOVERY_LABEL = 'volumesyncs.storage.cndev.nl/recovery';
/** On the resource, so that what it restored is released before it goes. The original has put it on restored objects, too. */
export const FINALIZER = 'volumesyncs.storage.cndev.nl/finalizer';
/** Labels and annotations of the operator itself, which an export may carry and a restored object never does. */
export const OWN_PREFIX = 'volumesyncs.storage.cndev.nl/';

/** What Kubernetes keeps an object by while it is in use. The original loses them; we put them back. */
export const VOLUME_PROTECTION = 'kubernetes.io/pv-protection';
export const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection';

/** On the resource, by `holdfast sync drill`: what the last drill measured, as JSON. The controller shows it in the status. */
export const DRILL_ANNOTATION = 'holdfast.dev/last-drill';
/** On the resource, while a drill is held: its name, and until when it counts. */
export const RUNNING_DRILL_ANNOTATION = 'holdfast.dev/running-drill';
/** On the copies that a drill makes, with the name of the drill. */
export const DRILL_LABEL = 'holdfast.dev/drill';

/** The field manager of our writes. */
export const FIELD_MANAGER = 'holdfast-sync';
/** Whom people see as the reporter of our Events. */
export const REPORTER = 'holdfast.dev/sync';

export const MODES = ['Protected', 'Recovery'] as const;
export const PROVIDERS = ['azure', 's3', 'file'] as const;
export const BINDINGS = ['Pair', 'Local'] as const;
export const COMPRESSIONS = ['None', 'Gzip'] as const;
export const ENCRYPTIONS = ['None', 'AES-256-GCM'] as const;
export const CONDITIONS = ['Exported', 'InSync', 'WaitingForExport', 'Refused', 'Deposed'] as const;

export const DEFAULT_POLLING_SECONDS = 30;
export const DEFAULT_DELETION_COUNT = 5;
export const DEFAULT_DELETION_PERCENT = 20;
/** As often as the original exports without a change. */
export const SCHEDULE_MS = 10 * 3_600_000;
/** How often the pointer is rewritten while nothing changes, so that its age means something. */
export const HEARTBEAT_MS = 60_000;
/** A burst of changes has ended when nothing has changed for so long… */
export const QUIET_MS = 1_000;
/** …and it is exported after this time even when it has not. */
export const CEILING_MS = 10_000;
/** Names in `status.managedVolumes`. How many there are is in `managedVolumeCount`. */
export const MOST_MANAGED_VOLUMES = 100;
/** Those in `status.drills`. */
export const MOST_DRILLS = 10;
/** A larger export is taken for a mistake, or an attack. */
export const LARGEST_EXPORT = 1024 ** 3;

/** The environment of the original: a Secret named `pvsync`. */
export const ENV = {
  account: 'OBJECT_STORAGE_ACCOUNT',
  secret: 'OBJECT_STORAGE_SECRET',
  bucket: 'OBJECT_STORAGE_BUCKET',
  s3Endpoint: 'S3_ENDPOINT_URL',
  region: 'AWS_REGION',
  /** Ours. Instead of `https://ACCOUNT.blob.core.windows.net`. */
  azureEndpoint: 'AZURE_ENDPOINT_URL',
  /** Ours. The directory of `cloudProvider: file`. */
  path: 'OBJECT_STORAGE_PATH',
  /** Ours. 32 bytes in base64, and those before, one a line, which only open what they closed. */
  encryptionKey: 'SYNC_ENCRYPTION_KEY',
  previousEncryptionKeys: 'SYNC_PREVIOUS_ENCRYPTION_KEYS',
  /** Ours. An Ed25519 key in PEM: the private one signs, any of the public ones verifies. */
  signingKey: 'SYNC_SIGNING_KEY',
  trustedKeys: 'SYNC_TRUSTED_KEYS',
} as const;

export type Mode = (typeof MODES)[number];
export type Binding = (typeof BINDINGS)[number];
export type Compression = (typeof COMPRESSIONS)[number];
export type Encryption = (typeof ENCRYPTIONS)[number];
export type ConditionType = (typeof CONDITIONS)[number];

export interface PersistentVolumeSync extends KubeObject {
  readonly spec: SyncSpec;
  readonly status?: SyncStatus;
}

/** The first five are those of the original. */
export interface SyncSpec {
  /** The name that prefixes the exports. In lower case in the store, on both sides. */
  readonly protectedCluster: string;
  readonly mode: Mode;
  /** In any case of letters. */
  readonly cloudProvider: string;
  /** In days. */
  readonly retention: number;
  /** In seconds. */
  readonly pollingInterval?: number;
  /** Protected. */
  readonly compression?: Compression;
  readonly encryption?: Encryption;
  /** Protected: sign manifests and pointer. Recovery: refuse what is not signed by a trusted key. */
  readonly signed?: boolean;
  /** Recovery. */
  readonly binding?: Binding;
  /** Plan and tell, but write nothing. */
  readonly dryRun?: boolean;
  readonly allowMassDeletion?: boolean;
  readonly massDeletion?: {
    /** Refused are passes that would delete more volumes than this… */
    readonly moreThan?: number;
    /** …and more than this share of the restored ones. */
    readonly morePercentThan?: number;
  };
  /** Volumes of a path on a node, which is another node here. */
  readonly allowNodeVolumes?: boolean;
  readonly mappings?: Mappings;
}

/** What is called otherwise at the recovery site. Of several rules the first is taken whose `from` is a prefix that ends where a part does; of a class it is the whole name. */
export interface Mappings {
  readonly storageClasses?: readonly Rewrite[];
  readonly nfsServers?: readonly Rewrite[];
  readonly nfsPaths?: readonly Rewrite[];
  readonly csiDrivers?: readonly Rewrite[];
  readonly csiVolumeHandles?: readonly Rewrite[];
}

export interface Rewrite {
  readonly from: string;
  readonly to: string;
}

/** The first four are those that the original has or announces. */
export interface SyncStatus {
  readonly succeeded?: boolean;
  readonly errorMessage?: string;
  readonly lastRun?: string;
  /** Bounded. */
  readonly managedVolumes?: readonly string[];
  readonly managedVolumeCount?: number;
  readonly managedClaimCount?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
  /** The newest complete export: what this cluster wrote, or what it has restored. */
  readonly export?: ExportStatus;
  /** Whether the store fences writers by conditional writes. Protected. */
  readonly fenced?: boolean;
  /** A cluster that had a pointer once is never read the original's way again. Recovery. */
  readonly pointerSeen?: boolean;
  /** What was seen of the exports last, also if it could not be restored: nothing older is believed after it. Recovery. */
  readonly seen?: SeenExports;
  /** How old the newest complete export was at the last run, in seconds: what would be lost. Recovery. */
  readonly rpoSeconds?: number;
  /** How long the last restore of a whole export from nothing or the last drill took, in seconds, with reading and verifying it. Recovery. */
  readonly rtoSeconds?: number;
  readonly lastDrill?: DrillResult;
  /** It and those before it, oldest first. Recovery. */
  readonly drills?: readonly DrillResult[];
}

export interface ExportStatus {
  /** Of the object in the store. */
  readonly key: string;
  readonly sha256: string;
  readonly exportedAt: string;
  readonly epoch?: number;
  readonly sequence?: number;
  /** Of the pointer, which a heartbeat moves. */
  readonly confirmedAt?: string;
}

export interface SeenExports {
  /** In lower case: after `spec.protectedCluster` was changed it says nothing. */
  readonly cluster: string;
  /** Whether there was a pointer. */
  readonly pointer: boolean;
  readonly newest?: SeenExport;
}

/** The newest export that was believed. */
export interface SeenExport {
  readonly key: string;
  readonly sha256: string;
  readonly epoch?: number;
  readonly sequence?: number;
  /** Of the bytes of the manifest. */
  readonly manifestSha256?: string;
}

export interface DrillResult {
  readonly at: string;
  readonly seconds: number;
  readonly volumes: number;
  readonly claims: number;
  readonly succeeded: boolean;
  readonly message?: string;
}

export interface Condition {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
}
