/** What a write that is no apply does to the owners of an object's fields: it takes what it changed. */
import type { KubeObject } from '../../kit/kube/resource.ts';
import { isList, isMap, type Json, type JsonMap, same } from '../json.ts';
import { emptyObject } from '../schema/native.ts';
import type { Schema } from '../schema/schema.ts';
import { capped } from './cap.ts';
import { afterUpdate } from './change.ts';
import { entriesOf, idOf, type Manager, type Owners, ownersIn, withOwners } from './managers.ts';
import { resetFields } from './reset.ts';

export interface Updating {
  /** The object as it was; none when it is created. */
  readonly before?: KubeObject;
  readonly after: KubeObject;
  /** The field manager of the request, or what its user agent begins with. */
  readonly manager: string;
  readonly operation: 'Update';
  readonly subresource?: string;
  readonly schema: Schema;
  readonly apiVersion: string;
  readonly now: string;
}

/** The object as it is to be stored, with its managedFields. */
export function updated<T extends KubeObject>(asked: Updating & { readonly after: T }): T {
  const after = asMap(asked.after);
  const subresource = asked.subresource ?? '';
  const before = asked.before ? asMap(asked.before) : nothingOf(after, asked.schema);
  const owners = ownersFor(asked.before && before, after, subresource !== '');
  if (owners.size === 0 && asked.before !== undefined) return bare(after) as unknown as T;
  const { apiVersion, schema, now } = asked;
  const manager: Manager = { name: asked.manager || 'unknown', operation: 'Update', apiVersion, subresource };
  const rules = { schema, apiVersion, reset: resetFields(after, subresource, schema) };
  const hasSameMetadata = before.metadata === after.metadata;
  const left = afterUpdate(hasSameMetadata ? before : bare(before), hasSameMetadata ? after : bare(after), owners, {
    manager,
    id: idOf(manager),
    // Of who scales, the server does not say when.
    now: subresource === 'scale' ? undefined : now,
    rules,
  });
  return withOwners(after, capped(left)) as unknown as T;
}

const bare = (object: JsonMap): JsonMap => withOwners(object, new Map());

const asMap = (object: KubeObject): JsonMap => object as unknown as JsonMap;

/** The kind with nothing in it, which a new object is compared to. */
export function nothingOf({ apiVersion = '', kind = '' }: JsonMap, schema: Schema): JsonMap {
  const known = empty.get(schema);
  if (known?.apiVersion === apiVersion && known.kind === kind) return known;
  const made = emptyObject(schema, { apiVersion, kind });
  empty.set(schema, made);
  return made;
}

const empty = new WeakMap<Schema, JsonMap>();

/**
 * Clients may write managedFields, but not by way of a subresource. Those who do not know them leave them out, which is not meant; an
 * empty list, or one with an empty entry, is.
 */
function ownersFor(before: JsonMap | undefined, after: JsonMap, isSubresource: boolean): Owners {
  const live = () => (before ? readable(before) : new Map());
  if (isSubresource) return live();
  const sent = entriesOf(after);
  if (sent && isReset(sent)) return new Map();
  const owners = readable(after);
  return owners.size === 0 ? live() : owners;
}

const isReset = (entries: readonly Json[]): boolean =>
  entries.length === 0 || (entries.length === 1 && isMap(entries[0]) && Object.keys(entries[0]).length === 0);

function readable(object: JsonMap): Owners {
  try {
    return ownersIn(object);
  } catch {
    return new Map();
  }
}

/** A write that changed nothing but the times of its owners changed nothing: then the times stay, too. */
export function withoutIdleTimes<T extends KubeObject>(before: KubeObject, after: T): T {
  const were = entriesOf(asMap(before));
  const are = entriesOf(asMap(after));
  if (!were || !are || were.length !== are.length || !isSameBesideMetadata(asMap(before), asMap(after))) return after;
  if (!same(bare(asMap(before)), bare(asMap(after)))) return after;
  if (!same(timeless(were), timeless(are))) return after;
  return { ...after, metadata: { ...after.metadata, managedFields: before.metadata.managedFields } };
}

/** What most writes change is found here, without a look at who owns what. */
const isSameBesideMetadata = (before: JsonMap, after: JsonMap): boolean =>
  Object.keys(after).every((field) => field === 'metadata' || same(before[field], after[field]));

const timeless = (entries: readonly Json[]): Json =>
  entries.map((entry) => (isMap(entry) && !isList(entry) ? { ...entry, time: null } : entry));
