/** What a version has besides its schema: subresources, columns, and fields to select by. */
import { textAt, valueAt } from '../api-object.ts';
import { isList, isMap, type Json } from '../json.ts';
import { duplicate, type FieldError, invalid, required, tooMany } from '../schema/field-error.ts';
import { fieldAt } from './field-path.ts';
import { textOf } from './schema-node.ts';

const itemsOf = (list: Json | undefined): readonly Json[] => (isList(list) ? list : []);

export function subresourceFaults(subresources: Json | undefined, path: string): readonly FieldError[] {
  const scale = valueAt(subresources ?? null, 'scale');
  if (!isMap(scale)) return [];
  const under = (field: string, roots: readonly string[], where: string, isNeeded: boolean): readonly FieldError[] => {
    const [value, place] = [textAt(scale, field), `${path}.scale.${field}`];
    if (value === '') return isNeeded ? [required(place)] : [];
    if (!value.startsWith('.')) return [invalid(place, value, 'must be a simple json path starting with .')];
    return roots.some((root) => value.startsWith(root))
      ? []
      : [invalid(place, value, `should be a json path under ${where}`)];
  };
  return [
    ...under('specReplicasPath', ['.spec.'], '.spec', true),
    ...under('statusReplicasPath', ['.status.'], '.status', true),
    ...under('labelSelectorPath', ['.spec.', '.status.'], 'either .spec or .status', false),
  ];
}

const COLUMN_TYPES = 'boolean,date,integer,number,string';
const FORMATS = 'byte,date,date-time,double,float,int32,int64,password';

export const columnFaults = (columns: Json | undefined, path: string): readonly FieldError[] =>
  itemsOf(columns).flatMap((column, index) => {
    const at = (field: string) => textAt(column, field);
    const place = `${path}[${index}]`;
    const [type, format, jsonPath] = [at('type'), at('format'), at('jsonPath')];
    const found: FieldError[] = [];
    if (at('name') === '') found.push(required(`${place}.name`));
    if (type === '') found.push(required(`${place}.type`, `must be one of ${COLUMN_TYPES}`));
    else if (!COLUMN_TYPES.split(',').includes(type))
      found.push(invalid(`${place}.type`, type, `must be one of ${COLUMN_TYPES}`));
    if (format !== '' && !FORMATS.split(',').includes(format))
      found.push(invalid(`${place}.format`, format, `must be one of ${FORMATS}`));
    if (jsonPath === '') found.push(required(`${place}.JSONPath`));
    else if (!jsonPath.startsWith('.'))
      found.push(invalid(`${place}.JSONPath`, jsonPath, 'must be a simple json path starting with .'));
    return found;
  });

const MOST = 8;
const SELECTABLE = ['string', 'boolean', 'integer'];

export function selectableFaults(
  fields: Json | undefined,
  schema: Json | undefined,
  path: string,
): readonly FieldError[] {
  if (!isMap(schema)) return [];
  const seen = new Set<string>();
  const faults = itemsOf(fields).flatMap((field, index): FieldError[] => {
    const jsonPath = textAt(field, 'jsonPath');
    const place = `${path}[${index}].jsonPath`;
    if (jsonPath === '') return [required(place)];
    const found = fieldAt(jsonPath, schema, false);
    if ('fault' in found) return [invalid(place, jsonPath, `is an invalid path: ${found.fault}`)];
    const isSecond = seen.has(jsonPath);
    seen.add(jsonPath);
    return [
      ...(jsonPath.startsWith('.metadata') ? [invalid(place, jsonPath, 'must not point to fields in metadata')] : []),
      ...(SELECTABLE.includes(textOf(found.node, 'type')) ? [] : [invalid(place, jsonPath, UNSELECTABLE)]),
      ...(isSecond ? [duplicate(place, jsonPath)] : []),
    ];
  });
  return seen.size > MOST ? [...faults, tooMany(path, seen.size, MOST)] : faults;
}

const UNSELECTABLE =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
