/** What was seen of a device at one moment, with its descriptor held. What could not be seen is said to be unknown, and never left out. */
import type { DeviceFacts } from '../kit/host/block-device.ts';
import type { Loop } from '../kit/host/loops.ts';
import type { OpenAnswer } from '../kit/host/open-survey.ts';

export type Known<T> = { readonly known: true; readonly value: T } | { readonly known: false; readonly why: string };

export interface Observed {
  readonly path: string;
  readonly facts: DeviceFacts;
  /** Whether we hold it so that the kernel lets nobody mount, swap to or build on it. */
  readonly isHeld: boolean;
  readonly mounts: Known<readonly MountedOn[]>;
  readonly swaps: Known<readonly string[]>;
  readonly loops: Known<readonly Loop[]>;
  /** Somebody else's descriptors. */
  readonly openers: OpenAnswer;
  /** What is on it, as far as it is of a kind that can be recognised. */
  readonly signature: Known<string | undefined>;
  /** The volumes of this node that lead to the same bytes by another path. */
  readonly otherVolumes: readonly { readonly name: string; readonly path: string }[];
}

/** A mount of the device, of a partition of it, or of the disk that it is a part of. */
export interface MountedOn {
  readonly at: string;
  /** The name of what is mounted, when it is not the device itself. */
  readonly under: string;
}
