/** Whether a configuration that is applied fits the schema. The server is strict here: what it does not know it refuses. */
import { goText, goTypeOf } from '../go-text.ts';
import { isList, isMap, type Json, type JsonMap } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { elementText, fieldElement, type PathElement, valueText } from './path-element.ts';
import { fieldOf, isShared, type MaybeSchema, memberElement } from './topology.ts';

/** What is wrong, one line for each fault, each with its path; nothing where all is well. */
export function faultsIn(config: Json, schema: MaybeSchema): string | undefined {
  const faults = visit(config, schema);
  if (faults.length === 0) return undefined;
  return faults.length === 1 ? faults[0] : ['errors:', ...faults.map((fault) => `  ${fault}`)].join('\n');
}

type Faults = readonly string[];

function visit(value: Json, schema: MaybeSchema): Faults {
  if (schema === undefined || value === null) return [];
  if (schema.type === 'object') return isMap(value) ? ofMap(value, schema) : [`expected map, got &{${inside(value)}}`];
  if (schema.type === 'array')
    return isList(value) ? ofList(value, schema) : [`expected list, got &{${inside(value)}}`];
  if (isMap(value)) return schema.type === undefined ? ofMap(value, schema) : [scalarFault(value, schema)];
  if (isList(value)) return schema.type === undefined ? [] : [scalarFault(value, schema)];
  return fits(value, schema) ? [] : [scalarFault(value, schema)];
}

const prefixed = (element: PathElement, faults: Faults): Faults =>
  faults.map((fault) =>
    /^[.[]/.test(fault) ? `${elementText(element)}${fault}` : `${elementText(element)}: ${fault}`,
  );

function ofMap(map: JsonMap, schema: Schema): Faults {
  const isFree = !schema.properties || schema.preserveUnknownFields === true;
  return Object.entries(map).flatMap(([name, value]) => {
    const known = fieldOf(schema, name);
    const faults = known === undefined && !isFree ? ['field not declared in schema'] : visit(value, known);
    return prefixed(fieldElement(name), faults);
  });
}

function ofList(list: readonly Json[], schema: Schema): Faults {
  const seen = new Set<PathElement>();
  const faults: string[] = [];
  for (const [index, member] of list.entries()) {
    const element = isShared(schema) ? elementOrFault(member, schema) : { element: `i:${index}` };
    if ('fault' in element) return [...faults, `element ${index}: ${element.fault}`];
    if (seen.has(element.element)) faults.push(`duplicate entries for key ${elementText(element.element)}`);
    seen.add(element.element);
    faults.push(...prefixed(element.element, visit(member, schema.items)));
  }
  return faults;
}

function elementOrFault(member: Json, schema: Schema): { element: PathElement } | { fault: string } {
  try {
    return { element: memberElement(member, schema) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

function fits(value: Json, { type, format }: Schema): boolean {
  if (type === 'string') return typeof value === 'string' || (format !== undefined && format !== 'byte');
  if (type === 'integer' || type === 'number') return typeof value === 'number';
  return type !== 'boolean' || typeof value === 'boolean';
}

function scalarFault(value: Json, { type }: Schema): string {
  if (type === 'integer' || type === 'number') return `expected numeric (int or float), got ${goTypeOf(value)}`;
  if (type === 'boolean') return `expected boolean, got &{${inside(value)}}`;
  return `expected string, got &value.valueUnstructured{Value:${literal(value)}}`;
}

const inside = (value: Json): string => goText(value);

/** As `%#v` writes it. */
function literal(value: Json): string {
  if (isList(value)) return `[]interface {}{${value.map(literal).join(', ')}}`;
  if (!isMap(value)) return typeof value === 'string' ? valueText(value) : String(value);
  return `map[string]interface {}{${Object.entries(value)
    .map(([name, each]) => `${valueText(name)}:${literal(each)}`)
    .join(', ')}}`;
}
