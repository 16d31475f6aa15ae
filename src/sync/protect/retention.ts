/**
 * Which exports and manifests are too old: those in whose place another one has been for so long that nobody goes back to them. Ages are those
 * of the store's own clock, counted back from the newest export, so that a wrong clock here removes nothing. Only what has a name of ours is
 * looked at. What the original has exported goes by its own age, as it does there.
 */
import { fewAtATime } from '../../kit/few-at-a-time.ts';
import type { Manifest } from '../export/manifest.ts';
import {
  closedExportPrefix,
  clusterPrefix,
  exportedAt,
  manifestKey,
  manifestPlace,
  manifestPrefix,
  probePrefix,
} from '../export/names.ts';
import { readManifest } from '../export/records.ts';
import { LARGEST_RECORD } from '../export/sealed.ts';
import type { Listed, ObjectStore } from '../store/store.ts';

const DAY_MS = 86_400_000;
/** What is left over goes the next time. */
const MOST_AT_ONCE = 1000;
const CONCURRENCY = 8;
const PROBE = /\/probes\/[0-9a-f-]{36}\.json$/;

export interface Contents {
  readonly exports: readonly Listed[];
  /** In the order of epochs and sequences. */
  readonly manifests: readonly Listed[];
  /** What somebody tried the store on who was ended before he removed it. */
  readonly probes: readonly Listed[];
}

/** What the pointer names, which stays whatever its age is. */
export type Newest = Pick<Manifest, 'cluster' | 'epoch' | 'sequence'> & { readonly export: { readonly key: string } };

const keyOf = ({ cluster, epoch, sequence }: Newest): string => manifestKey(cluster, epoch, sequence);

interface Aged {
  readonly contents: Contents;
  readonly newest: Newest;
  readonly days: number;
}

/**
 * From which place on manifests are kept by their ages alone: each stays so long after the one behind it was written. Before it there is no
 * hole in the chain. Nothing when the newest export is not in the list, which then lags behind.
 */
export function keptFrom({ contents: { manifests, exports }, newest, days }: Aged): number | undefined {
  const now = timeOfNewest({ exports }, newest);
  if (now === undefined) return undefined;
  const place = manifests.findIndex(({ key }, index) => {
    const next = manifests[index + 1];
    return key === keyOf(newest) || next === undefined || !isExpired(next, now, days);
  });
  return place < 0 ? undefined : place;
}

/** The exports that are too old, and older than the one that the oldest manifest which is kept speaks of. */
export function expiredExports({ contents, newest, days }: Aged, oldestKept: Newest): readonly string[] {
  const now = timeOfNewest(contents, newest);
  const first = exportedAt(newest.cluster, oldestKept.export.key);
  if (now === undefined || first === undefined) return [];
  const isUnneeded = ({ key }: Listed) =>
    (exportedAt(newest.cluster, key) ?? first) < first && key !== newest.export.key;
  return contents.exports.filter((each) => isUnneeded(each) && isExpired(each, now, days)).map(({ key }) => key);
}

/** They are in use for a moment only. */
function expiredProbes({ contents, newest }: Pick<Aged, 'contents' | 'newest'>): readonly string[] {
  const now = timeOfNewest(contents, newest);
  if (now === undefined) return [];
  return contents.probes.filter((each) => isExpired(each, now, 1)).map(({ key }) => key);
}

function timeOfNewest({ exports }: Pick<Contents, 'exports'>, { export: { key } }: Newest): number | undefined {
  return exports.find((each) => each.key === key)?.modifiedAt.getTime();
}

const isExpired = ({ modifiedAt }: Listed, now: number, days: number): boolean =>
  now - modifiedAt.getTime() > days * DAY_MS;

/** Removes what is too old, manifests first: one without its export would be found wanting, an export without its manifest is not missed. */
export async function removeExpired(
  store: ObjectStore,
  { newest, days }: Pick<Aged, 'newest' | 'days'>,
  signal: AbortSignal,
): Promise<number> {
  const contents = await contentsOf(store, newest.cluster, signal);
  const aged: Aged = { contents, newest, days };
  const reader = { store, cluster: newest.cluster, signal };
  const place = await usefulPlace(reader, aged);
  if (place === undefined) return 0;
  const manifests = contents.manifests.slice(0, Math.min(place, MOST_AT_ONCE)).map(({ key }) => key);
  const oldestKept = await read(reader, contents.manifests[manifests.length]?.key);
  if (oldestKept === undefined) return 0;
  const exports = expiredExports(aged, oldestKept).slice(0, MOST_AT_ONCE);
  for (const keys of [manifests, exports, expiredProbes(aged)]) {
    await fewAtATime(CONCURRENCY, keys, (key) => store.remove(key, { signal }));
  }
  return manifests.length + exports.length;
}

/** So many exports without volumes in a row are passed by, each by one request. */
const MOST_EMPTY = 100;

/**
 * From which place on manifests are kept so that there is always one to go back to: what was written and never named, or has no volumes in
 * it, takes the place of nothing. Nothing when that cannot be said, and all of them are kept.
 */
async function usefulPlace(reader: Reader, aged: Aged): Promise<number | undefined> {
  const { contents, newest } = aged;
  const place = keptFrom(aged);
  if (place === undefined) return undefined;
  const keys = contents.manifests.map(({ key }) => key);
  if (keys[place] === keyOf(newest)) return place;
  const next = await read(reader, keys[place + 1]);
  /** What the pointer named when the one behind was written. */
  let key = next?.previous?.key ?? keys[place];
  for (let passed = 0; passed < MOST_EMPTY && key !== undefined && keys.includes(key); passed += 1) {
    const manifest = await read(reader, key);
    if (manifest === undefined) return undefined;
    const before = manifest.previous?.key;
    const isLast = before === undefined || !keys.includes(before);
    if (manifest.counts.volumes > 0 || isLast) return Math.min(place, keys.indexOf(key));
    key = before;
  }
  return undefined;
}

async function contentsOf(store: ObjectStore, cluster: string, signal: AbortSignal): Promise<Contents> {
  const listed = async (prefix: string, isOurs: (key: string) => boolean): Promise<readonly Listed[]> => {
    const found: Listed[] = [];
    for await (const each of store.list(prefix, { signal })) if (isOurs(each.key)) found.push(each);
    return found;
  };
  const isExport = (key: string) => exportedAt(cluster, key) !== undefined;
  const [plain, closed, manifests, probes] = await Promise.all([
    listed(clusterPrefix(cluster), isExport),
    listed(closedExportPrefix(cluster), isExport),
    listed(manifestPrefix(cluster), (key) => manifestPlace(cluster, key) !== undefined),
    listed(probePrefix(cluster), (key) => PROBE.test(key)),
  ]);
  return { exports: [...plain, ...closed], manifests, probes };
}

interface Reader {
  readonly store: ObjectStore;
  readonly cluster: string;
  readonly signal: AbortSignal;
}

/** Throws when there is one that cannot be read: nobody knows which export it needs, and nothing is removed. */
async function read({ store, cluster, signal }: Reader, key: string | undefined): Promise<Manifest | undefined> {
  if (key === undefined) return undefined;
  const got = await store.get(key, { signal, most: LARGEST_RECORD });
  if (got.kind !== 'found') return undefined;
  return readManifest(got.body, { cluster, keys: { trusted: [] }, isRequired: false });
}
