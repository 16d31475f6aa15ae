import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { keyOfObject } from '../../kit/kube/resource.ts';
import { ENV, type SyncStatus } from '../contract.ts';
import { type Keys, keysFrom, NO_KEYS } from '../export/keys.ts';
import { exportKey, manifestKey, pointerKey } from '../export/names.ts';
import { encryptionText, sampleKeys, signingPair } from '../export/sample-keys.ts';
import { SimulatedStore } from '../store/simulated-store.ts';
import { aPair, aVolume, pairs, together } from './builders.ts';
import type { Found } from './found.ts';
import { findExport, type Looking } from './newest.ts';
import { CLUSTER, ProtectedSite } from './protected-site.ts';

const signal = new AbortController().signal;
let clock: VirtualClock;
let store: SimulatedStore;
let site: ProtectedSite;

beforeEach(() => {
  clock = new VirtualClock();
  store = new SimulatedStore(clock);
  site = new ProtectedSite({ clock, store });
});

const look = (looking: Partial<Looking> = {}): Promise<Found> =>
  findExport(
    {
      store: store.as('recovery'),
      spec: { protectedCluster: CLUSTER },
      status: undefined,
      keys: NO_KEYS,
      now: clock.now(),
      ...looking,
    },
    signal,
  );

const found = async (looking: Partial<Looking> = {}): Promise<Extract<Found, { kind: 'export' }>> => {
  const result = await look(looking);
  if (result.kind !== 'export') throw new Error(`no export: ${JSON.stringify(result)}`);
  return result;
};

/** What the status says once an export was restored. */
function statusOf({
  key,
  sha256,
  exportedAt,
  epoch,
  sequence,
  pointerSeen,
}: Awaited<ReturnType<typeof found>>): SyncStatus {
  const place = epoch === undefined || sequence === undefined ? {} : { epoch, sequence };
  return { pointerSeen, export: { key, sha256, exportedAt, ...place } };
}

const seenOf = ({ key, sha256, epoch, sequence }: Omit<Awaited<ReturnType<typeof found>>, 'manifestSha256'>) => ({
  key,
  sha256,
  ...(epoch !== undefined && { epoch }),
  ...(sequence !== undefined && { sequence }),
});

const factOf = (result: Found): string => (result.kind === 'refused' ? result.fact : result.kind);
const later = () => clock.advance(60_000);

