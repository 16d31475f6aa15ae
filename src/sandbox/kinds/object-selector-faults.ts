/** What is wrong with selectors that stand in objects, in the words of a kube-apiserver. */

import { listAt, textAt, valueAt } from '../api-object.ts';
import type { Json } from '../json.ts';
import type { FieldError } from '../schema/field-error.ts';
import { forbidden, invalid, required } from '../schema/field-error.ts';
import { labelValueFaults, qualifiedNameFaults } from './name-faults.ts';

export function labelsIn(labels: unknown, field: string): readonly FieldError[] {
  return Object.entries((labels ?? {}) as Record<string, string>).flatMap(([key, value]) => [
    ...qualifiedNameFaults(key).map((fault) => invalid(field, key, fault)),
    ...labelValueFaults(value).map((fault) => invalid(field, value, fault)),
  ]);
}

/** Of a `metav1.LabelSelector`. */
export function labelSelectorFaults(selector: Json | undefined, field: string): readonly FieldError[] {
  if (selector === undefined) return [];
  return [
    ...labelsIn(valueAt(selector, 'matchLabels'), `${field}.matchLabels`),
    ...listAt(selector, 'matchExpressions').flatMap((each, index) =>
      requirementFaults(each, `${field}.matchExpressions[${index}]`),
    ),
  ];
}

function requirementFaults(requirement: Json, field: string): readonly FieldError[] {
  const values = listAt(requirement, 'values').map(String);
  return [
    ...operatorFaults(textAt(requirement, 'operator'), values, field),
    ...qualifiedNameFaults(textAt(requirement, 'key')).map((fault) =>
      invalid(`${field}.key`, textAt(requirement, 'key'), fault),
    ),
    ...values.flatMap((value, index) =>
      labelValueFaults(value).map((fault) => invalid(`${field}.values[${index}]`, value, fault)),
    ),
  ];
}

function operatorFaults(operator: string, values: readonly string[], field: string): readonly FieldError[] {
  const isSet = operator === 'In' || operator === 'NotIn';
  if (isSet) return values.length > 0 ? [] : [required(`${field}.values`, SET_NEEDS)];
  if (operator === 'Exists' || operator === 'DoesNotExist')
    return values.length === 0 ? [] : [forbidden(`${field}.values`, EXISTENCE_NEEDS)];
  return [invalid(`${field}.operator`, operator, 'not a valid selector operator')];
}

const SET_NEEDS = "must be specified when `operator` is 'In' or 'NotIn'";
const EXISTENCE_NEEDS = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";

/** Of a `v1.NodeSelector`. */
export function nodeSelectorFaults(selector: Json, field: string): readonly FieldError[] {
  const terms = listAt(selector, 'nodeSelectorTerms');
  if (terms.length === 0) return [required(`${field}.nodeSelectorTerms`, 'must have at least one node selector term')];
  return terms.flatMap((term, index) =>
    listAt(term, 'matchExpressions').flatMap((each, at) =>
      nodeRequirementFaults(each, `${field}.nodeSelectorTerms[${index}].matchExpressions[${at}]`),
    ),
  );
}

function nodeRequirementFaults(requirement: Json, field: string): readonly FieldError[] {
  const operator = textAt(requirement, 'operator');
  const values = listAt(requirement, 'values').map(String);
  const isComparison = operator === 'Gt' || operator === 'Lt';
  const single =
    values.length === 1
      ? []
      : [required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
  return [
    ...(isComparison ? single : operatorFaults(operator, values, field)),
    ...qualifiedNameFaults(textAt(requirement, 'key')).map((fault) =>
      invalid(`${field}.key`, textAt(requirement, 'key'), fault),
    ),
  ];
}
