/** Which rows are wanted. Ten thousand of them are looked at with every key that is pressed. */
import type { VolumeRow } from '../../src/console/model.ts';
import { FACETS, facetOf } from './facets.ts';
import type { VolumeQuery } from './query.ts';

export function filtered(rows: readonly VolumeRow[], query: VolumeQuery): readonly VolumeRow[] {
  const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
  const narrowing = FACETS.filter((facet) => query.chosen[facet].length > 0);
  if (words.length === 0 && narrowing.length === 0) return rows;
  return rows.filter(
    (row) =>
      narrowing.every((facet) => query.chosen[facet].includes(facetOf(row, facet))) &&
      words.every((word) => textOf(row).includes(word)),
  );
}

/** A row that changes is another object, so this is never out of date. */
const texts = new WeakMap<VolumeRow, string>();

function textOf(row: VolumeRow): string {
  let text = texts.get(row);
  if (text === undefined) {
    const parts = [row.name, row.claim, row.storageClass, row.zone, row.node, row.phase, row.note, ...(row.pods ?? [])];
    text = parts.join('\n').toLowerCase();
    texts.set(row, text);
  }
  return text;
}
