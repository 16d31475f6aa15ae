/** Gives every namespace what it begins with, and empties one that is deleted before it goes. */
import { CONFIG_MAPS } from '../../api/config-maps.ts';
import { NAMESPACES as ALL_NAMESPACES } from '../../api/namespaces.ts';
import type { Resource } from '../../kit/kube/resource.ts';
import type { Registry } from '../kinds/registry.ts';
import { SERVICE_ACCOUNTS } from '../kinds/resources.ts';
import type { Namespace } from './resources.ts';
import { Upkeep, type WorldParts } from './upkeep.ts';

const NAMESPACES: Resource<Namespace> = ALL_NAMESPACES;
const ROOT_CA = 'kube-root-ca.crt';
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';
/** What holds the last objects is looked at again after so long. */
const AGAIN_MS = 500;

export interface NamespacesParts extends WorldParts {
  readonly registry: Registry;
  /** What pods trust the API server by. */
  readonly certificate?: string;
}

export class Namespaces {
  readonly #parts: NamespacesParts;
  readonly #upkeep: Upkeep;

  constructor(parts: NamespacesParts) {
    this.#parts = parts;
    this.#upkeep = new Upkeep(parts, (name) => this.#look(name)).watch(NAMESPACES, (_, key) => [key]);
  }

  stop(): void {
    this.#upkeep.stop();
  }

  #look(name: string): void {
    const namespace = this.#parts.objects.get(NAMESPACES, name);
    if (!namespace) return;
    if (namespace.metadata.deletionTimestamp) this.#empty(namespace, name);
    else this.#furnish(name);
  }

  #furnish(namespace: string): void {
    const { objects, certificate = '' } = this.#parts;
    if (!objects.get(SERVICE_ACCOUNTS, `${namespace}/default`))
      objects.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace } });
    if (objects.get(CONFIG_MAPS, `${namespace}/${ROOT_CA}`)) return;
    const annotations = { 'kubernetes.io/description': DESCRIPTION };
    objects.create(CONFIG_MAPS, {
      metadata: { name: ROOT_CA, namespace, annotations },
      data: { 'ca.crt': certificate },
    });
  }

  #empty(namespace: Namespace, name: string): void {
    const { objects } = this.#parts;
    let left = 0;
    for (const { resource } of this.#parts.registry.all)
      if (resource.namespaced) left += this.#removeAll(resource, name);
    if (left > 0) {
      this.#upkeep.add(name, AGAIN_MS);
      return;
    }
    const finalizers = (namespace.spec?.finalizers ?? []).filter((each) => each !== 'kubernetes');
    objects.update(NAMESPACES, { ...namespace, spec: { ...namespace.spec, finalizers } }, 'finalize');
  }

  /** Gives back how many are still there. */
  #removeAll(resource: Resource, namespace: string): number {
    const { objects } = this.#parts;
    const inside = () => objects.list(resource).filter(({ metadata }) => metadata.namespace === namespace);
    for (const { metadata } of inside())
      if (!metadata.deletionTimestamp) objects.remove(resource, `${namespace}/${metadata.name}`);
    return inside().length;
  }
}
