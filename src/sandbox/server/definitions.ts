/**
 * Serves the kinds that CustomResourceDefinitions add: at once when one is written, and says so in its status a moment later, as the
 * real server does. Names that another definition of the group has it does not get, and is not served before it has all. When a
 * definition is deleted, its objects go first.
 */
import type { Clock } from '../../kit/clock/clock.ts';
import { keyOfObject } from '../../kit/kube/resource.ts';
import { type ApiObject, asJson, asObject, listAt, textAt, withValueAt } from '../api-object.ts';
import { type AcceptedNames, acceptedNames, groupOf, NO_NAMES, namesOf } from '../definitions/accepted-names.ts';
import { type Json, type JsonMap, same } from '../json.ts';
import { customKinds } from '../kinds/custom.ts';
import { CLEANUP } from '../kinds/extension-kinds.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../kinds/resources.ts';
import type { Objects } from '../store/objects.ts';
import type { Condition } from '../world/conditions.ts';
import { timestamp } from './identifiers.ts';
import { Refusal } from './refusals.ts';

const AGAIN_MS = 500;

/** What a definition has come to. Once it is established it stays so. */
interface Known extends AcceptedNames {
  readonly group: string;
  readonly kinds: readonly Kind[];
  readonly isEstablished: boolean;
}

export class Definitions {
  readonly #objects: Objects;
  readonly #registry: Registry;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor({ objects, registry, clock }: { objects: Objects; registry: Registry; clock: Clock }) {
    this.#objects = objects;
    this.#registry = registry;
    this.#clock = clock;
    objects.onChange(CUSTOM_RESOURCE_DEFINITIONS, ({ type, key, object }) => {
      const definition = asObject(object as never);
      if (type === 'DELETED') this.#forget(key);
      else this.#serve(key, definition);
      for (const other of this.#settleable(key, definition)) clock.after(0, () => this.#settle(other));
    });
  }

  #serve(key: string, definition: ApiObject): void {
    const group = groupOf(asJson(definition));
    const known = this.#known.get(key);
    const others = [...this.#known].flatMap(([each, { group: of, names }]) =>
      each !== key && of === group ? [names] : [],
    );
    const found = acceptedNames(namesOf(asJson(definition)), known?.names ?? NO_NAMES, others);
    const isEstablished = known?.isEstablished || !found.conflict;
    const kinds = isEstablished ? customKinds(withValueAt(definition, ['spec', 'names'], found.names)) : [];
    for (const { resource } of known?.kinds ?? []) this.#registry.remove(resource);
    for (const kind of kinds) this.#registry.add(kind);
    this.#known.set(key, { ...found, group, kinds, isEstablished });
  }

  #forget(key: string): void {
    for (const { resource } of this.#known.get(key)?.kinds ?? []) this.#registry.remove(resource);
    this.#known.delete(key);
  }

  /** It, and those of its group that may get a name now. */
  #settleable(key: string, definition: ApiObject): readonly string[] {
    const group = groupOf(asJson(definition));
    const waiting = [...this.#known].filter(
      ([each, { group: of, conflict }]) => each !== key && of === group && conflict,
    );
    return [key, ...waiting.map(([each]) => each)];
  }

  /** Brings its status to where it should be, and ends it when it is deleted. What a policy does not allow now is tried again. */
  #settle(key: string): void {
    const definition = this.#get(key);
    if (!definition) return;
    try {
      if (definition.metadata.deletionTimestamp) this.#cleanUp(key, definition);
      else this.#establish(key, definition);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#clock.after(AGAIN_MS, () => this.#settle(key));
    }
  }

  #establish(key: string, definition: ApiObject): void {
    this.#serve(key, definition);
    const known = this.#known.get(key);
    if (!known) return;
    const conditions = this.#conditions(definition, known);
    const status = { ...(definition.status as JsonMap), conditions, acceptedNames: known.names };
    if (same(status as unknown as Json, definition.status as Json)) return;
    this.#objects.update(CUSTOM_RESOURCE_DEFINITIONS, { ...definition, status } as ApiObject, 'status');
  }

  #conditions(definition: ApiObject, { conflict, isEstablished }: Known): readonly Condition[] {
    const lastTransitionTime = timestamp(this.#clock.now());
    const had = listAt(definition, 'status', 'conditions') as unknown as readonly Condition[];
    const told = (type: string, status: boolean, reason: string, message: string): readonly Condition[] => {
      const before = had.find((each) => each.type === type);
      const text = status ? 'True' : 'False';
      const time = before?.status === text ? before.lastTransitionTime : lastTransitionTime;
      return [{ type, status: text, lastTransitionTime: time ?? null, reason, message }];
    };
    return [
      ...(conflict
        ? told('NamesAccepted', false, conflict.reason, conflict.message)
        : told('NamesAccepted', true, 'NoConflicts', 'no conflicts found')),
      ...(isEstablished
        ? told('Established', true, 'InitialNamesAccepted', 'the initial names have been accepted')
        : told('Established', false, 'NotAccepted', 'not all names are accepted')),
      ...had.filter(({ type }) => type !== 'NamesAccepted' && type !== 'Established'),
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
