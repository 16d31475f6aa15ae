/**
 * The exports of syncs as the object store has them: when they were made, and which volumes are in them. Bounded in what is read and kept,
 * newest first; what was read is not read again, since an export never changes.
 */
import { type Cancel, type Clock, sleep } from '../kit/clock/clock.ts';
import { fewAtATime } from '../kit/few-at-a-time.ts';
import { inTurns } from '../kit/in-turns.ts';
import type { Log } from '../kit/observe/log.ts';
import type { PersistentVolumeSync } from '../sync/contract.ts';
import { chainOf, type Found } from '../sync/export/chain.ts';
import { decode } from '../sync/export/codec.ts';
import { type ExportDocument, readDocument } from '../sync/export/document.ts';
import type { Manifest } from '../sync/export/manifest.ts';
import { clusterPrefix, exportedAt, manifestPrefix, pointerKey } from '../sync/export/names.ts';
import { readManifest, readPointer, sha256 } from '../sync/export/records.ts';
import { LARGEST_RECORD } from '../sync/export/sealed.ts';
import type { ObjectStore } from '../sync/store/store.ts';
import type { ExportMark } from './model.ts';
import type { StoreAccess } from './recovery-plan.ts';

export interface StoredExportsOptions {
  readonly access: StoreAccess;
  readonly clock: Clock;
  readonly log: Log;
  /** Told when it is known which exports of a sync there are. */
  readonly onLook: (sync: string, exports: readonly StoredExport[]) => void;
}

export interface StoredExport {
  readonly key: string;
  readonly exportedAt: string;
  /** None of an export that the original has made. */
  readonly manifest?: Manifest;
}

export interface Held {
  /** Newest first. */
  readonly marks: readonly ExportMark[];
  /** The keys of those that were looked into. */
  readonly looked: ReadonlySet<string>;
  /** How many others there are that were not looked into, because they are too old, too large or cannot be read. */
  readonly notLookedAt: number;
}

/** A volume, as far as an export tells it from another. */
interface Sought {
  readonly name: string;
  readonly uid: string;
  /** The sync that has restored it, which gave it another uid. */
  readonly restoredFor?: string;
}

/** As many are known by their times, */
const MOST_KNOWN = 100;
/** and as many by what is in them. */
const MOST_READ = 25;
const MOST_BYTES_EACH = 64 * 1024 ** 2;
const AT_ONCE = 8;
/** So long somebody waits for what is not read yet. It is read to the end all the same. */
const WAIT_MS = 3_000;
/** They are not listed more often than that, whatever happens. */
const LIST_EVERY_MS = 10_000;

/** The exports of one sync. */
interface Site {
  /** Where they are: with another place they are others. */
  readonly place: string;
  readonly manifests: Map<string, Found>;
  exports: readonly StoredExport[];
  /** Older ones than are known. */
  more: number;
  /** By the key of the export, the uids of its volumes by name; nothing of one that cannot be read. */
  readonly volumes: Map<string, ReadonlyMap<string, string> | undefined>;
  /** As it was seen last. */
  sync: PersistentVolumeSync;
  listedAt: number;
  /** Until it is listed. */
  waiting: Cancel | undefined;
  reading: Promise<void> | undefined;
}

export class StoredExports {
  readonly #options: StoredExportsOptions;
  readonly #sites = new Map<string, Site>();
  readonly #readings = new Set<Promise<void>>();
  readonly #end = new AbortController();

  constructor(options: StoredExportsOptions) {
    this.#options = options;
  }

