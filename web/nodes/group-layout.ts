/** A volume group as parts of a bar: its thin pools, its logical volumes, what others have in it, and what is free. */
import type { GroupRow } from '../../src/console/model.ts';

export interface Part {
  readonly kind: 'pool' | 'volume' | 'other' | 'free';
  readonly name: string;
  readonly bytes: number;
}

/** Volumes in a thin pool are promised, and have no place of their own: they are named in the pool. */
export function partsOf(group: GroupRow): readonly Part[] {
  const pools = group.pools.map(
    ({ name, sizeBytes }): Part => ({
      kind: 'pool',
      name: [name, group.volumes.flatMap(({ pool, volume }) => (pool === name ? [volume] : [])).join(', ')]
        .filter(Boolean)
        .join(': '),
      bytes: sizeBytes,
    }),
  );
  const used = Math.max(0, group.sizeBytes - group.freeBytes);
  const beside = used - sum(pools);
  const thick = group.volumes.flatMap(({ volume, pool, sizeBytes }): Part[] =>
    sizeBytes === undefined || pool !== undefined ? [] : [{ kind: 'volume', name: volume, bytes: sizeBytes }],
  );
  const volumes = sum(thick) <= beside ? thick : [];
  const other = beside - sum(volumes);
  // Where volumes may not be read, nobody tells which of them are in a pool: if not all fit, those beside it are one part.
  const rest = volumes.length < thick.length ? 'logical volumes' : 'other';
  return [
    ...pools,
    ...volumes,
    ...(other > 0 ? [{ kind: 'other', name: rest, bytes: other } as const] : []),
    ...(group.freeBytes > 0 ? [{ kind: 'free', name: 'free', bytes: group.freeBytes } as const] : []),
  ];
}

const sum = (parts: readonly Part[]): number => parts.reduce((total, { bytes }) => total + bytes, 0);
