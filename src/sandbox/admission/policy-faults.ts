/** What is wrong with a ValidatingAdmissionPolicy, in the words of the server. */
import { type ApiObject, listAt, textAt, valueAt } from '../api-object.ts';
import { type StaticType, typeText } from '../cel/static-types.ts';
import { faultText, judged } from '../definitions/judged.ts';
import { isMap, type Json, same } from '../json.ts';
import { dns1035Faults, qualifiedNameFaults, subdomainFaults } from '../kinds/name-faults.ts';
import { duplicate, type FieldError, invalid, notSupported, required, tooMany } from '../schema/field-error.ts';
import { notInSandbox } from '../server/refusals.ts';
import { matchResourcesFaults } from './match-faults.ts';
import { policyNames, variableType } from './policy-names.ts';

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const MOST_CONDITIONS = 64;
const MOST_ANNOTATIONS = 20;
const LONGEST_ANNOTATION = 5 * 1024;

export function policyFaults(object: ApiObject, old?: ApiObject, through?: string): readonly FieldError[] {
  if (through === 'status') return statusFaults(object);
  const spec = valueAt(object, 'spec') ?? {};
  const before = old && (valueAt(old, 'spec') ?? {});
  const isUnchanged = (field: string) =>
    before !== undefined && same(valueAt(spec, field) ?? null, valueAt(before, field) ?? null);
  const hasParams = isMap(valueAt(spec, 'paramKind'));
  const variables = variablesIn(spec, hasParams);
  const asked: Asked = { hasParams, variables: variables.types };
  return [
    ...failurePolicyFaults(textAt(spec, 'failurePolicy')),
    ...(hasParams ? paramKindFaults(valueAt(spec, 'paramKind') ?? {}) : []),
    ...constraintFaults(valueAt(spec, 'matchConstraints')),
    ...(isUnchanged('paramKind') && isUnchanged('matchConditions') ? [] : conditionFaults(spec, hasParams)),
    ...variables.faults,
    ...ruleFaults(object, spec, asked),
  ];
}

/** A controller says there what it thinks of the types. The sandbox has none. */
function statusFaults(object: ApiObject): readonly FieldError[] {
  const said = ['conditions', 'typeChecking'].find((field) => valueAt(object, 'status', field) !== undefined);
  if (said !== undefined) throw notInSandbox(`${said} in the status of policies`);
  return [];
}

function failurePolicyFaults(policy: string): readonly FieldError[] {
  return FAILURE_POLICIES.includes(policy) ? [] : [notSupported('spec.failurePolicy', policy, FAILURE_POLICIES)];
}

function paramKindFaults(paramKind: Json): readonly FieldError[] {
  const kind = textAt(paramKind, 'kind');
  const faults = dns1035Faults(kind.toLowerCase());
  const place = 'spec.paramKind';
  const words = 'may have mixed case, but should otherwise match: ';
  return [
    ...apiVersionFaults(textAt(paramKind, 'apiVersion'), `${place}.apiVersion`),
    ...(kind === '' ? [required(`${place}.kind`)] : []),
    ...(kind !== '' && faults.length > 0 ? [invalid(`${place}.kind`, kind, `${words}${faults.join(',')}`)] : []),
  ];
}

