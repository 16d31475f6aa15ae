import { beforeEach, describe, expect, test } from 'vitest';
import { settled, VirtualClock } from '../../kit/clock/virtual.ts';
import { silentLog } from '../../kit/observe/log.ts';
import { ENV, LARGEST_EXPORT } from '../contract.ts';
import { decode } from '../export/codec.ts';
import { readDocument } from '../export/document.ts';
import { type Keys, keysFrom, NO_KEYS } from '../export/keys.ts';
import type { Manifest, Pointer } from '../export/manifest.ts';
import { exportKey, HIGHEST_COUNT, manifestKey, pointerKey } from '../export/names.ts';
import { readManifest, readPointer, sha256, writeManifest, writePointer } from '../export/records.ts';
import { encryptionText, signingPair } from '../export/sample-keys.ts';
import { aPointer } from '../export/sample-records.ts';
import { SimulatedStore } from '../store/simulated-store.ts';
import { Protector } from './apply.ts';
import { inTime } from './in-time.ts';
import type { Outcome, Stale } from './outcome.ts';
import { aDocument, CLUSTER, PLAIN, SimulatedSite, type SiteParts, whole } from './simulated-site.ts';

let clock: VirtualClock;
let store: SimulatedStore;
beforeEach(() => {
  clock = new VirtualClock(new Date('2026-01-01T00:00:00.300Z'));
  store = new SimulatedStore(clock);
});

const SECOND = Date.parse('2026-01-01T00:00:00Z') / 1000;
const aSite = (name = 'a', parts: Partial<SiteParts> = {}) => new SimulatedSite({ store, clock, name, ...parts });
const exported = (site: SimulatedSite, isScheduled = false): Promise<Outcome> =>
  inTime(clock, site.export(isScheduled));
const confirmed = (site: SimulatedSite): Promise<Outcome | Stale> => inTime(clock, site.confirm());

async function changed(site: SimulatedSite): Promise<Outcome> {
  site.edition += 1;
  return await exported(site);
}

const anybody = { cluster: CLUSTER, keys: NO_KEYS, isRequired: false };
const body = (key: string): Buffer => store.body(key) ?? expect.unreachable(`${key} is not there`);
const pointer = (): Pointer => readPointer(body(pointerKey(CLUSTER)), anybody);
const newest = (): Manifest => {
  const { key, sha256: sum } = pointer().newest ?? expect.unreachable('nothing is named');
  expect(sha256(body(key))).toBe(sum);
  return readManifest(body(key), anybody);
};
const newestDocument = (keys: Keys = NO_KEYS) => decode(body(newest().export.key), newest(), keys);
const exportKeys = () => store.keys('prod/');
/** What was written since, without trying what the store can do. */
const writesSince = (count: number) =>
  store.history
    .slice(count)
    .filter(({ key }) => !key.includes('/probes/'))
    .map(({ key }) => key);

test('an export after another reads the pointer, and writes export, manifest and pointer: no other request', async () => {
  const site = aSite();
  await exported(site);
  const count = store.calls.length;
  await clock.advance(2_000);
  await changed(site);
  expect(store.calls.slice(count).map(({ verb, key }) => `${verb} ${key}`)).toEqual([
    'get .holdfast/prod/pointer.json',
    'put prod/1767225602_storage_objects.json',
    'put .holdfast/prod/manifests/0000000001-0000000002.json',
    'put .holdfast/prod/pointer.json',
  ]);
});

test('the store is asked where it stands before what is to be exported is put together', async () => {
  const inner = store.as('a');
  const client = {
    ...clientOf(inner),
    async get(key: string, options: Parameters<typeof inner.get>[1]) {
      // An SDK does not send a request before it has signed it, and more.
      for (let steps = 0; steps < 20; steps += 1) await Promise.resolve();
      return await inner.get(key, options);
    },
  };
  const protector = new Protector({ store: client, keys: NO_KEYS, clock, log: silentLog });
  const site = { cluster: CLUSTER, clusterUid: 'uid-of-a', form: PLAIN, asOf: clock.now(), retention: 5 };
  const asked: string[] = [];
  const content = () => {
    asked.push(...store.calls.map(({ verb, key }) => `${verb} ${key}`));
    return whole(aDocument(1));
  };
  const { signal } = new AbortController();
  await inTime(clock, protector.export({ ...site, content, isScheduled: false }, signal));
  const isProbe = (call: string) => call.includes('/probes/');
  expect(asked.filter((call) => !isProbe(call))).toEqual([
    'list .holdfast/prod/manifests/',
    'get .holdfast/prod/pointer.json',
  ]);
  expect(asked.slice(2).some(isProbe), 'and is tried for what it can do').toBe(true);
  store.inject({ verb: 'get', key: pointerKey(CLUSTER) }, { kind: 'fail' });
  const failing = protector.export({ ...site, content, isScheduled: false }, signal);
  await expect(inTime(clock, failing)).rejects.toMatchObject({ fault: 'unavailable' });
});

