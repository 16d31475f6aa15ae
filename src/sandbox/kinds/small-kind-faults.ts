/** What is wrong with objects of the smaller kinds, in the words of a kube-apiserver. */
import { type ApiObject, listAt, textAt, valueAt } from '../api-object.ts';
import { isMap, type Json, same } from '../json.ts';
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../schema/field-error.ts';
import { dnsLabelFaults, qualifiedNameFaults } from './name-faults.ts';
import { labelSelectorFaults, labelsIn } from './object-selector-faults.ts';
import { notNegativeFaults } from './quantity-faults.ts';

const KEY_SENTENCE =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Keys of what is mounted as files. */
function keyFaults(field: string, data: unknown): readonly FieldError[] {
  return Object.keys((data ?? {}) as object).flatMap((key) => {
    if (!/^[-._a-zA-Z0-9]+$/.test(key)) return [invalid(`${field}[${key}]`, key, KEY_SENTENCE)];
    if (key === '.' || key === '..') return [invalid(`${field}[${key}]`, key, `must not be '${key}'`)];
    return key.startsWith('..') ? [invalid(`${field}[${key}]`, key, "must not start with '..'")] : [];
  });
}

const IMMUTABLE = 'field is immutable when `immutable` is set';

function sealFaults(object: ApiObject, old: ApiObject | undefined, fields: readonly string[]): readonly FieldError[] {
  if (old?.immutable !== true) return [];
  const broken = object.immutable === true ? [] : ['immutable'];
  const changed = fields.filter((field) => !same(valueAt(object, field) ?? null, valueAt(old, field) ?? null));
  return [...broken, ...changed].map((field) => forbidden(field, IMMUTABLE));
}

export function configMapFaults(object: ApiObject, old?: ApiObject): readonly FieldError[] {
  const binary = Object.keys((object.binaryData ?? {}) as object);
  const doubled = Object.keys((object.data ?? {}) as object).filter((key) => binary.includes(key));
  return [
    ...sealFaults(object, old, ['data', 'binaryData']),
    ...keyFaults('data', object.data),
    ...doubled.map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...keyFaults('binaryData', object.binaryData),
    ...sizeFaults(ALL_OF_IT, bytesIn(object.data, 'utf8') + bytesIn(object.binaryData, 'base64')),
  ];
}

const MOST_BYTES = 1024 * 1024;
/** How the server writes a path to nothing in particular. */
const ALL_OF_IT = '[]';

function bytesIn(data: unknown, encoding: BufferEncoding): number {
  const values = Object.values((data ?? {}) as Readonly<Record<string, string>>);
  return values.reduce((sum, value) => sum + Buffer.byteLength(value, encoding), 0);
}

const sizeFaults = (field: string, bytes: number): readonly FieldError[] =>
  bytes > MOST_BYTES ? [tooLong(field, MOST_BYTES)] : [];

export function secretFaults(object: ApiObject, old?: ApiObject): readonly FieldError[] {
  const type = textAt(object, 'type');
  const isTls = type === 'kubernetes.io/tls';
  const missing = isTls ? ['tls.crt', 'tls.key'].filter((key) => valueAt(object, 'data', key) === undefined) : [];
  return [
    ...(old && old.type !== object.type ? [invalid('type', type, 'field is immutable')] : []),
    ...sealFaults(object, old, ['data']),
    ...keyFaults('data', object.data),
    ...sizeFaults('data', bytesIn(object.data, 'base64')),
    ...missing.map((key) => required(`data[${key}]`)),
  ];
}

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];
const CLASS_FIELDS = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'];

