/** Who owns which field of an object after a write. */
import { apiVersionOf } from '../../kit/kube/resource.ts';
import { type ApiObject, asJson, asObject } from '../api-object.ts';
import { applied } from '../fields/applied.ts';
import { updated } from '../fields/updated.ts';
import { timestamp } from './identifiers.ts';
import { Refusal } from './refusals.ts';
import type { Target, WriteRequest } from './target.ts';

/** The longest name that the server takes for a manager. */
const LONGEST_MANAGER = 128;

/** Those who do not say who they are go by the beginning of what their program calls itself. */
function managerOf({ fieldManager, userAgent = '' }: WriteRequest): string {
  return fieldManager ?? (userAgent.split('/')[0] ?? '').slice(0, LONGEST_MANAGER);
}

const common = ({ kind, subresource }: Target, now: Date) => ({
  schema: kind.schema,
  apiVersion: apiVersionOf(kind.resource),
  now: timestamp(now),
  ...(subresource && { subresource }),
});

/** The object with its owners, after a write that is no apply. */
export function owned(
  target: Target,
  after: ApiObject,
  before: ApiObject | undefined,
  request: WriteRequest,
  now: Date,
): ApiObject {
  const manager = managerOf(request);
  const by = request.through ? { ...target, subresource: request.through } : target;
  return updated({ ...common(by, now), manager, operation: 'Update', after, ...(before && { before }) });
}

/** What an apply makes of an object, with its owners. Throws a `Refusal` when it would take what is others'. */
export function appliedTo(
  target: Target,
  config: ApiObject,
  live: ApiObject | undefined,
  request: WriteRequest,
  now: Date,
): ApiObject {
  const { fieldManager: manager = '', force = false } = request;
  const outcome = applied({ ...common(target, now), manager, force, config, ...(live && { live }) });
  if ('conflicts' in outcome) {
    const { message, causes } = outcome.conflicts;
    throw new Refusal({ code: 409, reason: 'Conflict', message, details: { causes } });
  }
  if ('object' in outcome) return asObject(asJson(outcome.object));
  const { status, message } = outcome.refused;
  throw new Refusal({ code: status, ...(status === 400 && { reason: 'BadRequest' }), message });
}