describe('a first export', () => {
  test('claims the name, and is written before its manifest, and that before the pointer names it', async () => {
    const outcome = await exported(aSite());
    expect(writesSince(0)).toEqual([
      '.holdfast/prod/pointer.json',
      'prod/1767225600_storage_objects.json',
      '.holdfast/prod/manifests/0000000001-0000000001.json',
      '.holdfast/prod/pointer.json',
    ]);
    const { document, counts } = aDocument(1);
    expect(body('prod/1767225600_storage_objects.json')).toEqual(document);
    const content = { sha256: sha256(document), bytes: document.length };
    expect(newest()).toMatchObject({
      cluster: 'prod',
      clusterUid: 'uid-of-a',
      epoch: 1,
      sequence: 1,
      export: { ...content, plain: content, compression: 'None', encryption: 'None' },
      counts,
      previous: null,
    });
    expect(outcome).toMatchObject({
      kind: 'exported',
      bytes: document.length,
      contentSha256: content.sha256,
      fenced: true,
      retention: { kind: 'done', removed: 0 },
      status: {
        key: 'prod/1767225600_storage_objects.json',
        sha256: content.sha256,
        epoch: 1,
        sequence: 1,
        exportedAt: '2026-01-01T00:00:00.300Z',
        confirmedAt: '2026-01-01T00:00:00.300Z',
      },
    });
  });

  test('leaves nothing behind of what it tried', async () => {
    await exported(aSite());
    expect(store.keys().filter((key) => key.includes('probe'))).toEqual([]);
    expect(store.count({ verb: 'put', key: /probes/ })).toBe(4);
  });

  test('cleans up what it tried when the export is there', async () => {
    await exported(aSite());
    const calls = store.calls.map(({ verb, key }) => `${verb} ${key}`);
    const isCleaned = calls.findIndex((call) => call.startsWith('remove .holdfast/prod/probes/'));
    expect(isCleaned).toBeGreaterThan(calls.lastIndexOf('put .holdfast/prod/pointer.json'));
  });

  test('cleans up what it tried also when it does not come to be', async () => {
    store.inject({ verb: 'put', key: pointerKey(CLUSTER) }, { kind: 'fail' });
    await expect(exported(aSite())).rejects.toMatchObject({ fault: 'unavailable' });
    await settled();
    expect(store.count({ verb: 'put', key: /probes/ })).toBe(4);
    expect(store.keys()).toEqual([]);
  });

  test('does not need to list manifests where there is a pointer', async () => {
    await exported(aSite());
    store.inject({ verb: 'list', key: /manifests/, times: 1_000 }, { kind: 'fail' });
    const restored = aSite();
    restored.edition = 2;
    expect(await exported(restored)).toMatchObject({ kind: 'exported', status: { sequence: 2 } });
  });

  test('does not wait until nothing is left of what it tried', async () => {
    store.inject({ verb: 'remove', key: /probes/ }, { kind: 'hang' });
    expect(await inTime(clock, aSite().exportAlone())).toMatchObject({ kind: 'exported', fenced: true });
  });

  test('tries to make an object and to replace it alone, since a store may refuse one of two at once', async () => {
    const under = { now: 0, most: 0 };
    const through: SiteParts['through'] = (inner) => ({
      ...clientOf(inner),
      async put(key, content, options) {
        const isFirst = key.includes('/probes/') && store.count({ verb: 'put', key: /probes/ }) < 2;
        under.now += 1;
        if (isFirst) under.most = Math.max(under.most, under.now);
        return await inner.put(key, content, options).finally(() => {
          under.now -= 1;
        });
      },
    });
    expect(await exported(aSite('a', { through }))).toMatchObject({ fenced: true });
    expect(under.most).toBe(1);
  });

  test('goes on beside exports of the original', async () => {
    store.write(exportKey(CLUSTER, SECOND - 100), aDocument(9).document);
    await exported(aSite());
    expect(exportKeys()).toHaveLength(2);
    expect(newest().previous).toBeNull();
  });
});

