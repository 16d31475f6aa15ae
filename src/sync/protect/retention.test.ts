import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { closedExportKey, exportKey, manifestKey, pointerKey } from '../export/names.ts';
import { readManifest } from '../export/records.ts';
import { aManifest } from '../export/sample-records.ts';
import { SimulatedStore } from '../store/simulated-store.ts';
import type { Listed, ObjectStore } from '../store/store.ts';
import { inTime } from './in-time.ts';
import { expiredExports, keptFrom, type Newest, removeExpired } from './retention.ts';
import { CLUSTER, SimulatedSite } from './simulated-site.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-02-01T00:00:00Z');
const listed = (key: string, daysAgo: number): Listed => ({ key, size: 1, modifiedAt: new Date(NOW - daysAgo * DAY) });
const newest = (sequence: number, second: number): Newest =>
  aManifest({ sequence, export: { ...aManifest().export, key: exportKey('prod', second) } });

/** Export and manifest of each sequence, so many days ago. */
function aged(days: readonly number[]) {
  const exports = days.map((ago, index) => listed(exportKey('prod', index + 1), ago));
  const manifests = days.map((ago, index) => listed(manifestKey('prod', 1, index + 1), ago));
  return { contents: { exports, manifests, probes: [] }, newest: newest(days.length, days.length), days: 5 };
}

