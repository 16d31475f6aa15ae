/** What is wrong with what a policy or a binding says about which requests it is for. */
import { listAt, textAt, valueAt } from '../api-object.ts';
import type { Json } from '../json.ts';
import { pathSegmentFaults } from '../kinds/name-faults.ts';
import { labelSelectorFaults } from '../kinds/object-selector-faults.ts';
import { duplicate, type FieldError, invalid, notSupported, required } from '../schema/field-error.ts';

const MATCH_POLICIES = ['Equivalent', 'Exact'];
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

export function matchResourcesFaults(resources: Json, place: string): readonly FieldError[] {
  const policy = textAt(resources, 'matchPolicy');
  const rules = (field: string) =>
    listAt(resources, field).flatMap((rule, index) => ruleFaults(rule, `${place}.${field}[${index}]`));
  return [
    ...(MATCH_POLICIES.includes(policy) ? [] : [notSupported(`${place}.matchPolicy`, policy, MATCH_POLICIES)]),
    ...labelSelectorFaults(valueAt(resources, 'namespaceSelector'), `${place}.namespaceSelector`),
    ...labelSelectorFaults(valueAt(resources, 'objectSelector'), `${place}.objectSelector`),
    ...rules('resourceRules'),
    ...rules('excludeResourceRules'),
  ];
}

function ruleFaults(rule: Json, place: string): readonly FieldError[] {
  const texts = (field: string) => listAt(rule, field).map(String);
  const [operations, groups, versions] = [texts('operations'), texts('apiGroups'), texts('apiVersions')];
  const scope = valueAt(rule, 'scope');
  return [
    ...resourceNameFaults(texts('resourceNames'), `${place}.resourceNames`),
    ...(operations.length === 0 ? [required(`${place}.operations`)] : []),
    ...starFaults(operations, `${place}.operations`, 'operations'),
    ...operations.flatMap((each, index) =>
      OPERATIONS.includes(each) ? [] : [notSupported(`${place}.operations[${index}]`, each, OPERATIONS)],
    ),
    ...(groups.length === 0 ? [required(`${place}.apiGroups`)] : []),
    ...starFaults(groups, `${place}.apiGroups`, 'API groups'),
    ...(versions.length === 0 ? [required(`${place}.apiVersions`)] : []),
    ...starFaults(versions, `${place}.apiVersions`, 'API versions'),
    ...versions.flatMap((each, index) => (each === '' ? [required(`${place}.apiVersions[${index}]`)] : [])),
    ...resourcesFaults(texts('resources'), `${place}.resources`),
    ...(typeof scope === 'string' && !SCOPES.includes(scope) ? [notSupported(`${place}.scope`, scope, SCOPES)] : []),
  ];
}

function starFaults(all: readonly string[], place: string, what: string): readonly FieldError[] {
  if (all.length < 2 || !all.includes('*')) return [];
  return [invalid(place, all, `if '*' is present, must not specify other ${what}`)];
}

const resourceNameFaults = (names: readonly string[], place: string): readonly FieldError[] =>
  names.flatMap((name, index) => [
    ...pathSegmentFaults(name).map((fault) => invalid(`${place}[${index}]`, name, fault)),
    ...(names.indexOf(name) < index ? [duplicate(`${place}[${index}]`, name)] : []),
  ]);

function resourcesFaults(all: readonly string[], place: string): readonly FieldError[] {
  const plain = all.filter((each) => each !== '' && !each.includes('/'));
  const [isEverything, isPlainStar] = [all.includes('*/*'), plain.includes('*')];
  const others = "if '*' is present, must not specify other resources without subresources";
  return [
    ...(all.length === 0 ? [required(place)] : []),
    ...all.flatMap((each, index) =>
      each === '' ? [required(`${place}[${index}]`)] : partFaults(each, all.slice(0, index), `${place}[${index}]`),
    ),
    ...(isEverything && all.length > 1
      ? [invalid(place, all, "if '*/*' is present, must not specify other resources")]
      : []),
    ...(isPlainStar && plain.at(-1) !== '*' ? [invalid(place, all, others)] : []),
  ];
}

/** One with a subresource that an earlier one stands for already. */
function partFaults(each: string, earlier: readonly string[], place: string): readonly FieldError[] {
  const slash = each.indexOf('/');
  if (slash < 0) return [];
  const [resource, part] = [each.slice(0, slash), each.slice(slash + 1)];
  return [`${resource}/*`, `*/${part}`].flatMap((star) =>
    earlier.includes(star) ? [invalid(place, each, `if '${star}' is present, must not specify ${each}`)] : [],
  );
}