describe('further exports', () => {
  test('are written when something has changed, each with the hash of the manifest before', async () => {
    const site = aSite();
    await exported(site);
    const before = pointer().newest;
    await clock.advance(5000);
    expect(await changed(site)).toMatchObject({ kind: 'exported', status: { sequence: 2, epoch: 1 } });
    expect(newest().previous).toEqual(before);
    expect([...readDocument(await newestDocument()).claims][0]?.metadata.name).toBe('edition-2');
  });

  test('are not written when nothing has, also not by a process that has just begun', async () => {
    const site = aSite();
    await exported(site);
    await clock.advance(5000);
    const count = store.history.length;
    expect(await exported(site)).toMatchObject({ kind: 'unchanged', status: { sequence: 1 } });
    site.restart();
    await clock.advance(5000);
    expect(await exported(site)).toMatchObject({ kind: 'unchanged', fenced: true });
    expect(writesSince(count)).toEqual([pointerKey(CLUSTER), pointerKey(CLUSTER)]);
    expect(pointer().confirmedAt).toBe(clock.now().toISOString());
  });

  test('are written by the schedule although nothing has changed', async () => {
    const site = aSite();
    await exported(site);
    expect(await exported(site, true)).toMatchObject({ kind: 'exported', status: { sequence: 2 } });
    expect(exportKeys()).toHaveLength(2);
  });

  test('never have the name of one before: within one second the next is waited for', async () => {
    const site = aSite();
    await exported(site);
    await changed(site);
    expect(exportKeys()).toEqual([exportKey(CLUSTER, SECOND), exportKey(CLUSTER, SECOND + 1)]);
    expect(clock.now().getTime()).toBeGreaterThanOrEqual((SECOND + 1) * 1000);
  });

  test('never have the name of something that is there already', async () => {
    const foreign = [exportKey(CLUSTER, SECOND), exportKey(CLUSTER, SECOND + 1)];
    for (const key of foreign) store.write(key, 'by somebody');
    await exported(aSite());
    expect(newest().export.key).toBe(exportKey(CLUSTER, SECOND + 2));
    for (const key of foreign) expect(body(key).toString()).toBe('by somebody');
  });

  test('have later names than those before although the clock was set back, also after a restart', async () => {
    const site = aSite();
    await exported(site);
    clock.setNow(new Date('2025-06-01T00:00:00Z'));
    await changed(site);
    expect(newest().export.key).toBe(exportKey(CLUSTER, SECOND + 1));
    site.restart();
    await changed(site);
    expect(newest().export.key).toBe(exportKey(CLUSTER, SECOND + 2));
    expect(clock.now().getTime()).toBeLessThan(Date.parse('2025-06-01T00:01:00Z'));
  });

  test('replace one that is gone, or whose manifest is gone or changed, although nothing has changed', async () => {
    const site = aSite();
    await exported(site);
    const damages = [
      () => store.write(newest().export.key, undefined),
      () => store.write(newest().export.key, 'torn'),
      () => store.write(pointer().newest?.key ?? '', undefined),
      () => store.write(pointer().newest?.key ?? '', '{}'),
      () => store.write(pointer().newest?.key ?? '', writeManifest({ ...newest(), previous: null }, undefined)),
    ];
    for (const [index, damage] of damages.entries()) {
      const before = pointer().newest;
      damage();
      site.restart();
      expect(await exported(site)).toMatchObject({ kind: 'exported', status: { sequence: index + 2 } });
      expect(newest().previous).toEqual(before);
      expect(await newestDocument()).toEqual(aDocument(1).document);
    }
  });
});

describe('a heartbeat', () => {
  test.each([
    ['export', () => newest().export.key],
    ['manifest', () => pointer().newest?.key ?? ''],
  ])('notices that the %s is gone, or is another one, and the next export replaces it', async (_what, keyOf) => {
    const site = aSite();
    await exported(site);
    for (const damaged of [undefined, 'torn']) {
      const { sequence } = pointer().newest ?? expect.unreachable();
      store.write(keyOf(), damaged);
      expect(await confirmed(site)).toEqual({ kind: 'stale' });
      expect(await exported(site)).toMatchObject({ kind: 'exported', status: { sequence: sequence + 1 } });
      expect(await confirmed(site)).toMatchObject({ kind: 'unchanged' });
    }
  });

  test('moves the time of the pointer and nothing else', async () => {
    const site = aSite();
    await exported(site);
    const before = pointer();
    await clock.advance(60_000);
    const count = store.history.length;
    expect(await confirmed(site)).toMatchObject({
      kind: 'unchanged',
      status: { confirmedAt: clock.now().toISOString() },
    });
    expect(pointer()).toEqual({ ...before, confirmedAt: '2026-01-01T00:01:00.300Z' });
    expect(writesSince(count)).toEqual([pointerKey(CLUSTER)]);
  });

  test('is nothing new within the same moment', async () => {
    const site = aSite();
    await exported(site);
    const count = store.history.length;
    expect(await confirmed(site)).toMatchObject({ kind: 'unchanged' });
    expect(writesSince(count)).toEqual([]);
  });

  test('corrects a time that lies ahead', async () => {
    const site = aSite();
    clock.setNow(new Date('2036-01-01T00:00:00Z'));
    await exported(site);
    clock.setNow(new Date('2026-01-01T00:00:00Z'));
    await confirmed(site);
    expect(pointer().confirmedAt).toBe('2026-01-01T00:00:00.000Z');
  });

  test('is not given for something else than what was exported last', async () => {
    const site = aSite();
    expect(await confirmed(site)).toEqual({ kind: 'stale' });
    await exported(site);
    site.restart();
    expect(await confirmed(site)).toEqual({ kind: 'stale' });
    await exported(site);
    store.write(newest().export.key, undefined);
    expect(await confirmed(site)).toEqual({ kind: 'stale' });
    store.write(pointerKey(CLUSTER), undefined);
    expect(await confirmed(site)).toEqual({ kind: 'stale' });
  });
});

