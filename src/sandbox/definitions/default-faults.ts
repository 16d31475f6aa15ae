/** Whether the defaults of a schema are values that it allows. */
import { isMap, type Json } from '../json.ts';
import type { SchemaNode } from '../schema/definitions.ts';
import { type FieldError, invalid, required } from '../schema/field-error.ts';
import { schemaOf } from '../schema/open-api.ts';
import { pruned } from '../schema/prune.ts';
import { ruleErrors } from '../schema/rules.ts';
import { validate } from '../schema/validate.ts';
import { defaultOf, isSet, namedParts, type Part, partAt } from './schema-node.ts';

export const defaultFaults = (root: Part): readonly FieldError[] => inPart(root, true);

function inPart(part: Part, isResource: boolean): readonly FieldError[] {
  const { node } = part;
  const value = defaultOf(node);
  const items = partAt(part, 'items');
  const inner = [...(items ? [items] : []), ...namedParts(part, 'properties')];
  return [
    ...(value === undefined ? [] : faultsOf(value, part, isResource || isSet(node, EMBEDDED))),
    ...inner.flatMap((each) => inPart(each, isSet(each.node, EMBEDDED))),
  ];
}

const EMBEDDED = 'x-kubernetes-embedded-resource';

function faultsOf(value: Json, { node, path }: Part, isResource: boolean): readonly FieldError[] {
  const place = `${path}.default`;
  const schema = schemaOf(node as SchemaNode);
  const { unknown } = pruned(value, isResource ? { ...schema, embeddedResource: true } : schema);
  const unpruned = unknown.length > 0 ? [invalid(place, value, 'must not have unknown fields')] : [];
  const nameless = isResource && isMap(value) ? ['apiVersion', 'kind'].filter((field) => !value[field]) : [];
  if (nameless.length > 0) return [...unpruned, ...nameless.map((field) => required(`${place}.${field}`))];
  const faults = validate(value, schema);
  const all = faults.length > 0 ? faults : ruleErrors(value, schema, []);
  return [...unpruned, ...all.map((fault) => ({ ...fault, field: under(place, fault.field) }))];
}

const under = (place: string, field: string): string => (field === '' ? place : `${place}.${field}`);
