/**
 * Watches: what happens to the objects that are selected, from a version on, as it happens. A watch holds nothing but its place in
 * the history of its collection; one that is read too slowly is ended when history has passed it by.
 */
import type { Clock } from '../../kit/clock/clock.ts';
import { apiVersionOf } from '../../kit/kube/resource.ts';
import type { ApiObject } from '../api-object.ts';
import { seen } from '../kinds/kind.ts';
import type { Collection } from '../store/collection.ts';
import type { Change } from '../store/history.ts';
import type { Store } from '../store/store.ts';
import { badRequest, expired, failed, type StatusBody } from './refusals.ts';
import { revisionIn, wantsInitialEvents } from './resource-version.ts';
import { type Selection, selectionOf } from './selection.ts';
import type { Target } from './target.ts';
import { isTrue } from './verb.ts';

export interface WatchEvent {
  readonly type: Change['type'] | 'BOOKMARK' | 'ERROR';
  readonly object: ApiObject | StatusBody;
}

const BOOKMARK_EVERY_MS = 60_000;
const LONGEST_MS = 30 * 60_000;

export class Watch {
  readonly #target: Target;
  readonly #store: Store;
  readonly #collection: Collection;
  readonly #selection: Selection;
  readonly #bookmarks: boolean;
  readonly #signal: AbortSignal;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /** What it begins with. */
  readonly #first: readonly WatchEvent[];
  /** Everything up to here has been told. */
  #told: number;
  #isOver: boolean;
  #isBookmarkDue = false;
  #wake = () => {};

  /** Throws a `Refusal` when what it asks for is no watch. */
  constructor(options: {
    readonly target: Target;
    readonly query: URLSearchParams;
    readonly store: Store;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  }) {
    const { target, query, store, clock, signal } = options;
    this.#target = target;
    this.#store = store;
    this.#clock = clock;
    this.#signal = signal;
    this.#collection = store.collection(target.kind.stored.name);
    this.#selection = selectionOf(target, query);
    this.#bookmarks = isTrue(query.get('allowWatchBookmarks'));
    this.#timeoutMs = timeoutIn(query);
    const begun = this.#begin(query);
    this.#first = begun.first;
    this.#told = begun.since;
    this.#isOver = begun.isOver ?? false;
  }

  /** The events as they happen, together those that have happened since the last were taken. */
  async *[Symbol.asyncIterator](): AsyncGenerator<readonly WatchEvent[]> {
    const stop = this.#listen();
    try {
      if (this.#first.length > 0) yield this.#first;
      while (!this.#isOver) {
        const events = this.#news();
        if (events.length > 0) yield events;
        else if (!this.#isOver) await this.#more();
      }
    } finally {
      stop();
    }
  }

  #begin(query: URLSearchParams): {
    readonly first: readonly WatchEvent[];
    readonly since: number;
    readonly isOver?: boolean;
  } {
    const initial = wantsInitialEvents(query);
    const version = query.get('resourceVersion') ?? '';
    const since = version === '' ? 0 : revisionIn(version, failed);
    const { revision } = this.#store;
    if (initial)
      return {
        first: [
          ...this.#present(),
          ...(this.#bookmarks ? [this.#bookmark({ 'k8s.io/initial-events-end': 'true' })] : []),
        ],
        since: revision,
      };
    if (since === 0 && !query.has('sendInitialEvents')) return { first: this.#present(), since: revision };
    if (since === 0) return { first: [], since: revision };
    if (this.#collection.changesSince(since)) return { first: [], since };
    const { body } = expired(`too old resource version: ${since} (${revision})`);
    return { first: [{ type: 'ERROR', object: body }], since, isOver: true };
  }

  #present(): WatchEvent[] {
    const { prefix, selects } = this.#selection;
    const { kind } = this.#target;
    return [...this.#collection.objects(prefix)]
      .map((object) => seen(kind, object))
      .filter(selects)
      .map((object) => ({ type: 'ADDED', object }));
  }

  #news(): readonly WatchEvent[] {
    const changes = this.#collection.changesSince(this.#told);
    if (!changes) {
      this.#isOver = true;
      return [];
    }
    this.#told = Math.max(this.#told, this.#store.revision);
    const events = changes.flatMap((change) => this.#seen(change) ?? []);
    if (!this.#isBookmarkDue) return events;
    this.#isBookmarkDue = false;
    return [...events, this.#bookmark()];
  }

  /** What begins to be selected is new to the watcher, and what ceases to be is gone. */
  #seen({ type, key, ...change }: Change): WatchEvent | undefined {
    const { prefix, selects } = this.#selection;
    if (!key.startsWith(prefix)) return undefined;
    const { kind } = this.#target;
    const object = seen(kind, change.object);
    const old = change.old && seen(kind, change.old);
    const isIn = type !== 'DELETED' && selects(object);
    const wasIn = old !== undefined && selects(old);
    if (isIn) return { type: wasIn ? 'MODIFIED' : 'ADDED', object };
    if (!wasIn) return undefined;
    return { type: 'DELETED', object: type === 'DELETED' ? object : atVersionOf(old, object) };
  }

  #bookmark(annotations?: Readonly<Record<string, string>>): WatchEvent {
    const { resource } = this.#target.kind;
    const metadata = { resourceVersion: `${this.#store.revision}`, ...(annotations && { annotations }) };
    return { type: 'BOOKMARK', object: { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata } };
  }

  #more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    return promise;
  }

  #listen(): () => void {
    const end = () => {
      this.#isOver = true;
      this.#wake();
    };
    const stopListening = this.#collection.onChange(() => this.#wake());
    const cancelTimeout = this.#clock.after(this.#timeoutMs, end);
    let cancelBookmark = () => {};
    const arm = () => {
      cancelBookmark = this.#clock.after(BOOKMARK_EVERY_MS, () => {
        this.#isBookmarkDue = this.#bookmarks; // who wants none is still kept from falling behind what is forgotten
        this.#wake();
        arm();
      });
    };
    arm();
    this.#signal.addEventListener('abort', end, { once: true });
    return () => {
      stopListening();
      cancelTimeout();
      cancelBookmark();
      this.#signal.removeEventListener('abort', end);
    };
  }
}

const atVersionOf = (object: ApiObject, { metadata: { resourceVersion } }: ApiObject): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, ...(resourceVersion && { resourceVersion }) },
});

function timeoutIn(query: URLSearchParams): number {
  const text = query.get('timeoutSeconds') || '0';
  if (!/^\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return text === '0' ? LONGEST_MS : Number(text) * 1000;
}
