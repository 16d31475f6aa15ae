/** The scale subresource: how many of a thing there are and shall be, in the same words for every kind. */
import { type ApiObject, listAt, textAt, valueAt, withValueAt } from '../api-object.ts';
import { byBytes } from '../go-text.ts';
import type { Json } from '../json.ts';
import type { Kind, ScalePaths } from '../kinds/kind.ts';
import { invalid as invalidValue } from '../schema/field-error.ts';
import { badRequest, invalid, modified, noSuchResource, otherUid } from './refusals.ts';
import { storageKey } from './storage-key.ts';

export function asScale(kind: Kind, { metadata, ...object }: ApiObject): ApiObject {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = pathsOf(kind);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const at = (path: string) => valueAt(object, ...fieldsOf(path));
  const selector = labelSelectorPath && selectorText(at(labelSelectorPath));
  const replicas = Number(at(specReplicasPath) ?? 0);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { ...given({ name, namespace, uid, resourceVersion, creationTimestamp }) },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: Number(at(statusReplicasPath) ?? 0), ...(selector && { selector }) },
  };
}

/** The object with as many as the scale says. */
export function scaled(kind: Kind, live: ApiObject, { metadata = {}, ...scale }: ApiObject): ApiObject {
  const { resource } = kind;
  const { name = '', resourceVersion, uid } = live.metadata;
  if (metadata.resourceVersion && metadata.resourceVersion !== resourceVersion) throw modified(resource, name);
  if (metadata.uid && metadata.uid !== uid)
    throw otherUid(resource, name, storageKey({ kind, ...placeOf(live) }), metadata.uid, uid ?? '');
  if (metadata.name && metadata.name !== name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  const replicas = valueAt(scale, 'spec', 'replicas') ?? 0;
  if (typeof replicas === 'number' && replicas < 0)
    throw invalid(SCALE, name, [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')]);
  return withValueAt(live, fieldsOf(pathsOf(kind).specReplicasPath), replicas);
}

const SCALE = { group: 'autoscaling', kind: 'Scale' };

const placeOf = ({ metadata: { name = '', namespace } }: ApiObject) => ({ name, ...(namespace && { namespace }) });

function pathsOf({ scale }: Kind): ScalePaths {
  if (!scale) throw noSuchResource();
  return scale;
}

const fieldsOf = (path: string): string[] => path.split('.').filter((field) => field !== '');

/** A selector that is an object is told as text. */
function selectorText(selector: unknown): string {
  if (typeof selector === 'string') return selector;
  const labels = Object.entries(valueAt(selector, 'matchLabels') ?? {}).map(([key, value]) => [key, `${key}=${value}`]);
  const rules = listAt(selector, 'matchExpressions').map((rule) => [textAt(rule, 'key'), ruleText(rule)]);
  return [...labels, ...rules]
    .toSorted(([a = ''], [b = '']) => byBytes(a, b))
    .map(([, text]) => text)
    .join(',');
}

function ruleText(rule: Json): string {
  const key = textAt(rule, 'key');
  const values = listAt(rule, 'values').map(String).sort().join(',');
  switch (textAt(rule, 'operator')) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return key;
  }
}

const given = (entries: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(entries).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