describe('the export that the pointer names', () => {
  test('is found, with all that is told of it', async () => {
    const { export: record, createdAt } = await site.exports(pairs(2));
    await later();
    site.confirms();
    const { document, outline, ...rest } = await found();
    expect([...document.volumes].map(keyOfObject)).toEqual(['v0', 'v1']);
    expect([...outline.claims.keys()]).toEqual(['apps/v0', 'apps/v1']);
    expect(rest).toMatchObject({
      key: record.key,
      sha256: record.sha256,
      exportedAt: createdAt,
      confirmedAt: clock.now().toISOString(),
      epoch: 1,
      sequence: 1,
      pointerSeen: true,
    });
  });

  test.each([
    ['compressed', { compression: 'Gzip', encryption: 'None' }],
    ['encrypted', { compression: 'None', encryption: 'AES-256-GCM' }],
    ['both', { compression: 'Gzip', encryption: 'AES-256-GCM' }],
  ] as const)('is found when it is %s and signed', async (_how, encoding) => {
    const keys = sampleKeys();
    await new ProtectedSite({ clock, store, keys, encoding }).exports(pairs(2));
    const { document } = await found({ keys, spec: { protectedCluster: 'PROD', signed: true } });
    expect(document.counts.volumes).toBe(2);
  });

  test('costs one conditional request when nothing is new', async () => {
    await site.exports(pairs(2));
    const { etag } = await found();
    const before = store.calls.length;
    expect(await look({ etag })).toEqual({ kind: 'unchanged' });
    expect(store.calls.slice(before).map(({ verb, key }) => [verb, key])).toEqual([['get', pointerKey(CLUSTER)]]);
  });

  test('costs one request when it is only said again that it is up to date', async () => {
    await site.exports(pairs(2));
    const { etag } = await found();
    await later();
    site.confirms();
    const before = store.calls.length;
    const again = await look({ etag });
    expect(again).toMatchObject({ kind: 'confirmed', confirmedAt: clock.now().toISOString() });
    expect(store.calls.length - before).toBe(1);
    expect(await look({ etag: again.kind === 'confirmed' ? again.etag : '' })).toEqual({ kind: 'unchanged' });
  });

  test('is no younger than the store says, whatever the clock of its writer says', async () => {
    await site.exports(pairs(2));
    const confirmedAt = new Date(clock.now().getTime() + 86_400_000).toISOString();
    site.confirms({ confirmedAt });
    const { etag, ...first } = await found();
    expect(first.confirmedAt).toBe(clock.now().toISOString());
    await later();
    site.confirms({ confirmedAt: confirmedAt.replace('.000Z', '.001Z') });
    expect(await look({ etag })).toMatchObject({ kind: 'confirmed', confirmedAt: clock.now().toISOString() });
  });

  test('is read again by who has no ETag any more', async () => {
    await site.exports(pairs(2));
    const status = statusOf(await found());
    expect((await found({ status })).document.counts.volumes).toBe(2);
  });

  test('is the next one, when there is a next one', async () => {
    await site.exports(pairs(2));
    const first = await found();
    await later();
    await site.exports(pairs(3));
    expect((await found({ etag: first.etag, status: statusOf(first) })).sequence).toBe(2);
  });

  test('is the newest one after many that were not looked at, some of which were never finished', async () => {
    await site.exports(pairs(2));
    const status = statusOf(await found());
    for (let count = 3; count < 8; count++) {
      await later();
      await site.exports(pairs(count));
      site.sequence += 1;
      store.write(manifestKey(CLUSTER, 1, site.sequence), 'half');
    }
    expect((await found({ status })).document.counts.volumes).toBe(7);
  });

  test('may be of another cluster that has taken over', async () => {
    await site.exports(pairs(2));
    const status = statusOf(await found());
    site.epoch = 2;
    site.clusterUid = 'uid-of-another';
    await later();
    site.confirms();
    expect((await found({ status })).epoch).toBe(1);
    await site.exports(pairs(3));
    expect(await found({ status })).toMatchObject({ epoch: 2, sequence: 2 });
  });

  test('follows on what retention has removed, too', async () => {
    await site.exports(pairs(2));
    const status = statusOf(await found());
    await later();
    await site.exports(pairs(3));
    store.write(manifestKey(CLUSTER, 1, 1), undefined);
    expect((await found({ status })).sequence).toBe(2);
  });
});

describe('it is waited for', () => {
  test('a cluster that has exported nothing', async () => {
    expect(await look()).toEqual({
      kind: 'waiting',
      pointerSeen: false,
      why: `there is no export under ${CLUSTER}/ yet`,
    });
  });

  test('a cluster that has only taken over', async () => {
    site.confirms();
    expect(await look()).toMatchObject({ kind: 'waiting', pointerSeen: true });
  });

  test('the manifest', async () => {
    await site.exports(pairs(2));
    store.write(manifestKey(CLUSTER, 1, 1), undefined);
    expect(await look()).toMatchObject({ kind: 'waiting', pointerSeen: true });
  });

  test('the export', async () => {
    const { export: record } = await site.exports(pairs(2));
    store.write(record.key, undefined);
    const result = await look();
    expect(result).toMatchObject({ kind: 'waiting', pointerSeen: true });
    expect(result.kind === 'waiting' && result.why).toContain(record.key);
  });

  test('a pointer that has gone, although there are exports as the original makes them', async () => {
    await site.exports(pairs(2));
    const status = statusOf(await found());
    store.write(pointerKey(CLUSTER), undefined);
    await later();
    site.exportsAsTheOriginal(pairs(9));
    for (const known of [{ export: status.export } as SyncStatus, { pointerSeen: true }])
      expect(await look({ status: known })).toMatchObject({ kind: 'waiting', pointerSeen: true });
  });

  test('and found when it comes', async () => {
    await look();
    await site.exports(pairs(2));
    expect((await found()).pointerSeen).toBe(true);
  });
});

