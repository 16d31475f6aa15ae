/** A configuration laid over an object: nothing goes, and where both say something the configuration is right. */
import { isList, isMap, type Json, type JsonMap, own } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import type { PathElement } from './path-element.ts';
import { fieldOf, isAtomicMap, isShared, type MaybeSchema, memberElement } from './topology.ts';

export function merged(object: Json | undefined, config: Json | undefined, schema: MaybeSchema): Json | undefined {
  if (config === undefined) return object;
  if (object === undefined || isEmptyOf(object)) return config;
  if (isMap(object) && (isMap(config) || config === null) && !isAtomicMap(schema)) {
    return mergedMaps(object, config ?? {}, schema);
  }
  if (isList(object) && (isList(config) || config === null) && schema && isShared(schema)) {
    return mergedLists(object, config ?? [], schema);
  }
  return config;
}

const isEmptyOf = (value: Json): boolean =>
  value === null || (isList(value) ? value.length === 0 : isMap(value) && Object.keys(value).length === 0);

function mergedMaps(object: JsonMap, config: JsonMap, schema: MaybeSchema): JsonMap {
  const result = new Map(Object.entries(object));
  for (const [name, value] of Object.entries(config)) {
    const inner = merged(own(object, name), value, fieldOf(schema, name));
    if (inner !== undefined) result.set(name, inner);
  }
  return Object.fromEntries(result);
}

/**
 * The members of the configuration stand in its order. Those of the object alone stand where they stood, as far as the order of
 * the members that both have allows it.
 */
function mergedLists(object: readonly Json[], config: readonly Json[], schema: Schema): readonly Json[] {
  const left = indexed(object, schema);
  const right = indexed(config, schema);
  const shared = right.elements.filter((element) => left.members.has(element));
  const done = new Set<PathElement>();
  const result: Json[] = [];
  const take = (element: PathElement): void => {
    done.add(element);
    if (shared[0] === element) shared.shift();
    const inner = merged(left.members.get(element), right.members.get(element), schema.items);
    if (inner !== undefined) result.push(inner);
  };
  let [l, r] = [0, 0];
  while (l < left.elements.length || r < right.elements.length) {
    const mine = left.elements[l];
    const theirs = right.elements[r];
    if (mine !== undefined && theirs !== undefined) {
      if (mine === theirs) {
        take(mine);
        [l, r] = [l + 1, r + 1];
        continue;
      }
      if (right.members.has(mine) && shared[0] !== undefined && shared[0] !== mine) {
        l += 1;
        continue;
      }
    }
    if (mine !== undefined) {
      const member = object[l];
      if (!right.members.has(mine) && member !== undefined) {
        result.push(member);
        l += 1;
        continue;
      }
      if (done.has(mine)) l += 1;
    }
    if (theirs !== undefined) {
      take(theirs);
      r += 1;
    }
  }
  return result;
}

interface Indexed {
  readonly elements: readonly PathElement[];
  /** Those that stand there twice are nothing that could be merged into. */
  readonly members: ReadonlyMap<PathElement, Json | undefined>;
}

function indexed(list: readonly Json[], schema: Schema): Indexed {
  const elements = list.map((member) => memberElement(member, schema));
  const members = new Map<PathElement, Json | undefined>();
  for (const [index, element] of elements.entries())
    members.set(element, members.has(element) ? undefined : list[index]);
  return { elements, members };
}
