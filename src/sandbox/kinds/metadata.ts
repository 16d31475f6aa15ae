/** The rules of metadata that all kinds share. */
import type { StatusCause } from '../../kit/kube/api-error.ts';
import type { OwnerReference } from '../../kit/kube/resource.ts';
import type { ApiMetadata, ApiObject } from '../api-object.ts';
import type { Json } from '../json.ts';
import { forbidden, invalid as invalidValue, required, tooLong } from '../schema/field-error.ts';
import type { Kind } from './kind.ts';
import { generatedFrom, qualifiedNameFaults } from './name-faults.ts';
import { labelsIn } from './object-selector-faults.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from './resources.ts';

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);
const LONGEST_ANNOTATIONS = 256 * 1024;

export function metadataFaults(kind: Kind, metadata: ApiMetadata): readonly StatusCause[] {
  const { resource, nameFaults } = kind;
  return [
    ...namesIn(metadata, nameFaults, resource.namespaced),
    ...labelsIn(metadata.labels, 'metadata.labels'),
    ...annotationFaults(metadata.annotations),
    ...ownerFaults(metadata.ownerReferences),
    ...finalizerFaults(kind, metadata.finalizers),
  ];
}

const FIXED = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** The server looks at the metadata of an update twice, once for all kinds and once for its own, and tells what it finds as often. */
export function metadataUpdateFaults(kind: Kind, { metadata }: ApiObject, old: ApiObject): readonly StatusCause[] {
  const faults = [
    ...finalizerFaults(kind, metadata.finalizers),
    ...newFinalizerFaults(metadata, old.metadata),
    ...FIXED.filter((field) => metadata[field] !== old.metadata[field]).map((field) =>
      invalidValue(`metadata.${field}`, metadata[field] ?? null, 'field is immutable'),
    ),
    ...labelsIn(metadata.labels, 'metadata.labels'),
    ...annotationFaults(metadata.annotations),
    ...ownerFaults(metadata.ownerReferences),
  ];
  return kind.isCustom ? faults : [...faults, ...faults];
}

function namesIn(
  { name, generateName, namespace }: ApiMetadata,
  faults: Kind['nameFaults'],
  namespaced: boolean,
): StatusCause[] {
  const found: StatusCause[] = [];
  if (generateName)
    for (const fault of generatedFrom(faults)(generateName))
      found.push(invalidValue('metadata.generateName', generateName, fault));
  if (!name) found.push(required('metadata.name', 'name or generateName is required'));
  else for (const fault of faults(name)) found.push(invalidValue('metadata.name', name, fault));
  if (!namespaced && namespace) found.push(forbidden('metadata.namespace', 'not allowed on this type'));
  return found;
}

function annotationFaults(annotations: ApiMetadata['annotations']): StatusCause[] {
  const entries = Object.entries(annotations ?? {});
  const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...entries.flatMap(([key]) =>
      qualifiedNameFaults(key.toLowerCase()).map((fault) => invalidValue('metadata.annotations', key, fault)),
    ),
    ...(size > LONGEST_ANNOTATIONS ? [tooLong('metadata.annotations', LONGEST_ANNOTATIONS)] : []),
  ];
}

/** Names of finalizers need a domain, but for those that come with extensions of the API. */
const takesAnyFinalizer = ({ isCustom, resource }: Kind): boolean =>
  isCustom || resource.group === CUSTOM_RESOURCE_DEFINITIONS.group;

function finalizerFaults(kind: Kind, finalizers: readonly string[] = []): StatusCause[] {
  return finalizers.flatMap((name, index) => {
    const field = `metadata.finalizers[${index}]`;
    const faults = qualifiedNameFaults(name).map((fault) => invalidValue(field, name, fault));
    if (faults.length > 0 || takesAnyFinalizer(kind) || name.includes('/') || STANDARD_FINALIZERS.has(name))
      return faults;
    return [invalidValue(field, name, 'name is neither a standard finalizer name nor is it fully qualified')];
  });
}

function newFinalizerFaults({ finalizers = [] }: ApiMetadata, old: ApiMetadata): StatusCause[] {
  if (!old.deletionTimestamp) return [];
  const added = finalizers.filter((name) => !old.finalizers?.includes(name)).sort();
  if (added.length === 0) return [];
  const list = added.map((name) => JSON.stringify(name)).join(', ');
  return [
    forbidden(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
}

function ownerFaults(owners: readonly OwnerReference[] = []): StatusCause[] {
  const faults = owners.flatMap(({ apiVersion, kind, name, uid }) => [
    ...(apiVersion
      ? []
      : [invalidValue('metadata.ownerReferences.apiVersion', apiVersion ?? '', 'version must not be empty')]),
    ...(kind ? [] : [invalidValue('metadata.ownerReferences.kind', kind ?? '', 'must not be empty')]),
    ...(name ? [] : [invalidValue('metadata.ownerReferences.name', name ?? '', 'must not be empty')]),
    ...(uid ? [] : [invalidValue('metadata.ownerReferences.uid', uid ?? '', 'must not be empty')]),
  ]);
  const controllers = owners.filter(({ controller }) => controller);
  const [first, second] = controllers;
  if (!first || !second) return faults;
  const both = `Only one reference can have Controller set to true. Found "true" in references for ${first.kind}/${first.name} and ${second.kind}/${second.name}`;
  return [...faults, invalidValue('metadata.ownerReferences', owners as unknown as Json, both)];
}
