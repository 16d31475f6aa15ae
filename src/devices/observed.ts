/** What was seen of a device at one moment, with its descriptor held. What could not be seen is said to be unknown, and never left out. */
import type { DeviceFacts } from '../kit/host/block-device.ts';
import type { OpenAnswer } from '../kit/host/open-survey.ts';
import type { Known } from '../kit/known.ts';

export interface Observed {
  readonly path: string;
  readonly facts: DeviceFacts;
  /** Whether we hold it so that the kernel lets nobody mount, swap to or build on it. */
  readonly isHeld: boolean;
  /** Other devices that some of its bytes belong to: who uses one of them uses it. */
  readonly relatives: Known<readonly DeviceFacts[]>;
  readonly mounts: Known<readonly Use[]>;
  readonly swaps: Known<readonly Use[]>;
  /** Loop devices on it. */
  readonly loops: Known<readonly Use[]>;
  /** Those of which nobody knows what they are on. */
  readonly hiddenLoops: readonly string[];
  /** What the kernel serves of it to other machines. */
  readonly exports: Known<readonly Use[]>;
  /** The names of those relatives that somebody has for himself alone. */
  readonly busyRelatives: Known<readonly string[]>;
  /** Somebody else's descriptors. */
  readonly openers: OpenAnswer;
  /** What is on it, as far as it is of a kind that can be recognised. */
  readonly signature: Known<string | undefined>;
  /** That its beginning and its end are all zeroes. Where they are not and there is no signature, somebody's raw data may be on it. */
  readonly isBlank: boolean;
  /** That its beginning is. */
  readonly isHeadBlank: boolean;
  /** The volumes of this node that lead to some of the same bytes by another path. */
  readonly otherVolumes: Known<readonly OtherVolume[]>;
}

/** One use of a device or of a relative of it. */
export interface Use {
  /** What uses it: a mount point, the name of a loop device, … */
  readonly by: string;
  /** The name of what is used, when it is not the device itself. */
  readonly under: string;
}

export interface OtherVolume {
  readonly name: string;
  readonly path: string;
}