describe('an export is not believed', () => {
  test('that has no volumes', async () => {
    await site.exports({ claims: pairs(2).claims });
    expect(factOf(await look())).toBe('exportHasNoVolumes');
  });

  test.each([
    ['truncated', (body: Buffer) => body.subarray(0, body.length / 2), 'exportIsTruncated'],
    ['empty', () => Buffer.alloc(0), 'exportIsTruncated'],
    ['longer than it was', (body: Buffer) => Buffer.concat([body, body]), 'exportIsTooLarge'],
    ['another one', (body: Buffer) => Buffer.from(body.toString().replaceAll('v0', 'v7')), 'exportIsMalformed'],
  ])('that is %s', async (_how, change, fact) => {
    const { export: record } = await site.exports(pairs(2));
    store.write(record.key, change(store.body(record.key) ?? Buffer.alloc(0)));
    expect(factOf(await look())).toBe(fact);
  });

  test.each([
    ['empty', '', 'exportIsEmpty'],
    ['a page of a proxy', '<html>', 'exportIsForeign'],
    ['a list', '[]', 'exportIsForeign'],
    ['cut off', bodyText().slice(0, -5), 'exportIsTruncated'],
    ['without its lists', '{}', 'exportIsForeign'],
    ['full of something else', bodyText().replaceAll('"PersistentVolume"', '"Secret"'), 'exportIsForeign'],
    ['in another alphabet', bodyText().replaceAll('v0', 'ｖ0'), 'exportIsForeign'],
  ])('that was written as it is, and is %s', async (_how, text, fact) => {
    await site.exports(Buffer.from(text), { counts: { storageClasses: 0, volumes: 1, claims: 1 } });
    expect(factOf(await look())).toBe(fact);
  });

  test('in which an object is twice', async () => {
    await site.exports(together(aPair('a'), aPair('a')));
    expect(factOf(await look())).toBe('exportIsMalformed');
  });

  test('that has not as many objects as its manifest says', async () => {
    await site.exports(pairs(2), { counts: { storageClasses: 0, volumes: 2, claims: 1 } });
    expect(factOf(await look())).toBe('countsDiffer');
  });

  test('that is larger than any export', async () => {
    const record = {
      key: exportKey(CLUSTER, 1),
      sha256: 'ab'.repeat(32),
      compression: 'None',
      encryption: 'None',
      keyId: null,
    } as const;
    const bytes = 1024 ** 4;
    await site.exports(pairs(1), { export: { ...record, bytes, plain: { sha256: record.sha256, bytes } } });
    expect(factOf(await look())).toBe('recordIsMalformed');
  });

  test('whose pointer is longer than any pointer', async () => {
    store.write(pointerKey(CLUSTER), 'x'.repeat(100_000));
    expect(await look()).toMatchObject({ fact: 'exportIsTooLarge', pointerSeen: true });
  });

  test('whose pointer is no pointer, although there are exports as the original makes them', async () => {
    site.exportsAsTheOriginal(pairs(2));
    store.write(pointerKey(CLUSTER), 'rubbish');
    expect(await look()).toMatchObject({ fact: 'recordIsMalformed', pointerSeen: true });
  });

  test('of another cluster', async () => {
    await site.exports(pairs(2));
    site.confirms({ cluster: 'staging' });
    expect(factOf(await look())).toBe('recordIsOfAnotherCluster');
  });

  test('whose manifest is not the one that the pointer names', async () => {
    await site.exports(pairs(2));
    site.confirms({ newest: { key: manifestKey(CLUSTER, 1, 1), sha256: 'ab'.repeat(32), sequence: 1 } });
    expect(factOf(await look())).toBe('manifestIsTampered');
  });

  test('whose manifest says that it is another one', async () => {
    await site.exports(pairs(2), { sequence: 7 });
    expect(factOf(await look())).toBe('manifestIsTampered');
  });

  test('whose pointer and manifest are of two clusters', async () => {
    await site.exports(pairs(2));
    site.confirms({ clusterUid: 'uid-of-another' });
    expect(factOf(await look())).toBe('writerIsForeign');
  });
});