function apiVersionFaults(apiVersion: string, place: string): readonly FieldError[] {
  if (apiVersion === '') return [required(place)];
  const parts = apiVersion === '/' ? ['', ''] : apiVersion.split('/');
  if (parts.length > 2) return [invalid(place, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [version = '', group = ''] = parts.toReversed();
  const [groupFaults, versionFaults] = [group === '' ? [] : subdomainFaults(group), dns1035Faults(version)];
  return [
    ...(groupFaults.length > 0 ? [invalid(place, group, groupFaults.join(','))] : []),
    ...(version === '' ? [invalid(place, apiVersion, 'version must be specified')] : []),
    ...(version !== '' && versionFaults.length > 0 ? [invalid(place, version, versionFaults.join(','))] : []),
  ];
}

function constraintFaults(constraints: Json | undefined): readonly FieldError[] {
  const place = 'spec.matchConstraints';
  if (!isMap(constraints)) return [required(place)];
  return [
    ...matchResourcesFaults(constraints, place),
    ...(listAt(constraints, 'resourceRules').length === 0 ? [required(`${place}.resourceRules`)] : []),
  ];
}

function conditionFaults(spec: Json, hasParams: boolean): readonly FieldError[] {
  const [place, conditions] = ['spec.matchConditions', listAt(spec, 'matchConditions')];
  const named = conditions.map((each) => textAt(each, 'name'));
  const names = policyNames({ hasParams, hasAuthorizer: true });
  return [
    ...(conditions.length > MOST_CONDITIONS ? [tooMany(place, conditions.length, MOST_CONDITIONS)] : []),
    ...conditions.flatMap((condition, index) => {
      const [name = '', expression] = [named[index], textAt(condition, 'expression').trim()];
      const [at, ofName] = [`${place}[${index}].expression`, `${place}[${index}].name`];
      return [
        ...(expression === '' ? [required(at)] : expressionFaults(expression, at, names, ['bool'])),
        ...(name === '' ? [required(ofName)] : qualifiedNameFaults(name).map((fault) => invalid(ofName, name, fault))),
        ...(name !== '' && named.indexOf(name) < index ? [duplicate(ofName, name)] : []),
      ];
    }),
  ];
}

const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

interface Variables {
  readonly types?: ReadonlyMap<string, StaticType>;
  readonly faults: readonly FieldError[];
}

/** Each may speak of those before it. */
function variablesIn(spec: Json, hasParams: boolean): Variables {
  const all = listAt(spec, 'variables');
  const types = new Map<string, StaticType>();
  const faults = all.flatMap((variable, index) => {
    const place = `spec.variables[${index}]`;
    const [name, expression] = [textAt(variable, 'name'), textAt(variable, 'expression')];
    const named = nameFaultsOf(name, `${place}.name`);
    if (expression.trim() === '') return [...named, required(`${place}.expression`, 'expression is not specified')];
    const found = judged(expression, policyNames({ hasParams, hasAuthorizer: true, variables: types }));
    const fault = faultText(found);
    types.set(name, fault === undefined ? variableType(found.type) : { is: 'dyn' });
    return [...named, ...(fault === undefined ? [] : [invalid(`${place}.expression`, expression, fault)])];
  });
  return all.length > 0 ? { types, faults } : { faults };
}

function nameFaultsOf(name: string, place: string): readonly FieldError[] {
  if (name.trim() === '') return [required(place, 'name is not specified')];
  const isFine = IDENTIFIER.test(name) && !RESERVED.has(name);
  return isFine ? [] : [invalid(place, name, 'must be a valid CEL identifier')];
}

interface Asked {
  readonly hasParams: boolean;
  readonly variables: ReadonlyMap<string, StaticType> | undefined;
}

function ruleFaults(object: ApiObject, spec: Json, asked: Asked): readonly FieldError[] {
  const [validations, annotations] = [listAt(spec, 'validations'), listAt(spec, 'auditAnnotations')];
  const none = 'validations or auditAnnotations must contain at least one item';
  if (validations.length === 0 && annotations.length === 0)
    return [required('spec.validations', none), required('spec.auditAnnotations', none)];
  return [
    ...validations.flatMap((each, index) => validationFaults(each, `spec.validations[${index}]`, asked)),
    ...annotationFaults(object, annotations, asked),
  ];
}

const namesFor = ({ hasParams, variables }: Asked, hasAuthorizer: boolean) =>
  policyNames({ hasParams, hasAuthorizer, ...(variables && { variables }) });

function validationFaults(validation: Json, place: string, asked: Asked): readonly FieldError[] {
  const textOf = (field: string) => textAt(validation, field);
  const [expression, message, worded] = [textOf('expression'), textOf('message'), textOf('messageExpression')];
  const empty = 'must be non-empty if specified';
  const isBlank = (text: string) => text !== '' && text.trim() === '';
  const reason = valueAt(validation, 'reason');
  return [
    ...(expression.trim() === ''
      ? [required(`${place}.expression`, 'expression is not specified')]
      : expressionFaults(expression, `${place}.expression`, namesFor(asked, true), ['bool'])),
    ...(isBlank(worded) ? [invalid(`${place}.messageExpression`, worded, empty)] : []),
    ...(worded.trim() !== ''
      ? expressionFaults(worded, `${place}.messageExpression`, namesFor(asked, false), ['string'])
      : []),
    ...(isBlank(message) ? [invalid(`${place}.message`, message, empty)] : []),
    ...(/[\n\r]/.test(message.trim()) ? [invalid(`${place}.message`, message, 'must not contain line breaks')] : []),
    ...(typeof reason === 'string' && !REASONS.includes(reason)
      ? [notSupported(`${place}.reason`, reason, REASONS)]
      : []),
  ];
}

function annotationFaults(object: ApiObject, annotations: readonly Json[], asked: Asked): readonly FieldError[] {
  const place = 'spec.auditAnnotations';
  const keys = annotations.map((each) => textAt(each, 'key'));
  const many = `must not have more than ${MOST_ANNOTATIONS} auditAnnotations`;
  return [
    ...(annotations.length > MOST_ANNOTATIONS ? [invalid(place, annotations.map(annotationInGo), many)] : []),
    ...annotations.flatMap((each, index) => [
      ...annotationFault(object, each, `${place}[${index}]`, asked),
      ...(keys.indexOf(keys[index] ?? '') < index ? [duplicate(`${place}[${index}].key`, keys[index] ?? '')] : []),
    ]),
  ];
}

const annotationInGo = (annotation: Json): Json => ({
  Key: textAt(annotation, 'key'),
  ValueExpression: textAt(annotation, 'valueExpression'),
});

function annotationFault(object: ApiObject, annotation: Json, place: string, asked: Asked): readonly FieldError[] {
  const [key, expression] = [textAt(annotation, 'key'), textAt(annotation, 'valueExpression')];
  const name = object.metadata.name ?? '';
  const [ofKey, ofValue] = [`${place}.key`, `${place}.valueExpression`];
  const keyFaults =
    name === ''
      ? [invalid(ofKey, key, 'requires metadata.name be non-empty')]
      : qualifiedNameFaults(`${name}/${key}`).map((fault) => invalid(ofKey, `${name}/${key}`, fault));
  const trimmed = expression.trim();
  if (trimmed === '') return [...keyFaults, required(ofValue, 'valueExpression is not specified')];
  if (Buffer.byteLength(trimmed) > LONGEST_ANNOTATION)
    return [...keyFaults, required(ofValue, `must not exceed ${LONGEST_ANNOTATION} bytes in length`)];
  return [
    ...keyFaults,
    ...expressionFaults(trimmed, ofValue, namesFor(asked, true), ['string', 'null_type'], expression),
  ];
}

/** `told` is how it was sent. */
function expressionFaults(
  text: string,
  place: string,
  names: ReadonlyMap<string, StaticType>,
  wanted: readonly string[],
  told = text,
): readonly FieldError[] {
  const found = judged(text, names);
  const fault = faultText(found);
  if (fault !== undefined) return [invalid(place, told, fault)];
  const type = goTypeText(found.type);
  if (wanted.includes(type)) return [];
  const what = wanted.length === 1 ? `${wanted[0]}` : `one of [${wanted.join(' ')}]`;
  return [invalid(place, told, `must evaluate to ${what} but got ${type}`)];
}

/** Go's own words for some types. */
const goTypeText = (type: StaticType): string =>
  typeText(type)
    .replace(/\bnull\b/g, 'null_type')
    .replace(/\b(timestamp|duration)\b/g, (name) => `google.protobuf.${name[0]?.toUpperCase()}${name.slice(1)}`);
