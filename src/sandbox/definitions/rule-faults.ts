/** What is wrong with the rules of a schema: what they say about themselves, and the CEL that they are. */
import type { Checked } from '../cel/check.ts';
import type { Core } from '../cel/core.ts';
import { costOf } from '../cel/cost.ts';
import { mostTimes, type Sizes, sizesOf } from '../cel/sizes.ts';
import {
  fieldsOfEveryObject,
  isScalar,
  objectOf,
  optionalOf,
  type StaticType,
  typeOfSchema,
} from '../cel/static-types.ts';
import { isList, isMap, type Json, type JsonMap } from '../json.ts';
import type { SchemaNode } from '../schema/definitions.ts';
import { type FieldError, invalid, notSupported, required } from '../schema/field-error.ts';
import { schemaOf } from '../schema/open-api.ts';
import type { Schema } from '../schema/schema.ts';
import { fieldAt } from './field-path.ts';
import { faultText, judged } from './judged.ts';
import { costFaults, type RuleCost } from './rule-costs.ts';
import { type Part, textOf } from './schema-node.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

interface PlacedRule {
  readonly rule: JsonMap;
  readonly path: string;
}

function rulesOf({ node, path }: Part): readonly PlacedRule[] {
  const rules = node['x-kubernetes-validations'];
  if (!isList(rules)) return [];
  return rules.flatMap((rule, index) =>
    isMap(rule) ? [{ rule, path: `${path}.x-kubernetes-validations[${index}]` }] : [],
  );
}

const hasLineBreaks = (text: string): boolean => /[\n\r]/.test(text);