  /** Of a sync that is new or has a newer export: what the store has of it is looked up soon, and told when it is known. */
  note(sync: PersistentVolumeSync): void {
    const { clock } = this.#options;
    const site = this.#siteOf(sync);
    site.sync = sync;
    if (site.waiting || hasNewest(site, sync)) return;
    const waitMs = Math.max(0, site.listedAt + LIST_EVERY_MS - clock.monotonic());
    site.waiting = clock.after(waitMs, () => void this.#listAgain(site));
  }

  forget(sync: string): void {
    this.#sites.get(sync)?.waiting?.();
    this.#sites.delete(sync);
  }

  /** Resolves when nobody reads any more. */
  async close(): Promise<void> {
    this.#end.abort();
    for (const { waiting } of this.#sites.values()) waiting?.();
    await Promise.allSettled(this.#readings);
  }

  async #listAgain(site: Site): Promise<void> {
    await site.reading;
    site.waiting = undefined;
    const { sync } = site;
    await this.#once(site, () => this.#inStore(sync, (store) => this.#list(sync, site, store)));
  }

  /** Which exports hold a volume, as far as they were read by now or soon. */
  async holding(sync: PersistentVolumeSync, volume: Sought): Promise<Held> {
    const site = this.#siteOf(sync);
    const read = () => this.#once(site, () => this.#inStore(sync, (store) => this.#readAll(sync, site, store)));
    const reading = (site.reading ?? Promise.resolve()).then(read);
    const waited = new AbortController();
    await Promise.race([reading, sleep(this.#options.clock, WAIT_MS, waited.signal).catch(() => {})]);
    waited.abort();
    const name = sync.metadata.name ?? '';
    const marks = site.exports.flatMap(({ key, exportedAt: at }): ExportMark[] =>
      isIn(site.volumes.get(key), volume, sync) ? [{ sync: name, key, exportedAt: at }] : [],
    );
    const looked = new Set(site.exports.map(({ key }) => key).filter((key) => site.volumes.get(key) !== undefined));
    return { marks, looked, notLookedAt: site.exports.length - looked.size + site.more };
  }

  #siteOf(sync: PersistentVolumeSync): Site {
    const { metadata, spec } = sync;
    const name = metadata.name ?? '';
    const place = JSON.stringify([spec.cloudProvider, spec.protectedCluster, spec.signed]);
    const known = this.#sites.get(name);
    if (known?.place === place) return known;
    known?.waiting?.();
    const nothing = { manifests: new Map(), exports: [], more: 0, volumes: new Map() };
    const idle = { listedAt: Number.NEGATIVE_INFINITY, waiting: undefined, reading: undefined };
    const site: Site = { place, sync, ...nothing, ...idle };
    this.#sites.set(name, site);
    return site;
  }

  /** One at a time for each sync, for whoever waits. What fails is told in the log: what is known stays. */
  #once(site: Site, read: () => Promise<void>): Promise<void> {
    if (site.reading) return site.reading;
    const reading = read()
      .catch((err: unknown) => {
        if (!this.#end.signal.aborted)
          this.#options.log.warn({ err }, 'the exports in the object store cannot be looked at');
      })
      .finally(() => {
        site.reading = undefined;
        this.#readings.delete(reading);
      });
    site.reading = reading;
    this.#readings.add(reading);
    return reading;
  }

  async #inStore({ spec }: PersistentVolumeSync, work: (store: ObjectStore) => Promise<void>): Promise<void> {
    this.#end.signal.throwIfAborted();
    const store = await this.#options.access.open(spec.cloudProvider);
    try {
      await work(store);
    } finally {
      await store.close();
    }
  }

  async #list(sync: PersistentVolumeSync, site: Site, store: ObjectStore): Promise<void> {
    const { access, clock, onLook } = this.#options;
    const { signal } = this.#end;
    site.listedAt = clock.monotonic();
    const { protectedCluster: cluster, signed } = sync.spec;
    const pointer = await store.get(pointerKey(cluster), { most: LARGEST_RECORD, signal });
    if (pointer.kind === 'found') {
      const expected = { cluster, keys: access.keys(), isRequired: signed === true };
      const { newest } = readPointer(pointer.body, expected);
      const keys = await keysUnder(store, manifestPrefix(cluster), signal);
      const latest = keys.slice(-MOST_KNOWN);
      await this.#readManifests(site, store, latest, { ...expected, isRequired: false });
      const { links } = chainOf(newest, [...site.manifests.values()]);
      site.exports = links.map(({ manifest }) => storedAs(manifest));
      site.more = keys.length - latest.length;
    } else {
      const keys = await keysUnder(store, clusterPrefix(cluster), signal);
      const byTime = keys.flatMap((key) => exportOfOriginal(cluster, key) ?? []).toSorted(newestFirst);
      site.exports = byTime.slice(0, MOST_KNOWN);
      site.more = byTime.length - site.exports.length;
    }
    onLook(sync.metadata.name ?? '', site.exports);
  }

  /** What the newest names by its hash, one after another, need not be signed by a key that is trusted now. */
  async #readManifests(
    { manifests }: Site,
    store: ObjectStore,
    keys: readonly string[],
    expected: Parameters<typeof readManifest>[1],
  ): Promise<void> {
    const wanted = new Set(keys);
    for (const key of manifests.keys()) if (!wanted.has(key)) manifests.delete(key);
    const unread = keys.filter((key) => !manifests.has(key));
    const { signal } = this.#end;
    await fewAtATime(AT_ONCE, unread, async (key) => {
      const got = await store.get(key, { most: LARGEST_RECORD, signal });
      if (got.kind === 'found') manifests.set(key, foundAt(key, got.body, expected));
    });
  }

  async #readAll(sync: PersistentVolumeSync, site: Site, store: ObjectStore): Promise<void> {
    if (!hasNewest(site, sync)) await this.#list(sync, site, store);
    const latest = site.exports.slice(0, MOST_READ);
    const kept = new Set(latest.map(({ key }) => key));
    for (const key of site.volumes.keys()) if (!kept.has(key)) site.volumes.delete(key);
    for (const each of latest)
      if (!site.volumes.has(each.key)) site.volumes.set(each.key, await this.#volumesIn(each, store));
  }

  async #volumesIn(
    { key, manifest }: StoredExport,
    store: ObjectStore,
  ): Promise<ReadonlyMap<string, string> | undefined> {
    const { signal } = this.#end;
    const most = manifest ? Math.min(manifest.export.bytes, MOST_BYTES_EACH) : MOST_BYTES_EACH;
    try {
      const got = await store.get(key, { most, signal });
      if (got.kind !== 'found') return undefined;
      const plain = manifest ? await decode(got.body, manifest, this.#options.access.keys()) : got.body;
      return await inTurns(uidsIn(readDocument(plain)), signal);
    } catch (err) {
      signal.throwIfAborted();
      this.#options.log.debug({ err, key }, 'an export cannot be looked into');
      return undefined;
    }
  }
}

const hasNewest = ({ exports }: Site, { status }: PersistentVolumeSync): boolean =>
  exports.length > 0 && (!status?.export || exports.some(({ key }) => key === status.export?.key));

/** A volume that was made anew under the name of another is not in the exports of that. */
function isIn(
  uids: ReadonlyMap<string, string> | undefined,
  { name, uid, restoredFor }: Sought,
  { metadata, spec }: PersistentVolumeSync,
): boolean {
  const held = uids?.get(name);
  if (held === undefined) return false;
  return spec.mode === 'Recovery' ? restoredFor === metadata.name : held === uid;
}

const storedAs = (manifest: Manifest): StoredExport => ({
  key: manifest.export.key,
  exportedAt: manifest.createdAt,
  manifest,
});

function exportOfOriginal(cluster: string, key: string): StoredExport | undefined {
  const seconds = exportedAt(cluster, key);
  return seconds === undefined ? undefined : { key, exportedAt: new Date(seconds * 1000).toISOString() };
}

const newestFirst = (one: StoredExport, other: StoredExport): number => (one.exportedAt < other.exportedAt ? 1 : -1);

async function keysUnder(store: ObjectStore, prefix: string, signal: AbortSignal): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix, { signal })) keys.push(key);
  return keys;
}

function foundAt(key: string, body: Buffer, expected: Parameters<typeof readManifest>[1]): Found {
  const found = { key, sha256: sha256(body) };
  try {
    return { ...found, manifest: readManifest(body, expected) };
  } catch (error) {
    return { ...found, why: error instanceof Error ? error.message : String(error) };
  }
}

function* uidsIn({ volumes }: ExportDocument): Generator<void, ReadonlyMap<string, string>> {
  const uids = new Map<string, string>();
  for (const { metadata } of volumes) {
    uids.set(metadata.name, metadata.uid ?? '');
    yield;
  }
  return uids;
}
