/** Creates, changes and deletes objects by the rules that hold for all kinds. What it refuses, it refuses with a `Refusal`. */
import type { Random } from '../../kit/backoff.ts';
import type { Clock } from '../../kit/clock/clock.ts';
import {
  type ApiMetadata,
  type ApiObject,
  asJson,
  asObject,
  sameObject,
  textAt,
  valueAt,
  withValueAt,
} from '../api-object.ts';
import { withoutIdleTimes } from '../fields/updated.ts';
import { sharing } from '../json.ts';
import { type Kind, kept, seen } from '../kinds/kind.ts';
import { metadataFaults, metadataUpdateFaults } from '../kinds/metadata.ts';
import { invalid as invalidValue } from '../schema/field-error.ts';
import type { Collection } from '../store/collection.ts';
import type { Store } from '../store/store.ts';
import type { Admission } from './admission.ts';
import { deletionOf, isLetGo, lastOf } from './deletion.ts';
import { generatedName, newUid, timestamp } from './identifiers.ts';
import { appliedTo, owned } from './ownership.ts';
import { read } from './reading.ts';
import { alreadyExists, badRequest, conflict, failed, invalid, modified, notFound, otherUid } from './refusals.ts';
import { storageKey } from './storage-key.ts';
import { type DeleteRequest, keyOf, type Target, type WriteRequest } from './target.ts';

export interface WritesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly admission: Admission;
}

/** Makes the object that is to be from the one that is. */
export type Change = (live: ApiObject | undefined) => ApiObject;

export interface Written {
  readonly object: ApiObject;
  readonly created: boolean;
}

/** How often another name is made up when the first is taken. */
const NAMES_TRIED = 8;

export class Writes {
  readonly #options: WritesOptions;

  constructor(options: WritesOptions) {
    this.#options = options;
  }

  create(target: Target, sent: ApiObject, request: WriteRequest): ApiObject {
    const object = inNamespace(target, withoutDeletion(read(target.kind, sent, request)));
    return this.#make(target, owned(target, object, undefined, request, this.#now), request);
  }

