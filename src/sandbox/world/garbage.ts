/**
 * The garbage collector: what has an owner goes when its last owner is gone; in the foreground before its owner; or is left when its
 * owner is orphaned. What has an owner that nobody can look up stays: of a kind that is not served, or in a namespace that the
 * dependent cannot name, as it has none itself.
 */
import { type KubeObject, keyOfObject, type OwnerReference, type Resource } from '../../kit/kube/resource.ts';
import type { Registry } from '../kinds/registry.ts';
import { Upkeep, type WorldParts } from './upkeep.ts';

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

/** It cannot be looked up, so that nobody knows whether it is there. */
const UNKNOWN = 'unknown';
type Owner = KubeObject | typeof UNKNOWN | undefined;

export interface GarbageParts extends WorldParts {
  readonly registry: Registry;
}

export class GarbageCollector {
  readonly #parts: GarbageParts;
  readonly #objects: Upkeep;
  readonly #watched = new Set<string>();
  /** Those that name an owner, by the owner's uid: `RESOURCE KEY`. */
  readonly #dependents = new Map<string, Set<string>>();
  /** Owners that were seen to go, while they have dependents: their kind may have gone with them. */
  readonly #gone = new Set<string>();

  constructor(parts: GarbageParts) {
    this.#parts = parts;
    this.#objects = new Upkeep(parts, (id) => this.#look(id));
    this.watchAll();
  }

  /** How many owners it keeps books of. */
  get remembered(): number {
    return this.#dependents.size + this.#gone.size;
  }

  stop(): void {
    this.#objects.stop();
  }

  /** Kinds come with CustomResourceDefinitions. */
  watchAll(): void {
    for (const { resource } of this.#parts.registry.all) this.#watch(resource);
  }

  #watch(resource: Resource): void {
    const place = `${resource.group}/${resource.version}/${resource.plural}`;
    if (this.#watched.has(place)) return;
    this.#watched.add(place);
    this.#objects.watch(resource, (object, key) => this.#told(place, object, key));
  }

  #told(place: string, object: KubeObject, key: string): readonly string[] {
    const { uid = '', deletionTimestamp, ownerReferences } = object.metadata;
    // Most objects have no family, and many change all the time.
    if (!deletionTimestamp && !ownerReferences && !this.#dependents.has(uid)) return [];
    const id = `${place} ${key}`;
    const live = this.#get(id);
    const isThere = live?.metadata.uid === uid;
    this.#keepBooks(id, object, live);
    const dependents = isThere && !deletionTimestamp ? [] : [...this.#ofOwner(uid)];
    if (!isThere && dependents.length > 0) this.#gone.add(uid);
    const owners = isThere ? [] : (ownerReferences ?? []).flatMap((owner) => this.#idOf(owner, object) ?? []);
    const isConcerned = isThere && (ownerReferences || deletionTimestamp);
    return [...(isConcerned ? [id] : []), ...dependents, ...owners];
  }

  #look(id: string): void {
    const object = this.#get(id);
    if (!object) return;
    const { finalizers = [], deletionTimestamp, ownerReferences = [] } = object.metadata;
    if (deletionTimestamp && finalizers.includes(ORPHAN)) {
      this.#orphan(id, object);
      return;
    }
    if (deletionTimestamp && finalizers.includes(FOREGROUND)) {
      this.#foreground(id, object);
      return;
    }
    if (deletionTimestamp || ownerReferences.length === 0) return;
    const found = ownerReferences.map((reference) => this.#owner(reference, object));
    if (found.includes(UNKNOWN)) return;
    const owners = found.filter((owner) => owner !== UNKNOWN && owner !== undefined);
    if (owners.length === 0) {
      this.#remove(id, object, 'Background');
      return;
    }
    const isWaitedFor = owners.some((owner) => owner.metadata.finalizers?.includes(FOREGROUND));
    const goesOn = owners.some((owner) => !owner.metadata.deletionTimestamp);
    if (isWaitedFor && !goesOn) this.#remove(id, object, 'Foreground');
  }

  /** It goes when nobody is left whose owner it is and who wants to be waited for. */
  #foreground(id: string, object: KubeObject): void {
    const { uid = '' } = object.metadata;
    const left = [...this.#ofOwner(uid)].filter((dependent) => this.#isBlocking(dependent, uid));
    for (const dependent of this.#ofOwner(uid)) this.#objects.add(dependent);
    if (left.length === 0) this.#withoutFinalizer(id, object, FOREGROUND);
  }

  #isBlocking(id: string, uid: string): boolean {
    const owners = this.#get(id)?.metadata.ownerReferences ?? [];
    return owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true);
  }

  #orphan(id: string, object: KubeObject): void {
    const { uid = '' } = object.metadata;
    for (const dependent of this.#ofOwner(uid)) {
      const left = this.#get(dependent);
      const resource = this.#resourceOf(dependent);
      if (!left || !resource) continue;
      const ownerReferences = (left.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
      this.#parts.objects.update(resource, { ...left, metadata: { ...left.metadata, ownerReferences } });
    }
    this.#withoutFinalizer(id, object, ORPHAN);
  }

  #withoutFinalizer(id: string, object: KubeObject, finalizer: string): void {
    const resource = this.#resourceOf(id);
    const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
    if (resource) this.#parts.objects.update(resource, { ...object, metadata: { ...object.metadata, finalizers } });
  }

  #remove(id: string, object: KubeObject, propagationPolicy: 'Background' | 'Foreground'): void {
    const resource = this.#resourceOf(id);
    const { uid = '' } = object.metadata;
    if (resource)
      this.#parts.objects.remove(resource, keyOfObject(object), { propagationPolicy, preconditions: { uid } });
  }