function bodyText(): string {
  const texts = {
    storage_classes: [],
    persistent_volumes: pairs(1).volumes,
    persistent_volume_claims: pairs(1).claims,
  };
  return JSON.stringify(texts);
}

describe('an export is not believed after another one', () => {
  let status: SyncStatus;
  let old: Buffer | undefined;

  beforeEach(async () => {
    await site.exports(pairs(2));
    old = store.body(pointerKey(CLUSTER));
    await later();
    await site.exports(pairs(3));
    status = statusOf(await found());
    await later();
  });

  test('when it is an older one that is shown again', async () => {
    store.write(pointerKey(CLUSTER), old);
    expect(factOf(await look({ status }))).toBe('sequenceWentBack');
  });

  test('when its writer was deposed', async () => {
    site.epoch = 2;
    await site.exports(pairs(4));
    const after = statusOf(await found({ status }));
    site.epoch = 1;
    site.clusterUid = 'uid-of-prod';
    await site.exports(pairs(5));
    expect(factOf(await look({ status: after }))).toBe('epochWentBack');
  });

  test('when another one is in its place', async () => {
    site.sequence = 1;
    site.previous = null;
    await site.exports(pairs(9));
    expect(factOf(await look({ status }))).toBe('exportWasReplaced');
  });

  test('when it is of another cluster that has not taken over', async () => {
    site.clusterUid = 'uid-of-another';
    await site.exports(pairs(9));
    expect(factOf(await look({ status }))).toBe('writerIsForeign');
  });

  test('when the cluster that has taken over does not know it', async () => {
    site.epoch = 2;
    site.clusterUid = 'uid-of-another';
    site.previous = { key: manifestKey(CLUSTER, 1, 1), sha256: 'ab'.repeat(32), sequence: 1 };
    await site.exports(pairs(9));
    expect(factOf(await look({ status }))).toBe('chainIsBroken');
  });

  test('when what that cluster has written before does not lead there', async () => {
    site.epoch = 2;
    site.clusterUid = 'uid-of-another';
    site.previous = null;
    await site.exports(pairs(8));
    await later();
    await site.exports(pairs(9));
    expect(factOf(await look({ status }))).toBe('chainIsBroken');
  });

  test('but is, when the same cluster goes on from an older pointer that was put back', async () => {
    site.previous = { key: manifestKey(CLUSTER, 1, 1), sha256: 'ab'.repeat(32), sequence: 1 };
    await site.exports(pairs(9));
    expect((await found({ status })).sequence).toBe(3);
  });

  test('and is, when the cluster that has taken over has exported more than once since', async () => {
    site.epoch = 2;
    site.clusterUid = 'uid-of-another';
    for (const count of [4, 5, 6]) {
      await site.exports(pairs(count));
      await later();
    }
    expect((await found({ status })).sequence).toBe(5);
  });

  test('when what was restored is said to have been something else', async () => {
    const { export: last } = status;
    await site.exports(pairs(4));
    expect(factOf(await look({ status: { ...status, export: { ...last, sha256: 'cd'.repeat(32) } as never } }))).toBe(
      'chainIsBroken',
    );
  });

  test('but is, when what was restored is of another name: its sequences are not these', async () => {
    const { export: last } = status;
    const other = { ...last, key: exportKey('staging', 1), epoch: 7, sequence: 900 } as never;
    expect((await found({ status: { pointerSeen: true, export: other } })).sequence).toBe(site.sequence);
  });

  test('but is, when the manifest of that one was damaged since, as when it is gone', async () => {
    await site.exports(pairs(4));
    store.write(manifestKey(CLUSTER, 1, 2), 'rubbish');
    expect((await found({ status })).sequence).toBe(3);
    store.write(manifestKey(CLUSTER, 1, 2), undefined);
    expect((await found({ status })).sequence).toBe(3);
  });

  test('when that one could not be restored, but was seen', async () => {
    const { manifestSha256 = '', ...last } = await found();
    const seen = { cluster: CLUSTER, pointer: true, newest: { ...seenOf(last), manifestSha256 } };
    store.write(pointerKey(CLUSTER), old);
    expect(factOf(await look({ status: { seen } }))).toBe('sequenceWentBack');
  });

  test('when another manifest is in its place', async () => {
    const last = await found();
    const newest = { ...seenOf(last), manifestSha256: 'cd'.repeat(32) };
    const result = await look({ status: { seen: { cluster: CLUSTER, pointer: true, newest } } });
    expect(factOf(result)).toBe('exportWasReplaced');
  });

  test('and heals by itself', async () => {
    const now = store.body(pointerKey(CLUSTER));
    store.write(pointerKey(CLUSTER), old);
    expect((await look({ status })).kind).toBe('refused');
    store.write(pointerKey(CLUSTER), now);
    expect((await found({ status })).sequence).toBe(2);
  });
});

