/** Paths to fields, as rules and selectable fields have them: `.spec.name`, or `['a name']`. */
import { isMap, type JsonMap } from '../json.ts';

/** The schema of what it leads to, or why it leads nowhere. */
export function fieldAt(
  path: string,
  schema: JsonMap,
  brackets = true,
): { readonly node: JsonMap } | { readonly fault: string } {
  const tokens = path.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/g) ?? [];
  let node = schema;
  for (let index = 0; index < tokens.length; ) {
    const [mark, name, end] = tokens.slice(index, index + 3);
    const isDot = mark === '.';
    if (!isDot && mark !== '[') return { fault: `expected [ or . but got: ${mark}` };
    if (!isDot && !brackets) return { fault: 'array notation is not allowed' };
    if (name === undefined) return { fault: 'unexpected end of JSON path' };
    if (!isDot && !/^'.*'$/s.test(name)) return { fault: `expected single quoted string but got ${name}` };
    const next = inside(node, isDot ? name : name.slice(1, -1).replace(/\\(.)/g, '$1'));
    if (!next) return { fault: 'does not refer to a valid field' };
    if (!isDot && end !== ']')
      return { fault: end === undefined ? 'unexpected end of JSON path' : `expected ] but got ${end}` };
    node = next;
    index += isDot ? 2 : 3;
  }
  return { node };
}

function inside({ properties, additionalProperties }: JsonMap, name: string): JsonMap | undefined {
  const found = isMap(properties) && Object.keys(properties).length > 0 ? properties[name] : additionalProperties;
  return isMap(found) ? found : undefined;
}
