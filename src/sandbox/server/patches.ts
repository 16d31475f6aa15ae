/** Patches: what makes of the object that is there the one that is to be. */
import { type ApiObject, asJson, asObject } from '../api-object.ts';
import type { Json, JsonMap } from '../json.ts';
import type { Kind } from '../kinds/kind.ts';
import { jsonPatch } from '../patch/json.ts';
import { mergePatch } from '../patch/merge.ts';
import { PatchError } from '../patch/patch-error.ts';
import { strategicMergePatch } from '../patch/strategic.ts';
import { Refusal, unsupportedMediaType } from './refusals.ts';

/** Throws a `Refusal` when it cannot be applied. */
export function patched(type: string, live: ApiObject, patch: Json, kind: Kind): ApiObject {
  try {
    return asObject(apply(type, asJson(live), patch, kind));
  } catch (error) {
    throw error instanceof PatchError ? refusalOf(error) : error;
  }
}

function apply(type: string, live: JsonMap, patch: Json, { schema, isCustom }: Kind): Json {
  if (type === 'application/json-patch+json') return jsonPatch(live, patch);
  if (type === 'application/merge-patch+json') return mergePatch(live, patch);
  if (type === 'application/strategic-merge-patch+json' && !isCustom) return strategicMergePatch(live, patch, schema);
  throw unsupportedMediaType();
}

const refusalOf = ({ status, reason, message }: PatchError): Refusal =>
  new Refusal({ code: status, ...(reason && { reason }), message, ...(status === 422 && { details: {} }) });
