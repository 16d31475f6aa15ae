/**
 * Views that are filled once, by lists, for a command that looks and ends. They read like those of `Caches`, but what happens
 * afterwards is not seen unless it is put in. What cannot be read is an error at once.
 */
import { hasReason } from '../kube/api-error.ts';
import type { CallOptions, KubeClient, ListOptions, Selection } from '../kube/client.ts';
import { type KubeObject, nameOf, type Resource } from '../kube/resource.ts';
import type { ViewSpec } from './caches.ts';
import { type Coverage, Store, type View } from './store.ts';

interface Collection {
  readonly resource: Resource;
  readonly selection: Selection;
  readonly stores: Store<KubeObject, unknown, string>[];
}

/** How many objects come with one answer. */
const PAGE = 500;

export class Snapshot {
  readonly #collections = new Map<string, Collection>();
  readonly #coverage: { -readonly [K in keyof Coverage]: Coverage[K] } = {
    synced: false,
    available: true,
    staleMs: 0,
  };

  view<T extends KubeObject, P, I extends string = never>(resource: Resource<T>, spec: ViewSpec<T, P, I>): View<P, I> {
    const { namespace = '', labelSelector = '', fieldSelector = '' } = spec;
    const selection = { namespace, labelSelector, fieldSelector };
    const id = JSON.stringify([nameOf(resource), selection]);
    const collection = this.#collections.get(id) ?? { resource, selection, stores: [] };
    this.#collections.set(id, collection);
    const store = new Store<T, P, I>(spec.project, this.#coverage);
    if (spec.indexes) store.index(spec.indexes);
    // A list cannot say that each store goes with its own resource; nothing but objects of that is ever put into it.
    collection.stores.push(store as unknown as Collection['stores'][number]);
    return store;
  }

  /**
   * Reads everything that was asked for, each collection once, in the order in which they were asked for: what comes later is newer. `progress` is
   * told what has been read so far, a page at a time.
   */
  async fill(client: KubeClient, options: CallOptions, progress: (line: string) => void = () => {}): Promise<void> {
    for (const each of this.#collections.values()) await list(each, client, options, progress);
    this.#coverage.synced = true;
  }

  /** What became of an object after the lists were read. */
  put(resource: Resource, object: KubeObject): void {
    for (const each of this.#collections.values()) if (each.resource === resource) putInto(each, object);
  }
}

/** Pages belong together only as long as the server remembers the first; after that, all of it in one answer does. */
async function list(
  collection: Collection,
  client: KubeClient,
  options: CallOptions,
  progress: (line: string) => void,
): Promise<void> {
  try {
    await listPages(collection, client, { ...options, limit: PAGE }, progress);
  } catch (error) {
    if (!hasReason(error, 'Expired')) throw error;
    await listPages(collection, client, options, progress);
  }
}

async function listPages(
  collection: Collection,
  client: KubeClient,
  options: ListOptions,
  progress: (line: string) => void,
): Promise<void> {
  const { resource, selection, stores } = collection;
  for (const store of stores) for (const key of [...store.keys()]) store.remove(key);
  let next: string | undefined;
  let count = 0;
  do {
    const { items, metadata } = await client.list(resource, {
      ...options,
      ...selection,
      ...(next && { continue: next }),
    });
    for (const object of items) putInto(collection, object);
    count += items.length;
    next = metadata.continue;
    if (next) progress(`${count.toLocaleString('en')} ${nameOf(resource)} read`);
  } while (next);
}

function putInto({ stores }: Collection, object: KubeObject): void {
  for (const store of stores) store.put(object);
}
