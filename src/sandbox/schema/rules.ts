/** The rules of a CustomResourceDefinition that are written in CEL (`x-kubernetes-validations`), asked in the words of the server. */
import { CelError } from '../cel/cel-error.ts';
import { type CelExpression, compileCel } from '../cel/expression.ts';
import { fromJson } from '../cel/json-values.ts';
import { type CelValue, NONE, Optional } from '../cel/values.ts';
import { isList, isMap, type Json, own, same } from '../json.ts';
import { counterpart } from './correlation.ts';
import { type FieldError, invalid } from './field-error.ts';
import type { Rule, Schema } from './schema.ts';

interface CompiledRule {
  readonly rule: Rule;
  readonly expression: CelExpression;
  readonly message: CelExpression | undefined;
  /** Asks about what was before, so that it is not asked where nothing was. */
  readonly isTransition: boolean;
}

const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
  'FieldValueNotSupported',
]);

/** What the server says instead of asking rules about an object of which not even the shape is right. */
const NOT_ASKED: FieldError = {
  field: '<nil>',
  reason: 'FieldValueInvalid',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** Of an object whose shape has been looked at, and what was wrong with that. */
export function ruleErrors(
  value: Json,
  schema: Schema,
  faults: readonly FieldError[],
  old?: Json,
): readonly FieldError[] {
  if (!hasRules(schema)) return [];
  if (faults.some(({ reason }) => BLOCKING.has(reason))) return [NOT_ASKED];
  return asked(value, schema, '', old);
}

function asked(value: Json, schema: Schema, path: string, old: Json | undefined): readonly FieldError[] {
  if (value === null || !hasRules(schema)) return [];
  const ofThis = compiledRules(schema).flatMap((rule) => objections(rule, value, schema, path, old));
  if (isList(value)) {
    const { items } = schema;
    if (!items) return ofThis;
    // Of a list whose members cannot be told apart, those of one that is the same are.
    const isSame = old !== undefined && same(value, old);
    const inner = value.flatMap((each, index) =>
      asked(each, items, `${path}[${index}]`, isSame ? each : counterpart(each, schema, old)),
    );
    return [...ofThis, ...inner];
  }
  if (!isMap(value)) return ofThis;
  const { properties = {}, additionalProperties } = schema;
  const inner = Object.entries(value).flatMap(([name, field]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    const before = isMap(old) ? own(old, name) : undefined;
    return known ? asked(field, known, path === '' ? name : `${path}.${name}`, before) : [];
  });
  return [...ofThis, ...inner];
}

function objections(
  { rule, expression, message, isTransition }: CompiledRule,
  value: Json,
  schema: Schema,
  path: string,
  old: Json | undefined,
): readonly FieldError[] {
  if (isTransition && old === undefined && !rule.optionalOldSelf) return [];
  // What was wrong before and has not been touched is let pass.
  if (!isTransition && old !== undefined && same(value, old)) return [];
  const before = old === undefined ? undefined : fromJson(old, schema);
  const oldSelf = rule.optionalOldSelf ? (before === undefined ? NONE : new Optional(before)) : (before ?? null);
  const values = { self: fromJson(value, schema), ...(isTransition && { oldSelf }) };
  const outcome = evaluated(expression, values);
  if (outcome === true) return [];
  const place = `${path}${rule.fieldPath ?? ''}`.replace(/^\./, '');
  if (typeof outcome === 'string') return [objection(place, value, `rule evaluation error: ${outcome}`)];
  const words = worded(message, values) || rule.message?.trim() || `failed rule: ${rule.rule.trim()}`;
  return [{ ...objection(place, value, words), reason: rule.reason ?? 'FieldValueInvalid' }];
}

/** What is large is not repeated. */
const objection = (field: string, value: Json, words: string): FieldError =>
  isList(value) || isMap(value)
    ? { field, reason: 'FieldValueInvalid', message: `Invalid value: ${words}` }
    : invalid(field, value, words);

/** True or false, or why it is neither. */
function evaluated(expression: CelExpression, values: Readonly<Record<string, CelValue>>): boolean | string {
  try {
    return expression.evaluate(values) === true;
  } catch (error) {
    if (error instanceof CelError) return error.message;
    throw error;
  }
}

function worded(message: CelExpression | undefined, values: Readonly<Record<string, CelValue>>): string {
  if (!message) return '';
  try {
    const words = message.evaluate(values);
    return typeof words === 'string' ? words.trim() : '';
  } catch (error) {
    if (error instanceof CelError) return '';
    throw error;
  }
}

const compiled = new WeakMap<readonly Rule[], readonly CompiledRule[]>();

/** Throws `CelSyntaxError` for a rule that is none. */
function compiledRules({ rules }: Schema): readonly CompiledRule[] {
  if (!rules) return [];
  const found = compiled.get(rules) ?? rules.map(compile);
  compiled.set(rules, found);
  return found;
}

function compile(rule: Rule): CompiledRule {
  const isTransition = /\boldSelf\b/.test(rule.rule);
  const names = ['self', ...(isTransition ? ['oldSelf'] : [])];
  return {
    rule,
    expression: compileCel(rule.rule, names),
    message: rule.messageExpression === undefined ? undefined : compileCel(rule.messageExpression, names),
    isTransition,
  };
}

const ruled = new WeakMap<Schema, boolean>();

/** Whether there is any rule in it: most parts have none. */
function hasRules(schema: Schema): boolean {
  const known = ruled.get(schema);
  if (known !== undefined) return known;
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  const found = (schema.rules?.length ?? 0) > 0 || inner.some((each) => each !== undefined && hasRules(each));
  ruled.set(schema, found);
  return found;
}