/** What can be said without reading the rule itself. */
export const ruleTextFaults = (part: Part): readonly FieldError[] =>
  rulesOf(part).flatMap(({ rule, path }) => [
    ...wordFaults(rule, path),
    ...(isBlank(rule, 'messageExpression')
      ? [required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified')]
      : []),
    ...reasonFaults(rule, path),
    ...pathFaults(rule, path, part.node),
  ]);

const isBlank = (rule: JsonMap, field: string): boolean => {
  const text = textOf(rule, field);
  return text !== '' && text.trim() === '';
};

function wordFaults(rule: JsonMap, path: string): readonly FieldError[] {
  const [text, message] = [textOf(rule, 'rule').trim(), textOf(rule, 'message')];
  if (text === '') return [required(`${path}.rule`, 'rule is not specified')];
  if (isBlank(rule, 'message')) return [invalid(`${path}.message`, message, 'must be non-empty if specified')];
  if (hasLineBreaks(message.trim())) return [invalid(`${path}.message`, message, 'must not contain line breaks')];
  if (!hasLineBreaks(text) || message !== '') return [];
  return [required(`${path}.message`, 'message must be specified if rule contains line breaks')];
}

function reasonFaults({ reason }: JsonMap, path: string): readonly FieldError[] {
  if (typeof reason !== 'string' || REASONS.includes(reason)) return [];
  return [notSupported(`${path}.reason`, reason, REASONS)];
}

function pathFaults(rule: JsonMap, path: string, node: JsonMap): readonly FieldError[] {
  const text = textOf(rule, 'fieldPath');
  if (text === '') return [];
  const place = `${path}.fieldPath`;
  return [
    ...(isBlank(rule, 'fieldPath') ? [invalid(place, text, 'must be non-empty if specified')] : []),
    ...(hasLineBreaks(text) ? [invalid(place, text, 'must not contain line breaks')] : []),
    ...('fault' in fieldAt(text, node) ? [invalid(place, text, 'must be a valid path')] : []),
  ];
}

/** What rules of a part are wrong, and what those that are not may cost. */
export interface JudgedRules {
  readonly faults: readonly FieldError[];
  readonly costs: readonly RuleCost[];
}

/** How a part is reached, as far as its rules go. */
export interface RulePlace {
  readonly isRoot: boolean;
  /** From where on nobody knows what was there before. */
  readonly uncorrelated?: string;
  /** How often the part can be there at most. Unknown where something above it has no limit. */
  readonly times: number | undefined;
}

/** Of a schema that is all right otherwise. */
export function judgedRules(part: Part, place: RulePlace): JudgedRules {
  const rules = rulesOf(part);
  const schema = schemaOf(part.node as SchemaNode);
  const self = rules.length > 0 ? selfType(schema, place.isRoot) : undefined;
  const sizes = self && sizesOf(schema, place.isRoot || schema.embeddedResource);
  if (!self || !sizes) return { faults: [], costs: [] };
  const all = rules.map(({ rule, path }) => judgedRule(rule, path, { ...place, self, sizes }));
  return { faults: all.flatMap(({ faults }) => faults), costs: all.flatMap(({ costs }) => costs) };
}

/** A real server has another number in it each time. */
const SELF = 'selfType1';

function selfType(schema: Schema, isRoot: boolean): StaticType | undefined {
  const type = typeOfSchema(schema, SELF);
  if (!isRoot || type?.is !== 'object') return type;
  return objectOf(SELF, [...(type.fields ?? []), ...fieldsOfEveryObject(SELF)]);
}

interface Self extends RulePlace {
  readonly self: StaticType;
  readonly sizes: Sizes;
}

function judgedRule(rule: JsonMap, path: string, place: Self): JudgedRules {
  const { self, sizes, uncorrelated, times = mostTimes(sizes) } = place;
  const [text, message] = [textOf(rule, 'rule'), textOf(rule, 'messageExpression')];
  const names = new Map([
    ['self', self],
    ['oldSelf', rule.optionalOldSelf === true ? optionalOf(self) : self],
  ]);
  const found = judged(text, names);
  const fault =
    faultText(found) ?? (isScalar(found.type, 'bool') ? undefined : 'cel expression must evaluate to a bool');
  const told = fault === undefined && message !== '' ? judged(message, names) : undefined;
  const messageFault = told && messageFaultIn(told);
  const usesOld = fault === undefined && [...found.types.keys()].some(isOldSelf);
  const costs = [
    { path: `${path}.rule`, cost: fault === undefined ? costOf(found, sizes).max * times : 0 },
    ...(told && !messageFault ? [{ path: `${path}.messageExpression`, cost: costOf(told, sizes).max }] : []),
  ];
  const [dear, dearMessage] = costs.map(costFaults);
  const cannot = 'oldSelf cannot be used on the uncorrelatable portion of the schema within';
  const faults = [
    ...(dear ?? []),
    ...(fault ? [invalid(`${path}.rule`, inGo(rule), fault)] : []),
    ...(messageFault ? [invalid(`${path}.messageExpression`, inGo(rule), messageFault)] : []),
    ...(dearMessage ?? []),
    ...(usesOld && uncorrelated !== undefined ? [invalid(`${path}.rule`, text, `${cannot} ${uncorrelated}`)] : []),
    ...(!usesOld && typeof rule.optionalOldSelf === 'boolean'
      ? [invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule')]
      : []),
  ];
  return { faults, costs };
}

const isOldSelf = (core: Core): boolean => core.kind === 'name' && core.name === 'oldSelf';

function messageFaultIn(told: Checked): string | undefined {
  const fault = faultText(told);
  if (fault !== undefined) return `messageExpression ${fault}`;
  return isScalar(told.type, 'string') ? undefined : 'messageExpression must evaluate to a string';
}

/** As the server writes what it has read. */
const inGo = (rule: JsonMap): Json => ({
  Rule: textOf(rule, 'rule'),
  Message: textOf(rule, 'message'),
  MessageExpression: textOf(rule, 'messageExpression'),
  Reason: rule.reason ?? null,
  FieldPath: textOf(rule, 'fieldPath'),
  OptionalOldSelf: rule.optionalOldSelf ?? null,
});
