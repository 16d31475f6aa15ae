/** The partitions of a disk as people are told of them: where they are, and what is built on them. Pure. */
import type { DeviceFacts, PartitionFacts } from '../kit/host/block-device.ts';

export interface Partition {
  /** The kernel's name. */
  readonly name: string;
  readonly startBytes: number;
  readonly sizeBytes: number;
  /** In words: what is built on it (LVM, RAID, …). */
  readonly heldBy?: string | undefined;
}

/** What is said of a device that has partitions; of others nothing. */
export interface Partitioned {
  /** The first of them, in the order in which they are on the disk. */
  readonly partitions?: readonly Partition[] | undefined;
  /** How many there are, also where they are not listed. */
  readonly partitionCount?: number | undefined;
}

/** Who has more of them wants to know that, rather than which. */
const MOST_LISTED = 16;

export function partitionedAs({ partitions }: DeviceFacts): Partitioned {
  if (partitions.length === 0) return { partitions: undefined, partitionCount: undefined };
  const inOrder = partitions.toSorted((one, other) => one.startBytes - other.startBytes);
  return { partitions: inOrder.slice(0, MOST_LISTED).map(asTold), partitionCount: partitions.length };
}

function asTold({ name, startBytes, sizeBytes, holders: [first, ...more] }: PartitionFacts): Partition {
  if (first === undefined) return { name, startBytes, sizeBytes };
  return { name, startBytes, sizeBytes, heldBy: more.length > 0 ? `${first} and ${more.length} more` : first };
}
