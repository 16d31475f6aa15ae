/** Which fields the server does not take from a request: the status from one to the object, the rest from one to its status. */
import type { JsonMap } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { type FieldSet, NO_FIELDS, setOf } from './field-set.ts';
import { fieldElement } from './path-element.ts';

const field = (...names: readonly string[]) => names.map(fieldElement);

const STATUS = setOf(field('status'));
const SPEC = setOf(field('spec'));
const SPEC_AND_METADATA = setOf(field('spec'), field('metadata'));
const OF_POD_STATUS = setOf(
  field('spec'),
  field('metadata', 'deletionTimestamp'),
  field('metadata', 'ownerReferences'),
);

/** Of the built-in kinds with a status of its own, those whose status takes no metadata either. */
const STATUS_ALONE = ['ValidatingAdmissionPolicy'];

export function resetFields({ kind = '' }: JsonMap, subresource: string, schema: Schema): FieldSet {
  if (subresource === 'status') return resetByStatus(String(kind), schema);
  const takesNoStatus = subresource === '' && schema.properties?.status !== undefined;
  return takesNoStatus || subresource === 'finalize' ? STATUS : NO_FIELDS;
}

function resetByStatus(kind: string, { native }: Schema): FieldSet {
  if (!native || STATUS_ALONE.includes(kind)) return SPEC_AND_METADATA;
  return kind === 'Pod' ? OF_POD_STATUS : SPEC;
}
