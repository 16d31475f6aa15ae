/**
 * The limit of labelling: the collections are downloaded side by side, parsed and dropped, in pages and once more as streams; then each
 * volume gets one bare PATCH.
 */
import type { Dispatcher } from 'undici';
import type { Contend } from '../measure/contender.ts';
import { type Access, bareHeaders, barePool } from '../world/access.ts';
import { placeOf, volumePath } from '../world/volume.ts';
import { Lines } from './download-stream.ts';

export interface ReadAndLabel {
  readonly access: Access;
  readonly volumes: number;
  readonly connections: number;
  /** Also watch the volumes, and parse what comes: every controller hears of its own writes. */
  readonly heard?: boolean;
}

export const COLLECTIONS = ['pods', 'nodes', 'persistentvolumes', 'persistentvolumeclaims'].map(
  (plural) => `/api/v1/${plural}`,
);

/** The phases. */
export const IN_PAGES = 'read in pages';
export const AS_STREAMS = 'read as streams';
export const LABEL = 'label';

const readAndLabel: Contend<ReadAndLabel> = async ({ access, volumes, connections, heard = false }, meter) => {
  const pool = barePool(access, { connections });
  const headers = bareHeaders(access);
  await meter.measure(IN_PAGES, () => Promise.all(COLLECTIONS.map((path) => readPages(pool, headers, path))));
  await meter.measure(AS_STREAMS, () => Promise.all(COLLECTIONS.map((path) => readStream(access, headers, path))));
  const versions = await versionsOf(pool, headers);
  const watch = heard ? await openWatch(access, headers) : undefined;
  await meter.measure(LABEL, async () => {
    await Promise.all(Array.from({ length: volumes }, (_, number) => label(number, versions.get(volumePath(number)))));
  });
  await watch?.destroy();
  await pool.destroy();

  async function label(number: number, version: Version | undefined): Promise<void> {
    const answer = await pool.request({
      path: `${volumePath(number)}?fieldManager=holdfast-topology`,
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ metadata: { labels: placeOf(number), ...version } }),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`a PATCH was answered by ${answer.statusCode}: ${text}`);
    JSON.parse(text);
  }
};

type Headers = Record<string, string>;

interface Version {
  readonly uid: string;
  readonly resourceVersion: string;
}

interface Page {
  readonly items: readonly { readonly metadata: Version & { readonly name: string } }[];
  readonly metadata: { readonly continue?: string };
}

async function readPages(pool: Dispatcher, headers: Headers, path: string, take?: (page: Page) => void): Promise<void> {
  for (let token: string | undefined = ''; token !== undefined; ) {
    const from: string = token && `&continue=${token}`;
    const answer = await pool.request({ path: `${path}?limit=500${from}`, method: 'GET', headers });
    const page = (await answer.body.json()) as Page;
    take?.(page);
    token = page.metadata.continue;
  }
}

/** A server that finds its reader too slow ends the stream before its last bookmark; then it is read anew. */
async function readStream(access: Access, headers: Headers, path: string): Promise<void> {
  const pool = barePool(access, { connections: 1 });
  const query = 'watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  await new Promise<void>((resolve, reject) => {
    const open = () => {
      const lines = new Lines(({ object }) => object.metadata.annotations?.[END] && resolve(), open, reject);
      pool.dispatch({ path: `${path}?${query}`, method: 'GET', headers }, lines);
    };
    open();
  });
  await pool.destroy();
}

/** Resolves when it brings its first bookmark, which the server sends at once to who asks for the present state. */
async function openWatch(access: Access, headers: Headers): Promise<Dispatcher> {
  const pool = barePool(access, { connections: 1 });
  const query = 'watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  await new Promise<void>((resolve) => {
    const over = () => {};
    const lines = new Lines(({ object }) => object.metadata.annotations?.[END] && resolve(), over, over);
    pool.dispatch({ path: `/api/v1/persistentvolumes?${query}`, method: 'GET', headers }, lines);
  });
  return pool;
}

const END = 'k8s.io/initial-events-end';

/** The patch names what it is about, as ours does. To know that is part of reading, not of labelling. */
async function versionsOf(pool: Dispatcher, headers: Headers): Promise<ReadonlyMap<string, Version>> {
  const versions = new Map<string, Version>();
  const path = '/api/v1/persistentvolumes';
  await readPages(pool, headers, path, ({ items }) => {
    for (const { metadata } of items) {
      const { name, uid, resourceVersion } = metadata;
      versions.set(`${path}/${name}`, { uid, resourceVersion });
    }
  });
  return versions;
}

export default readAndLabel;