describe('what is too old', () => {
  test('are manifests in whose place another one has been for longer than the retention, and their exports', () => {
    const world = aged([9, 6, 5, 1, 0]);
    expect(keptFrom(world), 'the second was superseded five days ago').toBe(1);
    expect(expiredExports(world, newest(2, 2))).toEqual([exportKey('prod', 1)]);
  });

  test('is nothing that was the newest until just now, however old it is', () => {
    expect(keptFrom(aged([400, 0]))).toBe(0);
    expect(keptFrom(aged([400, 300, 0]))).toBe(1);
  });

  test('is counted by the clock of the store alone: a newest export of long ago keeps its company', () => {
    expect(keptFrom(aged([109, 106, 102, 100]))).toBe(1);
    expect(keptFrom(aged([104, 102, 100]))).toBe(0);
  });

  test('is nothing when the list does not show the newest export yet', () => {
    const world = aged([9, 9, 0]);
    const contents = { ...world.contents, exports: world.contents.exports.slice(0, 2) };
    expect(keptFrom({ ...world, contents })).toBeUndefined();
    expect(expiredExports({ ...world, contents }, newest(3, 3))).toEqual([]);
  });

  test('is no manifest behind one that is kept, and no export that a kept manifest may speak of', () => {
    const world = aged([9, 8, 1, 9, 0]);
    expect(keptFrom(world)).toBe(1);
    expect(expiredExports(world, newest(2, 2))).toEqual([exportKey('prod', 1)]);
  });

  test('is never the newest, whatever the retention and the ages are', () => {
    const days = fc.array(fc.integer({ min: -10, max: 100 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(days, fc.integer({ min: -5, max: 30 }), fc.nat(), (ages, retention, pick) => {
        const sequence = (pick % ages.length) + 1;
        const world = { ...aged(ages), newest: newest(sequence, sequence), days: retention };
        const kept = (keptFrom(world) ?? 0) + 1;
        expect(kept).toBeLessThanOrEqual(sequence);
        expect(expiredExports(world, newest(kept, kept))).not.toContain(exportKey('prod', sequence));
      }),
    );
  });
});

/** A store whose list is older than what it holds: of what is listed, only this one is there. */
const holding = (only: string, store: ObjectStore): ObjectStore => ({
  description: store.description,
  get: async (key, options) => (key === only ? store.get(key, options) : { kind: 'missing' }),
  head: (...args) => store.head(...args),
  put: (...args) => store.put(...args),
  list: (...args) => store.list(...args),
  remove: (...args) => store.remove(...args),
  close: () => store.close(),
});

describe('retention', () => {
  let clock: VirtualClock;
  let store: SimulatedStore;
  let site: SimulatedSite;
  beforeEach(() => {
    clock = new VirtualClock();
    store = new SimulatedStore(clock);
    site = new SimulatedSite({ store, clock, name: 'a' });
  });
  const changed = () => {
    site.edition += 1;
    return inTime(clock, site.export());
  };

  test('removes old exports with their manifests, and those of the original', async () => {
    store.write(exportKey(CLUSTER, 1700000000), 'by the original');
    for (let days = 0; days < 8; days += 1) {
      await changed();
      await clock.advance(DAY);
    }
    expect(await changed()).toMatchObject({ retention: { kind: 'done', removed: 2 } });
    expect(store.keys('prod/')).toHaveLength(7);
    expect(store.keys('.holdfast/prod/manifests/')).toHaveLength(7);
    expect(store.body(exportKey(CLUSTER, 1700000000))).toBeUndefined();
  });

  test('leaves alone whatever has no name of ours', async () => {
    const others = [
      'prod/notes.txt',
      'prod/1700000000_storage_objects.json.bak',
      'prod/old/1700000000_storage_objects.json',
      'production/1700000000_storage_objects.json',
      '.holdfast/prod/manifests/readme',
      '.holdfast/prod/exports/1700000000_storage_objects.json',
    ];
    for (const key of others) store.write(key, 'by somebody');
    store.write(closedExportKey(CLUSTER, 1700000000), 'by us, once');
    await clock.advance(30 * DAY);
    expect(await changed()).toMatchObject({ retention: { kind: 'done', removed: 1 } });
    for (const key of others) expect(store.body(key)).toBeDefined();
  });

  test('removes what was left behind by one who tried the store, once nobody can be at it any more', async () => {
    store.write('.holdfast/prod/probes/00000000-0000-0000-0000-000000000000.json', '{}');
    await clock.advance(1.5 * DAY);
    store.write('.holdfast/prod/probes/00000000-0000-0000-0000-000000000001.json', '{}');
    await changed();
    expect(store.keys('.holdfast/prod/probes/')).toEqual([
      '.holdfast/prod/probes/00000000-0000-0000-0000-000000000001.json',
    ]);
  });

  test('keeps the newest however old it is, while nothing changes', async () => {
    await changed();
    const before = store.keys();
    await clock.advance(400 * DAY);
    expect(await inTime(clock, site.export())).toMatchObject({ kind: 'unchanged' });
    expect(store.keys()).toEqual(before);
  });

  test('is looked after once an hour at most', async () => {
    const looks = () => store.count({ verb: 'list', key: 'prod/' });
    await changed();
    await changed();
    expect(looks()).toBe(1);
    await clock.advance(3_600_000);
    await changed();
    expect(looks()).toBe(2);
  });

  test('keeps what was the newest for a long time as long as anything else, once there is another', async () => {
    await changed();
    const before = store.keys('prod/');
    await clock.advance(30 * DAY);
    expect(await changed()).toMatchObject({ retention: { kind: 'done', removed: 0 } });
    await clock.advance(4 * DAY);
    await changed();
    expect(store.keys('prod/')).toEqual(expect.arrayContaining(before));
    await clock.advance(2 * DAY);
    expect(await changed()).toMatchObject({ retention: { kind: 'done', removed: 2 } });
    expect(store.keys('prod/')).not.toEqual(expect.arrayContaining(before));
  });

  test('waits while what is exported has no volumes: nobody restores that, and what was before it is all that there is', async () => {
    await changed();
    const before = store.keys('prod/');
    site.volumes = 0;
    for (let days = 0; days < 30; days += 10) {
      await clock.advance(10 * DAY);
      await changed();
    }
    expect(store.keys('prod/')).toEqual(expect.arrayContaining(before));
    site.volumes = 2;
    await changed();
    expect(store.keys('prod/'), 'it was the last that could be restored until now').toEqual(
      expect.arrayContaining(before),
    );
    await clock.advance(6 * DAY);
    await changed();
    expect(store.keys('prod/')).not.toEqual(expect.arrayContaining(before));
    expect(store.keys('prod/')).toHaveLength(2);
  });

  test('removes nothing when the manifest that would be kept is gone before it is read', async () => {
    store.write(exportKey(CLUSTER, 1700000000), 'by the original');
    for (let days = 0; days < 4; days += 1) {
      await changed();
      await clock.advance(DAY);
    }
    const inner = store.as('another');
    const manifests = store.keys('.holdfast/prod/manifests/').toSorted();
    const [first = '', last = ''] = [manifests[0], manifests.at(-1)];
    const { signal } = new AbortController();
    const found = await inner.get(last, { signal, most: 1_000_000 });
    if (found.kind !== 'found') throw new Error('there is no manifest');
    const kept = readManifest(found.body, { cluster: CLUSTER, keys: { trusted: [] }, isRequired: false });
    const before = store.keys();
    expect(await removeExpired(holding(first, inner), { newest: kept, days: 1 }, signal)).toBe(0);
    expect(store.keys()).toEqual(before);
    expect(await removeExpired(inner, { newest: kept, days: 1 }, signal)).toBeGreaterThan(0);
  });

  test('takes what was written and never named for no successor', async () => {
    await changed();
    const before = store.keys('prod/');
    await clock.advance(DAY);
    store.inject({ verb: 'put', key: pointerKey(CLUSTER) }, { kind: 'fail' });
    await expect(changed()).rejects.toMatchObject({ fault: 'unavailable' });
    site.restart();
    await clock.advance(20 * DAY);
    expect(await changed()).toMatchObject({ kind: 'exported', retention: { kind: 'done', removed: 0 } });
    expect(store.keys('prod/')).toEqual(expect.arrayContaining(before));
  });

  test('that fails does not harm the export, is told of, and is tried again by a heartbeat, but not at once', async () => {
    store.inject({ verb: 'list', key: 'prod/' }, { kind: 'fail', as: 'denied' });
    const failed = { kind: 'failed', why: expect.stringContaining('prod/') };
    expect(await changed()).toMatchObject({ kind: 'exported', retention: failed });
    const looks = () => store.count({ verb: 'list', key: 'prod/' });
    expect(await changed()).toMatchObject({ kind: 'exported', retention: failed });
    await clock.advance(9 * 60_000);
    expect(await inTime(clock, site.confirm())).toMatchObject({ kind: 'unchanged', retention: failed });
    expect(looks()).toBe(1);
    await clock.advance(60_000);
    expect(await inTime(clock, site.confirm())).toMatchObject({ kind: 'unchanged', retention: { kind: 'done' } });
    expect(looks()).toBe(2);
  });

  test('goes on in quiet times, too', async () => {
    await changed();
    await changed();
    await clock.advance(6 * DAY);
    expect(await inTime(clock, site.confirm())).toMatchObject({ kind: 'unchanged', retention: { removed: 0 } });
    expect(await inTime(clock, site.export(true))).toMatchObject({ kind: 'exported' });
    await clock.advance(3_600_000);
    expect(await inTime(clock, site.confirm())).toMatchObject({ kind: 'unchanged', retention: { removed: 2 } });
  });

  test('holds nothing up: the outcome of an export does not wait for it', async () => {
    store.inject({ verb: 'list', key: 'prod/' }, { kind: 'hang' });
    expect(await inTime(clock, site.exportAlone())).toMatchObject({ kind: 'exported', retention: { kind: 'later' } });
    site.edition += 1;
    expect(await inTime(clock, site.exportAlone())).toMatchObject({ kind: 'exported', status: { sequence: 2 } });
    expect(store.count({ verb: 'list', key: 'prod/' }), 'and is not begun twice').toBe(1);
  });

  test('removes nothing while the oldest manifest that is to be kept cannot be read', async () => {
    await changed();
    await clock.advance(DAY);
    await changed();
    store.write(manifestKey(CLUSTER, 1, 2), 'garbage');
    await clock.advance(5.5 * DAY);
    const before = store.keys();
    expect(await changed()).toMatchObject({ kind: 'exported', retention: { kind: 'failed' } });
    expect(store.keys()).toEqual(expect.arrayContaining(before));
  });

  test('removes nothing before the pointer has moved', async () => {
    await changed();
    await clock.advance(30 * DAY);
    store.inject({ verb: 'put', key: pointerKey(CLUSTER) }, { kind: 'fail' });
    await expect(changed()).rejects.toMatchObject({ fault: 'unavailable' });
    expect(store.history.filter(({ body, key }) => body === undefined && !key.includes('probes'))).toEqual([]);
  });

  test('is not led astray by a clock here that runs ahead', async () => {
    const skewed = new VirtualClock(new Date('2099-01-01T00:00:00Z'));
    await changed();
    await clock.advance(1000);
    const ahead = new SimulatedSite({ store, clock: skewed, name: 'a' });
    ahead.edition = 99;
    const exporting = ahead.export();
    expect(await inTime(skewed, exporting)).toMatchObject({ kind: 'exported', retention: { removed: 0 } });
  });

  test('gets through many at once in turns', async () => {
    for (let second = 0; second < 1500; second += 1) store.write(exportKey(CLUSTER, 1700000000 + second), 'x');
    await clock.advance(30 * DAY);
    expect(await changed()).toMatchObject({ retention: { removed: 1000 } });
    await clock.advance(3_600_000);
    expect(await changed()).toMatchObject({ retention: { removed: 500 } });
  });
});
