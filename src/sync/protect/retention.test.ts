import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { closedExportKey, exportKey, manifestKey, pointerKey } from '../export/names.ts';
import { aManifest } from '../export/sample-records.ts';
import { SimulatedStore } from '../store/simulated-store.ts';
import type { Listed } from '../store/store.ts';
import { inTime } from './in-time.ts';
import { expiredExports, expiredManifests, type Newest } from './retention.ts';
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
  test('are exports and manifests that the newest is more than the retention ahead of', () => {
    const world = aged([9, 6, 5, 1, 0]);
    expect(expiredManifests(world)).toEqual([manifestKey('prod', 1, 1), manifestKey('prod', 1, 2)]);
    expect(expiredExports(world, newest(3, 3))).toEqual([exportKey('prod', 1), exportKey('prod', 2)]);
  });

  test('is counted by the clock of the store alone: a newest export of long ago keeps its company', () => {
    expect(expiredManifests(aged([109, 105, 102, 100]))).toEqual([manifestKey('prod', 1, 1)]);
    expect(expiredManifests(aged([104, 102, 100]))).toEqual([]);
  });

  test('is nothing when the list does not show the newest export yet', () => {
    const world = aged([9, 9, 0]);
    const contents = { ...world.contents, exports: world.contents.exports.slice(0, 2) };
    expect(expiredManifests({ ...world, contents })).toEqual([]);
    expect(expiredExports({ ...world, contents }, newest(3, 3))).toEqual([]);
  });

  test('is no manifest behind one that is kept, and no export that a kept manifest may speak of', () => {
    const world = aged([9, 1, 9, 0]);
    expect(expiredManifests(world)).toEqual([manifestKey('prod', 1, 1)]);
    expect(expiredExports(world, newest(2, 2))).toEqual([exportKey('prod', 1)]);
  });

  test('is never the newest, whatever the retention and the ages are', () => {
    const days = fc.array(fc.integer({ min: -10, max: 100 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(days, fc.integer({ min: -5, max: 30 }), fc.nat(), (ages, retention, pick) => {
        const sequence = (pick % ages.length) + 1;
        const world = { ...aged(ages), newest: newest(sequence, sequence), days: retention };
        const manifests = expiredManifests(world);
        const kept = manifests.length + 1;
        expect(manifests).not.toContain(manifestKey('prod', 1, sequence));
        expect(expiredExports(world, newest(kept, kept))).not.toContain(exportKey('prod', sequence));
      }),
    );
  });
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
    expect(store.keys('prod/')).toHaveLength(6);
    expect(store.keys('.holdfast/prod/manifests/')).toHaveLength(6);
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

  test('waits while what is exported has no volumes: nobody restores that, and what was before it is all that there is', async () => {
    await changed();
    const before = store.keys('prod/');
    site.volumes = 0;
    for (let days = 0; days < 30; days += 10) {
      await clock.advance(10 * DAY);
      await changed();
    }
    expect(store.keys('prod/')).toEqual(expect.arrayContaining([...before]));
    site.volumes = 2;
    await changed();
    expect(store.keys('prod/')).not.toEqual(expect.arrayContaining([...before]));
  });

  test('that fails does not harm the export, and is tried with the next', async () => {
    store.inject({ verb: 'list', key: 'prod/' }, { kind: 'fail', as: 'denied' });
    expect(await changed()).toMatchObject({
      kind: 'exported',
      retention: { kind: 'failed', why: expect.stringContaining('prod/') },
    });
    expect(await inTime(clock, site.confirm()), 'and is told until then').toMatchObject({
      kind: 'unchanged',
      retention: { kind: 'failed' },
    });
    expect(await changed()).toMatchObject({ retention: { kind: 'done' } });
  });

  test('removes nothing while the oldest manifest that is to be kept cannot be read', async () => {
    await changed();
    await clock.advance(DAY);
    await changed();
    store.write(manifestKey(CLUSTER, 1, 2), 'garbage');
    await clock.advance(4.5 * DAY);
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
