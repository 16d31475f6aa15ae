/** What volumes are filtered by. */
import type { VolumeRow } from '../../src/console/model.ts';

export const FACETS = ['health', 'zone', 'class', 'source', 'node', 'phase'] as const;
export type Facet = (typeof FACETS)[number];

export const FACET_TITLES: Readonly<Record<Facet, string>> = {
  health: 'Health',
  zone: 'Zone',
  class: 'Class',
  source: 'Source',
  node: 'Node',
  phase: 'Phase',
};

/** For volumes that have none. */
export const NONE = '—';

/** As people read it. */
export const valueInWords = (value: string): string => (value === NONE ? 'none' : value);

/** What has none comes last. */
export const compareValues = (a: string, b: string): number =>
  Number(a === NONE) - Number(b === NONE) || a.localeCompare(b, 'en', { numeric: true });

export function facetOf(row: VolumeRow, facet: Facet): string {
  switch (facet) {
    case 'health':
      return row.health;
    case 'zone':
      return row.zone ?? NONE;
    case 'class':
      return row.storageClass ?? NONE;
    case 'source':
      return row.source;
    case 'node':
      return row.node ?? NONE;
    case 'phase':
      return row.phase;
  }
}

/** How many volumes have each value. */
export function facetCounts(rows: Iterable<VolumeRow>, facet: Facet): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const value = facetOf(row, facet);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}
