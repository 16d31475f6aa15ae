/**
 * Serves the kinds that CustomResourceDefinitions add: at once when one is written, and says so in its status a moment later, as the
 * real server does. When a definition is deleted, its objects go first.
 */
import type { Clock } from '../../kit/clock/clock.ts';
import { keyOfObject } from '../../kit/kube/resource.ts';
import { type ApiObject, asObject, listAt, textAt, valueAt } from '../api-object.ts';
import { isMap, type JsonMap } from '../json.ts';
import { customKinds } from '../kinds/custom.ts';
import { CLEANUP } from '../kinds/extension-kinds.ts';
import type { Registry } from '../kinds/registry.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../kinds/resources.ts';
import type { Objects } from '../store/objects.ts';
import { timestamp } from './identifiers.ts';
import { Refusal } from './refusals.ts';

const AGAIN_MS = 500;

export class Definitions {
  readonly #objects: Objects;
  readonly #registry: Registry;
  readonly #clock: Clock;

  constructor({ objects, registry, clock }: { objects: Objects; registry: Registry; clock: Clock }) {
    this.#objects = objects;
    this.#registry = registry;
    this.#clock = clock;
    objects.onChange(CUSTOM_RESOURCE_DEFINITIONS, ({ type, key, object, old }) => {
      if (old) this.#forget(asObject(old as never));
      if (type === 'DELETED') return;
      this.#serve(asObject(object as never));
      clock.after(0, () => this.#settle(key));
    });
  }

  #serve(definition: ApiObject): void {
    for (const kind of customKinds(definition)) this.#registry.add(kind);
  }

  #forget(definition: ApiObject): void {
    for (const { resource } of customKinds(definition)) this.#registry.remove(resource);
  }

  /** Brings its status to where it should be, and ends it when it is deleted. What a policy does not allow now is tried again. */
  #settle(key: string): void {
    const definition = this.#get(key);
    if (!definition) return;
    try {
      if (definition.metadata.deletionTimestamp) this.#cleanUp(key, definition);
      else this.#establish(definition);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#clock.after(AGAIN_MS, () => this.#settle(key));
    }
  }

  #establish(definition: ApiObject): void {
    const names = valueAt(definition, 'spec', 'names');
    const isEstablished = listAt(definition, 'status', 'conditions').length > 0;
    if (isEstablished || !isMap(names)) return;
    const status = { ...(definition.status as JsonMap), conditions: this.#conditions(), acceptedNames: names };
    this.#objects.update(CUSTOM_RESOURCE_DEFINITIONS, { ...definition, status } as ApiObject, 'status');
  }

  #conditions(): readonly JsonMap[] {
    const lastTransitionTime = timestamp(this.#clock.now());
    return [
      {
        type: 'NamesAccepted',
        status: 'True',
        lastTransitionTime,
        reason: 'NoConflicts',
        message: 'no conflicts found',
      },
      {
        type: 'Established',
        status: 'True',
        lastTransitionTime,
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      },
    ];
  }

  #cleanUp(key: string, definition: ApiObject): void {
    const [kind] = customKinds(definition); // all versions are of one collection
    const left = kind ? this.#objects.list(kind.resource) : [];
    for (const object of left)
      if (kind && !object.metadata.deletionTimestamp) this.#objects.remove(kind.resource, keyOfObject(object));
    if (left.length > 0) {
      this.#clock.after(AGAIN_MS, () => this.#settle(key));
      return;
    }
    const finalizers = (definition.metadata.finalizers ?? []).filter((each) => each !== CLEANUP);
    const metadata = { ...definition.metadata, finalizers };
    this.#objects.update(CUSTOM_RESOURCE_DEFINITIONS, { ...definition, metadata });
  }

  #get(key: string): ApiObject | undefined {
    const found = this.#objects.get(CUSTOM_RESOURCE_DEFINITIONS, key);
    return found && textAt(found, 'metadata', 'name') === key ? asObject(found as never) : undefined;
  }
}
