/**
 * Strategic merge patch: like a merge patch, but lists are merged by a key where the schema names one, and a patch may carry directives
 * that delete, replace and order. Kinds that a CustomResourceDefinition adds do not have it.
 */
import { goText, jsonWordFor } from '../go-text.ts';
import { isList, isMap, type Json, type JsonMap, own } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { type ListField, mergeLists } from './lists.ts';
import { badRequest, PatchError } from './patch-error.ts';
import { inWantedOrder, orderDirectives } from './set-order.ts';
import { DIRECTIVE, withoutDirectives, withoutKeys, withoutNulls } from './without.ts';

const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM_LIST = '$deleteFromPrimitiveList';
const PARALLEL = /^\$(deleteFromPrimitiveList|setElementOrder)/;

/** The object with the patch merged into it. Throws `PatchError`. */
export function strategicMergePatch(object: JsonMap, patch: Json, schema: Schema): JsonMap {
  if (patch === null) return object;
  if (isMap(patch)) return mergeMaps(object, patch, schema);
  throw badRequest(`json: cannot unmarshal ${jsonWordFor(patch)} into Go value of type map[string]interface {}`);
}

function mergeMaps(object: JsonMap, patch: JsonMap, schema: Schema | undefined): JsonMap {
  const directive = own(patch, DIRECTIVE);
  if (directive !== undefined) return directed(directive, patch);
  const { wanted, ordered } = orderDirectives(withoutKeys(patch, [RETAIN_KEYS]));
  const result = new Map(Object.entries(retained(object, patch)));
  for (const [field, order] of ordered) {
    const list = inWantedOrder(
      { current: result.get(field), wanted: wanted.get(field), order },
      listField(schema, field),
    );
    wanted.delete(field);
    if (list !== undefined) result.set(field, list);
  }
  for (const [key, value] of wanted) mergeField(result, key, value, schema);
  return Object.fromEntries(result);
}

function directed(directive: Json, patch: JsonMap): JsonMap {
  if (directive === 'replace') return withoutKeys(patch, [DIRECTIVE]);
  if (directive === 'delete') return {};
  throw new PatchError(500, `unknown patch type: ${goText(directive)} in map: ${goText(patch)}`);
}

/** What `$retainKeys` leaves of an object; it has to name all that the patch sets. */
function retained(object: JsonMap, patch: JsonMap): JsonMap {
  const keys = own(patch, RETAIN_KEYS);
  if (keys === undefined) return object;
  if (!isList(keys)) throw badRequest('invalid patch format of retainKeys');
  const sets = Object.keys(patch).filter((key) => patch[key] !== null && key !== RETAIN_KEYS && !PARALLEL.test(key));
  if (!sets.every((key) => keys.includes(key))) throw badRequest('invalid patch format of retainKeys');
  return withoutKeys(
    object,
    Object.keys(object).filter((key) => !keys.includes(key)),
  );
}

function mergeField(result: Map<string, Json>, key: string, value: Json, schema: Schema | undefined): void {
  const deletes = key.startsWith(DELETE_FROM_LIST);
  const field = deletes ? listNamedIn(key) : key;
  const current = result.get(field);
  if (value === null) result.delete(field);
  else if (deletes) deleteFrom(result, field, current, value);
  else put(result, field, merged(field, current, value, schema));
}

function listNamedIn(key: string): string {
  if (!key.startsWith(`${DELETE_FROM_LIST}/`)) throw badRequest('invalid patch format of primitive list');
  return key.slice(DELETE_FROM_LIST.length + 1);
}

function deleteFrom(result: Map<string, Json>, field: string, current: Json | undefined, gone: Json): void {
  if (isList(current) && isList(gone))
    result.set(
      field,
      current.filter((each) => !gone.includes(each)),
    );
}

function put(result: Map<string, Json>, field: string, value: Json | undefined): void {
  if (value === undefined) result.delete(field);
  else result.set(field, value);
}

function merged(field: string, current: Json | undefined, value: Json, schema: Schema | undefined): Json | undefined {
  if (isMap(current) && isMap(value)) {
    const inner = fieldOf(schema, field);
    return inner.patchStrategy?.includes('replace') ? value : mergeMaps(current, value, inner);
  }
  if (isList(current) && isList(value)) {
    const list = listField(schema, field);
    return list.strategy === 'merge' ? mergeLists(current, value, list) : value;
  }
  return withoutDirectives(withoutNulls(value));
}

function listField(schema: Schema | undefined, field: string): ListField {
  const { patchStrategy, patchMergeKey, items } = fieldOf(schema, field);
  const strategy = patchStrategy?.find((each) => each !== 'retainKeys');
  const mergeMembers = (member: JsonMap, patch: JsonMap) => mergeMaps(member, patch, items);
  return { strategy, mergeKey: patchMergeKey, mergeMembers };
}

/** Free maps hold no maps or lists that could be merged. */
function fieldOf(schema: Schema | undefined, field: string): Schema {
  const found = schema?.properties && Object.hasOwn(schema.properties, field) ? schema.properties[field] : undefined;
  if (found !== undefined) return found;
  if (schema?.properties) throw new PatchError(500, `unable to find api field in struct for the json field "${field}"`);
  throw new PatchError(500, 'merging an object in json but data type is not struct, instead is: map');
}
