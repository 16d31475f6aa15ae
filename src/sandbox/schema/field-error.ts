/** What is wrong with a field, as a cause in the server's answer says it. */
import type { StatusCause } from '../../kit/kube/api-error.ts';
import { goQuoted } from '../go-text.ts';
import { isList, isMap, type Json } from '../json.ts';

export type FieldError = Required<StatusCause>;

/** What the server calls a field that it does not know the path of. */
export const NOWHERE = '<nil>';

export const invalid = (field: string, value: Json, detail: string): FieldError => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${valueText(value)}: ${detail}`,
});

export const typeInvalid = (field: string, value: Json, detail: string): FieldError => ({
  ...invalid(field, value, detail),
  reason: 'FieldValueTypeInvalid',
});

export const required = (field: string, detail = ''): FieldError => ({
  field,
  reason: 'FieldValueRequired',
  message: detail === '' ? 'Required value' : `Required value: ${detail}`,
});

export const duplicate = (field: string, value: Json): FieldError => ({
  field,
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${valueText(value)}`,
});

export const notSupported = (field: string, value: Json, values: readonly string[]): FieldError => ({
  field,
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${valueText(value)}: supported values: ${values.map(goQuoted).join(', ')}`,
});

export const tooLong = (field: string, bytes: number): FieldError => ({
  field,
  reason: 'FieldValueTooLong',
  message: `Too long: may not be more than ${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`,
});

export const tooMany = (field: string, count: number, most: number): FieldError => ({
  field,
  reason: 'FieldValueTooMany',
  message: `Too many: ${count}: must have at most ${most} items`,
});

export const forbidden = (field: string, detail: string): FieldError => ({
  field,
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${detail}`,
});

/** Texts are quoted, numbers are plain, and everything else is JSON. */
function valueText(value: Json): string {
  if (typeof value === 'string') return goQuoted(value);
  return isList(value) || isMap(value) ? goJson(value) : String(value);
}

/** Go's writer of JSON thinks of pages in which it might be put. */
const goJson = (value: Json): string =>
  JSON.stringify(value).replace(/[<>&]/g, (each) => `\\u00${each.charCodeAt(0).toString(16)}`);