  /** The owner itself, not another of the same name. */
  #owner(reference: OwnerReference, dependent: KubeObject): Owner {
    if (this.#gone.has(reference.uid)) return undefined;
    const id = this.#idOf(reference, dependent);
    if (id === undefined) return UNKNOWN;
    const found = this.#get(id);
    return found?.metadata.uid === reference.uid ? found : undefined;
  }

  /** Nothing where the reference does not say which object it means. */
  #idOf({ apiVersion, kind, name }: OwnerReference, { metadata }: KubeObject): string | undefined {
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const found = this.#parts.registry.all.find(
      ({ resource }) => resource.kind === kind && resource.group === group && resource.version === version,
    );
    if (!found || (found.resource.namespaced && metadata.namespace === undefined)) return undefined;
    const key = found.resource.namespaced ? `${metadata.namespace}/${name}` : name;
    return `${group}/${version}/${found.resource.plural} ${key}`;
  }

  #get(id: string): KubeObject | undefined {
    const resource = this.#resourceOf(id);
    return resource && this.#parts.objects.get(resource, id.slice(id.indexOf(' ') + 1));
  }

  #resourceOf(id: string): Resource | undefined {
    const [group = '', version = '', plural = ''] = id.slice(0, id.indexOf(' ')).split('/');
    return this.#parts.registry.find({ group, version, plural })?.resource;
  }

  #ofOwner(uid: string): ReadonlySet<string> {
    return this.#dependents.get(uid) ?? NOBODY;
  }

  /** Enters it under the owners that it has now, and under no others. */
  #keepBooks(id: string, told: KubeObject, live: KubeObject | undefined): void {
    const owners = uidsOf(live);
    for (const uid of owners) {
      const known = this.#dependents.get(uid);
      if (known) known.add(id);
      else this.#dependents.set(uid, new Set([id]));
    }
    for (const uid of uidsOf(told)) if (!owners.includes(uid)) this.#forget(uid, id);
  }

  #forget(owner: string, id: string): void {
    const dependents = this.#dependents.get(owner);
    dependents?.delete(id);
    if (dependents?.size !== 0) return;
    this.#dependents.delete(owner);
    this.#gone.delete(owner);
  }
}

const NOBODY: ReadonlySet<string> = new Set();

const uidsOf = (object: KubeObject | undefined): readonly string[] =>
  (object?.metadata.ownerReferences ?? []).map(({ uid }) => uid);
