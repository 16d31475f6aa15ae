/** What is wrong with a pod's spec, in a pod as in the template of one, in the words of a kube-apiserver. */
import { Quantity } from '../../kit/quantity.ts';
import { listAt, textAt, valueAt } from '../api-object.ts';
import { isMap, type Json } from '../json.ts';
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { dnsLabelFaults, subdomainFaults } from './name-faults.ts';

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

const notFound = (field: string, value: string): FieldError => ({
  reason: 'FieldValueNotFound',
  message: `Not found: ${JSON.stringify(value)}`,
  field,
});

/** `others` are volumes that somebody else will add. */
export function podSpecFaults(
  spec: Json | undefined,
  field: string,
  others: readonly string[] = [],
): readonly FieldError[] {
  const volumes = listAt(spec, 'volumes');
  const names = volumes.map((volume) => textAt(volume, 'name'));
  const mountable = [...names, ...others];
  const containers = listAt(spec, 'containers');
  const inits = listAt(spec, 'initContainers');
  const nodeName = textAt(spec, 'nodeName');
  return [
    ...volumes.flatMap((volume, index) => volumeFaults(volume, `${field}.volumes[${index}]`)),
    ...twice(names, (index) => `${field}.volumes[${index}].name`),
    ...(containers.length === 0 ? [required(`${field}.containers`)] : []),
    ...containersFaults(containers, `${field}.containers`, mountable),
    ...containersFaults(inits, `${field}.initContainers`, mountable),
    ...oneOf(spec, 'restartPolicy', RESTART_POLICIES, field),
    ...oneOf(spec, 'dnsPolicy', DNS_POLICIES, field),
    ...(nodeName === '' ? [] : subdomainFaults(nodeName).map((fault) => invalid(`${field}.nodeName`, nodeName, fault))),
  ];
}

function oneOf(spec: Json | undefined, name: string, allowed: readonly string[], field: string): readonly FieldError[] {
  const value = textAt(spec, name);
  return allowed.includes(value) ? [] : [notSupported(`${field}.${name}`, value, allowed)];
}

function twice(names: readonly string[], field: (index: number) => string): readonly FieldError[] {
  return names.flatMap((name, index) => (names.indexOf(name) < index ? [duplicate(field(index), name)] : []));
}

function volumeFaults(volume: Json, field: string): readonly FieldError[] {
  const name = textAt(volume, 'name');
  const sources = isMap(volume) ? Object.keys(volume).filter((key) => key !== 'name') : [];
  const claim = valueAt(volume, 'persistentVolumeClaim');
  return [
    ...(name === ''
      ? [required(`${field}.name`)]
      : dnsLabelFaults(name).map((fault) => invalid(`${field}.name`, name, fault))),
    ...sources.slice(1).map((source) => forbidden(`${field}.${source}`, 'may not specify more than 1 volume type')),
    ...(claim !== undefined && !textAt(claim, 'claimName')
      ? [required(`${field}.persistentVolumeClaim.claimName`)]
      : []),
  ];
}

function containersFaults(
  containers: readonly Json[],
  field: string,
  volumes: readonly string[],
): readonly FieldError[] {
  const names = containers.map((container) => textAt(container, 'name'));
  return containers.flatMap((container, index) => [
    ...containerFaults(container, `${field}[${index}]`, volumes),
    ...(names.indexOf(names[index] ?? '') < index ? [duplicate(`${field}[${index}].name`, names[index] ?? '')] : []),
  ]);
}

function containerFaults(container: Json, field: string, volumes: readonly string[]): readonly FieldError[] {
  const name = textAt(container, 'name');
  const mounts = listAt(container, 'volumeMounts');
  return [
    ...(name === ''
      ? [required(`${field}.name`)]
      : dnsLabelFaults(name).map((fault) => invalid(`${field}.name`, name, fault))),
    ...(textAt(container, 'image') ? [] : [required(`${field}.image`)]),
    ...mounts.flatMap((mount, index) => mountFaults(mount, `${field}.volumeMounts[${index}]`, volumes)),
    ...oneOf(container, 'imagePullPolicy', PULL_POLICIES, field),
    ...resourcesFaults(valueAt(container, 'resources'), `${field}.resources`),
  ];
}

function mountFaults(mount: Json, field: string, volumes: readonly string[]): readonly FieldError[] {
  const name = textAt(mount, 'name');
  const unknown =
    name === '' ? [required(`${field}.name`)] : volumes.includes(name) ? [] : [notFound(`${field}.name`, name)];
  return [...unknown, ...(textAt(mount, 'mountPath') ? [] : [required(`${field}.mountPath`)])];
}

function resourcesFaults(resources: Json | undefined, field: string): readonly FieldError[] {
  const requests = valueAt(resources, 'requests');
  return Object.entries(isMap(requests) ? requests : {}).flatMap(([name, amount]) => {
    const limit = valueAt(resources, 'limits', name);
    if (limit === undefined || Quantity.parse(String(amount)).compare(Quantity.parse(String(limit))) <= 0) return [];
    return [invalid(`${field}.requests`, amount, `must be less than or equal to ${name} limit of ${limit}`)];
  });
}