describe('the form of exports', () => {
  const pair = signingPair();
  const encryption = encryptionText();
  const keys = keysFrom({ [ENV.encryptionKey]: encryption, [ENV.signingKey]: pair.signing });

  test('is written anew when it is chosen, and those that the original could not read are kept elsewhere', async () => {
    const site = aSite('a', { keys });
    await exported(site);
    for (const form of [
      { ...PLAIN, compression: 'Gzip' as const },
      { ...PLAIN, encryption: 'AES-256-GCM' as const },
      { compression: 'Gzip' as const, encryption: 'AES-256-GCM' as const, isSigned: true },
    ]) {
      site.form = form;
      expect(await exported(site)).toMatchObject({ kind: 'exported' });
      expect(await exported(site)).toMatchObject({ kind: 'unchanged' });
      expect(newest().export.key).toMatch(/^\.holdfast\/prod\/exports\/\d+_storage_objects\.bin$/);
      expect(await newestDocument(keys)).toEqual(aDocument(1).document);
    }
    expect(exportKeys()).toHaveLength(1);
  });

  test('signs manifest and pointer, also those of heartbeats', async () => {
    const site = aSite('a', { keys });
    await exported(site);
    site.form = { ...PLAIN, isSigned: true };
    expect(await exported(site)).toMatchObject({ kind: 'exported' });
    await clock.advance(60_000);
    await confirmed(site);
    const trusting = { cluster: CLUSTER, keys: keysFrom({ [ENV.trustedKeys]: pair.trusted }), isRequired: true };
    expect(readPointer(body(pointerKey(CLUSTER)), trusting).confirmedAt).toBe(clock.now().toISOString());
    expect(readManifest(body(pointer().newest?.key ?? ''), trusting).sequence).toBe(2);
  });

  test('is renewed with a new key', async () => {
    const form = { ...PLAIN, encryption: 'AES-256-GCM' as const, isSigned: true };
    const first = aSite('a', { keys });
    first.form = form;
    await exported(first);
    for (const env of [
      { [ENV.encryptionKey]: encryptionText(), [ENV.signingKey]: pair.signing },
      { [ENV.encryptionKey]: encryption, [ENV.signingKey]: signingPair().signing },
    ]) {
      const site = aSite('a', { keys: keysFrom(env) });
      site.form = form;
      expect(await exported(site)).toMatchObject({ kind: 'exported' });
    }
  });

  test.each([
    [ENV.encryptionKey, { ...PLAIN, encryption: 'AES-256-GCM' as const }],
    [ENV.signingKey, { ...PLAIN, isSigned: true }],
  ])('needs %s, and nothing is written without it', async (variable, form) => {
    const site = aSite();
    site.form = form;
    await expect(site.export()).rejects.toMatchObject({ fact: 'keyIsMissing', variable });
    await expect(site.confirm()).rejects.toMatchObject({ fact: 'keyIsMissing', variable });
    expect(store.calls).toEqual([]);
  });

  test('has a limit of size, beyond which nobody would read it', async () => {
    const protector = new Protector({ store: store.as('a'), keys: NO_KEYS, clock, log: silentLog });
    const document = { length: LARGEST_EXPORT + 1 } as Buffer;
    const request = {
      cluster: CLUSTER,
      clusterUid: 'a',
      form: PLAIN,
      asOf: clock.now(),
      retention: 5,
      isScheduled: false,
    };
    const counts = { storageClasses: 0, volumes: 0, claims: 0 };
    const content = () => whole({ document, counts });
    const exporting = protector.export({ ...request, content }, new AbortController().signal);
    await expect(exporting).rejects.toMatchObject({ fact: 'exportIsTooLarge' });
    expect(writesSince(0), 'nothing was written').toEqual([]);
  });
});

