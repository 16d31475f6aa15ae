/** For tests: volumes and groups of LVM, and what they take of each other. */
import type { Content, Mapped } from './simulated-devices.ts';

export const EXTENT = 4n * 2n ** 20n;

export interface SimulatedVolume {
  name: string;
  readonly group: SimulatedGroup;
  readonly uuid: string;
  kind: 'plain' | 'thin' | 'thin-pool' | 'snapshot';
  extents: bigint;
  readonly tags: Set<string>;
  readonly content: Content;
  readonly pool?: string | undefined;
  origin?: string | undefined;
  readonly isReadOnly: boolean;
  mapped?: Mapped | undefined;
  /** A person has put a faster disk before it, by lvconvert --type cache. */
  isCached?: boolean;
}

export interface SimulatedGroup {
  readonly name: string;
  readonly uuid: string;
  extents: bigint;
  readonly volumes: Map<string, SimulatedVolume>;
}

/** Of a snapshot that takes room of its own. */
export function isOrigin({ group, name }: SimulatedVolume): boolean {
  return [...group.volumes.values()].some(({ origin, kind, pool }) => kind === 'snapshot' && !pool && origin === name);
}

export function freeIn({ extents, volumes }: SimulatedGroup): bigint {
  return [...volumes.values()].reduce((left, volume) => left - allocated(volume), extents) - spare(volumes);
}

/** Of its group: a pool has an extent for its metadata beside it. */
export function allocated({ kind, extents, pool }: Pick<SimulatedVolume, 'kind' | 'extents' | 'pool'>): bigint {
  if (pool !== undefined) return 0n;
  return kind === 'thin-pool' ? extents + 1n : extents;
}

/** With the first pool an extent is put aside to repair it with. */
export const spare = (volumes: ReadonlyMap<string, SimulatedVolume>): bigint =>
  [...volumes.values()].some(({ kind }) => kind === 'thin-pool') ? 1n : 0n;

export function extentsOf(size: string): bigint {
  const bytes = BigInt(/^(\d+)b$/.exec(size)?.[1] ?? never(`${size} is not a size in bytes`));
  return (bytes + EXTENT - 1n) / EXTENT;
}

export function never(why: string): never {
  throw new Error(why);
}
