/** What is wrong with a StatefulSet, in the words of a kube-apiserver. */
import { labelSelectorOf, matches } from '../../kit/selectors.ts';
import { type ApiObject, listAt, textAt, valueAt } from '../api-object.ts';
import { isMap, type Json, type JsonMap, same } from '../json.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { dnsLabelFaults } from './name-faults.ts';
import { labelSelectorFaults } from './object-selector-faults.ts';
import { podSpecFaults } from './pod-spec-faults.ts';
import { notNegativeFaults } from './quantity-faults.ts';

const RETENTIONS = ['Retain', 'Delete'];
const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];
const FIXED = `updates to statefulset spec for fields other than ${CHANGEABLE.slice(0, -1)
  .map((field) => `'${field}'`)
  .join(', ')} and 'minReadySeconds' are forbidden`;

const COUNTS = ['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'];

function statusFaults(object: ApiObject): readonly FieldError[] {
  const count = (name: string) => Number(valueAt(object, 'status', name) ?? 0);
  const over = (name: string, limit: string) =>
    count(name) > count(limit)
      ? [invalid(`status.${name}`, count(name), `cannot be greater than status.${limit}`)]
      : [];
  return [
    ...COUNTS.flatMap((name) => notNegativeFaults(`status.${name}`, count(name))),
    ...COUNTS.slice(1).flatMap((name) => over(name, 'replicas')),
    ...over('availableReplicas', 'readyReplicas'),
  ];
}

export function statefulSetFaults(object: ApiObject, old?: ApiObject, through?: string): readonly FieldError[] {
  if (through === 'status') return statusFaults(object);
  const spec = isMap(object.spec as Json) ? (object.spec as JsonMap) : {};
  return [
    ...strategyFaults(spec),
    ...retentionFaults(spec),
    ...notNegativeFaults('spec.replicas', Number(spec.replicas ?? 0)),
    ...notNegativeFaults('spec.minReadySeconds', Number(spec.minReadySeconds ?? 0)),
    ...notNegativeFaults('spec.ordinals.start', Number(valueAt(spec, 'ordinals', 'start') ?? 0)),
    ...(old ? [] : serviceNameFaults(textAt(spec, 'serviceName'))),
    ...selectorFaults(spec),
    ...podSpecFaults(valueAt(spec, 'template', 'spec'), 'spec.template.spec', claimNames(spec)),
    ...(old ? changeFaults(spec, old.spec as JsonMap) : []),
  ];
}

/** Claims that are made for each pod are mounted by the names of their templates. */
const claimNames = (spec: JsonMap): readonly string[] =>
  listAt(spec, 'volumeClaimTemplates').map((template) => textAt(template, 'metadata', 'name'));

function strategyFaults({ podManagementPolicy: policy = '', updateStrategy }: JsonMap): readonly FieldError[] {
  const type = textAt(updateStrategy, 'type');
  const isPolicy = policy === 'OrderedReady' || policy === 'Parallel';
  const rolling = valueAt(updateStrategy, 'rollingUpdate');
  const rollingInGo = {
    Partition: valueAt(rolling, 'partition') ?? 0,
    MaxUnavailable: valueAt(rolling, 'maxUnavailable') ?? null,
  };
  const told = { Type: type, RollingUpdate: isMap(rolling) ? rollingInGo : null };
  return [
    ...(isPolicy ? [] : [invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")]),
    ...(type === 'RollingUpdate' || type === 'OnDelete'
      ? []
      : [invalid('spec.updateStrategy', told, "must be 'RollingUpdate' or 'OnDelete'")]),
  ];
}

function retentionFaults(spec: JsonMap): readonly FieldError[] {
  const field = 'persistentVolumeClaimRetentionPolicy';
  return ['whenDeleted', 'whenScaled'].flatMap((name) => {
    const policy = textAt(spec, field, name);
    return RETENTIONS.includes(policy) ? [] : [notSupported(`spec.${field}.${name}`, policy, RETENTIONS)];
  });
}

const serviceNameFaults = (name: string): readonly FieldError[] =>
  name === '' ? [] : dnsLabelFaults(name).map((fault) => invalid('spec.serviceName', name, fault));

function selectorFaults(spec: JsonMap): readonly FieldError[] {
  const { selector } = spec;
  const labels = valueAt(spec, 'template', 'metadata', 'labels');
  const faults = labelSelectorFaults(selector, 'spec.selector');
  if (faults.length > 0) return faults;
  if (selector === undefined) return [required('spec.selector'), unmatched(labels)];
  if (isMap(selector) && Object.keys(selector).length === 0)
    return [invalid('spec.selector', selector, 'empty selector is invalid for statefulset')];
  const isMatch = isMap(selector) && matches(labelSelectorOf(selector), labels as Record<string, string> | undefined);
  return isMatch ? [] : [unmatched(labels)];
}

const unmatched = (labels: Json | undefined): FieldError =>
  invalid('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`');

function changeFaults(spec: JsonMap, old: JsonMap): readonly FieldError[] {
  const fixed = (map: JsonMap): JsonMap =>
    Object.fromEntries(Object.entries(map).filter(([field]) => !CHANGEABLE.includes(field)));
  return same(fixed(spec), fixed(old)) ? [] : [forbidden('spec', FIXED)];
}
