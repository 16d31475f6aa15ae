import { beforeEach, describe, expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { ENV } from '../contract.ts';
import { inTime } from '../protect/in-time.ts';
import { aDocument, CLUSTER, PLAIN, SimulatedSite } from '../protect/simulated-site.ts';
import { SimulatedStore } from '../store/simulated-store.ts';
import { type Keys, keysFrom, NO_KEYS } from './keys.ts';
import type { Manifest } from './manifest.ts';
import { exportKey, manifestKey, pointerKey } from './names.ts';
import { readManifest, readPointer, sha256, writeManifest, writePointer } from './records.ts';
import { encryptionText, signingPair } from './sample-keys.ts';
import { type Finding, verifyChain } from './verify-chain.ts';

const DAY = 86_400_000;
const pair = signingPair();
const keys = keysFrom({ [ENV.encryptionKey]: encryptionText(), [ENV.signingKey]: pair.signing });

let clock: VirtualClock;
let store: SimulatedStore;
let site: SimulatedSite;
beforeEach(() => {
  clock = new VirtualClock();
  store = new SimulatedStore(clock);
  site = new SimulatedSite({ store, clock, name: 'a', keys });
});

async function changed(times = 1): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    site.edition += 1;
    await inTime(clock, site.export());
    await clock.advance(1000);
  }
}

const verified = (by: Keys = NO_KEYS, isStrict = false): Promise<Finding[]> =>
  Array.fromAsync(verifyChain(store.as('auditor'), CLUSTER, by, new AbortController().signal, { isStrict }));
const inShort = (findings: readonly Finding[]) => findings.map(({ severity, fact }) => `${severity} ${fact}`);
const brokenFacts = async (by: Keys = NO_KEYS) =>
  (await verified(by)).filter(({ severity }) => severity === 'broken').map(({ key, fact }) => ({ key, fact }));

const anybody = { cluster: CLUSTER, keys: NO_KEYS, isRequired: false };
const place = (sequence: number, epoch = 1) => manifestKey(CLUSTER, epoch, sequence);
const body = (key: string): Buffer => store.body(key) ?? expect.unreachable(`${key} is not there`);
const exportOf = (sequence: number) => readManifest(body(place(sequence)), anybody).export.key;

/** As somebody would who can write to the store: the manifest changed, and the pointer to it. */
function forge(sequence: number, parts: Partial<Manifest>): void {
  const forged = writeManifest({ ...readManifest(body(place(sequence)), anybody), ...parts }, undefined);
  store.write(place(sequence), forged);
  const pointer = readPointer(body(pointerKey(CLUSTER)), anybody);
  const newest = { key: place(sequence), sha256: sha256(forged), sequence };
  store.write(pointerKey(CLUSTER), writePointer({ ...pointer, newest }, undefined));
}

describe('a store that is looked through', () => {
  test('is sound from the pointer to the first export', async () => {
    await changed(3);
    const findings = await verified();
    expect(inShort(findings)).toEqual(['sound pointerIsSound', ...Array(3).fill('sound exportIsSound')]);
    expect(findings[1]).toMatchObject({
      key: exportOf(3),
      message: 'sequence 3 of epoch 1 with 2 volumes and 1 claims',
    });
    expect(store.history.filter(({ who }) => who === 'auditor')).toEqual([]);
  });

  test('is sound whatever the form of exports was', async () => {
    await changed();
    site.form = { compression: 'Gzip', encryption: 'AES-256-GCM', isSigned: true };
    await changed();
    expect(inShort(await verified({ ...keys, trusted: [] }))).toEqual([
      'sound pointerIsSound',
      ...Array(2).fill('sound exportIsSound'),
    ]);
  });

  test('is sound after takeovers, after retention, and after exports that were never finished', async () => {
    const b = new SimulatedSite({ store, clock, name: 'b' });
    await changed(2);
    store.inject({ verb: 'put', key: pointerKey(CLUSTER) }, { kind: 'fail' });
    await changed().catch(() => {});
    await changed();
    await inTime(clock, b.takeOver());
    await clock.advance(4 * DAY);
    await inTime(clock, b.export());
    const unused = ['note manifestIsUnused', 'note exportIsUnused'];
    const soundness = (exports: number) => ['sound pointerIsSound', ...Array(exports).fill('sound exportIsSound')];
    expect(inShort(await verified())).toEqual([...soundness(4), ...unused]);
    await clock.advance(1.5 * DAY);
    b.edition = 50;
    await inTime(clock, b.export());
    expect(inShort(await verified())).toEqual(soundness(3));
  });

  test('tells of exports of the original, and of what it would take for one', async () => {
    store.write(exportKey(CLUSTER, 1700000000), aDocument(1).document);
    store.write('prod/notes.txt', 'mine');
    expect(inShort(await verified())).toEqual(['note pointerIsMissing', 'note exportIsUnused', 'note objectIsStrange']);
  });

  test('is broken while its pointer names nothing yet', async () => {
    await inTime(clock, site.takeOver());
    expect(inShort(await verified())).toEqual(['sound pointerIsSound', 'broken nothingIsExported']);
  });

  test('tells when exports cannot be opened, but are what was written', async () => {
    site.form = { ...PLAIN, encryption: 'AES-256-GCM' };
    await changed();
    expect(inShort(await verified())).toEqual(['sound pointerIsSound', 'note keyIsMissing']);
    const other = keysFrom({ [ENV.encryptionKey]: encryptionText() });
    expect(inShort(await verified(other))).toEqual(['sound pointerIsSound', 'note keyIsUnknown']);
  });
});

