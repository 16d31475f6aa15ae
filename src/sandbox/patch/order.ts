/** In which order the members of a merged list stand: first as the patch wants it, then as they stood before. */
import { isMap, type Json, own } from '../json.ts';

/**
 * Those that the patch names come in its order. The others come as they stood before, each in front of the first of the named that
 * stood behind it.
 */
export function interleaved(
  merged: readonly Json[],
  patch: readonly Json[],
  before: readonly Json[],
  mergeKey: string | undefined,
): readonly Json[] {
  const placeIn = (list: readonly Json[], member: Json) =>
    list.findIndex((each) => identityOf(each, mergeKey) === identityOf(member, mergeKey));
  const inOrderOf = (list: readonly Json[]) => (a: Json, b: Json) => placeIn(list, a) - placeIn(list, b);
  const named = merged.filter((each) => placeIn(patch, each) >= 0).toSorted(inOrderOf(patch));
  const others = merged.filter((each) => placeIn(patch, each) < 0).toSorted(inOrderOf(before));
  const stoodBefore = (a: Json, b: Json) => placeIn(before, a) >= 0 && placeIn(before, a) < placeIn(before, b);
  const result: Json[] = [];
  for (const next of named) {
    while (others[0] !== undefined && stoodBefore(others[0], next)) result.push(...others.splice(0, 1));
    result.push(next);
  }
  return [...result, ...others];
}

/** What tells a member of a list from the others: the value under its merge key, or itself. */
export function identityOf(member: Json, mergeKey: string | undefined): Json | undefined {
  if (mergeKey === undefined) return member;
  return isMap(member) ? own(member, mergeKey) : undefined;
}
