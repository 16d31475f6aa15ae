/** JSON merge patch (RFC 7386), with the two liberties that the API server takes. */
import { jsonWordFor } from '../go-text.ts';
import { isMap, type Json, type JsonMap } from '../json.ts';
import { badRequest } from './patch-error.ts';
import { withoutNulls } from './without.ts';

/** The object with the patch merged into it. Throws `PatchError`. */
export function mergePatch(object: JsonMap, patch: Json): JsonMap {
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (!isMap(patch)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${jsonWordFor(patch)} into Go value of type map[string]interface {}`,
    );
  }
  return merged(object, patch);
}

function merged(object: JsonMap, patch: JsonMap): JsonMap {
  const result = new Map(Object.entries(object));
  for (const [key, wanted] of Object.entries(patch)) {
    if (wanted === null) result.delete(key);
    else result.set(key, put(result.get(key), wanted));
  }
  return Object.fromEntries(result);
}

/** The RFC would leave the nulls inside of a new list alone, and take them out of a map that replaces another value. */
function put(current: Json | undefined, wanted: Json): Json {
  if (!isMap(current)) return withoutNulls(wanted);
  return isMap(wanted) ? merged(current, wanted) : wanted;
}