describe('one writer', () => {
  test('there is: a cluster that comes second to the same name writes nothing', async () => {
    await exported(aSite('a'));
    const count = store.history.length;
    const second = aSite('b');
    const by = { clusterUid: 'uid-of-a', epoch: 1 };
    expect(await exported(second)).toEqual({ kind: 'foreign', by });
    expect(await confirmed(second)).toEqual({ kind: 'foreign', by });
    expect(store.history.slice(count), 'not even to try what the store can do').toEqual([]);
  });

  test('there is when two begin at once, and the other one leaves nothing behind', async () => {
    const outcomes = await inTime(clock, Promise.all([aSite('a').export(), aSite('b').export()]));
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['exported', 'foreign']);
    const writers = new Set(store.history.filter(({ key }) => !key.includes('probes')).map(({ who }) => who));
    expect(writers.size).toBe(1);
  });

  test('there is after another cluster has taken over: the one before stops, and tells by whom', async () => {
    const [a, b] = [aSite('a'), aSite('b')];
    await exported(a);
    const { newest: before, confirmedAt } = pointer();
    await clock.advance(60_000);
    expect(await inTime(clock, b.takeOver())).toEqual({
      clusterUid: 'uid-of-b',
      epoch: 2,
      before: { clusterUid: 'uid-of-a', epoch: 1 },
      newest: before,
      fenced: true,
    });
    expect(pointer()).toMatchObject({ clusterUid: 'uid-of-b', epoch: 2, newest: before, confirmedAt });
    const count = store.history.length;
    const by = { clusterUid: 'uid-of-b', epoch: 2 };
    expect(await changed(a)).toEqual({ kind: 'deposed', by });
    expect(await confirmed(a)).toEqual({ kind: 'deposed', by });
    a.restart();
    expect(await changed(a)).toEqual({ kind: 'deposed', by });
    a.restart();
    expect(await confirmed(a)).toEqual({ kind: 'deposed', by });
    expect(store.history.slice(count), 'not even to try what the store can do').toEqual([]);
  });

  test('knows that it was one before its status says so', async () => {
    const a = aSite('a');
    await exported(a);
    a.status = undefined;
    await inTime(clock, aSite('b').takeOver());
    expect(await changed(a)).toMatchObject({ kind: 'deposed' });
  });

  test('goes on from what the one before has exported, with an export of its own first', async () => {
    const [a, b] = [aSite('a'), aSite('b')];
    await exported(a);
    await inTime(clock, b.takeOver());
    const before = pointer().newest;
    expect(await exported(b)).toMatchObject({ kind: 'exported', status: { epoch: 2, sequence: 2 } });
    expect(newest()).toMatchObject({ clusterUid: 'uid-of-b', previous: before });
    expect(await inTime(clock, a.takeOver())).toMatchObject({ epoch: 3 });
    expect(await exported(a)).toMatchObject({ kind: 'exported', status: { epoch: 3, sequence: 3 } });
    expect(await exported(b)).toEqual({ kind: 'deposed', by: { clusterUid: 'uid-of-a', epoch: 3 } });
  });

  test('takes over once, however often it is told to', async () => {
    const b = aSite('b');
    await exported(aSite('a'));
    await inTime(clock, b.takeOver());
    const count = store.history.length;
    expect(await inTime(clock, b.takeOver())).toMatchObject({ epoch: 2, before: { clusterUid: 'uid-of-b', epoch: 2 } });
    expect(writesSince(count)).toEqual([]);
  });

  test('does not take over from another export than the one that it has restored', async () => {
    const [a, b] = [aSite('a'), aSite('b')];
    await exported(a);
    const restored = manifestKey(CLUSTER, 1, 1);
    await changed(a);
    const count = store.history.length;
    await expect(inTime(clock, b.takeOver(restored))).rejects.toThrow('nothing was changed. Run it again');
    expect(writesSince(count)).toEqual([]);
    expect(await inTime(clock, b.takeOver(manifestKey(CLUSTER, 1, 2)))).toMatchObject({ epoch: 2 });
    expect(await inTime(clock, b.takeOver(restored)), 'it is the writer already').toMatchObject({ epoch: 2 });
  });

  test('does not take over from an export of the original once there is a pointer', async () => {
    store.write(exportKey(CLUSTER, SECOND - 100), aDocument(9).document);
    const b = aSite('b');
    await exported(aSite('a'));
    const count = store.history.length;
    await expect(inTime(clock, b.takeOver(null))).rejects.toThrow('nothing was changed. Run it again');
    expect(writesSince(count)).toEqual([]);
    for (const key of store.keys('.holdfast/')) store.write(key, undefined);
    expect(await inTime(clock, b.takeOver(null))).toMatchObject({ epoch: 1 });
  });

  test('takes over under a higher epoch than any that it knows of, also in a store that knows of none', async () => {
    expect(await inTime(clock, aSite('b').takeOver(undefined, 6))).toMatchObject({ epoch: 7 });
  });

  test('may take over where nobody has written yet', async () => {
    expect(await inTime(clock, aSite('b').takeOver())).toMatchObject({ epoch: 1, before: undefined, newest: null });
  });

  test('takes over from one whose pointer got lost with a higher epoch', async () => {
    await exported(aSite('a'));
    const { newest: before, confirmedAt } = pointer();
    await clock.advance(5000);
    store.write(pointerKey(CLUSTER), undefined);
    const b = aSite('b');
    expect(await inTime(clock, b.takeOver())).toMatchObject({ epoch: 2, before: { clusterUid: 'uid-of-a', epoch: 1 } });
    expect(pointer()).toMatchObject({ newest: before, confirmedAt });
    expect(await exported(b)).toMatchObject({ status: { sequence: 2, epoch: 2 } });
  });

  test('that is deposed in the middle of an export takes back what it has written', async () => {
    const [a, b] = [aSite('a'), aSite('b')];
    await exported(a);
    const hold = Promise.withResolvers<void>();
    store.inject({ who: 'a', verb: 'put', key: pointerKey(CLUSTER) }, { kind: 'delay', until: hold.promise });
    a.edition += 1;
    const late = a.export();
    await clock.advance(5000);
    expect(exportKeys()).toHaveLength(2);
    await inTime(clock, b.takeOver());
    hold.resolve();
    expect(await inTime(clock, late)).toEqual({ kind: 'deposed', by: { clusterUid: 'uid-of-b', epoch: 2 } });
    expect(exportKeys()).toEqual([exportKey(CLUSTER, SECOND)]);
    expect(store.keys('.holdfast/prod/manifests/')).toEqual([manifestKey(CLUSTER, 1, 1)]);
  });

  test('that is deposed before it has exported anything leaves nothing that the other one builds upon', async () => {
    const [a, b] = [aSite('a'), aSite('b')];
    const hold = Promise.withResolvers<void>();
    store.inject({ who: 'a', verb: 'put', key: pointerKey(CLUSTER), nth: 2 }, { kind: 'delay', until: hold.promise });
    const late = a.export();
    await clock.advance(5000);
    await inTime(clock, b.takeOver());
    expect(await exported(b)).toMatchObject({ kind: 'exported', status: { epoch: 2 } });
    expect(newest().previous).toBeNull();
    hold.resolve();
    expect(await inTime(clock, late)).toMatchObject({ kind: 'foreign', by: { clusterUid: 'uid-of-b' } });
  });

  test('that finds its own cluster ahead looks again, and goes on from there', async () => {
    const [a, twin] = [aSite('a'), aSite('a')];
    await exported(a);
    const hold = Promise.withResolvers<void>();
    store.inject({ who: 'a', verb: 'put', key: pointerKey(CLUSTER) }, { kind: 'delay', until: hold.promise });
    a.edition = 2;
    const late = a.export();
    await clock.advance(5000);
    twin.edition = 3;
    expect(await exported(twin)).toMatchObject({ kind: 'exported', status: { sequence: 3 } });
    hold.resolve();
    expect(await inTime(clock, late)).toMatchObject({ kind: 'exported', status: { sequence: 4 } });
    expect(exportKeys()).toHaveLength(4);
  });

  test('gives up for now when the pointer moves all the time', async () => {
    const site = aSite();
    await exported(site);
    store.inject({ verb: 'put', key: pointerKey(CLUSTER), times: 100 }, { kind: 'fail', as: 'preconditionFailed' });
    await expect(changed(site)).rejects.toMatchObject({ name: 'Retry' });
  });
});

