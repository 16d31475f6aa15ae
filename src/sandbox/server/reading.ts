/** What a client sent, as the kind understands it: what it does not have is left out, and what was left out is filled in. */
import { type ApiObject, asJson, asObject } from '../api-object.ts';
import { isMap } from '../json.ts';
import type { Kind } from '../kinds/kind.ts';
import { invalid as invalidValue } from '../schema/field-error.ts';
import { prune } from '../schema/prune.ts';
import { badRequest, invalid, notInSandbox, type Refusal } from './refusals.ts';
import type { WriteRequest } from './target.ts';

/** Throws a `Refusal` for what cannot be read, or not as strictly as the request wants. */
export function read(kind: Kind, sent: ApiObject, request: WriteRequest, live?: ApiObject): ApiObject {
  const { value, unknown, fault } = prune(asJson(sent), kind.schema, live && asJson(live));
  const refuse = (why: string) => (request.patch ? wrongPatch(sent, why, request.patch) : unreadable(kind, why));
  if (fault !== undefined) throw refuse(fault);
  if (unknown.length > 0) complain(unknown, request, refuse);
  return kind.defaulted(asObject({ metadata: {}, ...(isMap(value) ? value : {}) }));
}

function complain(
  unknown: readonly string[],
  { fieldValidation = 'Warn', warn }: WriteRequest,
  refuse: (why: string) => Refusal,
): void {
  const faults = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  if (fieldValidation === 'Strict') throw refuse(`strict decoding error: ${faults.join(', ')}`);
  if (fieldValidation === 'Warn') for (const fault of faults) warn?.(fault);
}

/** Of a patch that makes no object: it belongs to no kind. */
function wrongPatch(made: ApiObject, fault: string, patch: 'plain' | 'strategic'): Refusal {
  if (patch === 'strategic') return notInSandbox('words for a strategic patch that makes no object');
  return invalid({ group: '', kind: '' }, '', [invalidValue('patch', JSON.stringify(made), fault)]);
}

const unreadable = ({ resource: { version, kind }, isCustom }: Kind, fault: string) =>
  badRequest(
    isCustom ? fault : `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${fault}`,
  );
