/** The partitions of a disk as a bar, to scale, and what is free between them. Nothing for a disk that has none. */
import type { DeviceRow } from '../../../src/console/model.ts';
import { partitionsInWords, stretchesOf } from '../../nodes/partition-layout.ts';

/** Where all that is in it stands beside it in words, it is large enough for names. */
export function PartitionBar({ device, isInWords }: { readonly device: DeviceRow; readonly isInWords?: boolean }) {
  const stretches = stretchesOf(device);
  if (stretches.length === 0) return null;
  const read = isInWords
    ? ({ class: 'partition-bar partition-bar-named', 'aria-hidden': 'true' } as const)
    : ({ class: 'partition-bar', role: 'img', 'aria-label': partitionsInWords(device) } as const);
  return (
    <span {...read}>
      {stretches.map(({ kind, name, words, bytes }, index) => (
        <span key={index} class={`part part-${kind}`} style={{ flexGrow: bytes }} title={words}>
          {isInWords && <span>{name}</span>}
        </span>
      ))}
    </span>
  );
}