describe('a reply that gets lost', () => {
  test.each(['get', 'head', 'put', 'list', 'remove'] as const)(
    'to a %s leaves a state that the next run goes on from',
    async (verb) => {
      for (let nth = 1; nth < 12; nth += 1) {
        store = new SimulatedStore(clock);
        const site = aSite();
        store.inject({ verb, nth }, { kind: 'lost-reply' });
        await exported(site).catch(() => {});
        await changed(site).catch(() => {});
        store.heal();
        await exported(site);
        expect(await newestDocument()).toEqual(aDocument(2).document);
        expect(await exported(site)).toMatchObject({ kind: 'unchanged' });
      }
    },
  );

  test('to a move of the pointer is resolved by looking', async () => {
    const site = aSite();
    await exported(site);
    store.inject({ verb: 'put', key: pointerKey(CLUSTER) }, { kind: 'lost-reply' });
    expect(await changed(site)).toMatchObject({ kind: 'exported', status: { sequence: 2 } });
    store.inject({ verb: 'put', key: pointerKey(CLUSTER) }, { kind: 'fail' });
    await expect(changed(site)).rejects.toMatchObject({ fault: 'unavailable' });
    expect(pointer().newest?.sequence).toBe(2);
  });

  test('to a move of the pointer removes nothing, although the store shows an older one for a while', async () => {
    const through: SiteParts['through'] = (inner) => ({
      ...clientOf(inner),
      async put(key, content, options) {
        const stored = await inner.put(key, content, options);
        const isRepeated = key === pointerKey(CLUSTER) && newest().sequence === 2;
        return isRepeated ? await inner.put(key, content, options) : stored;
      },
    });
    await exported(aSite());
    await clock.advance(5000);
    const site = aSite('a', { through });
    site.edition = 2;
    store.inject({ verb: 'get', key: pointerKey(CLUSTER), nth: 2, times: 2 }, { kind: 'stale', behindMs: 3000 });
    expect(await exported(site)).toMatchObject({ kind: 'unchanged', status: { sequence: 2 } });
    expect(await newestDocument()).toEqual(aDocument(2).document);
  });

  test('to a takeover is, too', async () => {
    await exported(aSite('a'));
    const b = aSite('b');
    store.inject({ verb: 'put', key: pointerKey(CLUSTER) }, { kind: 'lost-reply' });
    expect(await inTime(clock, b.takeOver())).toMatchObject({ epoch: 2, before: { clusterUid: 'uid-of-a' } });
  });

  test('to a client that repeats its request by itself is no conflict', async () => {
    const through: SiteParts['through'] = (inner) => ({
      ...clientOf(inner),
      async put(key, content, options) {
        const stored = await inner.put(key, content, options);
        const isRepeated = key.startsWith('.holdfast/') || exportKeys().length === 1;
        return isRepeated ? await inner.put(key, content, options) : stored;
      },
    });
    const site = aSite('a', { through });
    expect(await exported(site)).toMatchObject({ kind: 'exported', fenced: true });
    expect(await changed(site)).toMatchObject({ kind: 'exported', status: { sequence: 2 } });
    expect(exportKeys()).toHaveLength(3);
  });
});

