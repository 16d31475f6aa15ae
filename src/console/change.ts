/** Which rows are other than before. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { Overview } from './model.ts';

/** The keys of rows that are new, other or gone. Rows that are the same object are not looked into. */
export function changedKeys<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): ReadonlySet<string> {
  const changed = new Set<string>();
  for (const [key, row] of after) {
    const old = before.get(key);
    if (old !== row && !isDeepStrictEqual(old, row)) changed.add(key);
  }
  for (const key of before.keys()) if (!after.has(key)) changed.add(key);
  return changed;
}

/** The time alone is no change. */
export const isSameOverview = ({ at: _, ...one }: Overview, { at: __, ...other }: Overview): boolean =>
  isDeepStrictEqual(one, other);
