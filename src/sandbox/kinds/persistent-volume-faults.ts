/** What is wrong with a PersistentVolume, in the words of a kube-apiserver. */
import { type ApiObject, listAt, textAt, valueAt, withValueAt } from '../api-object.ts';
import { isMap, type Json, type JsonMap, same } from '../json.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { goDiff } from './go-diff.ts';
import { subdomainFaults } from './name-faults.ts';
import { nodeSelectorFaults } from './object-selector-faults.ts';
import { OLD_LABELS } from './old-labels.ts';
import { positiveFaults, resourceFaults } from './quantity-faults.ts';
import { accessModeFaults, VOLUME_MODES } from './storage-faults.ts';
import { hasSource, sourceInGo, sourcesOf } from './volume-sources.ts';

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

export function persistentVolumeFaults(object: ApiObject, old?: ApiObject): readonly FieldError[] {
  const spec = mapAt(object, 'spec');
  const faults = [
    ...accessModeFaults(spec, ''),
    ...capacityFaults(spec.capacity),
    ...policyFaults(spec),
    ...affinityFaults(spec),
    ...(old ? missingAffinity(spec) : []), // the server looks at it twice then
    ...sourceFaults(spec),
    ...classFaults(spec),
    ...(old ? changeFaults(spec, mapAt(old, 'spec')) : []),
  ];
  return faults;
}

const mapAt = (object: ApiObject, field: string): JsonMap => {
  const found = valueAt(object, field);
  return isMap(found) ? found : {};
};

function capacityFaults(capacity: Json | undefined): readonly FieldError[] {
  const field = 'spec.capacity';
  const amounts = isMap(capacity) ? Object.entries(capacity) : [];
  const isStorage = amounts.length === 1 && amounts[0]?.[0] === 'storage';
  return [
    ...(amounts.length === 0 ? [required(field)] : []),
    ...(isStorage ? [] : [notSupported(field, capacity ?? null, ['storage'])]),
    ...amounts.flatMap(([name, amount]) => [
      ...resourceFaults(`${field}[${name}]`, String(amount)),
      ...positiveFaults(`${field}[${name}]`, String(amount)),
    ]),
  ];
}

function policyFaults(spec: JsonMap): readonly FieldError[] {
  const policy = textAt(spec, 'persistentVolumeReclaimPolicy');
  const field = 'spec.persistentVolumeReclaimPolicy';
  if (!RECLAIM_POLICIES.includes(policy)) return [notSupported(field, policy, RECLAIM_POLICIES)];
  const wipesAll = policy === 'Recycle' && textAt(spec, 'hostPath', 'path') === '/';
  return wipesAll ? [forbidden(field, "may not be 'recycle' for a hostPath mount of '/'")] : [];
}

const missingAffinity = ({ local, nodeAffinity }: JsonMap): readonly FieldError[] =>
  local && nodeAffinity === undefined ? [required('spec.nodeAffinity', 'Local volume requires node affinity')] : [];

function affinityFaults(spec: JsonMap): readonly FieldError[] {
  const field = 'spec.nodeAffinity';
  const affinity = spec.nodeAffinity;
  if (affinity === undefined) return missingAffinity(spec);
  const selector = valueAt(affinity, 'required');
  if (selector === undefined) return [required(`${field}.required`, 'must specify required node constraints')];
  return nodeSelectorFaults(selector, `${field}.required`);
}

function sourceFaults(spec: JsonMap): readonly FieldError[] {
  const [first, ...more] = sourcesOf(spec);
  if (first === undefined) return [required('spec', 'must specify a volume type')];
  const others = more.map((name) => forbidden(`spec.${name}`, 'may not specify more than 1 volume type'));
  return [...faultsOfSource(first, spec), ...others];
}

function faultsOfSource(name: string, spec: JsonMap): readonly FieldError[] {
  const field = `spec.${name}`;
  const path = textAt(spec, name, 'path');
  switch (name) {
    case 'hostPath':
      return [...pathFaults(`${field}.path`, path), ...hostPathTypeFaults(`${field}.type`, textAt(spec, name, 'type'))];
    case 'local':
      return pathFaults(`${field}.path`, path);
    case 'nfs':
      return [
        ...needed(spec, name, 'server'),
        ...needed(spec, name, 'path'),
        ...(path.startsWith('/') ? [] : [invalid(`${field}.path`, path, 'must be an absolute path')]),
      ];
    case 'csi':
      return [...needed(spec, name, 'driver'), ...needed(spec, name, 'volumeHandle')];
    default:
      return [];
  }
}