describe('keys', () => {
  const spec = { protectedCluster: CLUSTER, signed: true };
  const signed = { trusted: signingPair(), other: signingPair() };
  const signer = (pem: string): Keys => keysFrom({ [ENV.signingKey]: pem });
  const trusting = (...pems: readonly string[]): Keys => keysFrom({ [ENV.trustedKeys]: pems.join('\n') });

  test('an export that is not signed is not believed where that is required', async () => {
    await site.exports(pairs(2));
    expect(factOf(await look({ spec, keys: trusting(signed.trusted.trusted) }))).toBe('signatureIsMissing');
  });

  test('an export that is signed by somebody else is not', async () => {
    await new ProtectedSite({ clock, store, keys: signer(signed.other.signing) }).exports(pairs(2));
    expect(factOf(await look({ spec, keys: trusting(signed.trusted.trusted) }))).toBe('signerIsUnknown');
  });

  test('the first that is signed follows on what was restored before it was', async () => {
    await site.exports(pairs(2));
    const status = statusOf(await found());
    const signing = new ProtectedSite({ clock, store, keys: signer(signed.trusted.signing) });
    signing.sequence = site.sequence;
    signing.previous = site.newest;
    await later();
    await signing.exports(pairs(3));
    expect((await found({ status, spec, keys: trusting(signed.trusted.trusted) })).sequence).toBe(2);
    signing.epoch = 2;
    signing.clusterUid = 'uid-of-another';
    await later();
    await signing.exports(pairs(4));
    expect((await found({ status, spec, keys: trusting(signed.trusted.trusted) })).sequence).toBe(3);
  });

  test('one whose pointer alone is signed is not', async () => {
    await site.exports(pairs(2));
    const own = new ProtectedSite({ clock, store, keys: signer(signed.trusted.signing) });
    own.newest = site.newest;
    own.confirms();
    expect(factOf(await look({ spec, keys: trusting(signed.trusted.trusted) }))).toBe('signatureIsMissing');
  });

  test('one that was changed after it was signed is not, also where no signature is required', async () => {
    await new ProtectedSite({ clock, store, keys: signer(signed.trusted.signing) }).exports(pairs(2));
    const key = pointerKey(CLUSTER);
    store.write(key, String(store.body(key)).replace('uid-of-prod', 'uid-of-evil'));
    const keys = trusting(signed.trusted.trusted);
    expect(factOf(await look({ keys }))).toBe('signatureIsWrong');
    expect(factOf(await look({ keys, spec }))).toBe('signatureIsWrong');
  });

  test('an export that is encrypted with another key is not believed', async () => {
    const encoding = { compression: 'None', encryption: 'AES-256-GCM' } as const;
    const keys = sampleKeys();
    await new ProtectedSite({ clock, store, keys, encoding }).exports(pairs(2));
    expect(factOf(await look())).toBe('keyIsMissing');
    expect(factOf(await look({ keys: keysFrom({ [ENV.encryptionKey]: encryptionText() }) }))).toBe('keyIsUnknown');
  });

  test('an export of the original is not believed where signatures are required', async () => {
    site.exportsAsTheOriginal(pairs(2));
    expect(factOf(await look({ spec }))).toBe('exportIsUnsigned');
  });
});