  /** Puts the changed object in the place of the one that is there. */
  update(target: Target, change: Change, request: WriteRequest): Written {
    const live = this.#find(target);
    if (!live) return this.#createByUpdate(target, change, request);
    const whole = asObject(sharing(asJson(change(live)), asJson(live)));
    const sent = read(target.kind, whole, request, live);
    checkName(target, sent);
    this.#checkUid(target, live, request);
    const object = owned(target, sent, live, request, this.#now);
    return { object: this.#succeed(target, object, live, request), created: false };
  }

  /** Server-side apply: what is not there is created. */
  apply(target: Target, config: ApiObject, request: WriteRequest): Written {
    const { kind, name = '', subresource } = target;
    const live = this.#find(target);
    if (!live && subresource) throw notFound(kind.resource, name);
    const uid = textAt(config, 'metadata', 'uid');
    if (!live && uid) {
      throw conflict(
        kind.resource,
        name,
        `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
      );
    }
    const given = live ? config : withValueAt(config, ['metadata', 'resourceVersion'], undefined);
    const applied = appliedTo(target, given, live, request, this.#now);
    // What an apply makes of a custom object is not read anew: a null that is left of what was taken away is a fault.
    const sent = kind.isCustom ? kind.defaulted(applied) : read(kind, applied, request);
    checkName(target, sent);
    if (live) return { object: this.#succeed(target, sent, live, request), created: false };
    return { object: this.#make(target, inNamespace(target, sent), request), created: true };
  }

  #make(target: Target, sent: ApiObject, request: WriteRequest): ApiObject {
    const { kind } = target;
    if (sent.metadata.resourceVersion) throw failed('resourceVersion should not be set on objects to be created');
    const born = this.#born(kind, sent);
    const begun = kind.begun(this.#options.admission.mutated({ operation: 'CREATE', target, object: born, request }));
    const faults = [...metadataFaults(kind, begun.metadata), ...kind.faults(begun)];
    if (faults.length > 0) throw invalid(kind.resource, sent.metadata.name ?? begun.metadata.name ?? '', faults);
    this.#options.admission.admit({ operation: 'CREATE', target, object: begun, request });
    return this.#insert(kind, begun, request);
  }

  #succeed(target: Target, sent: ApiObject, live: ApiObject, request: WriteRequest): ApiObject {
    const { kind } = target;
    const next = this.#succeeding(target, sent, live);
    const admitted = this.#options.admission.mutated({ operation: 'UPDATE', target, object: next, old: live, request });
    const object = this.#counted(kind, admitted, live);
    const faults = [...metadataUpdateFaults(kind, object, live), ...kind.faults(object, live, target.subresource)];
    if (faults.length > 0) throw invalid(kind.resource, live.metadata.name ?? '', faults);
    this.#options.admission.admit({ operation: 'UPDATE', target, object, old: live, request });
    return this.#replace(target, withoutIdleTimes(live, object), live, request);
  }

  /** Gives back what is left of it, or was at last. */
  delete(target: Target, request: DeleteRequest): { readonly object: ApiObject; readonly isGone: boolean } {
    const { kind, name = '' } = target;
    const live = this.#find(target);
    if (!live) throw notFound(kind.resource, name);
    this.#options.admission.admit({ operation: 'DELETE', target, old: live, request });
    const { clock } = this.#options;
    const remaining = deletionOf(kind, live, request, clock.now());
    if (remaining) return { object: this.#replace(target, remaining, live, request), isGone: false };
    return { object: lastOf(kind, this.#remove(target, live, request), clock.now()), isGone: true };
  }

  #checkUid(target: Target, { metadata: { uid = '' } }: ApiObject, { replaces = uid }: WriteRequest): void {
    const { kind, name = '' } = target;
    if (replaces !== uid) throw otherUid(kind.resource, name, storageKey(target), replaces, uid);
  }

  #born(kind: Kind, { metadata, ...sent }: ApiObject): ApiObject {
    const { clock, random } = this.#options;
    const { name, generateName } = metadata;
    const given = name || !generateName ? {} : { name: this.#freeName(kind, metadata) };
    const { selfLink: _s, ...kept } = metadata;
    const system = {
      uid: newUid(random),
      creationTimestamp: timestamp(clock.now()),
      ...(kind.hasGeneration && { generation: 1 }),
    };
    return { ...sent, metadata: { ...kept, ...given, ...system } };
  }

  #freeName(kind: Kind, { generateName = '', namespace }: ApiMetadata): string {
    const { random } = this.#options;
    let name = generatedName(generateName, random);
    const taken = () => this.#collection(kind).get(namespace ? `${namespace}/${name}` : name);
    for (let tried = 1; tried < NAMES_TRIED && taken(); tried++) name = generatedName(generateName, random);
    return name;
  }

  #insert(kind: Kind, object: ApiObject, { dryRun }: WriteRequest): ApiObject {
    const { store } = this.#options;
    const { namespace, name = '' } = object.metadata;
    const key = keyOf({ kind, name, ...(namespace && { namespace }) });
    const collection = this.#collection(kind);
    const taken = collection.get(key);
    if (taken) throw alreadyExists(kind.resource, name, taken.metadata.deletionTimestamp !== undefined);
    return dryRun ? object : seen(kind, store.put(collection, key, kept(kind, object)));
  }

  #createByUpdate(target: Target, change: Change, request: WriteRequest): Written {
    const { kind, name = '' } = target;
    if (!kind.createsOnUpdate || target.subresource) throw notFound(kind.resource, name);
    const sent = read(kind, change(undefined), request);
    checkName(target, sent);
    if (sent.metadata.uid) throw otherUid(kind.resource, name, storageKey(target), sent.metadata.uid, '');
    const { resourceVersion: _, ...metadata } = sent.metadata;
    return { object: this.create(target, { ...sent, metadata }, request), created: true };
  }

  /** What the sender left out of the system's fields stays as it is; what it may not change through this door, too. */
  #succeeding(target: Target, sent: ApiObject, live: ApiObject): ApiObject {
    const { kind, name = '' } = target;
    const { uid, resourceVersion = '' } = sent.metadata;
    if (!/^\d*$/.test(resourceVersion))
      throw failed(`strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
    if (!resourceVersion && !kind.updatesUnconditionally) {
      throw invalid({ ...kind.resource, kind: kind.resource.plural }, name, [
        invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
      ]);
    }
    if (resourceVersion && resourceVersion !== '0' && resourceVersion !== live.metadata.resourceVersion)
      throw modified(kind.resource, name);
    const { generation: _, selfLink: _s, ...kept } = sent.metadata;
    const system = live.metadata;
    const metadata: ApiMetadata = {
      ...kept,
      name: system.name ?? name,
      ...(system.namespace && { namespace: kept.namespace ?? system.namespace }),
      uid: uid ?? system.uid ?? '',
      creationTimestamp: system.creationTimestamp ?? '',
      ...(system.generation !== undefined && { generation: system.generation }),
      ...(system.deletionTimestamp && { deletionTimestamp: system.deletionTimestamp }),
      ...(system.deletionGracePeriodSeconds !== undefined && {
        deletionGracePeriodSeconds: system.deletionGracePeriodSeconds,
      }),
      resourceVersion: system.resourceVersion ?? '',
    };
    const whole = { ...sent, metadata };
    if (target.subresource === 'status') return kind.withStatus(whole, live);
    if (target.subresource === 'binding') return whole;
    return target.subresource === 'finalize' ? withFinalizers(whole, live) : kind.updated(whole, live);
  }

  /** A change of anything but metadata and status makes a new generation. */
  #counted(kind: Kind, object: ApiObject, live: ApiObject): ApiObject {
    if (!kind.hasGeneration || sameObject(desired(object), desired(live))) return object;
    const generation = (live.metadata.generation ?? 0) + 1;
    return { ...object, metadata: { ...object.metadata, generation } };
  }

  #replace(target: Target, object: ApiObject, live: ApiObject, request: WriteRequest): ApiObject {
    if (isLetGo(target.kind, object)) {
      this.#remove(target, live, request);
      return object;
    }
    if (request.dryRun || sameObject(object, live)) return object;
    const { kind } = target;
    return seen(kind, this.#options.store.put(this.#collection(kind), keyOf(target), kept(kind, object)));
  }

  #remove({ kind, ...place }: Target, live: ApiObject, { dryRun }: WriteRequest): ApiObject {
    if (dryRun) return live;
    const last = this.#options.store.remove(this.#collection(kind), keyOf({ kind, ...place }));
    return last ? seen(kind, last) : live;
  }

  get #now(): Date {
    return this.#options.clock.now();
  }

  #find(target: Target): ApiObject | undefined {
    const found = this.#collection(target.kind).get(keyOf(target));
    return found && seen(target.kind, found);
  }

