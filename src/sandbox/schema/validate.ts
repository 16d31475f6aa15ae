/** Whether an object is as the schema of its CustomResourceDefinition wants it, in the words of the server. */
import { isList, isMap, type Json, type JsonMap, own, same } from '../json.ts';
import { patternOf } from '../patterns.ts';
import { counterpart } from './correlation.ts';
import * as errors from './field-error.ts';
import { hasFormat } from './formats.ts';
import { listErrors } from './lists.ts';
import type { Schema, ValueChecks } from './schema.ts';

type FieldError = errors.FieldError;

/** On an update, what was wrong before and is still the same is let pass. Rules are not asked here. */
export function validate(value: Json, schema: Schema, old?: Json): readonly FieldError[] {
  const lists = old === undefined || listErrors(old, schema).length === 0 ? listErrors(value, schema) : [];
  return [...node(value, schema, '', old), ...lists];
}

/** By way of the status subresource only the status is looked at, and messages say where it is wrong from there. */
export function validateStatus(value: JsonMap, schema: Schema, old: JsonMap): readonly FieldError[] {
  const [status, known] = [own(value, 'status'), schema.properties?.status];
  const faults = status === undefined || !known ? [] : node(status, known, '', own(old, 'status'));
  const lists = listErrors(old, schema).length === 0 ? listErrors(value, schema) : [];
  return [...faults.map((fault) => ({ ...fault, field: underStatus(fault.field) })), ...lists];
}

const underStatus = (field: string): string =>
  field === '' || field === errors.NOWHERE ? 'status' : `status.${field}`;

function node(value: Json, schema: Schema, path: string, old: Json | undefined): readonly FieldError[] {
  if (old !== undefined && same(value, old)) return [];
  if (value === null) return [...typeErrors(value, schema, path), ...enumErrors(value, schema, path)];
  return [
    ...typeErrors(value, schema, path),
    ...combined(value, schema, path),
    ...(typeof value === 'string' ? textErrors(value, schema, path) : []),
    ...(typeof value === 'number' ? numberErrors(value, schema, path) : []),
    ...(isList(value) ? itemErrors(value, schema, path, old) : []),
    ...enumErrors(value, schema, path),
    ...(isMap(value) ? propertyErrors(value, schema, path, old) : []),
  ];
}

function typeNameOf(value: Json): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return isList(value) ? 'array' : typeof value;
}

function typeErrors(value: Json, { type, nullable, intOrString }: Schema, path: string): readonly FieldError[] {
  const wanted = intOrString ? ['integer', 'string'] : type === undefined ? [] : [type];
  const found = typeNameOf(value);
  const isFine =
    wanted.includes(found) || (found === 'integer' && wanted.includes('number')) || (value === null && nullable);
  if (isFine || wanted.length === 0) return [];
  return [errors.typeInvalid(path, found, `${path} in body must be of type ${wanted.join(',')}: "${found}"`)];
}

function enumErrors(value: Json, { enum: allowed }: ValueChecks, path: string): readonly FieldError[] {
  if (allowed === undefined || allowed.some((each) => same(each, value))) return [];
  return [
    errors.notSupported(
      path,
      value,
      allowed.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))),
    ),
  ];
}

