/** What is wrong with the rules of a schema: what they say about themselves, and the CEL that they are. */
import { CelSyntaxError, CelUnsupported } from '../cel/cel-error.ts';
import { type Checked, checkCel } from '../cel/check.ts';
import { compileCel } from '../cel/expression.ts';
import { BOOL, isScalar, OF_EVERY_OBJECT, type StaticType, typeOfSchema } from '../cel/static-types.ts';
import { isList, isMap, type Json, type JsonMap } from '../json.ts';
import type { SchemaNode } from '../schema/definitions.ts';
import { type FieldError, invalid, notSupported, required } from '../schema/field-error.ts';
import { schemaOf } from '../schema/open-api.ts';
import { notInSandbox } from '../server/refusals.ts';
import { fieldAt } from './field-path.ts';
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

/** Of a schema that is all right otherwise. `uncorrelated` is from where on nobody knows what was there before. */
export function ruleFaults(part: Part, isRoot: boolean, uncorrelated: string | undefined): readonly FieldError[] {
  const rules = rulesOf(part);
  if (rules.length === 0) return [];
  const self = selfType(part, isRoot);
  if (!self) return [];
  return rules.flatMap(({ rule, path }) => expressionFaults(rule, path, self, uncorrelated));
}

function selfType({ node }: Part, isRoot: boolean): StaticType | undefined {
  const type = typeOfSchema(schemaOf(node as SchemaNode));
  return isRoot && type?.is === 'object' ? { ...type, fields: new Map([...type.fields, ...OF_EVERY_OBJECT]) } : type;
}

function expressionFaults(
  rule: JsonMap,
  path: string,
  self: StaticType,
  uncorrelated: string | undefined,
): readonly FieldError[] {
  const text = textOf(rule, 'rule');
  const message = textOf(rule, 'messageExpression');
  const old: StaticType = rule.optionalOldSelf === true ? { is: 'optional', of: self } : self;
  const names = new Map([
    ['self', self],
    ['oldSelf', old],
  ]);
  const fault = faultOf(text, names, BOOL, 'cel expression must evaluate to a bool');
  const messageFault = message
    ? faultOf(message, names, { is: 'scalar', name: 'string' }, 'messageExpression must evaluate to a string')
    : undefined;
  const usesOld = fault === undefined && /\boldSelf\b/.test(text);
  const cannot = 'oldSelf cannot be used on the uncorrelatable portion of the schema within';
  return [
    ...(fault ? [invalid(`${path}.rule`, inGo(rule), fault)] : []),
    ...(messageFault ? [invalid(`${path}.messageExpression`, inGo(rule), messageFault)] : []),
    ...(usesOld && uncorrelated !== undefined ? [invalid(`${path}.rule`, text, `${cannot} ${uncorrelated}`)] : []),
    ...(!usesOld && typeof rule.optionalOldSelf === 'boolean'
      ? [invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule')]
      : []),
  ];
}

function faultOf(
  text: string,
  names: ReadonlyMap<string, StaticType>,
  wanted: StaticType,
  otherwise: string,
): string | undefined {
  const { type, faults } = checked(text, names);
  const kind = otherwise.startsWith('message') ? 'messageExpression compilation failed' : 'compilation failed';
  if (faults.length > 0) return `${kind}: ${faults.map(({ message }) => message).join('\n')}`;
  const isWanted = type.is === 'dyn' || (type.is === 'scalar' && wanted.is === 'scalar' && isScalar(type, wanted.name));
  return isWanted ? undefined : otherwise;
}

/** What the sandbox cannot read it does not judge. */
function checked(text: string, names: ReadonlyMap<string, StaticType>): Checked {
  try {
    const found = checkCel(text, names);
    if (found.faults.length === 0) compileCel(text, [...names.keys()]);
    return found;
  } catch (error) {
    if (error instanceof CelSyntaxError || error instanceof CelUnsupported)
      throw notInSandbox(`words for what may be wrong with the rule ${JSON.stringify(text)} (${error.message})`);
    throw error;
  }
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