  #collection({ stored }: Kind): Collection {
    return this.#options.store.collection(stored.name);
  }
}

function desired({ metadata: _, status: _s, ...rest }: ApiObject): ApiObject {
  return { ...rest, metadata: {} };
}

/** An object may say its namespace, and has to be right. */
export function inNamespace({ kind, namespace }: Target, sent: ApiObject): ApiObject {
  if (!kind.resource.namespaced || !namespace) return sent;
  const said = sent.metadata.namespace;
  if (said && said !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  return { ...sent, metadata: { ...sent.metadata, namespace } };
}

export function checkName({ name = '', namespace }: Target, sent: ApiObject): void {
  const { metadata = {} } = sent as Partial<ApiObject>;
  if (!metadata.name)
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (metadata.name !== name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  if (namespace && metadata.namespace && metadata.namespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** Nothing is born deleted. */
function withoutDeletion({ metadata, ...object }: ApiObject): ApiObject {
  const { deletionTimestamp: _d, deletionGracePeriodSeconds: _g, ...kept } = metadata;
  return { ...object, metadata: kept };
}

/** Through `finalize` the finalizers of a namespace's spec are changed, and nothing else. */
const withFinalizers = (sent: ApiObject, live: ApiObject): ApiObject =>
  withValueAt({ ...live, metadata: sent.metadata }, ['spec', 'finalizers'], valueAt(sent, 'spec', 'finalizers'));