describe('a cluster that never had a pointer', () => {
  test('is read as the original reads it: the newest by the time in its name', async () => {
    await later();
    const now = site.seconds;
    site.exportsAsTheOriginal(pairs(3), now);
    await later();
    site.exportsAsTheOriginal(pairs(2), now - 30);
    expect(await found()).toMatchObject({
      key: exportKey(CLUSTER, now),
      exportedAt: new Date(now * 1000).toISOString().replace('.000Z', 'Z'),
      pointerSeen: false,
    });
  });

  test('by time, and not in the order of text', async () => {
    site.exportsAsTheOriginal(pairs(1), 999);
    site.exportsAsTheOriginal(pairs(2), 1_000);
    expect((await found()).key).toBe(exportKey(CLUSTER, 1_000));
  });

  test('without what is no export, or no time', async () => {
    const key = site.exportsAsTheOriginal(pairs(2), 1_000);
    for (const odd of [
      `${CLUSTER}/zzz`,
      `${CLUSTER}/02000_storage_objects.json`,
      `${CLUSTER}/2000_storage_objects.json.tmp`,
      `${CLUSTER}/sub/2000_storage_objects.json`,
      `${CLUSTER}/-2000_storage_objects.json`,
      `${CLUSTER}/999999999999_storage_objects.json`,
      `other/2000_storage_objects.json`,
    ])
      store.write(odd, 'odd');
    expect((await found()).key).toBe(key);
  });

  test('costs no download when nothing is new', async () => {
    site.exportsAsTheOriginal(pairs(2));
    const { etag } = await found();
    const before = store.calls.length;
    expect(await look({ etag })).toEqual({ kind: 'unchanged' });
    expect(store.calls.slice(before).map(({ verb }) => verb)).toEqual(['get', 'list', 'get']);
  });

  test('is read again when its export was overwritten within the same second', async () => {
    const key = site.exportsAsTheOriginal(pairs(2));
    const first = await found();
    site.exportsAsTheOriginal(pairs(3));
    expect(await found({ etag: first.etag, status: statusOf(first) })).toMatchObject({ key });
  });

  test('is never taken back to an older export than the one that was restored', async () => {
    const key = site.exportsAsTheOriginal(pairs(2), 2_000);
    const first = await found();
    site.exportsAsTheOriginal(pairs(1), 1_000);
    store.write(key, undefined);
    expect(factOf(await look({ status: statusOf(first), etag: first.etag }))).toBe('exportIsOlder');
  });

  test('is not taken back by its first pointer either', async () => {
    await later();
    site.exportsAsTheOriginal(pairs(2), site.seconds + 600);
    const first = await found();
    await site.exports(pairs(1));
    expect(factOf(await look({ status: statusOf(first) }))).toBe('exportIsOlder');
  });

  test('is read by its pointer from then on', async () => {
    site.exportsAsTheOriginal(pairs(2));
    const first = await found();
    await later();
    await site.exports(pairs(3));
    site.exportsAsTheOriginal(pairs(9), site.seconds + 600);
    expect(await found({ status: statusOf(first), etag: first.etag })).toMatchObject({
      sequence: 1,
      pointerSeen: true,
    });
  });

  test.each([
    ['truncated', bodyText().slice(0, 200), 'exportIsTruncated'],
    ['empty', '', 'exportIsEmpty'],
    ['foreign', '{"hello": "world"}', 'exportIsForeign'],
    [
      'without volumes',
      JSON.stringify({ storage_classes: [], persistent_volumes: [], persistent_volume_claims: [] }),
      'exportHasNoVolumes',
    ],
  ])('is not believed when its newest export is %s', async (_how, text, fact) => {
    site.exportsAsTheOriginal(pairs(2), 1_000);
    site.exportsAsTheOriginal(text, 2_000);
    expect(factOf(await look())).toBe(fact);
  });
});