describe('a store that does not know conditions', () => {
  test.each([
    ['and ignores them', { kind: 'no-conditions' }],
    ['and says so', { kind: 'fail', as: 'unsupported' }],
  ] as const)('%s is used without the claim that it fences', async (_what, fault) => {
    const through: SiteParts['through'] = (inner) => ({
      ...clientOf(inner),
      put(key, content, { condition, ...options }) {
        if (condition && fault.kind === 'fail') return inner.put(key, content, { ...options, condition });
        return inner.put(key, content, options);
      },
    });
    if (fault.kind === 'fail') store.inject({ verb: 'put', times: 1, key: /probes/ }, fault);
    const site = aSite('a', { through });
    expect(await exported(site)).toMatchObject({ kind: 'exported', fenced: false });
    if (fault.kind === 'fail') return;
    expect(await changed(site)).toMatchObject({ kind: 'exported', fenced: false });
    expect(exportKeys()).toHaveLength(2);
    expect(await exported(aSite('b', { through }))).toMatchObject({ kind: 'foreign' });
    expect(await inTime(clock, aSite('b', { through }).takeOver())).toMatchObject({ epoch: 2, fenced: false });
  });

  test('is tried again for them once an hour, and found out when it has learned them', async () => {
    let knows = false;
    const through: SiteParts['through'] = (inner) => ({
      ...clientOf(inner),
      put: (key, content, { condition, ...options }) =>
        inner.put(key, content, { ...options, ...(knows && condition && { condition }) }),
    });
    const site = aSite('a', { through });
    const tries = () =>
      new Set(store.calls.filter(({ verb, key }) => verb === 'put' && key.includes('/probes/')).map(({ key }) => key))
        .size;
    for (let exports = 0; exports < 3; exports += 1) expect(await changed(site)).toMatchObject({ fenced: false });
    expect(tries()).toBe(1);
    knows = true;
    await clock.advance(3_600_000);
    expect(await changed(site)).toMatchObject({ fenced: true });
    expect(await changed(site)).toMatchObject({ fenced: true });
    expect(tries()).toBe(2);
  });

  test('is not taken for one because it cannot be reached', async () => {
    const site = aSite();
    store.inject({ verb: 'put', key: /probes/ }, { kind: 'fail' });
    await expect(exported(site)).rejects.toMatchObject({ fault: 'unavailable' });
    expect(await exported(site)).toMatchObject({ fenced: true });
  });
});

