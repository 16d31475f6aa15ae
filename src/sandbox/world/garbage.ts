/** The garbage collector: what has an owner goes when its last owner is gone; in the foreground before its owner; or is left when its owner is orphaned. */
import { type KubeObject, keyOfObject, type OwnerReference, type Resource } from '../../kit/kube/resource.ts';
import type { Registry } from '../kinds/registry.ts';
import { Upkeep, type WorldParts } from './upkeep.ts';

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

export interface GarbageParts extends WorldParts {
  readonly registry: Registry;
}

export class GarbageCollector {
  readonly #parts: GarbageParts;
  readonly #objects: Upkeep;
  readonly #watched = new Set<string>();
  /** Those that name an owner, by the owner's uid: `RESOURCE KEY`. */
  readonly #dependents = new Map<string, Set<string>>();

  constructor(parts: GarbageParts) {
    this.#parts = parts;
    this.#objects = new Upkeep(parts, (id) => this.#look(id));
    this.watchAll();
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
    const id = `${place} ${key}`;
    for (const { uid } of object.metadata.ownerReferences ?? []) this.#ofOwner(uid).add(id);
    const { uid = '', deletionTimestamp } = object.metadata;
    const isThere = this.#get(id)?.metadata.uid === uid;
    const dependents = isThere && !deletionTimestamp ? [] : [...(this.#dependents.get(uid) ?? [])];
    if (!isThere) this.#forget(object, id);
    const owners = isThere
      ? []
      : (object.metadata.ownerReferences ?? []).flatMap((owner) => this.#idOf(owner, object) ?? []);
    const isConcerned = isThere && (object.metadata.ownerReferences || deletionTimestamp);
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
    const owners = ownerReferences.map((reference) => this.#owner(reference, object));
    if (owners.every((owner) => owner === undefined)) {
      this.#remove(id, object, 'Background');
      return;
    }
    const isWaitedFor = owners.some((owner) => owner?.metadata.finalizers?.includes(FOREGROUND));
    const goesOn = owners.some((owner) => owner && !owner.metadata.deletionTimestamp);
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
  #owner(reference: OwnerReference, dependent: KubeObject): KubeObject | undefined {
    const found = this.#get(this.#idOf(reference, dependent) ?? '');
    return found?.metadata.uid === reference.uid ? found : undefined;
  }

  #idOf({ apiVersion, kind, name }: OwnerReference, { metadata }: KubeObject): string | undefined {
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const found = this.#parts.registry.all.find(
      ({ resource }) => resource.kind === kind && resource.group === group && resource.version === version,
    );
    if (!found) return undefined;
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

  #ofOwner(uid: string): Set<string> {
    const known = this.#dependents.get(uid) ?? new Set<string>();
    this.#dependents.set(uid, known);
    return known;
  }

  #forget({ metadata }: KubeObject, id: string): void {
    for (const { uid } of metadata.ownerReferences ?? []) {
      const dependents = this.#dependents.get(uid);
      dependents?.delete(id);
      if (dependents?.size === 0) this.#dependents.delete(uid);
    }
  }
}
