import { expect, test } from 'vitest';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import type { PersistentVolumeSync, SyncSpec } from '../sync/contract.ts';
import { captured, documentOf } from '../sync/export/document.ts';
import { NO_KEYS } from '../sync/export/keys.ts';
import type { ManifestReference } from '../sync/export/manifest.ts';
import { exportKey, manifestKey, pointerKey } from '../sync/export/names.ts';
import { sha256, writeManifest, writePointer } from '../sync/export/records.ts';
import { aManifest, aPointer } from '../sync/export/sample-records.ts';
import { SimulatedStore } from '../sync/store/simulated-store.ts';
import { StoredExports } from './stored-exports.ts';

const signal = new AbortController().signal;
const BEGIN = 1_767_225_600;

const aSync = (mode: SyncSpec['mode'], newest?: string): PersistentVolumeSync => ({
  metadata: { name: 'site' },
  spec: { protectedCluster: 'prod', mode, cloudProvider: 'file', retention: 5 },
  ...(newest !== undefined && { status: { export: { key: newest, sha256: '', exportedAt: '2026-01-01T00:00:00Z' } } }),
});

/** A store with one export after another, each a minute after the one before, with volumes that are called so and have uids like that. */
class Exporter {
  readonly clock = new VirtualClock();
  readonly simulated = new SimulatedStore(this.clock);
  readonly store = this.simulated.as('writer');
  readonly looks: string[][] = [];
  readonly exports: StoredExports;
  newest: ManifestReference | null = null;

  constructor() {
    this.exports = new StoredExports({
      access: { open: async () => this.simulated.as('console'), keys: () => NO_KEYS },
      clock: this.clock,
      log: new RecordingLog(),
      onLook: (_, exports) => this.looks.push(exports.map(({ key }) => key)),
    });
  }

  async export(volumes: Readonly<Record<string, string>>): Promise<string> {
    const sequence = (this.newest?.sequence ?? 0) + 1;
    const key = exportKey('prod', BEGIN + 60 * sequence);
    const body = bodyOf(volumes);
    await this.store.put(key, body, { signal });
    const content = { sha256: sha256(body), bytes: body.length };
    const manifest = aManifest({
      sequence,
      createdAt: new Date(1000 * (BEGIN + 60 * sequence)).toISOString(),
      export: { key, ...content, plain: content, compression: 'None', encryption: 'None', keyId: null },
      counts: { storageClasses: 0, volumes: Object.keys(volumes).length, claims: 0 },
      previous: this.newest,
    });
    const sealed = writeManifest(manifest, undefined);
    const at = manifestKey('prod', 1, sequence);
    await this.store.put(at, sealed, { signal });
    this.newest = { key: at, sha256: sha256(sealed), sequence };
    await this.store.put(pointerKey('prod'), writePointer(aPointer({ newest: this.newest }), undefined), { signal });
    return key;
  }

  /** With the keys in the order in which they are told. */
  async holding(sync: PersistentVolumeSync, name: string, uid = `${name}-1`, restoredFor?: string) {
    const volume = { name, uid, ...(restoredFor !== undefined && { restoredFor }) };
    const { marks, notLookedAt } = await this.exports.holding(sync, volume);
    return { keys: marks.map(({ key }) => key), notLookedAt };
  }

  reads(prefix: string): number {
    return this.simulated.count({ verb: 'get', key: new RegExp(`^${prefix}`) });
  }
}

const bodyOf = (volumes: Readonly<Record<string, string>>) =>
  documentOf({
    storageClasses: [],
    volumes: Object.entries(volumes).map(([name, uid]) => captured(PERSISTENT_VOLUMES, { metadata: { name, uid } })),
    claims: [],
  });

test('all exports that hold a volume are told, the newest first, and not those of another of that name', async () => {
  const site = new Exporter();
  const first = await site.export({ a: 'a-1', b: 'b-1' });
  const second = await site.export({ a: 'a-1' });
  const third = await site.export({ a: 'a-2', b: 'b-1' });
  const sync = aSync('Protected', third);
  expect(await site.holding(sync, 'a')).toEqual({ keys: [second, first], notLookedAt: 0 });
  expect(await site.holding(sync, 'b')).toEqual({ keys: [third, first], notLookedAt: 0 });
  expect(await site.holding(sync, 'c')).toEqual({ keys: [], notLookedAt: 0 });
});

test('what was restored is known by its name, and by the sync that restored it', async () => {
  const site = new Exporter();
  const key = await site.export({ a: 'a-1' });
  const sync = aSync('Recovery', key);
  expect((await site.holding(sync, 'a', 'another', 'site')).keys).toEqual([key]);
  expect((await site.holding(sync, 'a', 'another')).keys).toEqual([]);
});

