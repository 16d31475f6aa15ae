/** What is wrong with a PersistentVolumeClaim, in the words of a kube-apiserver. */
import { Quantity } from '../../kit/quantity.ts';
import { type ApiObject, textAt, valueAt } from '../api-object.ts';
import { isMap, type Json, type JsonMap, same } from '../json.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { goDiff } from './go-diff.ts';
import { subdomainFaults } from './name-faults.ts';
import { labelSelectorFaults } from './object-selector-faults.ts';
import { modeChangeFaults } from './persistent-volume-faults.ts';
import { positiveFaults } from './quantity-faults.ts';
import { accessModeFaults, VOLUME_MODES } from './storage-faults.ts';

const IMMUTABLE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export function claimFaults(object: ApiObject, old?: ApiObject): readonly FieldError[] {
  const spec = specOf(object);
  return [...claimSpecFaults(spec), ...(old ? changeFaults(object, old) : [])];
}

const specOf = (object: ApiObject): JsonMap => (isMap(object.spec as Json) ? (object.spec as JsonMap) : {});

function claimSpecFaults(spec: JsonMap): readonly FieldError[] {
  const size = sizeOf(spec);
  const name = textAt(spec, 'storageClassName');
  const mode = textAt(spec, 'volumeMode');
  return [
    ...accessModeFaults(spec, 'at least 1 access mode is required'),
    ...labelSelectorFaults(spec.selector, 'spec.selector'),
    ...(size === undefined ? [required('spec.resources[storage]')] : positiveFaults('spec.resources[storage]', size)),
    ...(name === '' ? [] : subdomainFaults(name).map((fault) => invalid('spec.storageClassName', name, fault))),
    ...(mode === '' || VOLUME_MODES.includes(mode) ? [] : [notSupported('spec.volumeMode', mode, VOLUME_MODES)]),
  ];
}

function sizeOf(spec: JsonMap): string | undefined {
  const size = valueAt(spec, 'resources', 'requests', 'storage');
  return size === undefined ? undefined : String(size);
}

function changeFaults(object: ApiObject, old: ApiObject): readonly FieldError[] {
  const [before, after] = [inGo(specOf(old)), inGo(asFarAsFixed(object, old))];
  const compared = { ...before, ...(before.VolumeName === '' && { VolumeName: after.VolumeName ?? '' }) };
  return [
    ...(same(compared, after) ? [] : [forbidden('spec', `${IMMUTABLE}\n${goDiff(compared, after)}`)]),
    ...shrinkFaults(specOf(object), old),
    ...modeChangeFaults(specOf(object), specOf(old)),
  ];
}

/** The new spec with what may change taken from the old one. */
function asFarAsFixed(object: ApiObject, old: ApiObject): JsonMap {
  const [spec, before] = [specOf(object), specOf(old)];
  const isBound = textAt(object, 'status', 'phase') === 'Bound';
  const getsClass =
    before.storageClassName === undefined && spec.storageClassName !== undefined && mayGetClass(old, spec);
  const resources = isMap(spec.resources) ? spec.resources : {};
  const requests = { ...(isMap(resources.requests) && resources.requests), storage: sizeOf(before) ?? null };
  return {
    ...spec,
    ...(isBound && { resources: { ...resources, requests } }),
    ...(isBound && { volumeAttributesClassName: before.volumeAttributesClassName ?? null }),
    ...(getsClass && { storageClassName: null }),
  };
}

function mayGetClass({ metadata: { annotations = {} } }: ApiObject, spec: JsonMap): boolean {
  const said = annotations[CLASS_ANNOTATION];
  return said === undefined || said === spec.storageClassName;
}

function inGo(spec: JsonMap): JsonMap {
  const amounts = (field: string): Json => valueAt(spec, 'resources', field) ?? null;
  return {
    AccessModes: spec.accessModes ?? null,
    Selector: spec.selector ?? null,
    Resources: { Limits: amounts('limits'), Requests: amounts('requests') },
    VolumeName: spec.volumeName ?? '',
    StorageClassName: spec.storageClassName ?? null,
    VolumeMode: spec.volumeMode ?? null,
    DataSource: spec.dataSource ?? null,
    DataSourceRef: spec.dataSourceRef ?? null,
    VolumeAttributesClassName: spec.volumeAttributesClassName ?? null,
  };
}

/** A claim may ask for less than before only as long as it has not got more than that. */
function shrinkFaults(spec: JsonMap, old: ApiObject): readonly FieldError[] {
  const amount = (text: string | undefined) => Quantity.parse(text || '0');
  const [size, before] = [amount(sizeOf(spec)), amount(sizeOf(specOf(old)))];
  const got = amount(textAt(old, 'status', 'capacity', 'storage'));
  if (size.compare(before) >= 0 || size.compare(got) > 0) return [];
  return [forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity')];
}