describe('a store that fails', () => {
  test.each(['unavailable', 'denied', 'noBucket', 'incomplete'] as const)('%s is told as it is', async (fault) => {
    await site.exports(pairs(2));
    for (const nth of [1, 2, 3]) {
      const rule = store.inject({ verb: 'get', nth }, { kind: 'fail', as: fault });
      await expect(look()).rejects.toMatchObject({ fault });
      store.remove(rule);
    }
    expect((await look()).kind).toBe('export');
  });

  test('an answer that is longer than anything of ours is not believed', async () => {
    await site.exports(pairs(2));
    for (const nth of [1, 2, 3]) {
      const rule = store.inject({ verb: 'get', nth }, { kind: 'fail', as: 'tooLarge' });
      expect(factOf(await look())).toBe('exportIsTooLarge');
      store.remove(rule);
    }
  });

  test('an answer that is cut off is not believed', async () => {
    await site.exports(pairs(2));
    for (const nth of [1, 2, 3]) {
      const rule = store.inject({ verb: 'get', nth }, { kind: 'torn', bytes: 100 });
      expect((await look()).kind).toBe('refused');
      store.remove(rule);
    }
    expect((await look()).kind).toBe('export');
  });

  test('a list that lags shows what is no longer there, which is told', async () => {
    const key = site.exportsAsTheOriginal(pairs(2));
    await later();
    store.write(key, undefined);
    store.inject({ verb: 'list' }, { kind: 'stale', behindMs: 30_000 });
    expect(await look()).toMatchObject({ kind: 'waiting', why: `${key} is no longer in the store` });
  });

  test('a list that lags shows what was restored before, or nothing older', async () => {
    site.exportsAsTheOriginal(pairs(2));
    await later();
    site.exportsAsTheOriginal(pairs(3));
    const first = await found();
    store.inject({ verb: 'list' }, { kind: 'stale', behindMs: 30_000 });
    expect(factOf(await look({ status: statusOf(first), etag: first.etag }))).toBe('exportIsOlder');
  });
});

test('whatever is changed in the store, nothing but what was exported is believed', async () => {
  const keys = sampleKeys();
  await new ProtectedSite({ clock, store, keys }).exports({ volumes: [aVolume('a')] });
  const spec = { protectedCluster: CLUSTER, signed: true };
  const { sha256 } = await found({ keys, spec });
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...store.keys()),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      async (key, at, by) => {
        const body = store.body(key) ?? Buffer.alloc(0);
        const changed = Buffer.from(body);
        changed[at % body.length] = (changed[at % body.length] ?? 0) ^ by;
        store.write(key, changed);
        const result = await look({ keys, spec });
        store.write(key, body);
        if (result.kind === 'export') expect(result.sha256).toBe(sha256);
        else refused += 1;
      },
    ),
    { numRuns: 400 },
  );
  expect(refused).toBeGreaterThan(350);
});

describe('a pointer that names the cluster which looks', () => {
  test('is told as that before anything else, and again when only its time has changed', async () => {
    await site.exports(pairs(2));
    const own = await look({ clusterUid: 'uid-of-prod' });
    expect(own).toMatchObject({ kind: 'own', epoch: 1 });
    const { etag = '' } = own.kind === 'own' ? own : {};
    expect(await look({ clusterUid: 'uid-of-prod', etag })).toEqual({ kind: 'unchanged' });
    await later();
    site.confirms();
    expect((await look({ clusterUid: 'uid-of-prod', etag })).kind).toBe('own');
    expect((await look({ clusterUid: 'uid-of-another', etag })).kind).toBe('export');
  });
});
