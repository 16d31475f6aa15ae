/** Server-side apply: an object becomes what its owners want of it together. */
import type { KubeObject } from '../../kit/kube/resource.ts';
import { isMap, type Json, type JsonMap, same } from '../json.ts';
import { decoded } from '../schema/native.ts';
import { withReadMetadata } from '../schema/prune.ts';
import type { Schema } from '../schema/schema.ts';
import { afterUpdate, changeOf, ownable, type Rules } from './change.ts';
import { faultsIn } from './checked.ts';
import { type Conflicts, conflictsOf } from './conflicts.ts';
import { difference, type FieldSet, intersection, isEmptySet, outside, union } from './field-set.ts';
import { allowedByLastApplied, withLastApplied } from './last-applied.ts';
import { entriesOf, idOf, type Manager, type Owned, type Owners, ownersIn, withOwners } from './managers.ts';
import { merged } from './merge.ts';
import { resetFields } from './reset.ts';
import { nothingOf } from './updated.ts';
import { fieldsIn, withNamedFields, without } from './values.ts';

export interface Applying {
  /** The object as it is; none when it is created by this. */
  readonly live?: KubeObject;
  readonly config: KubeObject;
  readonly manager: string;
  readonly subresource?: string;
  /** Take what others own. */
  readonly force: boolean;
  readonly schema: Schema;
  readonly apiVersion: string;
  readonly now: string;
}

/** The object is what is to be defaulted, validated and stored, with its managedFields. */
export type Applied =
  | { readonly object: KubeObject }
  | { readonly conflicts: Conflicts }
  | { readonly refused: Refusal };

export interface Refusal {
  readonly status: 400 | 500;
  readonly message: string;
}

export function applied(asked: Applying): Applied {
  const config = asMap(asked.config);
  const refused = refusalOf(asked, config);
  if (refused) return { refused };
  const live = asked.live ? asMap(asked.live) : nothingOf(config, asked.schema);
  const read = ownersOrRefusal(live);
  if ('refused' in read) return read;
  const application = applicationOf(asked, withOwners(live, new Map()), config, read.owners);
  const result = application.carriedOut(asked.force);
  if (!('conflicts' in result) || asked.manager !== 'kubectl') return finished(result, asked, config);
  return finished(application.despite(result.sets, allowedByLastApplied(live, asked)), asked, config);
}

const asMap = (object: KubeObject): JsonMap => object as unknown as JsonMap;

function ownersOrRefusal(live: JsonMap): { readonly owners: Owners } | { readonly refused: Refusal } {
  try {
    return { owners: ownersIn(live) };
  } catch (error) {
    return {
      refused: {
        status: 500,
        message: `failed to decode managed fields: ${error instanceof Error ? error.message : error}`,
      },
    };
  }
}

function refusalOf({ schema, apiVersion }: Applying, config: JsonMap): Refusal | undefined {
  if (entriesOf(config)) return { status: 400, message: 'metadata.managedFields must be nil' };
  const faults = faultsIn(config, schema);
  if (faults === undefined) return undefined;
  const { namespace = '', name = '' } = isMap(config.metadata) ? config.metadata : {};
  const kind = `${groupVersion(apiVersion)}, Kind=${config.kind}`;
  return { status: 500, message: `failed to create typed patch object (${namespace}/${name}; ${kind}): ${faults}` };
}

const groupVersion = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion : `/${apiVersion}`);

type Outcome =
  | { readonly object: JsonMap }
  | { readonly conflicts: Conflicts; readonly sets: ReadonlyMap<string, FieldSet> };

function finished(outcome: Outcome, { manager, schema }: Applying, config: JsonMap): Applied {
  if ('conflicts' in outcome) return { conflicts: outcome.conflicts };
  const object = schema.native ? decoded(outcome.object, schema).value : withReadMetadata(outcome.object);
  return { object: withLastApplied(asMapOr(object), config, manager) as unknown as KubeObject };
}

