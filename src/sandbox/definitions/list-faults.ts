/** Lists whose members are told apart: by themselves, or by keys, which they then have to have. */
import { isMap, type JsonMap } from '../json.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { defaultOf, isSet, type Part, textOf, textsOf } from './schema-node.ts';

const LIST_TYPE = 'x-kubernetes-list-type';
const KEYS = 'x-kubernetes-list-map-keys';

export function listFaults({ node, path }: Part): readonly FieldError[] {
  const kind = typeof node[LIST_TYPE] === 'string' ? textOf(node, LIST_TYPE) : undefined;
  const items = isMap(node.items) ? node.items : undefined;
  const keys = textsOf(node, KEYS);
  return [
    ...typeFaults(node, path, kind, items),
    ...(kind !== undefined && !['atomic', 'set', 'map'].includes(kind)
      ? [notSupported(`${path}.${LIST_TYPE}`, kind, ['atomic', 'set', 'map'])]
      : []),
    ...(keys.length > 0 ? keyedFaults(path, kind) : []),
    ...(kind === 'map' ? mapFaults(path, keys, items) : []),
    ...(items && (kind === 'map' || kind === 'set') ? memberFaults(path, kind, keys, items) : []),
  ];
}

function typeFaults(
  node: JsonMap,
  path: string,
  kind: string | undefined,
  items: JsonMap | undefined,
): readonly FieldError[] {
  if (kind === undefined) return [];
  const [type, words] = [textOf(node, 'type'), `must be array if ${LIST_TYPE} is specified`];
  if (type === '') return [required(`${path}.type`, words)];
  if (type !== 'array') return [invalid(`${path}.type`, type, words)];
  if (kind !== 'set' || !items) return [];
  const atomic = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const inner = items[LIST_TYPE] ?? null;
  const isLooseList = textOf(items, 'type') === 'array' && inner !== null && inner !== 'atomic';
  const isLooseMap = textOf(items, 'type') === 'object' && items['x-kubernetes-map-type'] !== 'atomic';
  return [
    ...(isLooseList ? [invalid(`${path}.items.${LIST_TYPE}`, inner, atomic)] : []),
    ...(isLooseMap ? [invalid(`${path}.items.x-kubernetes-map-type`, inner, atomic)] : []),
  ];
}

function keyedFaults(path: string, kind: string | undefined): readonly FieldError[] {
  const [place, words] = [`${path}.${LIST_TYPE}`, `must be map if ${KEYS} is non-empty`];
  if (kind === undefined) return [required(place, words)];
  return kind === 'map' ? [] : [invalid(place, kind, words)];
}

function mapFaults(path: string, keys: readonly string[], items: JsonMap | undefined): readonly FieldError[] {
  const found: FieldError[] = [];
  if (keys.length === 0) found.push(required(`${path}.${KEYS}`, `must not be empty if ${LIST_TYPE} is map`));
  if (!items) return [...found, required(`${path}.items`, `must have a schema if ${LIST_TYPE} is map`)];
  const type = textOf(items, 'type');
  if (type !== 'object')
    return [...found, invalid(`${path}.items.type`, type, `must be object if parent array's ${LIST_TYPE} is map`)];
  const properties = isMap(items.properties) ? items.properties : {};
  keys.forEach((key, index) => {
    const known = properties[key];
    const keyType = isMap(known) ? textOf(known, 'type') : '';
    if (!isMap(known)) found.push(invalid(`${path}.${KEYS}`, keys, 'entries must all be names of item properties'));
    else if (keyType === 'array' || keyType === 'object') {
      const words = `must be a scalar type if parent array's ${LIST_TYPE} is map`;
      found.push(invalid(`${path}.items.properties[${key}].type`, type, words));
    }
    if (keys.indexOf(key) < index) found.push(invalid(`${path}.${KEYS}`, keys, 'must not contain duplicate entries'));
  });
  return found;
}

function memberFaults(path: string, kind: string, keys: readonly string[], items: JsonMap): readonly FieldError[] {
  const properties = isMap(items.properties) ? items.properties : {};
  const needed = textsOf(items, 'required');
  return [
    ...(isSet(items, 'nullable')
      ? [forbidden(`${path}.items.nullable`, `cannot be nullable when ${LIST_TYPE} is ${kind}`)]
      : []),
    ...(kind === 'map' ? keys : []).flatMap((key) => {
      const known = properties[key];
      const place = `${path}.items.properties[${key}]`;
      if (!isMap(known)) return [];
      const isAlways = needed.includes(key) || defaultOf(known) !== undefined;
      const why = `this property is in ${KEYS}, so it`;
      return [
        ...(isAlways ? [] : [required(`${place}.default`, `${why} must have a default or be a required property`)]),
        ...(isSet(known, 'nullable') ? [forbidden(`${place}.nullable`, `${why} cannot be nullable`)] : []),
      ];
    }),
  ];
}