function textErrors(value: string, schema: ValueChecks, path: string): readonly FieldError[] {
  const { maxLength, minLength, pattern, format } = schema;
  const length = Array.from(value).length;
  const found: FieldError[] = [];
  if (maxLength !== undefined && length > maxLength) found.push(errors.tooLong(path, maxLength));
  const says = (words: string) => found.push(errors.invalid(path, value, `${path} in body ${words}`));
  if (minLength !== undefined && length < minLength) says(`should be at least ${minLength} chars long`);
  if (pattern !== undefined && !matches(value, pattern)) says(`should match '${pattern}'`);
  if (format !== undefined && !hasFormat(value, format)) {
    found.push(errors.typeInvalid(path, value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`));
  }
  return found;
}

const matches = (value: string, pattern: string): boolean => patternOf(pattern).matcher(value).find();

function numberErrors(value: number, schema: Schema, path: string): readonly FieldError[] {
  const { type, format, minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema;
  const unfit = unfitNumber(value, type, format);
  if (unfit !== undefined)
    return [errors.invalid(errors.NOWHERE, '', `Checked value must be of type ${unfit} in ${path}`)];
  const found: FieldError[] = [];
  const says = (words: string) => found.push(errors.invalid(path, value, `${path} in body should be ${words}`));
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) says(`a multiple of ${multipleOf}`);
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    says(`less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`);
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    says(`greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`);
  }
  return found;
}

function unfitNumber(value: number, type: string | undefined, format: string | undefined): string | undefined {
  if (type !== 'integer') return undefined;
  if (format === 'int32' && value !== (value | 0)) return 'integer with format int32';
  return Number.isInteger(value)
    ? undefined
    : `integer (${format === undefined ? 'default format' : `with format ${format}`})`;
}

function itemErrors(
  value: readonly Json[],
  schema: Schema,
  path: string,
  old: Json | undefined,
): readonly FieldError[] {
  const { items, minItems, maxItems } = schema;
  const inner = items
    ? value.flatMap((each, index) => node(each, items, `${path}[${index}]`, counterpart(each, schema, old)))
    : [];
  const few = minItems !== undefined && value.length < minItems;
  const many = maxItems !== undefined && value.length > maxItems;
  return [
    ...inner,
    ...(few ? [errors.invalid(path, value.length, `${path} in body should have at least ${minItems} items`)] : []),
    ...(many ? [errors.tooMany(path, value.length, maxItems)] : []),
  ];
}

function propertyErrors(value: JsonMap, schema: Schema, path: string, old: Json | undefined): readonly FieldError[] {
  const { properties = {}, additionalProperties, required = [], minProperties, maxProperties } = schema;
  const place = (name: string) => (path === '' ? name : `${path}.${name}`);
  const count = Object.keys(value).length;
  const few = minProperties !== undefined && count < minProperties;
  const many = maxProperties !== undefined && count > maxProperties;
  const visit = (name: string, known: Schema) =>
    node(value[name] ?? null, known, place(name), isMap(old) ? own(old, name) : undefined);
  const free = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  return [
    ...(few ? [errors.invalid(path, count, `${path} in body should have at least ${minProperties} properties`)] : []),
    ...(many ? [errors.tooMany(path, count, maxProperties)] : []),
    ...(additionalProperties ? free.flatMap((name) => visit(name, additionalProperties)) : []),
    ...Object.entries(properties).flatMap(([name, known]) => (Object.hasOwn(value, name) ? visit(name, known) : [])),
    ...required.filter((name) => !Object.hasOwn(value, name)).map((name) => errors.required(place(name))),
  ];
}

/** Which of several alternatives came nearest the server judges by a count of its own; here it is the first. */
function combined(value: Json, { anyOf, oneOf, allOf, not }: ValueChecks, path: string): readonly FieldError[] {
  const faults = (each: Schema) => node(value, each, path, undefined);
  const says = (words: string) => errors.invalid(errors.NOWHERE, '', `"${path}" must ${words}`);
  const found: FieldError[] = [];
  if (anyOf) {
    const all = anyOf.map(faults);
    if (!all.some(isFine)) found.push(says('validate at least one schema (anyOf)'), ...(all[0] ?? []));
  }
  if (oneOf) {
    const all = oneOf.map(faults);
    const fine = all.filter(isFine).length;
    if (fine === 0) found.push(says('validate one and only one schema (oneOf). Found none valid'), ...(all[0] ?? []));
    if (fine > 1) found.push(says(`validate one and only one schema (oneOf). Found ${fine} valid alternatives`));
  }
  if (allOf) {
    const all = allOf.map(faults);
    const none = all.some(isFine) ? '' : '. None validated';
    found.push(...all.flat(), ...(all.every(isFine) ? [] : [says(`validate all the schemas (allOf)${none}`)]));
  }
  if (not && isFine(faults(not))) found.push(says('not validate the schema (not)'));
  return found;
}

const isFine = (faults: readonly FieldError[]): boolean => faults.length === 0;
