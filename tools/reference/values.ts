/** The values of a chart, with their defaults, and what their comments say of them. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { code, table } from './table.ts';

const root = resolve(import.meta.dirname, '../..');

export function valuesTable(chart: string): string {
  const { contents } = parseDocument(readFileSync(join(root, chart, 'values.yaml'), 'utf8'));
  if (!isMap(contents)) throw new Error(`${chart}/values.yaml holds no values`);
  return table(['value', 'default', 'what'], rowsOf(contents, ''));
}

type Row = readonly string[];

const rowsOf = (values: YAMLMap, path: string): readonly Row[] =>
  values.items.flatMap((pair, index) => {
    const name = `${path}${keyOf(pair)}`;
    const said = commentOn(values, index);
    const { value } = pair;
    if (isMap(value) && value.items.some((_, each) => commentOn(value, each) !== '')) return rowsOf(value, `${name}.`);
    if (said === '') throw new Error(`nothing is said of the value ${name}`);
    return [[code(name), defaultOf(value), said]];
  });

const keyOf = ({ key }: Pair): string => String(isScalar(key) ? key.value : key);

/** The comment before the first value of a map is taken for the map's own. Only the part next to the value is about it. */
function commentOn(values: YAMLMap, index: number): string {
  const key = values.items[index]?.key;
  const comment = (isScalar(key) && key.commentBefore) || (index === 0 && values.commentBefore) || '';
  const next = comment.split(/\n\s*\n/).at(-1) ?? '';
  return next.replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '');
}

function defaultOf(value: unknown): string {
  const given = isScalar(value) ? value.value : Object(value).toJSON();
  return given === '' ? '' : code(typeof given === 'object' ? JSON.stringify(given) : String(given));
}
