/** Objects of the API as the sandbox keeps them: with every field that they have, and never changed in place. */
import type { KubeObject, ObjectMeta } from '../kit/kube/resource.ts';
import { isList, isMap, type Json, type JsonMap, same } from './json.ts';

export interface ApiObject extends KubeObject {
  readonly metadata: ApiMetadata;
  readonly [field: string]: unknown;
}

export interface ApiMetadata extends ObjectMeta {
  readonly deletionGracePeriodSeconds?: number;
  readonly selfLink?: string;
}

/** An object is made of JSON, which its type does not say: fields that nobody knows are unknown there. */
export const asJson = (object: KubeObject): JsonMap => object as unknown as JsonMap;

export const asObject = (json: Json): ApiObject => json as unknown as ApiObject;

export const sameObject = (one: ApiObject, other: ApiObject): boolean => same(asJson(one), asJson(other));

/** The value at a path of fields, if there is one. */
export function valueAt(object: unknown, ...path: readonly string[]): Json | undefined {
  let found = object as Json | undefined;
  for (const field of path) {
    if (!isMap(found)) return undefined;
    found = found[field];
  }
  return found;
}

/** Text at a path, empty where there is none. */
export function textAt(object: unknown, ...path: readonly string[]): string {
  const found = valueAt(object, ...path);
  return found === undefined || found === null ? '' : String(found);
}

export function listAt(object: unknown, ...path: readonly string[]): readonly Json[] {
  const found = valueAt(object, ...path);
  return isList(found) ? found : [];
}

/** The same with what it lacks at a path of fields. */
export const withDefaultAt = <T>(object: T, path: readonly string[], value: Json): T =>
  valueAt(object, ...path) === undefined ? withValueAt(object, path, value) : object;

/** The same with another value at a path of fields; `undefined` removes it. */
export function withValueAt<T>(object: T, [field, ...rest]: readonly string[], replacement: unknown): T {
  if (field === undefined) return replacement as T;
  const inside: Record<string, unknown> = isMap(object as Json) ? { ...(object as JsonMap) } : {};
  const changed = rest.length === 0 ? replacement : withValueAt(inside[field], rest, replacement);
  if (changed === undefined) delete inside[field];
  else inside[field] = changed;
  return inside as T;
}
