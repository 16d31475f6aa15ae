/** Field selectors, such as `metadata.name=db,status.phase!=Failed`: the language of `kubectl --field-selector` and of the API's `fieldSelector` parameter. */
import { InvalidValue, quote } from './invalid-value.ts';

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** All conditions have to hold. Which fields may be asked for is up to the resource, and for the server to say. */
export type FieldSelector = readonly FieldRequirement[];

const LONGEST_TEXT = 64 * 1024;

/** Reads a selector, or throws `InvalidValue`. The empty text selects everything; terms that name neither field nor value are dropped, as the server does. */
export function parseFieldSelector(text: string): FieldSelector {
  const fail = (why: string): never => {
    throw new InvalidValue('field selector', text, why);
  };
  if (text.length > LONGEST_TEXT) fail(`it is longer than ${LONGEST_TEXT} characters`);
  const terms = splitAtCommas(text).filter((term) => term !== '');
  return terms.map((term) => readTerm(term, fail)).filter(({ field, value }) => field !== '' || value !== '');
}

/** A comma after a backslash belongs to a value. */
function splitAtCommas(text: string): string[] {
  const terms = [''];
  for (const [piece] of text.matchAll(/\\.?|,|[^\\,]+/gsu)) {
    if (piece === ',') terms.push('');
    else terms.push(`${terms.pop()}${piece}`);
  }
  return terms;
}

function readTerm(term: string, fail: (why: string) => never): FieldRequirement {
  const [, field = '', operator, written = ''] = /^(.*?)(!=|==|=)(.*)$/s.exec(term) ?? [];
  if (operator === undefined) return fail(`${quote(term)} has none of =, == and !=`);
  return { field, operator: operator === '!=' ? '!=' : '=', value: unescapeValue(written, fail) };
}

function unescapeValue(written: string, fail: (why: string) => never): string {
  if (!/^(?:[^\\=,]|\\[\\=,])*$/.test(written)) {
    fail(`in the value ${quote(written)}, write \\\\ for a backslash, \\= for "=" and \\, for ","`);
  }
  return written.replace(/\\(.)/g, '$1');
}

/** The text for the API's `fieldSelector` parameter. It reads back as the same selector. */
export function formatFieldSelector(selector: FieldSelector): string {
  return selector.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(',');
}

const escapeValue = (value: string): string => value.replace(/[\\=,]/g, '\\$&');

/** A field that is not there counts as empty. */
export function matchesFields(selector: FieldSelector, fields: Readonly<Record<string, string>>): boolean {
  return selector.every(({ field, operator, value }) => {
    const actual = Object.hasOwn(fields, field) ? fields[field] : '';
    return (actual === value) === (operator === '=');
  });
}
