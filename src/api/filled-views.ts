/** For tests: views without a watch. They show what they were last filled with. */
import type { Caches, ViewSpec } from '../kit/cache/caches.ts';
import { Store, type View } from '../kit/cache/store.ts';
import type { Selection } from '../kit/kube/client.ts';
import { type KubeObject, keyOfObject, type Resource } from '../kit/kube/resource.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

interface Filled {
  readonly collection: string;
  readonly isWanted: (object: KubeObject) => boolean;
  readonly store: Pick<Store<KubeObject, unknown>, 'put' | 'remove' | 'keys'>;
}

export class FilledViews implements Pick<Caches, 'view'> {
  readonly #filled: Filled[] = [];

  view<T extends KubeObject, P, I extends string = never>(
    { plural }: Resource<T>,
    spec: ViewSpec<T, P, I>,
  ): View<P, I> {
    const store = new Store<T, P, I>(spec.project, { synced: true, available: true, staleMs: 0 });
    if (spec.indexes) store.index(spec.indexes);
    this.#filled.push({ collection: plural, isWanted: selects(spec), store: store as unknown as Filled['store'] });
    return store;
  }

  fill(cluster: SimulatedCluster, hidden: ReadonlySet<string> = new Set()): void {
    for (const { collection, isWanted, store } of this.#filled) {
      const shown = cluster.all(collection).filter(({ metadata }) => !hidden.has(metadata.name ?? ''));
      const objects = shown.filter(isWanted);
      const keys = new Set(objects.map(keyOfObject));
      for (const key of [...store.keys()]) if (!keys.has(key)) store.remove(key);
      for (const object of objects) store.put(object);
    }
  }
}

/** Of selectors, as much as our jobs use. */
function selects({ namespace, labelSelector = '', fieldSelector = '' }: Selection): (object: KubeObject) => boolean {
  const [label = '', value] = labelSelector.replace('!', '').split('=');
  const name = fieldSelector.replace('metadata.name=', '');
  return ({ metadata }) =>
    (namespace === undefined || metadata.namespace === namespace) &&
    (label === '' || metadata.labels?.[label] === value) &&
    (name === '' || metadata.name === name);
}
