/** Every kind that the server serves. Kinds come and go with CustomResourceDefinitions. */
import { nameOf, type Resource } from '../../kit/kube/resource.ts';
import type { Kind } from './kind.ts';

export class Registry {
  readonly #kinds = new Map<string, Kind>();

  constructor(kinds: readonly Kind[]) {
    for (const kind of kinds) this.add(kind);
  }

  get all(): readonly Kind[] {
    return [...this.#kinds.values()];
  }

  add(kind: Kind): void {
    this.#kinds.set(idOf(kind.resource), kind);
  }

  remove(resource: Place): void {
    this.#kinds.delete(idOf(resource));
  }

  find(place: Place): Kind | undefined {
    return this.#kinds.get(idOf(place));
  }

  get(resource: Resource): Kind {
    const found = this.find(resource);
    if (!found) throw new Error(`the sandbox has no ${nameOf(resource)} in version ${resource.version}`);
    return found;
  }
}

type Place = Pick<Resource, 'group' | 'version' | 'plural'>;

const idOf = ({ group, version, plural }: Place): string => `${group}/${version}/${plural}`;
