/** Lists of custom resources that are sets, or have keys: their order says nothing, and they are joined by what their members are. */
import { type CelValue, isCelMap } from './values.ts';

export type ListKind = { readonly type: 'set' } | { readonly type: 'map'; readonly keys: readonly string[] };

const kinds = new WeakMap<readonly CelValue[], ListKind>();

export function ofKind(list: readonly CelValue[], kind: ListKind | undefined): readonly CelValue[] {
  if (kind !== undefined) kinds.set(list, kind);
  return list;
}

export const listKindOf = (list: readonly CelValue[]): ListKind | undefined => kinds.get(list);

/** The same for members with the same keys. */
export function keyOfMember(member: CelValue, kind: ListKind): string {
  if (kind.type === 'set' || !isCelMap(member)) return String(member);
  return JSON.stringify(kind.keys.map((key) => String(member.get(key) ?? '')));
}

/** What `+` makes of two lists. Of a set, the second adds what is not there; of a list with keys, it also replaces. */
export function joined(a: readonly CelValue[], b: readonly CelValue[]): readonly CelValue[] {
  const kind = listKindOf(a);
  if (kind === undefined) return [...a, ...b];
  const members = new Map(a.map((member) => [keyOfMember(member, kind), member]));
  for (const member of b) members.set(keyOfMember(member, kind), member);
  return ofKind([...members.values()], kind);
}