describe('what is broken', () => {
  test('is an export that is gone, cut off, changed or too long', async () => {
    await changed(4);
    const all = [1, 2, 3, 4].map(exportOf);
    const [first = '', second = '', third = '', fourth = ''] = all;
    store.write(first, undefined);
    store.write(second, body(second).subarray(0, 40));
    store.write(third, Buffer.from(body(third).toString().replace('edition', 'EDITION')));
    store.write(fourth, Buffer.concat([body(fourth), Buffer.from(' ')]));
    expect(await brokenFacts()).toEqual([
      { key: fourth, fact: 'tooLarge' },
      { key: third, fact: 'exportIsMalformed' },
      { key: second, fact: 'exportIsTruncated' },
      { key: first, fact: 'exportIsMissing' },
    ]);
  });

  test('is an export of something else, although its checksum is right', async () => {
    await changed();
    const text = Buffer.from('{"storage_classes":[],"persistent_volumes":[{}],"persistent_volume_claims":[]}');
    const record = readManifest(body(place(1)), anybody).export;
    const content = { sha256: sha256(text), bytes: text.length };
    store.write(record.key, text);
    forge(1, { export: { ...record, ...content, plain: content } });
    expect(await brokenFacts()).toEqual([{ key: record.key, fact: 'exportIsForeign' }]);
  });

  test('is a manifest with other counts than its export', async () => {
    await changed();
    forge(1, { counts: { storageClasses: 0, volumes: 3, claims: 1 } });
    expect(await brokenFacts()).toEqual([{ key: exportOf(1), fact: 'exportIsMalformed' }]);
  });

  test('is a chain with a hole', async () => {
    await changed(4);
    store.write(place(2), undefined);
    expect(await brokenFacts()).toEqual([{ key: place(2), fact: 'chainIsBroken' }]);
  });

  test('is a chain with a manifest that was changed', async () => {
    await changed(4);
    store.write(place(1), 'garbage');
    expect(await brokenFacts()).toEqual([{ key: place(1), fact: 'chainIsBroken' }]);
  });

  test('is a pointer to nothing, to what was changed, or none at all', async () => {
    await changed(2);
    const manifest = body(place(2));
    store.write(place(2), undefined);
    expect(await brokenFacts()).toEqual([{ key: place(2), fact: 'newestIsMissing' }]);
    store.write(place(2), writeManifest({ ...readManifest(manifest, anybody), sequence: 9 }, undefined));
    expect(await brokenFacts()).toEqual([{ key: place(2), fact: 'newestIsMissing' }]);
    store.write(pointerKey(CLUSTER), undefined);
    expect(await brokenFacts()).toEqual([{ key: pointerKey(CLUSTER), fact: 'pointerIsMissing' }]);
    store.write(pointerKey(CLUSTER), 'garbage');
    expect(await brokenFacts()).toEqual([{ key: pointerKey(CLUSTER), fact: 'recordIsMalformed' }]);
  });

  test('is a manifest under a wrong name, or of another cluster in the same epoch', async () => {
    await changed(2);
    forge(2, { sequence: 7 });
    expect(await brokenFacts()).toEqual([{ key: place(2), fact: 'nameIsWrong' }]);
    forge(2, { sequence: 2, clusterUid: 'another' });
    expect(await brokenFacts()).toEqual([{ key: place(1), fact: 'epochHasTwoWriters' }]);
  });

  test('is nothing that a copy of a manifest under another name would hide', async () => {
    await changed(2);
    store.write(place(9), body(place(2)));
    expect(await brokenFacts()).toEqual([]);
    expect(inShort(await verified())).toContain('note manifestIsUnused');
  });

  test('is what is not signed by a trusted key, where there are some', async () => {
    const trusted = keysFrom({ [ENV.trustedKeys]: pair.trusted });
    await changed();
    expect(await brokenFacts(trusted)).toEqual([{ key: pointerKey(CLUSTER), fact: 'signatureIsMissing' }]);
    site.form = { ...PLAIN, isSigned: true };
    await changed();
    expect(await brokenFacts(trusted)).toEqual([]);
    await clock.advance(6 * DAY);
    await changed();
    expect(inShort(await verified(trusted))).toEqual(['sound pointerIsSound', ...Array(2).fill('sound exportIsSound')]);
    const other = keysFrom({ [ENV.trustedKeys]: signingPair().trusted });
    expect(await brokenFacts(other)).toEqual([{ key: pointerKey(CLUSTER), fact: 'signerIsUnknown' }]);
  });

  test('is no manifest that was not signed before signing began, unless that is asked for', async () => {
    const trusted = keysFrom({ [ENV.trustedKeys]: pair.trusted });
    await changed(2);
    site.form = { ...PLAIN, isSigned: true };
    await changed(2);
    const findings = await verified(trusted);
    expect(inShort(findings)).toEqual([
      'sound pointerIsSound',
      ...Array(2).fill('note signingBeganLater'),
      ...Array(4).fill('sound exportIsSound'),
    ]);
    expect(findings[1]).toMatchObject({
      key: place(2),
      message: `unsigned (before signing began): ${place(3)} is the first that is signed`,
    });
    const strict = (await verified(trusted, true)).filter(({ severity }) => severity === 'broken');
    expect(strict.map(({ key, fact }) => `${fact} ${key}`)).toEqual([
      `signingBeganLater ${place(2)}`,
      `signingBeganLater ${place(1)}`,
    ]);
  });

  test('is a manifest that is not signed although one before it is', async () => {
    const trusted = keysFrom({ [ENV.trustedKeys]: pair.trusted });
    await changed();
    for (const isSigned of [true, false, true]) {
      site.form = { ...PLAIN, isSigned };
      await changed();
    }
    expect(await brokenFacts(trusted)).toEqual([{ key: place(3), fact: 'signatureIsMissing' }]);
  });

  test('is a history of which nothing but the pointer is signed', async () => {
    const trusted = keysFrom({ [ENV.trustedKeys]: pair.trusted });
    await changed();
    await inTime(clock, new SimulatedSite({ store, clock, name: 'b', keys }).takeOver());
    expect(await brokenFacts(trusted)).toEqual([{ key: place(1), fact: 'signatureIsMissing' }]);
  });

  test('is told apart from a store that cannot be reached', async () => {
    await changed();
    store.inject({ verb: 'get', key: exportOf(1) }, { kind: 'fail' });
    await expect(verified()).rejects.toMatchObject({ fault: 'unavailable' });
  });
});