function applicationOf(asked: Applying, live: JsonMap, config: JsonMap, owners: Owners): Application {
  const { apiVersion, schema, now, subresource = '' } = asked;
  const rules: Rules = { schema, apiVersion, reset: resetFields(config, subresource, schema) };
  const known = owners.size > 0 ? owners : beforeFirstApply(live, rules, now, subresource);
  const manager: Manager = { name: asked.manager, operation: 'Apply', apiVersion, subresource };
  return new Application(
    live,
    config,
    manager,
    new Map([...known].filter(([, each]) => isOfVersion(each, apiVersion))),
    rules,
    now,
  );
}

const isOfVersion = ({ manager }: Owned, apiVersion: string): boolean => manager.apiVersion === apiVersion;

/** What is there without an owner gets one, so that it cannot be taken in silence. */
function beforeFirstApply(live: JsonMap, rules: Rules, now: string, subresource: string): Owners {
  const manager: Manager = {
    name: 'before-first-apply',
    operation: 'Update',
    apiVersion: rules.apiVersion,
    subresource,
  };
  return afterUpdate(nothingOf(live, rules.schema), live, new Map(), { manager, id: idOf(manager), now, rules });
}

class Application {
  readonly #live: JsonMap;
  readonly #config: JsonMap;
  readonly #manager: Manager;
  readonly #id: string;
  readonly #owners: Owners;
  readonly #rules: Rules;
  readonly #now: string;

  constructor(live: JsonMap, config: JsonMap, manager: Manager, owners: Owners, rules: Rules, now: string) {
    this.#live = live;
    this.#config = config;
    this.#manager = manager;
    this.#id = idOf(manager);
    this.#owners = owners;
    this.#rules = rules;
    this.#now = now;
  }

  carriedOut(force: boolean): Outcome {
    const { schema, reset } = this.#rules;
    const last = this.#owners.get(this.#id);
    const fields = outside(fieldsIn(this.#config, schema), reset);
    const self: Owned = { ...last, manager: this.#manager, fields };
    const owners = new Map([...this.#owners, [this.#id, self]]);
    const object = this.#pruned(asMapOr(merged(this.#live, this.#config, schema)), owners, last?.fields ?? new Map());
    const { conflicts, others } = changeOf(this.#live, object, owners, this.#id, this.#rules);
    if (!force && conflicts.size > 0) return { conflicts: conflictsOf(conflicts, this.#owners), sets: conflicts };
    return { object: withOwners(object, this.#with(others, self, object)) };
  }

  /** An apply that changes nothing is not worth a new time. */
  #with(others: Owners, self: Owned, object: JsonMap): Owners {
    const own = { ...self, fields: ownable(self.fields) };
    if (isEmptySet(own.fields)) return others;
    return new Map([...others, [this.#id, same(this.#live, object) ? own : { ...own, time: this.#now }]]);
  }

  /** Conflicts about what the client itself applied before, as its annotation tells, are none. */
  despite(conflicts: ReadonlyMap<string, FieldSet>, allowed: FieldSet | undefined): Outcome {
    const left = new Map<string, FieldSet>();
    for (const [id, fields] of conflicts) {
      const rest = allowed === undefined ? fields : difference(fields, allowed);
      if (!isEmptySet(rest)) left.set(id, rest);
    }
    return left.size === 0 ? this.carriedOut(true) : { conflicts: conflictsOf(left, this.#owners), sets: left };
  }

  /** Without what this owner applied last time and now does not, unless somebody else owns it. */
  #pruned(object: JsonMap, owners: Owners, last: FieldSet): JsonMap {
    if (isEmptySet(last)) return object;
    const { schema } = this.#rules;
    const named = (set: FieldSet) => withNamedFields(set, schema);
    const namedIn = (value: Json) => named(fieldsIn(value, schema));
    const all = [...owners.values()].reduce<FieldSet>((set, { fields }) => union(set, fields), new Map());
    const there = namedIn(object);
    const bare = without(object, named(last), schema);
    const owned = without(object, difference(there, union(namedIn(bare), named(all))), schema);
    const dangling = intersection(difference(there, namedIn(owned)), named(last));
    return asMapOr(without(object, dangling, schema));
  }
}

const asMapOr = (value: Json | undefined): JsonMap => (isMap(value) ? value : {});
