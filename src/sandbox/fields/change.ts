/** What a change of an object does to the owners of its fields. */
import type { JsonMap } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { type Comparison, compare } from './compare.ts';
import {
  difference,
  type FieldSet,
  intersection,
  isEmptySet,
  isSameSet,
  NO_FIELDS,
  outside,
  setOf,
  union,
} from './field-set.ts';
import type { Manager, Owned, Owners } from './managers.ts';
import { fieldElement } from './path-element.ts';

/** What does not depend on who writes. */
export interface Rules {
  readonly schema: Schema;
  readonly apiVersion: string;
  /** Fields that the server does not take from a request of this kind, and that nobody owns by it. */
  readonly reset: FieldSet;
}

/** Fields that are always there, or that the server alone writes. */
const OWNED_BY_NOBODY: FieldSet = setOf(
  ...['apiVersion', 'kind', 'metadata'].map((name) => [fieldElement(name)]),
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => [fieldElement('metadata'), fieldElement(name)]),
);

export const ownable = (fields: FieldSet): FieldSet => difference(fields, OWNED_BY_NOBODY);

export interface Change extends Comparison {
  /** Owners, other than the one who makes the change, of what it changes. */
  readonly conflicts: ReadonlyMap<string, FieldSet>;
  /** The other owners, less what they lost. */
  readonly others: Owners;
}

/** Owners in other versions of the API are not known here any more. */
export function changeOf(before: JsonMap, after: JsonMap, owners: Owners, self: string, rules: Rules): Change {
  const compared = compare(before, after, rules.schema);
  const comparison = {
    added: outside(compared.added, rules.reset),
    modified: outside(compared.modified, rules.reset),
    removed: outside(compared.removed, rules.reset),
  };
  const changed = union(comparison.modified, comparison.added);
  const conflicts = new Map<string, FieldSet>();
  const others = new Map<string, Owned>();
  for (const [id, owned] of owners) {
    if (id === self || owned.manager.apiVersion !== rules.apiVersion) continue;
    const conflict = intersection(owned.fields, changed);
    if (!isEmptySet(conflict)) conflicts.set(id, conflict);
    const fields = difference(difference(owned.fields, conflict), comparison.removed);
    if (!isEmptySet(fields)) others.set(id, { ...owned, fields });
  }
  return { ...comparison, conflicts, others };
}

/** The owners after somebody changed an object in another way than by applying a configuration. */
export function afterUpdate(
  before: JsonMap,
  after: JsonMap,
  owners: Owners,
  {
    manager,
    id,
    now,
    rules,
  }: { readonly manager: Manager; readonly id: string; readonly now: string | undefined; readonly rules: Rules },
): Owners {
  const { added, modified, others } = changeOf(before, after, owners, '', rules);
  const taken = ownable(union(modified, added));
  if (isEmptySet(taken)) return others;
  const all = union(taken, others.get(id)?.fields ?? NO_FIELDS);
  const known = owners.get(id)?.fields;
  const fields = known && isSameSet(known, all) ? known : all;
  return new Map([...others, [id, { manager, fields, ...(now !== undefined && { time: now }) }]]);
}
