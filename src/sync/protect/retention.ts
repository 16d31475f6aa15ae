/**
 * Which exports and manifests are too old. Ages are those of the store's own clock, counted back from the newest export, so that a wrong
 * clock here removes nothing. Only what has a name of ours is looked at.
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

interface Aged {
  readonly contents: Contents;
  readonly newest: Newest;
  readonly days: number;
}

/**
 * The manifests that are too old: from the oldest on, up to the first that is kept, so that the chain has no hole. Nothing when the
 * newest export is not in the list, which then lags behind.
 */
export function expiredManifests({ contents, newest, days }: Aged): readonly string[] {
  const now = timeOfNewest(contents, newest);
  if (now === undefined) return [];
  const newestKey = manifestKey(newest.cluster, newest.epoch, newest.sequence);
  const firstKept = contents.manifests.findIndex((each) => each.key === newestKey || !isExpired(each, now, days));
  return contents.manifests.slice(0, Math.max(0, Math.min(firstKept, MOST_AT_ONCE))).map(({ key }) => key);
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

function timeOfNewest({ exports }: Contents, { export: { key } }: Newest): number | undefined {
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
  const aged: Aged = { contents: await contentsOf(store, newest.cluster, signal), newest, days };
  const manifests = expiredManifests(aged);
  const kept = aged.contents.manifests[manifests.length];
  const oldestKept = kept && (await readKept(store, newest, kept.key, signal));
  if (oldestKept === undefined) return 0;
  const exports = expiredExports(aged, oldestKept).slice(0, MOST_AT_ONCE);
  for (const keys of [manifests, exports, expiredProbes(aged)]) {
    await fewAtATime(CONCURRENCY, keys, (key) => store.remove(key, { signal }));
  }
  return manifests.length + exports.length;
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

/** Of one that cannot be read nobody knows which export it needs: nothing is removed. */
async function readKept(
  store: ObjectStore,
  newest: Newest,
  key: string,
  signal: AbortSignal,
): Promise<Newest | undefined> {
  const got = await store.get(key, { signal, most: LARGEST_RECORD });
  if (got.kind !== 'found') return undefined;
  return readManifest(got.body, { cluster: newest.cluster, keys: { trusted: [] }, isRequired: false });
}