describe('a store without any export', () => {
  const nothing = async (cluster = CLUSTER) =>
    (await Array.fromAsync(verifyChain(store.as('auditor'), cluster, NO_KEYS, new AbortController().signal))).filter(
      ({ severity }) => severity === 'broken',
    );

  test('is nothing that could be restored, and is broken', async () => {
    expect(await nothing()).toMatchObject([{ fact: 'nothingIsExported' }]);
    await changed(1);
    for (const key of store.keys()) store.write(key, undefined);
    expect(await nothing()).toMatchObject([
      { fact: 'nothingIsExported', message: expect.stringContaining('nor of any other cluster') },
    ]);
  });

  test('of that name says which names there are', async () => {
    await changed(1);
    store.write(exportKey('original', 1_772_366_400), Buffer.from('{}'));
    store.write('somebody/else.txt', Buffer.from(''));
    const [finding] = await nothing('mistyped');
    expect(finding?.message).toContain(`there is no export of mistyped`);
    expect(finding?.message).toContain(
      `but there are some of ${[CLUSTER.toLowerCase(), 'original'].toSorted().join(', ')}`,
    );
  });

  test('of ours is well with one of the original', async () => {
    store.write(exportKey(CLUSTER, 1_772_366_400), Buffer.from('{}'));
    expect(await nothing()).toEqual([]);
  });
});
