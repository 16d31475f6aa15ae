/** What LVM tells of the node: the volume groups, and the logical volumes in them. */
import type { DeviceNumber } from '../kit/host/device-number.ts';

export interface Lvm {
  readonly groups: ReadonlyMap<string, VolumeGroup>;
}

export interface VolumeGroup {
  readonly name: string;
  readonly uuid: string;
  readonly sizeBytes: bigint;
  readonly freeBytes: bigint;
  readonly extentBytes: bigint;
  /** How many of its disks are not there. */
  readonly missingDisks: number;
  /** Why nothing may be changed in it, such as `exported`; empty when everything may. */
  readonly obstacles: readonly string[];
  /** By name, without those that LVM hides because they are parts of others. */
  readonly volumes: ReadonlyMap<string, LogicalVolume>;
}

export interface LogicalVolume {
  readonly name: string;
  readonly group: string;
  readonly uuid: string;
  /** `cached` has a faster disk before it, in which what is written may stay. */
  readonly kind: 'plain' | 'thin' | 'thin-pool' | 'snapshot' | 'cached' | 'other';
  readonly sizeBytes: bigint;
  readonly tags: readonly string[];
  readonly isActive: boolean;
  /** Who reads or writes it waits until it is resumed. */
  readonly isSuspended: boolean;
  /** When it is active. */
  readonly device?: DeviceNumber | undefined;
  readonly isReadOnly: boolean;
  /** Of a thin volume, or a snapshot of one. */
  readonly pool?: string | undefined;
  /** Of a snapshot. */
  readonly origin?: string | undefined;
  /** How full it is, of a pool or a snapshot, when the kernel tells. */
  readonly dataPercent?: number | undefined;
  readonly metadataPercent?: number | undefined;
  /** Of a classic snapshot: more has changed than it has room for, and what it kept is lost. */
  readonly isLost: boolean;
  /** What LVM says is wrong with it; empty when nothing is. */
  readonly health: string;
}
