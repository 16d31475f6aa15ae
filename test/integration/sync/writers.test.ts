/** Two clusters that take over from each other all the time, on real stores: there is never more than one writer, and nothing gets lost. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { Retry } from '../../../src/kit/controller/outcome.ts';
import { silentLog } from '../../../src/kit/observe/log.ts';
import { documentInTurns } from '../../../src/sync/export/document.ts';
import { NO_KEYS } from '../../../src/sync/export/keys.ts';
import type { Pointer } from '../../../src/sync/export/manifest.ts';
import { pointerKey } from '../../../src/sync/export/names.ts';
import { readManifest, readPointer, sha256 } from '../../../src/sync/export/records.ts';
import { verifyChain } from '../../../src/sync/export/verify-chain.ts';
import { Protector } from '../../../src/sync/protect/apply.ts';
import type { Outcome } from '../../../src/sync/protect/outcome.ts';
import { takeOver } from '../../../src/sync/protect/take-over.ts';
import { openStore } from '../../../src/sync/store/open.ts';
import type { ObjectStore } from '../../../src/sync/store/store.ts';
import { startAzurite } from '../../harness/azurite.ts';
import { startS3Server } from '../../harness/s3-server.ts';

const CLUSTER = 'prod';
const ROUNDS = 4;
const { signal } = new AbortController();
const expected = { cluster: CLUSTER, keys: NO_KEYS, isRequired: false };

/** Each call opens another client. */
type Open = () => Promise<ObjectStore>;

const stores: Readonly<Record<string, () => Promise<Open>>> = {
  async 'an S3 server'() {
    const server = await startS3Server();
    onTestFinished(() => server[Symbol.asyncDispose]());
    await server.request({ method: 'PUT', path: '/exports' });
    const env = {
      S3_ENDPOINT_URL: server.url.href,
      OBJECT_STORAGE_ACCOUNT: server.credentials.accessKey,
      OBJECT_STORAGE_SECRET: server.credentials.secretKey,
      OBJECT_STORAGE_BUCKET: 'exports',
      AWS_REGION: server.credentials.region,
    };
    return () => openStore('s3', env);
  },
  async 'a server of Azure Blob Storage'() {
    const server = await startAzurite();
    onTestFinished(() => server[Symbol.asyncDispose]());
    await server.makeContainer('exports');
    const env = {
      AZURE_ENDPOINT_URL: server.url.href,
      OBJECT_STORAGE_ACCOUNT: server.account.name,
      OBJECT_STORAGE_SECRET: server.account.key,
      OBJECT_STORAGE_BUCKET: 'exports',
    };
    return () => openStore('azure', env);
  },
  async 'a directory'() {
    const directory = await mkdtemp(join(tmpdir(), 'writers-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    return () => openStore('file', { OBJECT_STORAGE_PATH: directory });
  },
};

/** A cluster, with all that it was told to have written. */
class Site {
  readonly moves: Pointer[] = [];
  readonly outcomes: Outcome[] = [];
  readonly #clusterUid: string;
  readonly #store: ObjectStore;
  readonly #protector: Protector;
  #edition = 0;

  constructor(clusterUid: string, store: ObjectStore) {
    this.#clusterUid = clusterUid;
    this.#store = recorded(store, (key, body) => {
      if (key === pointerKey(CLUSTER)) this.moves.push(readPointer(body, expected));
    });
    this.#protector = new Protector({ store: this.#store, keys: NO_KEYS, clock: systemClock, log: silentLog });
  }

  async takeOver(): Promise<void> {
    const parts = { store: this.#store, cluster: CLUSTER, clusterUid: this.#clusterUid, keys: NO_KEYS };
    expect(await takeOver({ ...parts, clock: systemClock }, signal)).toMatchObject({ fenced: true });
  }

  async export(): Promise<Outcome> {
    this.#edition += 1;
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: `edition-${this.#edition}`, namespace: this.#clusterUid },
    };
    const outcome = await this.#protector.export(
      {
        cluster: CLUSTER,
        clusterUid: this.#clusterUid,
        form: { compression: 'None', encryption: 'None', isSigned: false },
        asOf: systemClock.now(),
        *content() {
          const document = yield* documentInTurns({ storageClasses: [], volumes: [], claims: [JSON.stringify(claim)] });
          return { document, counts: { storageClasses: 0, volumes: 0, claims: 1 } };
        },
        retention: 5,
        isScheduled: false,
      },
      signal,
    );
    this.outcomes.push(outcome);
    return outcome;
  }
}

function recorded(store: ObjectStore, wrote: (key: string, body: Buffer) => void): ObjectStore {
  return {
    description: store.description,
    get: (key, options) => store.get(key, options),
    head: (key, options) => store.head(key, options),
    list: (prefix, options) => store.list(prefix, options),
    remove: (key, options) => store.remove(key, options),
    close: () => store.close(),
    async put(key, body, options) {
      const stored = await store.put(key, body, options);
      wrote(key, Buffer.from(body));
      return stored;
    },
  };
}

async function contend(site: Site): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await surely(() => site.takeOver());
    await surely(() => site.export());
  }
}

/** Whoever finds the pointer moved too often gives up for now. */
async function surely<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof Retry)) throw error;
    }
  }
}

/** From the newest to the first. */
async function chainIn(store: ObjectStore): Promise<readonly string[]> {
  const bodyOf = async (key: string) => {
    const got = await store.get(key, { signal, most: 100_000 });
    return got.kind === 'found' ? got.body : expect.unreachable(`${key} is not there`);
  };
  const sums: string[] = [];
  let next = readPointer(await bodyOf(pointerKey(CLUSTER)), expected).newest;
  while (next) {
    const body = await bodyOf(next.key);
    expect(sha256(body)).toBe(next.sha256);
    sums.push(next.sha256);
    next = readManifest(body, expected).previous;
  }
  return sums;
}

test.each(Object.keys(stores))('on %s', async (name) => {
  const open = (await stores[name]?.()) ?? expect.unreachable();
  const sites = [new Site('uid-of-a', await open()), new Site('uid-of-b', await open())];
  await Promise.all(sites.map(contend));
  const moves = sites.flatMap((site) => site.moves);

  const writers = new Map<number, Set<string>>();
  for (const { epoch, clusterUid } of moves) writers.set(epoch, (writers.get(epoch) ?? new Set()).add(clusterUid));
  expect(
    [...writers.values()].filter((each) => each.size > 1),
    'one writer in each epoch',
  ).toEqual([]);
  expect(writers.size, 'both were the writer').toBeGreaterThan(1);

  const store = await open();
  const chain = new Set(await chainIn(store));
  const named = moves.flatMap(({ newest }) => (newest ? [newest.sha256] : []));
  expect(
    named.filter((sum) => !chain.has(sum)),
    'what was named once is never lost',
  ).toEqual([]);
  const exported = sites.flatMap(({ outcomes }) => outcomes.filter(({ kind }) => kind === 'exported'));
  expect(chain.size).toBe(exported.length);

  const findings = await Array.fromAsync(verifyChain(store, CLUSTER, NO_KEYS, signal));
  expect(findings.filter(({ severity }) => severity === 'broken')).toEqual([]);

  const kinds = await Promise.all(sites.map(async (site) => (await site.export()).kind));
  expect(
    kinds.filter((kind) => kind === 'exported'),
    'in the end one exports, and the other knows that it must not',
  ).toHaveLength(1);
});