export function storageClassFaults(object: ApiObject, old?: ApiObject): readonly FieldError[] {
  if (old) {
    const changed = CLASS_FIELDS.filter((field) => !same(valueAt(object, field) ?? null, valueAt(old, field) ?? null));
    return changed.map((field) => invalid(field, valueAt(object, field) ?? null, 'field is immutable'));
  }
  const provisioner = textAt(object, 'provisioner').toLowerCase();
  const named =
    provisioner === ''
      ? [required('provisioner')]
      : qualifiedNameFaults(provisioner).map((fault) => invalid('provisioner', provisioner, fault));
  return [
    ...named,
    ...oneOf(object, 'reclaimPolicy', RECLAIM_POLICIES),
    ...oneOf(object, 'volumeBindingMode', BINDING_MODES),
  ];
}

function oneOf(object: ApiObject, field: string, allowed: readonly string[]): readonly FieldError[] {
  const value = textAt(object, field);
  return allowed.includes(value) ? [] : [notSupported(field, value, allowed)];
}

export function leaseFaults(object: ApiObject): readonly FieldError[] {
  const seconds = valueAt(object, 'spec', 'leaseDurationSeconds');
  const transitions = valueAt(object, 'spec', 'leaseTransitions');
  const isTooShort = seconds !== undefined && Number(seconds) <= 0;
  return [
    ...(isTooShort ? [invalid('spec.leaseDurationSeconds', Number(seconds), 'must be greater than 0')] : []),
    ...(transitions === undefined ? [] : notNegativeFaults('spec.leaseTransitions', Number(transitions))),
  ];
}

const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

export function disruptionBudgetFaults(object: ApiObject): readonly FieldError[] {
  const spec = valueAt(object, 'spec');
  const [least, most] = [valueAt(spec, 'minAvailable'), valueAt(spec, 'maxUnavailable')];
  const told = {
    MinAvailable: least ?? null,
    Selector: valueAt(spec, 'selector') ?? null,
    MaxUnavailable: most ?? null,
    UnhealthyPodEvictionPolicy: valueAt(spec, 'unhealthyPodEvictionPolicy') ?? null,
  };
  const isBoth = least !== undefined && most !== undefined;
  return [
    ...(isBoth ? [invalid('spec', told, 'minAvailable and maxUnavailable cannot be both set')] : []),
    ...amountFaults('spec.minAvailable', least),
    ...amountFaults('spec.maxUnavailable', most),
    ...labelSelectorFaults(valueAt(spec, 'selector'), 'spec.selector'),
  ];
}

function amountFaults(field: string, amount: Json | undefined): readonly FieldError[] {
  if (typeof amount === 'number') return notNegativeFaults(field, amount);
  return typeof amount === 'string' && !/^[0-9]+%$/.test(amount) ? [invalid(field, amount, PERCENT)] : [];
}

/** Where pods reach it is known to them. */
function addressFaults(object: ApiObject, old: ApiObject | undefined): readonly FieldError[] {
  const [now, before] = [listAt(object, 'spec', 'clusterIPs'), listAt(old, 'spec', 'clusterIPs')];
  if (before.length === 0 || now[0] === before[0] || textAt(object, 'spec', 'type') === 'ExternalName') return [];
  return [invalid('spec.clusterIPs[0]', now, 'may not change once set')];
}

export function serviceFaults(object: ApiObject, old?: ApiObject): readonly FieldError[] {
  const spec = valueAt(object, 'spec');
  const ports = listAt(spec, 'ports');
  const mayHaveNone = textAt(spec, 'clusterIP') === 'None' || textAt(spec, 'type') === 'ExternalName';
  const ids = ports.map((port) => `${textAt(port, 'protocol')}/${textAt(port, 'port')}`);
  const same = ids.flatMap((id, index) =>
    ids.indexOf(id) < index ? [duplicate(`spec.ports[${index}]`, portInGo(ports[index]))] : [],
  );
  return [
    ...(ports.length === 0 && !mayHaveNone ? [required('spec.ports')] : []),
    ...ports.flatMap((port, index) => portFaults(port, `spec.ports[${index}]`, ports.length > 1)),
    ...labelsIn(valueAt(spec, 'selector'), 'spec.selector'),
    ...same,
    ...addressFaults(object, old),
  ];
}

