/** What differs between two values: fields that came, that went, and that have another value. */
import { isList, isMap, type Json, type JsonMap, own, same } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { type FieldPath, type FieldSet, FieldSetBuilder } from './field-set.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { fieldOf, isAtomicMap, isShared, type MaybeSchema, memberElement } from './topology.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compare(before: Json, after: Json, schema: MaybeSchema): Comparison {
  const walk = new Walk();
  walk.visit(before, after, schema, []);
  return { added: walk.added.set, modified: walk.modified.set, removed: walk.removed.set };
}

type Maybe = Json | undefined;

class Walk {
  readonly added = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly removed = new FieldSetBuilder();

  visit(before: Maybe, after: Maybe, schema: MaybeSchema, path: FieldPath): void {
    if (before === after) return;
    const was = shapeOf(before, schema);
    const is = shapeOf(after, schema);
    if (was === is || before === undefined || after === undefined || before === null || after === null) {
      this.#descend(before, after, schema, path, before === undefined || before === null ? is : was);
    } else {
      this.#descend(before, undefined, schema, path, was, false);
      this.#descend(undefined, after, schema, path, is, false);
      this.modified.add(path);
    }
  }

  /** Where a value changes its shape, what was in it goes, what is in it now comes, and the field itself has changed. */
  #descend(before: Maybe, after: Maybe, schema: MaybeSchema, path: FieldPath, shape: Shape, countsItself = true): void {
    if (shape === 'leaf' || (isEmptyOf(before) && isEmptyOf(after))) {
      if (countsItself) this.#leaf(before, after, path);
      return;
    }
    if (shape === 'map') this.#maps(mapOf(before), mapOf(after), schema, path);
    else if (schema) this.#lists(listOf(before), listOf(after), schema, path);
    if (countsItself && before === undefined) this.added.add(path);
    else if (countsItself && after === undefined) this.removed.add(path);
  }

  #leaf(before: Maybe, after: Maybe, path: FieldPath): void {
    if (before === undefined) this.added.add(path);
    else if (after === undefined) this.removed.add(path);
    else if (!same(before, after)) this.modified.add(path);
  }

  #maps(before: JsonMap, after: JsonMap, schema: MaybeSchema, path: FieldPath): void {
    for (const name of Object.keys(before)) this.#fields(name, before[name], own(after, name), schema, path);
    for (const name of Object.keys(after))
      if (!Object.hasOwn(before, name)) this.#fields(name, undefined, after[name], schema, path);
  }

  #fields(name: string, before: Maybe, after: Maybe, schema: MaybeSchema, path: FieldPath): void {
    if (before !== after) this.visit(before, after, fieldOf(schema, name), [...path, fieldElement(name)]);
  }

  #lists(before: readonly Json[], after: readonly Json[], schema: Schema, path: FieldPath): void {
    const byElement = (list: readonly Json[]) => Map.groupBy(list, (member) => memberElement(member, schema));
    const [were, are] = [byElement(before), byElement(after)];
    for (const element of new Set([...were.keys(), ...are.keys()])) {
      this.#members(were.get(element) ?? [], are.get(element) ?? [], schema.items, [...path, element]);
    }
  }

  /** Members that nothing tells apart are one piece. */
  #members(before: readonly Json[], after: readonly Json[], schema: MaybeSchema, path: readonly PathElement[]): void {
    if (before.length <= 1 && after.length <= 1) this.visit(before[0], after[0], schema, path);
    else if (before.length >= 2 && after.length >= 2) {
      if (!same(before, after)) this.modified.add(path);
    } else if (before.length >= 2) {
      this.visit(undefined, after[0], schema, path);
      this.removed.add(path);
    } else {
      this.visit(before[0], undefined, schema, path);
      this.added.add(path);
    }
  }
}

type Shape = 'map' | 'list' | 'leaf';

function shapeOf(value: Maybe, schema: MaybeSchema): Shape {
  if (isMap(value)) return isAtomicMap(schema) ? 'leaf' : 'map';
  if (isList(value)) return isShared(schema) ? 'list' : 'leaf';
  return 'leaf';
}

const isEmptyOf = (value: Maybe): boolean =>
  value === undefined ||
  value === null ||
  (isList(value) ? value.length === 0 : isMap(value) && Object.keys(value).length === 0);

const mapOf = (value: Maybe): JsonMap => (isMap(value) ? value : {});
const listOf = (value: Maybe): readonly Json[] => (isList(value) ? value : []);
