/** A partitioned disk as stretches from its beginning to its end: its partitions, and what is free between them. Pure. */
import type { DeviceRow, PartitionRow } from '../../src/console/model.ts';
import { bytes } from '../words/bytes.ts';
import { counted } from '../words/numbers.ts';

export interface Stretch {
  readonly kind: 'partition' | 'held' | 'free' | 'rest';
  readonly name: string;
  /** What it is, and how large. */
  readonly words: string;
  /** How much of the picture it has. */
  readonly bytes: number;
}

type Partitioned = Pick<DeviceRow, 'sizeBytes' | 'partitions' | 'partitionCount'>;

/** Partitions begin at a multiple of this, and the table is before the first: so little is nobody's to use. */
const ALIGNMENT_BYTES = 2 ** 20;

/** None where nobody knows where the partitions are. What lies behind the last one that is listed is the rest, if there are more. */
export function stretchesOf({ sizeBytes = 0, partitions = [], partitionCount = 0 }: Partitioned): readonly Stretch[] {
  if (partitions.length === 0) return [];
  const stretches: Stretch[] = [];
  let end = 0;
  for (const partition of partitions) {
    const start = within(end, partition.startBytes, sizeBytes);
    stretches.push(...freeOf(start - end));
    end = within(start, partition.startBytes + partition.sizeBytes, sizeBytes);
    stretches.push(stretchOf(partition, end - start));
  }
  const more = partitionCount - partitions.length;
  return [...stretches, ...(more > 0 ? [restOf(more, sizeBytes - end)] : freeOf(sizeBytes - end))];
}

/** Nothing for a disk without partitions. */
export function partitionsInWords(device: Partitioned): string | undefined {
  const { partitions = [], partitionCount = partitions.length } = device;
  if (partitionCount === 0) return undefined;
  const listed = stretchesOf(device).map(({ words }) => words);
  return [counted(partitionCount, 'partition'), listed.join(', ')].filter(Boolean).join(': ');
}

/** What a disk says of itself may contradict itself. */
const within = (least: number, value: number, most: number): number => Math.max(least, Math.min(value, most));

function stretchOf({ name, sizeBytes, heldBy }: PartitionRow, room: number): Stretch {
  const words = `${name} ${bytes(sizeBytes)}`;
  if (heldBy === undefined) return { kind: 'partition', name, words, bytes: room };
  return { kind: 'held', name, words: `${words} (held by ${heldBy})`, bytes: room };
}

const freeOf = (size: number): readonly Stretch[] =>
  size > ALIGNMENT_BYTES ? [{ kind: 'free', name: 'free', words: `${bytes(size)} free`, bytes: size }] : [];

const restOf = (more: number, room: number): Stretch => ({
  kind: 'rest',
  name: `${more} more`,
  words: `${more} more`,
  bytes: room,
});
