/** Lists that a strategic merge patch merges: of texts and numbers as sets, of maps by their merge key. */
import { goText, goTypeOf } from '../go-text.ts';
import { isList, isMap, type Json, type JsonMap, own } from '../json.ts';
import type { PatchStrategy } from '../schema/schema.ts';
import { identityOf, interleaved } from './order.ts';
import { doesNotApply, PatchError } from './patch-error.ts';
import { DIRECTIVE } from './without.ts';

/** What is known about a list of an object that is being merged. */
export interface ListField {
  readonly strategy: PatchStrategy | undefined;
  readonly mergeKey: string | undefined;
  readonly mergeMembers: (member: JsonMap, patch: JsonMap) => JsonMap;
}

export function mergeLists(current: readonly Json[], patch: readonly Json[], field: ListField): readonly Json[] {
  if (current.length === 0 && patch.length === 0) return current;
  if (!isMap(sharedMember(current, patch)))
    return interleaved(unique([...current, ...patch]), patch, current, undefined);
  if (field.mergeKey === undefined) throw new PatchError(500, 'cannot merge lists without merge key for struct');
  return mergeKeyed(current, patch, field.mergeKey, field);
}

/** A member of the lists; all are of one type, and none is a list. */
export function sharedMember(...lists: readonly (readonly Json[])[]): Json {
  const [first, ...others] = lists.flat();
  if (first === undefined) throw new PatchError(500, 'no elements in any of the given slices');
  if (isList(first)) throw doesNotApply();
  if (others.every((other) => goTypeOf(other) === goTypeOf(first))) return first;
  throw new PatchError(500, `list element types are not identical: ${goText(lists)}`);
}

const unique = (values: readonly Json[]): readonly Json[] => [...new Set(values)];

function mergeKeyed(
  current: readonly Json[],
  patch: readonly Json[],
  mergeKey: string,
  { mergeMembers }: ListField,
): readonly Json[] {
  const directives = patch.filter(isDirective);
  const wanted = patch.filter((each) => !isDirective(each));
  const left = withoutDeleted(current, directives, mergeKey);
  if (directives.some((each) => own(each, DIRECTIVE) === 'replace')) return wanted;
  const result = [...left];
  for (const each of wanted) {
    const index = result.findIndex((other) => identityOf(other, mergeKey) === keyOf(each, mergeKey));
    const found = result[index];
    if (isMap(found) && isMap(each)) result[index] = mergeMembers(found, each);
    else result.push(each);
  }
  return interleaved(result, wanted, left, mergeKey);
}

const isDirective = (value: Json): value is JsonMap => isMap(value) && Object.hasOwn(value, DIRECTIVE);

function withoutDeleted(current: readonly Json[], directives: readonly JsonMap[], mergeKey: string): readonly Json[] {
  const deleted = directives.flatMap((each) => {
    const directive = own(each, DIRECTIVE);
    if (directive === 'delete') return [keyOf(each, mergeKey)];
    if (directive === 'replace') return [];
    if (directive === 'merge') throw new PatchError(500, 'merging lists cannot yet be specified in the patch');
    throw new PatchError(500, `unknown patch type: ${goText(directive)} in map: ${goText(each)}`);
  });
  return current.filter((each) => !deleted.includes(identityOf(each, mergeKey) ?? null));
}

function keyOf(member: Json, mergeKey: string): Json {
  const value = identityOf(member, mergeKey);
  if (value !== undefined) return value;
  throw new PatchError(500, `map: ${goText(member)} does not contain declared merge key: ${mergeKey}`);
}
