/** The fields that a value has, those that a set names taken out of a value, and a set in which structs stand for what is in them. */
import { isList, isMap, type Json, type JsonMap } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { type FieldNode, type FieldPath, type FieldSet, FieldSetBuilder } from './field-set.ts';
import { fieldNameOf, isKeyElement, type PathElement } from './path-element.ts';
import { fieldOf, fieldsOf, isAtomicMap, isNamed, isShared, type MaybeSchema, memberElement } from './topology.ts';

/** The fields that whoever applies this value says something about. */
export function fieldsIn(value: Json, schema: MaybeSchema): FieldSet {
  const builder = new FieldSetBuilder();
  collect(value, schema, [], builder);
  return builder.set;
}

function collect(value: Json, schema: MaybeSchema, path: FieldPath, builder: FieldSetBuilder): void {
  if (isMap(value) && !isAtomicMap(schema)) collectMap(value, schema, path, builder);
  else if (isList(value) && schema && isShared(schema)) collectList(value, schema, path, builder);
  else builder.add(path);
}

function collectMap(map: JsonMap, schema: MaybeSchema, path: FieldPath, builder: FieldSetBuilder): void {
  for (const [name, element, value] of fieldsOf(map)) {
    const inner = [...path, element];
    collect(value, fieldOf(schema, name), inner, builder);
    const isEmpty = value === null || (isMap(value) && Object.keys(value).length === 0);
    if (isEmpty || !isNamed(schema, name)) builder.add(inner);
  }
}

function collectList(list: readonly Json[], schema: Schema, path: FieldPath, builder: FieldSetBuilder): void {
  const groups = Map.groupBy(list, (member) => memberElement(member, schema));
  for (const [element, [member, ...twins]] of groups) {
    const inner = [...path, element];
    if (twins.length === 0 && member !== undefined) collect(member, schema.items, inner, builder);
    builder.add(inner);
  }
}

/** The value without the fields of the set. What nothing is left of is null. */
export function without(value: Json, gone: FieldSet, schema: MaybeSchema): Json {
  if (isMap(value)) return isAtomicMap(schema) ? null : (mapWithout(value, gone, schema) ?? null);
  if (isList(value)) return schema && isShared(schema) ? (listWithout(value, gone, schema) ?? null) : null;
  return value;
}

function mapWithout(map: JsonMap, gone: FieldSet, schema: MaybeSchema): JsonMap | undefined {
  const kept = fieldsOf(map).flatMap(([name, element, value]): [string, Json][] => {
    const node = gone.get(element);
    return node?.owned ? [] : [[name, inside(value, node, fieldOf(schema, name))]];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function listWithout(list: readonly Json[], gone: FieldSet, schema: Schema): readonly Json[] | undefined {
  const kept = list.flatMap((member) => {
    const node = gone.get(memberElement(member, schema));
    return node?.owned ? [] : [inside(member, node, schema.items)];
  });
  return kept.length === 0 ? undefined : kept;
}

const inside = (value: Json, node: FieldNode | undefined, schema: MaybeSchema): Json =>
  node && node.inner.size > 0 ? without(value, node.inner, schema) : value;

/** The set with every named field in it that something of is in it. */
export function withNamedFields(set: FieldSet, schema: MaybeSchema): FieldSet {
  return new Map([...set].map(([element, node]) => [element, namedNode(element, node, schema)]));
}

function namedNode(element: PathElement, { owned, inner }: FieldNode, schema: MaybeSchema): FieldNode {
  if (inner.size === 0) return { owned, inner };
  const name = fieldNameOf(element);
  if (name === undefined)
    return { owned, inner: withNamedFields(inner, isKeyElement(element) ? schema?.items : undefined) };
  return { owned: owned || isNamed(schema, name), inner: withNamedFields(inner, fieldOf(schema, name)) };
}