describe('what somebody did to the store', () => {
  test.each(['{}', 'garbage', writePointer(aPointer({ cluster: 'staging' }), undefined).toString()])(
    'is not written over: a pointer that says %s',
    async (text) => {
      store.write(pointerKey(CLUSTER), text);
      const exporting = exported(aSite());
      await expect(exporting).rejects.toMatchObject({ name: 'RecordIsUnreadable' });
      await expect(exporting).rejects.toThrow(
        /^\.holdfast\/prod\/pointer\.json in the simulated store: .* move it away/,
      );
      await expect(inTime(clock, aSite('b').takeOver())).rejects.toMatchObject({ name: 'RecordIsUnreadable' });
      expect(writesSince(1)).toEqual([]);
    },
  );

  test('is gone on from: a pointer that got lost', async () => {
    const site = aSite();
    await exported(site);
    const before = pointer();
    await clock.advance(5000);
    store.write(pointerKey(CLUSTER), undefined);
    store.inject({ verb: 'head' }, { kind: 'lost-reply' });
    await expect(exported(site)).rejects.toMatchObject({ fault: 'unavailable' });
    expect(await exported(site)).toMatchObject({ kind: 'unchanged', status: { sequence: 1 } });
    expect(pointer()).toEqual({ ...before, confirmedAt: clock.now().toISOString() });
    store.write(pointerKey(CLUSTER), undefined);
    expect(await changed(site)).toMatchObject({ kind: 'exported', status: { sequence: 2 } });
    expect(newest().previous).toEqual(before.newest);
  });

  test('is not built upon: what a pointer that got lost may have named, once it is gone itself', async () => {
    const site = aSite();
    await exported(site);
    store.write(newest().export.key, undefined);
    store.write(pointerKey(CLUSTER), undefined);
    expect(await exported(site)).toMatchObject({ kind: 'exported', status: { sequence: 2 } });
    expect(newest().previous).toBeNull();
  });

  test('does not let another cluster in: a pointer that got lost', async () => {
    await exported(aSite('a'));
    store.write(pointerKey(CLUSTER), undefined);
    const count = store.history.length;
    expect(await exported(aSite('b'))).toEqual({ kind: 'foreign', by: { clusterUid: 'uid-of-a', epoch: 1 } });
    expect(store.history.slice(count), 'not even to try what the store can do').toEqual([]);
  });

  test('is for a person to look at: a pointer that got lost, and a last manifest that cannot be read', async () => {
    await exported(aSite());
    store.write(pointerKey(CLUSTER), undefined);
    store.write(manifestKey(CLUSTER, 1, 2), 'garbage');
    await expect(exported(aSite())).rejects.toThrow(/0000000002\.json in the simulated store.*move it away/);
  });

  test('is passed by: a manifest that is where the next would be', async () => {
    const site = aSite();
    await exported(site);
    store.write(manifestKey(CLUSTER, 1, 2), 'garbage');
    expect(await changed(site)).toMatchObject({ kind: 'exported', status: { sequence: 3 } });
    expect(body(manifestKey(CLUSTER, 1, 2)).toString()).toBe('garbage');
  });

  test('is answered by a new epoch: an earlier state of it', async () => {
    const site = aSite();
    await exported(site);
    const earlier = store.keys().map((key) => [key, body(key)] as const);
    const b = aSite('b');
    await inTime(clock, b.takeOver());
    await exported(b);
    await inTime(clock, site.takeOver());
    expect(await changed(site)).toMatchObject({ status: { epoch: 3, sequence: 3 } });
    for (const key of store.keys()) store.write(key, undefined);
    for (const [key, content] of earlier) store.write(key, content);
    site.edition = 1;
    site.restart();
    expect(await exported(site)).toMatchObject({ kind: 'exported', status: { epoch: 4, sequence: 4 } });
  });

  test('does not matter to a cluster whose own state is an earlier one', async () => {
    const site = aSite();
    await exported(site);
    const { status } = site;
    await changed(site);
    site.restart();
    site.status = status;
    expect(await exported(site)).toMatchObject({ kind: 'unchanged', status: { sequence: 2 } });
    site.restart();
    site.status = undefined;
    expect(await changed(site)).toMatchObject({ kind: 'exported', status: { sequence: 3 } });
  });

  test.each([HIGHEST_COUNT, Number.MAX_SAFE_INTEGER])(
    'does not lead to an epoch that nobody could read, nor to one that does not grow: %i',
    async (epoch) => {
      await exported(aSite());
      const before = body(pointerKey(CLUSTER));
      await expect(inTime(clock, aSite('b').takeOver(undefined, epoch))).rejects.toThrow(
        `the epoch of ${CLUSTER} is ${epoch}, and none can come after 9999999999: nothing was changed`,
      );
      if (epoch === HIGHEST_COUNT) {
        store.write(pointerKey(CLUSTER), writePointer({ ...pointer(), epoch }, undefined));
        await expect(inTime(clock, aSite('b').takeOver())).rejects.toMatchObject({ name: 'RecordIsUnreadable' });
        expect(pointer().epoch).toBe(epoch);
      } else expect(body(pointerKey(CLUSTER))).toEqual(before);
      store.write(pointerKey(CLUSTER), before);
      const behind = aSite();
      behind.status = { key: exportKey(CLUSTER, SECOND), sha256: 'ab', exportedAt: '', epoch, sequence: 1 };
      await expect(changed(behind)).rejects.toThrow('nothing was changed');
    },
  );

  test('does not lead to a sequence that nobody could read', async () => {
    const site = aSite();
    await exported(site);
    const forged = writeManifest({ ...newest(), sequence: HIGHEST_COUNT }, undefined);
    const key = manifestKey(CLUSTER, 1, HIGHEST_COUNT);
    store.write(key, forged);
    const named = { key, sha256: sha256(forged), sequence: HIGHEST_COUNT };
    store.write(pointerKey(CLUSTER), writePointer({ ...pointer(), newest: named }, undefined));
    const count = store.history.length;
    await expect(changed(aSite())).rejects.toThrow(/^the sequence of Prod is 9999999999.*nothing was changed/);
    expect(writesSince(count)).toEqual([]);
  });

  test('is not known of another name: what the status says of that is forgotten', async () => {
    const site = aSite();
    site.status = { key: 'other/1_storage_objects.json', sha256: 'ab', exportedAt: '', epoch: 7, sequence: 70 };
    expect(await exported(site)).toMatchObject({ kind: 'exported', status: { epoch: 1, sequence: 1 } });
  });
});

describe('a run that is ended', () => {
  test('ends, and the next one goes on', async () => {
    const site = aSite();
    store.inject({ verb: 'put', key: manifestKey(CLUSTER, 1, 1) }, { kind: 'hang' });
    const ended = site.export();
    await clock.advance(1000);
    site.restart();
    await expect(ended).rejects.toThrow('the process was ended');
    expect(await exported(site)).toMatchObject({ kind: 'exported', status: { sequence: 1 } });
  });
});

/** The methods of a client, to put something around some of them. */
function clientOf(inner: ReturnType<SimulatedStore['as']>) {
  return {
    description: inner.description,
    get: inner.get.bind(inner),
    head: inner.head.bind(inner),
    put: inner.put.bind(inner),
    list: inner.list.bind(inner),
    remove: inner.remove.bind(inner),
    close: inner.close.bind(inner),
  };
}