const needed = (spec: JsonMap, source: string, name: string): readonly FieldError[] =>
  textAt(spec, source, name) ? [] : [required(`spec.${source}.${name}`)];

function pathFaults(field: string, path: string): readonly FieldError[] {
  if (path === '') return [required(field)];
  return path.split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : [];
}

const hostPathTypeFaults = (field: string, type: string): readonly FieldError[] =>
  HOST_PATH_TYPES.includes(type) ? [] : [notSupported(field, type, HOST_PATH_TYPES)];

function classFaults(spec: JsonMap): readonly FieldError[] {
  const name = textAt(spec, 'storageClassName');
  const mode = textAt(spec, 'volumeMode');
  return [
    ...(name === '' ? [] : subdomainFaults(name).map((fault) => invalid('spec.storageClassName', name, fault))),
    ...(mode === '' || VOLUME_MODES.includes(mode) ? [] : [notSupported('spec.volumeMode', mode, VOLUME_MODES)]),
    ...(spec.volumeAttributesClassName !== undefined && !hasSource(spec, 'csi')
      ? [required('spec.csi', 'has to be specified when using volumeAttributesClassName')]
      : []),
  ];
}

function changeFaults(spec: JsonMap, old: JsonMap): readonly FieldError[] {
  return [...sourceChangeFaults(spec, old), ...modeChangeFaults(spec, old), ...affinityChangeFaults(spec, old)];
}

function sourceChangeFaults(spec: JsonMap, old: JsonMap): readonly FieldError[] {
  const [before, after] = [sourceInGo(old), sourceInGo(spec)];
  if (same(before, after)) return [];
  const field = 'spec.persistentvolumesource';
  return [forbidden(field, `${field} is immutable after creation\n${goDiff(before, after)}`)];
}

export const modeChangeFaults = (spec: JsonMap, old: JsonMap): readonly FieldError[] =>
  same(spec.volumeMode ?? null, old.volumeMode ?? null)
    ? []
    : [invalid('volumeMode', spec.volumeMode ?? null, 'field is immutable')];

function affinityChangeFaults(spec: JsonMap, old: JsonMap): readonly FieldError[] {
  if (old.nodeAffinity === undefined) return [];
  if (same(renamed(old.nodeAffinity, spec.nodeAffinity ?? null), spec.nodeAffinity ?? null)) return [];
  return [
    invalid(
      'nodeAffinity',
      affinityInGo(spec.nodeAffinity),
      'field is immutable, except for updating from beta label to GA',
    ),
  ];
}

/** As it was, with the new names of those labels that have another name where the new one names another. */
function renamed(before: Json, after: Json): Json {
  const terms = listAt(before, 'required', 'nodeSelectorTerms').map((term, place) => {
    const wanted = listAt(listAt(after, 'required', 'nodeSelectorTerms')[place], 'matchExpressions');
    const expressions = listAt(term, 'matchExpressions').map((each, index) => {
      const key = textAt(each, 'key');
      const now = OLD_LABELS[key]?.now;
      return now && textAt(wanted[index], 'key') !== key ? withValueAt(each, ['key'], now) : each;
    });
    return expressions.length > 0 ? withValueAt(term, ['matchExpressions'], expressions) : term;
  });
  return withValueAt(before, ['required', 'nodeSelectorTerms'], terms);
}

function affinityInGo(affinity: Json | undefined): Json {
  if (affinity === undefined) return null;
  const requirements = (term: Json, field: string): Json => {
    const found = listAt(term, field).map((each) => ({
      Key: textAt(each, 'key'),
      Operator: textAt(each, 'operator'),
      Values: valueAt(each, 'values') ?? null,
    }));
    return found.length > 0 ? found : null;
  };
  const terms = listAt(affinity, 'required', 'nodeSelectorTerms').map((term) => ({
    MatchExpressions: requirements(term, 'matchExpressions'),
    MatchFields: requirements(term, 'matchFields'),
  }));
  return { Required: { NodeSelectorTerms: terms } };
}
