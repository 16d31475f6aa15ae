/** Reads one object, or a page of a collection as it was at one moment. */
import { apiVersionOf } from '../../kit/kube/resource.ts';
import type { ApiObject } from '../api-object.ts';
import { type Kind, seen } from '../kinds/kind.ts';
import type { Collection } from '../store/collection.ts';
import type { Store } from '../store/store.ts';
import { continuation, END, type Position, positionIn } from './continuation.ts';
import { badRequest, expired, notFound } from './refusals.ts';
import { wantedVersion } from './resource-version.ts';
import { type Selection, selectionOf } from './selection.ts';
import { keyOf, type Target } from './target.ts';

export interface Page {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ListMetadata;
  readonly items: readonly ApiObject[];
}

interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export class Reads {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  get(target: Target): ApiObject {
    const { kind, name = '' } = target;
    const found = this.#collection(target).get(keyOf(target));
    if (!found) throw notFound(kind.resource, name);
    return seen(kind, found);
  }

  list(target: Target, query: URLSearchParams): Page {
    const { resource } = target.kind;
    const selection = selectionOf(target, query);
    const { objects, revision } = this.#objects(target, selection, query);
    const { page, more } = taken(seenAs(target.kind, objects), selection, limitOf(query));
    const last = page.at(-1);
    const next =
      more > 0 && last
        ? {
            continue: continuation({ revision, after: keyOfItem(last) }),
            ...(!selection.isFiltered && { remainingItemCount: more }),
          }
        : {};
    return {
      kind: `${resource.kind}List`,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion: `${revision}`, ...next },
      items: page,
    };
  }

  /** What the page is cut from, and as of when. */
  #objects(target: Target, { prefix }: Selection, query: URLSearchParams): Snapshot {
    const collection = this.#collection(target);
    const token = query.get('continue');
    const current = this.#store.revision;
    if (token) return this.#continued(collection, prefix, positionIn(token));
    const wanted = wantedVersion(query, current);
    if (wanted.at !== 'exactly') return { objects: collection.objects(prefix), revision: current };
    const objects = collection.objectsAt(wanted.revision, prefix);
    if (!objects) throw expired('The resourceVersion for the provided list is too old.');
    return { objects, revision: wanted.revision };
  }

  #continued(collection: Collection, prefix: string, { revision, after }: Position): Snapshot {
    const from = `${after}${END}`;
    if (revision < 0) return { objects: collection.objects(prefix, from), revision: this.#store.revision };
    const objects = collection.objectsAt(revision, prefix, from);
    if (!objects) throw tokenExpired({ revision: -1, after });
    return { objects, revision };
  }

  #collection({ kind }: Target): Collection {
    return this.#store.collection(kind.stored.name);
  }
}

function seenAs(kind: Kind, objects: Iterable<ApiObject>): Iterable<ApiObject> {
  return kind.stored.fromStored ? Iterator.from(objects).map((object) => seen(kind, object)) : objects;
}

interface Snapshot {
  readonly objects: Iterable<ApiObject>;
  readonly revision: number;
}

/** A list of whatever is at hand comes as a whole. */
function limitOf(query: URLSearchParams): number {
  integerIn(query, 'timeoutSeconds');
  const limit = integerIn(query, 'limit');
  const isWhole = query.get('resourceVersion') === '0' && !query.get('continue');
  return limit > 0 && !isWhole ? limit : Number.POSITIVE_INFINITY;
}

function integerIn(query: URLSearchParams, name: string): number {
  const text = query.get(name) || '0';
  if (!/^[-+]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

/** The first objects that are selected, and how many more there are; of a filtered collection only whether there may be any. */
function taken(objects: Iterable<ApiObject>, { selects, isFiltered }: Selection, limit: number) {
  const page: ApiObject[] = [];
  let more = 0;
  for (const object of objects) {
    if (!selects(object)) continue;
    if (page.length < limit) page.push(object);
    else if (++more > 0 && isFiltered) break;
  }
  return { page, more };
}

const keyOfItem = ({ metadata: { namespace, name = '' } }: ApiObject): string =>
  namespace ? `${namespace}/${name}` : name;

const tokenExpired = (position: Position) =>
  expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    continuation(position),
  );
