/** One cluster that a console looks at: its caches, what is shown of it, and those who are told of that. */
import type { Random } from '../kit/backoff.ts';
import { Caches } from '../kit/cache/caches.ts';
import type { Cancel, Clock } from '../kit/clock/clock.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import type { Log } from '../kit/observe/log.ts';
import { Feed } from './feed.ts';
import { Hearing } from './hearing.ts';
import type { ClusterName } from './model.ts';
import { Picture } from './picture.ts';
import type { StoreAccess } from './recovery-plan.ts';
import { EVERYTHING, keyOf, type Rights, type Seen } from './rights.ts';
import { StoredExports } from './stored-exports.ts';
import { type ConsoleViews, consoleViews } from './views.ts';

export interface ConsoleClusterOptions extends ClusterName {
  readonly client: KubeClient;
  /** That of the cluster, by which it writes its times. */
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Different for every process that ever lived. */
  readonly instance: string;
  /** Where the agents report; in all namespaces unless it is given. */
  readonly namespace?: string | undefined;
  /** Of the object store, where this process has it. */
  readonly store?: StoreAccess | undefined;
}

/** Changes come in crowds. A picture that takes long to make is made less often: it never takes more than a tenth of the time. */
const GATHERING_MS = 100;
const SHARE = 10;
const LOOK_AGAIN_MS = 30_000;
/** Of callers with different rights. */
const MOST_FEEDS = 32;
/** One that nobody has read at two of these looks in a row is let go: those who come back soon go on with it. */
const FEEDS_LOOK_MS = 10_000;

/** The key of the feed of those who may see everything. */
const ALL = '';

export class ConsoleCluster {
  readonly name: string;
  readonly title: string;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly views: ConsoleViews;
  readonly store: StoreAccess | undefined;
  /** What is in it, where there is one. */
  readonly storedExports: StoredExports | undefined;
  readonly hearing: Hearing;
  readonly #options: ConsoleClusterOptions;
  readonly #caches: Caches;
  readonly #picture: Picture;
  readonly #feeds = new Map<string, Feed>();
  #feedsMade = 0;
  /** Those that nobody read at the last look. */
  #unread: ReadonlySet<Feed> = new Set();
  #looking: Cancel | undefined;
  #gathering: Cancel | undefined;
  #lastTookMs = 0;

  constructor(options: ConsoleClusterOptions) {
    const { client, clock, random, log, name, title, store } = options;
    this.#options = options;
    this.name = name;
    this.title = title;
    this.client = client;
    this.clock = clock;
    this.store = store;
    this.hearing = new Hearing(clock, (connection) => {
      for (const feed of this.#feeds.values()) feed.tell(feed.connection(connection));
      this.#changed();
    });
    this.#caches = new Caches({
      client,
      clock,
      random,
      log,
      onState: (resource, state) => {
        this.hearing.note(resource, state);
        if (state.is === 'denied' || state.is === 'watching') this.#changed();
      },
    });
    this.views = consoleViews(this.#caches, options.namespace);
    this.#picture = new Picture({
      views: this.views,
      clock,
      canReadStore: store !== undefined,
      whyNot: (resource) => this.hearing.whyNot(resource),
      onChange: () => this.#changed(),
    });
    this.storedExports = store && this.#lookInto(store);
  }

  #lookInto(access: StoreAccess): StoredExports {
    const { log, clock } = this.#options;
    const exports = new StoredExports({
      access,
      clock,
      log,
      onLook: (sync, found) => this.#picture.tellOfExports(sync, found),
    });
    this.views.syncs.subscribe(({ key, after }) => (after ? exports.note(after) : exports.forget(key)));
    return exports;
  }

  /** Looks at the cluster until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const again = (): Cancel =>
      this.clock.after(LOOK_AGAIN_MS, () => {
        this.#picture.lookAgain();
        cancel = again();
      });
    let cancel = again();
    try {
      await this.#caches.run(signal);
    } finally {
      cancel();
      this.#gathering?.();
      this.#looking?.();
      this.hearing.close();
      this.#picture.close();
      await this.storedExports?.close();
    }
  }

  get parts(): Seen {
    const { reports } = this.views;
    const isKnown = reports.available && reports.synced;
    return {
      ...this.#picture.parts,
      reportsIn: isKnown
        ? { known: true, value: new Set([...reports.values()].map(({ namespace }) => namespace)) }
        : { known: false, why: 'the configmaps of the agents are not read' },
    };
  }

  /** What is sent to those who have these rights. Nothing while as many others are read as there may be. */
  feedFor(rights: Rights): Feed | undefined {
    const key = rights === EVERYTHING ? ALL : keyOf(rights);
    const known = this.#feeds.get(key);
    if (known) return known;
    if (this.#feeds.size >= MOST_FEEDS && !this.#dropFeed()) return undefined;
    const instance = `${this.#options.instance}.${++this.#feedsMade}`;
    const feed = new Feed(instance, rights, this.parts, this.clock.now());
    this.#feeds.set(key, feed);
    if (rights !== EVERYTHING) this.#looking ??= this.clock.after(FEEDS_LOOK_MS, () => this.#dropUnread());
    return feed;
  }

  get feeds(): number {
    return this.#feeds.size;
  }

  /** Each costs work with every change, and every caller with other rights makes one. That of those who may see everything is the only one, and stays. */
  #dropUnread(): void {
    const limited = [...this.#feeds].filter(([key]) => key !== ALL);
    const unread = new Set(limited.flatMap(([, feed]) => (feed.readers === 0 ? [feed] : [])));
    for (const [key, feed] of this.#feeds) if (unread.has(feed) && this.#unread.has(feed)) this.#feeds.delete(key);
    this.#unread = unread;
    const isDone = [...this.#feeds.keys()].every((key) => key === ALL);
    this.#looking = isDone ? undefined : this.clock.after(FEEDS_LOOK_MS, () => this.#dropUnread());
  }

  /** One that nobody reads; says whether there was any. */
  #dropFeed(): boolean {
    for (const [key, feed] of this.#feeds) if (feed.readers === 0) return this.#feeds.delete(key);
    return false;
  }

  #changed(): void {
    this.#gathering ??= this.clock.after(Math.max(GATHERING_MS, SHARE * this.#lastTookMs), () => this.#publish());
  }

  #publish(): void {
    this.#gathering = undefined;
    const began = this.clock.monotonic();
    const changed = this.#picture.refresh();
    const { parts } = this;
    const now = this.clock.now();
    for (const feed of this.#feeds.values()) feed.publish(changed, parts, now);
    this.#lastTookMs = this.clock.monotonic() - began;
  }
}
