/** What others rely on. Changing a line here is a breaking change. */
import type { AccessMode } from '../api/persistent-volumes.ts';

export const ZONE = 'topology.kubernetes.io/zone';
export const REGION = 'topology.kubernetes.io/region';

/** The labels that every volume gets. The scheduler looks at these two of a volume, and at no others. */
export const TOPOLOGY_LABELS = [ZONE, REGION] as const;

/** Whether a label says where a volume is to the scheduler. Those of `--label-keys` do not. */
export const namesPlace = (key: string): boolean => (TOPOLOGY_LABELS as readonly string[]).includes(key);

/** Between the values of a label that names several: the scheduler takes `a__b` for "in a or in b". */
export const SEPARATOR = '__';

/** Says from which node and pod the labels were taken, and when. Only written with `--provenance`. */
export const SOURCE_ANNOTATION = 'holdfast.dev/topology-source';

/** The field manager of our writes: how a value of ours is told from somebody else's. */
export const FIELD_MANAGER = 'holdfast-topology';

/** Whom people see as the reporter of our Events. */
export const REPORTER = 'holdfast.dev/topology';

export const ACCESS_MODES = [
  'ReadWriteOnce',
  'ReadWriteOncePod',
  'ReadOnlyMany',
  'ReadWriteMany',
] as const satisfies readonly AccessMode[];

export const DEFAULT_RESYNC_PERIOD = '60m';

/** Longer than it takes a controller to replace a pod that was deleted. */
export const DEFAULT_NARROW_AFTER = '30s';

/** What a person may choose. The defaults do as the original does, but for volumes in several zones, where it goes back and forth. */
export interface Policy {
  /** Whether a label that is there with another value is replaced. */
  readonly overwrite: 'always' | 'missing';
  /** What to do with a volume that is used in several zones: name them all, stay with the first, or leave it alone. */
  readonly multiZone: 'set' | 'first' | 'skip';
  /** Also set the node affinity of volumes that only one node can use at a time. */
  readonly nodeAffinity: boolean;
  /** A volume is labelled when every access mode of it is among these. */
  readonly accessModes: readonly string[];
  /** The labels that are taken over from nodes. */
  readonly labelKeys: readonly string[];
  readonly provenance: boolean;
}

export const DEFAULT_POLICY: Policy = {
  overwrite: 'always',
  multiZone: 'set',
  nodeAffinity: false,
  accessModes: ACCESS_MODES,
  labelKeys: TOPOLOGY_LABELS,
  provenance: false,
};

/** What the running job is told, besides. */
export interface TopologySettings {
  readonly policy: Policy;
  /** Chooses volumes by their labels; all when it is empty. */
  readonly selector: string;
  /** How often everything is looked at again, whatever was heard meanwhile; 0 for never. */
  readonly resyncMs: number;
  /** How long nobody must have been in a place before a label that names several gives it up. */
  readonly narrowAfterMs: number;
  readonly dryRun: boolean;
}
