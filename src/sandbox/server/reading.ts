/** What a client sent, as the kind understands it: what it does not have is left out, and what was left out is filled in. */
import { type ApiObject, asJson, asObject } from '../api-object.ts';
import { isMap } from '../json.ts';
import type { Kind } from '../kinds/kind.ts';
import { prune } from '../schema/prune.ts';
import { badRequest } from './refusals.ts';
import type { WriteRequest } from './target.ts';

/** Throws a `Refusal` for what cannot be read, or not as strictly as the request wants. */
export function read(kind: Kind, sent: ApiObject, request: WriteRequest): ApiObject {
  const { value, unknown, fault } = prune(asJson(sent), kind.schema);
  if (fault !== undefined) throw unreadable(kind, fault);
  if (unknown.length > 0) complain(kind, unknown, request);
  return kind.defaulted(asObject({ metadata: {}, ...(isMap(value) ? value : {}) }));
}

function complain(kind: Kind, unknown: readonly string[], { fieldValidation = 'Warn', warn }: WriteRequest): void {
  const faults = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  if (fieldValidation === 'Strict') throw unreadable(kind, `strict decoding error: ${faults.join(', ')}`);
  if (fieldValidation === 'Warn') for (const fault of faults) warn?.(fault);
}

const unreadable = ({ resource: { version, kind }, isCustom }: Kind, fault: string) =>
  badRequest(
    isCustom ? fault : `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${fault}`,
  );