function portFaults(port: Json, field: string, needsName: boolean): readonly FieldError[] {
  const name = textAt(port, 'name');
  const number = Number(valueAt(port, 'port') ?? 0);
  const unnamed = needsName ? [required(`${field}.name`)] : [];
  return [
    ...(name === '' ? unnamed : dnsLabelFaults(name).map((fault) => invalid(`${field}.name`, name, fault))),
    ...(number >= 1 && number <= 65_535
      ? []
      : [invalid(`${field}.port`, number, 'must be between 1 and 65535, inclusive')]),
  ];
}

const portInGo = (port: Json | undefined): Json => ({
  Name: '',
  Protocol: textAt(port, 'protocol'),
  AppProtocol: null,
  Port: valueAt(port, 'port') ?? 0,
  TargetPort: 0,
  NodePort: 0,
});

export function eventFaults(object: ApiObject): readonly FieldError[] {
  const type = textAt(object, 'type');
  const isKnown = type === 'Normal' || type === 'Warning';
  return [
    ...(textAt(object, 'eventTime') ? [] : [required('eventTime')]),
    ...(isKnown ? [] : [invalid('type', type, `has invalid value: ${type}`)]),
  ];
}

export function roleFaults(object: ApiObject): readonly FieldError[] {
  const isNamespaced = object.kind === 'Role';
  return listAt(object, 'rules').flatMap((rule, index) => ruleFaults(rule, `rules[${index}]`, isNamespaced));
}

function ruleFaults(rule: Json, field: string, isNamespaced: boolean): readonly FieldError[] {
  const paths = listAt(rule, 'nonResourceURLs');
  const isOfPaths = paths.length > 0;
  const needs = (name: string, detail: string) =>
    listAt(rule, name).length > 0 ? [] : [required(`${field}.${name}`, detail)];
  const verbs = needs('verbs', 'verbs must contain at least one value');
  if (isOfPaths && isNamespaced) {
    return [...verbs, invalid(`${field}.nonResourceURLs`, paths, 'namespaced rules cannot apply to non-resource URLs')];
  }
  if (isOfPaths) return verbs;
  return [
    ...verbs,
    ...needs('apiGroups', 'resource rules must supply at least one api group'),
    ...needs('resources', 'resource rules must supply at least one resource'),
  ];
}

const SUBJECTS = ['ServiceAccount', 'User', 'Group'];

export function bindingFaults(object: ApiObject, old?: ApiObject): readonly FieldError[] {
  const roleRef = valueAt(object, 'roleRef');
  const kinds = object.kind === 'RoleBinding' ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const kind = textAt(roleRef, 'kind');
  const isChanged = old !== undefined && !same(roleRef ?? null, valueAt(old, 'roleRef') ?? null);
  const told = { APIGroup: textAt(roleRef, 'apiGroup'), Kind: kind, Name: textAt(roleRef, 'name') };
  return [
    ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
    ...(textAt(roleRef, 'name') ? [] : [required('roleRef.name')]),
    ...listAt(object, 'subjects').flatMap((subject, index) =>
      subjectFaults(subject, `subjects[${index}]`, object.kind === 'RoleBinding'),
    ),
    ...(isChanged ? [invalid('roleRef', told, 'cannot change roleRef')] : []),
  ];
}

function subjectFaults(subject: Json, field: string, isNamespaced: boolean): readonly FieldError[] {
  const kind = textAt(subject, 'kind');
  const needsNamespace = kind === 'ServiceAccount' && !isNamespaced && isMap(subject) && !subject.namespace;
  return [
    ...(textAt(subject, 'name') ? [] : [required(`${field}.name`)]),
    ...(needsNamespace ? [required(`${field}.namespace`)] : []),
    ...(SUBJECTS.includes(kind) ? [] : [notSupported(`${field}.kind`, kind, SUBJECTS)]),
  ];
}
