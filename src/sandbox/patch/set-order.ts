/** The `$setElementOrder` directive of strategic merge patches: it says in which order a merged list is to stand. */
import { goText, goTypeOf } from '../go-text.ts';
import { isList, isMap, type Json, type JsonMap } from '../json.ts';
import { type ListField, mergeLists, sharedMember } from './lists.ts';
import { identityOf, interleaved } from './order.ts';
import { badRequest, PatchError } from './patch-error.ts';
import { DIRECTIVE, withoutDirectives } from './without.ts';

const SET_ORDER = '$setElementOrder';

/** Takes the `$setElementOrder` lists out of a patch. */
export function orderDirectives(patch: JsonMap): {
  readonly wanted: Map<string, Json>;
  readonly ordered: readonly (readonly [field: string, order: readonly Json[]])[];
} {
  const entries = Object.entries(patch);
  const ordered = entries.filter(([key]) => key.startsWith(SET_ORDER));
  return {
    wanted: new Map(entries.filter(([key]) => !key.startsWith(SET_ORDER))),
    ordered: ordered.map(([key, order]) => [fieldOrdered(key), listOrThrow(order)]),
  };
}

function fieldOrdered(key: string): string {
  if (!key.startsWith(`${SET_ORDER}/`)) throw badRequest('invalid patch format of setElementOrder list');
  return key.slice(SET_ORDER.length + 1);
}

function listOrThrow(value: Json | undefined): readonly Json[] {
  if (isList(value)) return value;
  throw new PatchError(500, `expected a []interface {}, but received a ${goTypeOf(value)}`);
}

interface OrderedLists {
  readonly current: Json | undefined;
  readonly wanted: Json | undefined;
  readonly order: readonly Json[];
}

/** The merged list in the order of the directive; undefined where there is no list at all. */
export function inWantedOrder({ current, wanted, order }: OrderedLists, field: ListField): readonly Json[] | undefined {
  if (current === undefined && wanted === undefined) return undefined;
  const before = current === undefined ? [] : listOrThrow(current);
  const patch = wanted === undefined ? [] : listOrThrow(wanted);
  refuseOtherOrder(patch, order, field.mergeKey);
  const merged = mergedFor(current === undefined ? undefined : before, wanted === undefined ? undefined : patch, field);
  const isKeyed = isMap(sharedMember(before, patch));
  return interleaved(merged, order, before, isKeyed ? field.mergeKey : undefined);
}

function mergedFor(
  before: readonly Json[] | undefined,
  patch: readonly Json[] | undefined,
  field: ListField,
): readonly Json[] {
  if (patch === undefined) return before ?? [];
  if (before === undefined) return listOrThrow(withoutDirectives(patch));
  return field.strategy === 'merge' ? mergeLists(before, patch, field) : patch;
}

/** What a patch sets has to stand in the order that it asks for. */
function refuseOtherOrder(patch: readonly Json[], order: readonly Json[], mergeKey: string | undefined): void {
  if (patch.length === 0 || order.length === 0) return;
  const keys = patch
    .filter((each) => !(isMap(each) && Object.hasOwn(each, DIRECTIVE)))
    .map((each) => identityOf(each, mergeKey));
  let next = 0;
  for (const each of order) if (next < keys.length && keys[next] === identityOf(each, mergeKey)) next += 1;
  if (next === keys.length) return;
  const both = `The order in patch list:\n${goText(patch)}\n doesn't match ${SET_ORDER} list:\n${goText(order)}\n`;
  throw new PatchError(500, both);
}