test('each is read once, however often it is asked about, and a new one is noticed', async () => {
  const site = new Exporter();
  const first = await site.export({ a: 'a-1' });
  await site.holding(aSync('Protected', first), 'a');
  await site.holding(aSync('Protected', first), 'a');
  expect(site.reads('prod/')).toBe(1);
  const second = await site.export({ a: 'a-1' });
  expect((await site.holding(aSync('Protected', second), 'a')).keys).toEqual([second, first]);
  expect(site.reads('prod/')).toBe(2);
});

test('of very many the newest are looked into, and the others counted', async () => {
  const site = new Exporter();
  const keys: string[] = [];
  for (let count = 0; count < 120; count++) keys.push(await site.export({ a: 'a-1' }));
  const held = await site.holding(aSync('Protected', keys.at(-1)), 'a');
  expect(held).toEqual({ keys: keys.slice(-25).reverse(), notLookedAt: 95 });
  expect(site.looks[0]).toEqual(keys.slice(-100).reverse());
});

test('one that was written and never named is none', async () => {
  const site = new Exporter();
  const first = await site.export({ a: 'a-1' });
  const named = site.newest;
  await site.export({ a: 'a-1' });
  await site.store.put(pointerKey('prod'), writePointer(aPointer({ newest: named }), undefined), { signal });
  expect((await site.holding(aSync('Protected', first), 'a')).keys).toEqual([first]);
});

test('one that is damaged is not looked into, and the others are', async () => {
  const site = new Exporter();
  const first = await site.export({ a: 'a-1' });
  const second = await site.export({ a: 'a-1' });
  await site.store.put(second, Buffer.from('{}'), { signal });
  expect(await site.holding(aSync('Protected', second), 'a')).toEqual({ keys: [first], notLookedAt: 1 });
});

test('those of the original, which has no manifests, are found by their names', async () => {
  const site = new Exporter();
  for (const minute of [1, 2])
    await site.store.put(exportKey('prod', BEGIN + minute), bodyOf({ a: 'a-1' }), { signal });
  const expected = [exportKey('prod', BEGIN + 2), exportKey('prod', BEGIN + 1)];
  expect((await site.holding(aSync('Protected'), 'a')).keys).toEqual(expected);
});

test('a store that does not answer is not waited for long, and what it says later is known then', async () => {
  const site = new Exporter();
  const key = await site.export({ a: 'a-1' });
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = new StoredExports({
    access: {
      open: async () => {
        await promise;
        return site.simulated.as('console');
      },
      keys: () => NO_KEYS,
    },
    clock: site.clock,
    log: new RecordingLog(),
    onLook: () => {},
  });
  const sync = aSync('Protected', key);
  const held = slow.holding(sync, { name: 'a', uid: 'a-1' });
  await site.clock.advance(3_000);
  expect((await held).marks).toEqual([]);
  resolve();
  expect((await slow.holding(sync, { name: 'a', uid: 'a-1' })).marks).toHaveLength(1);
});

test('a sync that is seen is looked up once, and again after a failure', async () => {
  const site = new Exporter();
  const key = await site.export({ a: 'a-1' });
  site.simulated.inject({ verb: 'list' }, { kind: 'fail' });
  const sync = aSync('Protected', key);
  site.exports.note(sync);
  await site.clock.advance(1_000);
  expect(site.looks).toEqual([]);
  site.exports.note(sync);
  await site.clock.advance(10_000);
  expect(site.looks).toEqual([[key]]);
  site.exports.note(sync);
  await site.clock.advance(120_000);
  expect(site.looks).toHaveLength(1);
});

test('one that has a newer export is looked up again, and not more often than every 10 seconds', async () => {
  const site = new Exporter();
  site.exports.note(aSync('Recovery'));
  await site.clock.advance(1_000);
  expect(site.looks).toEqual([[]]);
  const keys: string[] = [];
  for (let count = 0; count < 5; count++) {
    keys.unshift(await site.export({ a: 'a-1' }));
    site.exports.note(aSync('Recovery', keys[0]));
    await site.clock.advance(1_000);
  }
  await site.clock.advance(5_000);
  expect(site.looks).toEqual([[], keys]);
});

test('nothing is looked up any more when it is over', async () => {
  const site = new Exporter();
  const key = await site.export({ a: 'a-1' });
  site.exports.note(aSync('Protected'));
  await site.clock.advance(1_000);
  site.exports.note(aSync('Protected', `${key}.new`));
  await site.exports.close();
  await site.clock.advance(60_000);
  expect(site.looks).toHaveLength(1);
});

test('it is over when what was being read has been let go', async () => {
  const site = new Exporter();
  const key = await site.export({ a: 'a-1' });
  site.simulated.inject({ verb: 'get', who: 'console' }, { kind: 'hang' });
  site.exports.note(aSync('Protected', key));
  await site.clock.advance(0);
  expect(site.simulated.count({ who: 'console' })).toBe(1);
  await site.exports.close();
  expect(site.looks).toEqual([]);
  await site.exports.holding(aSync('Protected', key), { name: 'a', uid: 'a-1' });
  expect(site.simulated.count({ who: 'console' })).toBe(1);
});
