/**
 * JSON patch (RFC 6902) as the API server applies it. It is more liberal than the RFC: `replace` makes a field that is not there, lists
 * can be counted from their end, and what stands before the first slash of a path is passed over.
 */
import { jsonWordFor } from '../go-text.ts';
import { isList, isMap, type Json, type JsonMap, own, same } from '../json.ts';
import { badRequest, doesNotApply, PatchError } from './patch-error.ts';

const MOST_OPERATIONS = 10_000;
const MOST_COPIED_BYTES = 3 * 1024 * 1024;

interface Operation {
  readonly op?: string;
  readonly path?: string;
  readonly from?: string;
  readonly value?: Json;
}

/** The object after all operations of the patch. Throws `PatchError`. */
export function jsonPatch(object: Json, patch: Json): Json {
  const operations = read(patch);
  if (operations.length > MOST_OPERATIONS) {
    const most = `The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}`;
    throw new PatchError(413, `${most}, got ${operations.length}`);
  }
  const copies = { bytes: 0 };
  return operations.reduce((document, operation) => step(document, operation, copies), object);
}

function read(patch: Json): readonly Operation[] {
  if (patch === null) return [];
  if (!isList(patch)) throw unreadable(patch, 'value of type []handlers.jsonPatchOp');
  return patch.map(readOperation);
}

function readOperation(operation: Json): Operation {
  if (operation === null) return {};
  if (!isMap(operation)) throw unreadable(operation, 'value of type handlers.jsonPatchOp');
  const text = (field: 'op' | 'path' | 'from') => {
    const value = own(operation, field) ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    throw unreadable(value, `struct field jsonPatchOp.${field} of type string`);
  };
  const [op, path, from] = [text('op'), text('path'), text('from')];
  return {
    ...(op !== undefined && { op }),
    ...(path !== undefined && { path }),
    ...(from !== undefined && { from }),
    value: own(operation, 'value') ?? null,
  };
}

const unreadable = (value: Json, target: string): PatchError =>
  badRequest(`error decoding patch: json: cannot unmarshal ${jsonWordFor(value)} into Go ${target}`);

function step(document: Json, { op, path, from, value = null }: Operation, copies: { bytes: number }): Json {
  if (path === undefined) throw doesNotApply();
  switch (op) {
    case 'add':
      return at(document, path, (parent, key) => added(parent, key, value));
    case 'remove':
      return at(document, path, removed);
    case 'replace':
      return path === '' ? asDocument(value) : at(document, path, (parent, key) => replaced(parent, key, value));
    case 'test':
      if (!holds(document, path, value)) throw doesNotApply();
      return document;
    case 'move': {
      const moved = valueAt(document, from) ?? null;
      const rest = at(document, from ?? '', removed);
      return at(rest, path, (parent, key) => added(parent, key, moved));
    }
    case 'copy': {
      const copied = valueAt(document, from) ?? null;
      copies.bytes += Buffer.byteLength(JSON.stringify(copied));
      if (copies.bytes > MOST_COPIED_BYTES) throw doesNotApply();
      return at(document, path, (parent, key) => added(parent, key, copied));
    }
    default:
      throw doesNotApply();
  }
}

function asDocument(value: Json): Json {
  if (isMap(value) || isList(value)) return value;
  throw doesNotApply();
}

/** A field that is not there is as good as null. */
function holds(document: Json, path: string, value: Json): boolean {
  if (path === '') return same(document, value);
  return same(valueAt(document, path) ?? null, value);
}

type Parent = JsonMap | readonly Json[];

/** The document with the change made to what holds the last step of the path. */
function at(document: Json, path: string, change: (parent: Parent, key: string) => Json): Json {
  const steps = stepsOf(path);
  const descend = (value: Json, depth: number): Json => {
    const key = steps[depth];
    if (key === undefined || (!isMap(value) && !isList(value))) throw doesNotApply();
    if (depth === steps.length - 1) return change(value, key);
    const inner = childOf(value, key);
    if (inner === undefined) throw doesNotApply();
    return replaced(value, key, descend(inner, depth + 1));
  };
  return descend(document, 0);
}

/** Undefined where a map has no such key; throws where there is no way to it. */
function valueAt(document: Json, path: string | undefined): Json | undefined {
  let found: Json | undefined;
  if (path === undefined) throw doesNotApply();
  at(document, path, (parent, key) => {
    found = childOf(parent, key);
    return parent;
  });
  return found;
}

function stepsOf(path: string): readonly string[] {
  return path
    .split('/')
    .slice(1)
    .map((step) => step.replace(/~[01]/g, (code) => (code === '~1' ? '/' : '~')));
}

const childOf = (parent: Parent, key: string): Json | undefined =>
  isList(parent) ? parent[indexUpTo(parent.length - 1, key)] : own(parent, key);

function added(parent: Parent, key: string, value: Json): Json {
  if (!isList(parent)) return { ...parent, [key]: value };
  return key === '-' ? [...parent, value] : parent.toSpliced(indexUpTo(parent.length, key), 0, value);
}

function removed(parent: Parent, key: string): Json {
  if (isList(parent)) return parent.toSpliced(indexUpTo(parent.length - 1, key), 1);
  if (!Object.hasOwn(parent, key)) throw doesNotApply();
  return Object.fromEntries(Object.entries(parent).filter(([each]) => each !== key));
}

const replaced = (parent: Parent, key: string, value: Json): Json =>
  isList(parent) ? parent.with(indexUpTo(parent.length - 1, key), value) : { ...parent, [key]: value };

/** A negative index counts from behind the last one that is allowed. */
function indexUpTo(last: number, key: string): number {
  const index = /^[+-]?\d+$/.test(key) ? Number(key) : Number.NaN;
  const found = index < 0 ? index + last + 1 : index;
  if (!(found >= 0 && found <= last)) throw doesNotApply();
  return found;
}
