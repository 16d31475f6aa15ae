/**
 * Whole operators on two real clusters, each behind a proxy of its own in front of a real S3 server, which does to their requests what
 * networks, stores and people do: nothing that was restored is deleted or changed by it, people are told the cause, it heals by itself,
 * and there is never more than one writer.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentOf } from '../../../src/sync/export/document.ts';
import { NO_KEYS } from '../../../src/sync/export/keys.ts';
import { readManifest, readPointer } from '../../../src/sync/export/records.ts';
import type { Fault } from '../../harness/faults.ts';
import { runHoldfastIn } from '../../harness/holdfast.ts';
import type { S3Server } from '../../harness/s3-server.ts';
import {
  ALWAYS,
  refusal,
  rewrittenBody,
  type StoreMatch,
  type StoreProxy,
  shiftedDate,
  startStoreProxy,
  truncatedBody,
} from '../../harness/store-proxy.ts';
import { eventually } from '../../harness/wait.ts';
import { SYNCS } from './shipped.ts';
import { aVolume, type Site, SyncWorld, VOLUMES, type Volume } from './world.ts';

const POINTER = '.holdfast/prod/pointer.json';
const EXPORT = /^prod\//;
const MANIFEST = /^\.holdfast\/prod\/manifests\//;
const RECOVERY = { protectedCluster: 'prod', mode: 'Recovery', pollingInterval: 1 } as const;

let world: SyncWorld;
let hereway: StoreProxy;
let thereway: StoreProxy;
beforeAll(async () => {
  world = await SyncWorld.start(async (store: S3Server) => {
    hereway = await startStoreProxy(store);
    thereway = await startStoreProxy(store);
    return { here: hereway.url, there: thereway.url };
  });
  await Promise.all([world.here.startOperator(), world.there.startOperator()]);
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await hereway?.[Symbol.asyncDispose]();
  await thereway?.[Symbol.asyncDispose]();
});

/** All volumes and claims of the recovery cluster, with everything that would change if anybody wrote to them. */
const restored = async () => ({ volumes: await world.there.volumes(), claims: await world.there.claims() });
const label = (name: string, tier: string) =>
  world.here.admin.patch(`${VOLUMES}/${name}`, { metadata: { labels: { tier } } });
const isLabelled = (name: string, tier: string) =>
  eventually(async () => {
    const { metadata } = await world.there.admin.get<Volume>(`${VOLUMES}/${name}`);
    expect(metadata.labels).toHaveProperty('tier', tier);
  });

const expected = { cluster: 'prod', keys: NO_KEYS, isRequired: false };
const pointer = async () => readPointer(Buffer.from(await world.object(POINTER)), expected);
const uidOf = async ({ admin }: Site) =>
  (await admin.get<{ metadata: { uid: string } }>('/api/v1/namespaces/kube-system')).metadata.uid;

let looks = 0;
/** Reads the whole export again, as after a change of the resource. */
const looksAgain = () => world.there.change('dr', { pollingInterval: 1 + (++looks % 2) });

test('exports of the original are not taken back by a list that lags', async () => {
  const put = (seconds: number, ...names: readonly string[]) =>
    world.put(
      `legacy/${seconds}_storage_objects.json`,
      documentOf({
        storageClasses: [],
        volumes: names.map((name) => JSON.stringify(aVolume(name))),
        claims: [],
      }).toString(),
    );
  await put(1_700_000_000, 'old');
  await world.there.sync('dr', { ...RECOVERY, protectedCluster: 'legacy' });
  await world.there.says('dr', 'InSync', 'True', /1700000000/);
  await put(1_700_000_100, 'old', 'new');
  await world.there.says('dr', 'InSync', 'True', /1700000100/);
  const before = await restored();
  expect(before.volumes.map(({ metadata }) => metadata.name).toSorted()).toEqual(['new', 'old']);
  const newest = /<Contents>(?:(?!<\/Contents>).)*1700000100(?:(?!<\/Contents>).)*<\/Contents>/s;
  const lagging = (xml: string) => xml.replace(newest, '').replace('<KeyCount>2<', '<KeyCount>1<');
  thereway.inject(
    { verb: 'list', times: ALWAYS },
    rewrittenBody((body) => Buffer.from(lagging(body.toString()))),
  );
  await world.there.says('dr', 'Refused', 'True', /ExportIsOlder: .*1700000000.* is older than .*1700000100/);
  expect(await restored()).toEqual(before);
  thereway.clear();
  await world.there.says('dr', 'InSync', 'True', /1700000100/);
  expect(await restored()).toEqual(before);
  await world.there.admin.delete(`${SYNCS}/dr`);
  await eventually(async () => (await world.there.admin.request('GET', `${SYNCS}/dr`)).status === 404);
  for (const name of ['old', 'new']) await world.there.admin.delete(`${VOLUMES}/${name}`);
});

test('of two protected clusters with one name the second is refused, and has written nothing at all', async () => {
  for (const name of ['alpha', 'beta', 'gamma']) await world.here.pair(name, 'shop');
  await world.here.sync('dr', { protectedCluster: 'prod', mode: 'Protected' });
  await world.here.says('dr', 'Exported', 'True');
  const exports = (await world.keys()).filter((key) => EXPORT.test(key));
  await world.there.admin.post(VOLUMES, aVolume('foreign'));
  await world.there.sync('dr', { protectedCluster: 'PROD', mode: 'Protected' });
  await world.there.says('dr', 'Refused', 'True', /ExportsAreAnothers/);
  expect(thereway.count({ verb: 'put' })).toBe(0);
  expect((await world.keys()).filter((key) => EXPORT.test(key))).toEqual(exports);
  await world.there.admin.delete(`${VOLUMES}/foreign`);
});

describe('what goes wrong', () => {
  let first: Buffer;
  beforeAll(async () => {
    first = Buffer.from(await world.object(POINTER));
    await world.there.change('dr', RECOVERY);
    await world.there.says('dr', 'InSync', 'True');
    await label('alpha', 'silver');
    await isLabelled('alpha', 'silver');
    for (const name of ['alpha', 'beta', 'gamma']) await world.there.isBound('shop', name, name);
    await world.there.says('dr', 'InSync', 'True');
  });

  /** Until then nothing new may come to the recovery cluster. */
  const quiet = Promise.withResolvers<void>();
  const foreign = rewrittenBody(({ length }) => Buffer.alloc(length, '<html>'));
  const replaced = (from: string, by: string) =>
    rewrittenBody((body) => Buffer.from(body.toString().replaceAll(from, by)));

  const faults: readonly (readonly [string, StoreMatch, Fault, RegExp])[] = [
    ['a store that denies access', {}, refusal(403, 'AccessDenied'), /^StoreDeniesAccess: .*403 AccessDenied/],
    ['a bucket that is not there', {}, refusal(404, 'NoSuchBucket'), /^BucketIsMissing: .*NoSuchBucket/],
    ['bursts of 500', {}, refusal(500, 'InternalError'), /^StoreIsUnavailable: .*500 InternalError/],
    ['connections that are reset', {}, { fault: 'reset' }, /^StoreIsUnavailable: .*the connection broke/],
    ['a reset in the middle', { key: EXPORT }, { fault: 'cut', afterBytes: 500 }, /^AnswerIsIncomplete/],
    ['a clock that is wrong', {}, refusal(403, 'RequestTimeTooSkewed'), /^StoreIsUnavailable: .*RequestTimeTooSkewed/],
    ['a truncated export', { key: EXPORT }, truncatedBody(1000), /^ExportIsTruncated: .*it has 1000 bytes/],
    ['an empty export', { key: EXPORT }, truncatedBody(0), /^ExportIsTruncated: .*it has 0 bytes/],
    ['a tampered export', { key: EXPORT }, replaced('10.1.2.3', '10.6.6.6'), /^ExportIsMalformed: .*checksum/],
    ['a tampered manifest', { key: MANIFEST }, replaced('sequence', 'Sequence'), /^ManifestIsTampered/],
    ['something else in its place', { key: EXPORT }, foreign, /^ExportIsMalformed/],
    ['the pointer of another cluster', { key: POINTER }, replaced('prod', 'test'), /^RecordIsOfAnotherCluster/],
    ['no pointer, but something else', { key: POINTER }, replaced('payload', 'x'), /^RecordIsMalformed/],
    ['an older export that is replayed', { key: POINTER }, rewrittenBody(() => first), /^SequenceWentBack/],
  ];

  test('is told by the protected cluster, leaves nothing half, and heals', { concurrent: true }, async () => {
    const exports = async () => (await world.keys()).filter((key) => EXPORT.test(key));
    const before = await exports();
    const torn = hereway.inject({ verb: 'put', key: EXPORT }, { fault: 'torn-upload', afterBytes: 1000 });
    const denied = hereway.inject({ verb: 'put', key: POINTER, times: ALWAYS }, refusal(403, 'AccessDenied'));
    await label('alpha', 'gold');
    await world.here.says('dr', 'Exported', 'False', /^StoreIsUnavailable: .*write "prod\//);
    expect(torn.hits).toBe(1);
    expect(await exports()).toEqual(before);
    await world.here.says('dr', 'Exported', 'False', /^StoreDeniesAccess: .*403 AccessDenied/);
    await quiet.promise;
    hereway.remove(denied);
    await world.here.says('dr', 'Exported', 'True');
  });

  test('is told by the recovery cluster, touches nothing, and heals', { concurrent: true }, async () => {
    using _ = { [Symbol.dispose]: quiet.resolve };
    const before = await restored();
    for (const [what, match, fault, reason] of faults) {
      thereway.inject({ ...match, times: ALWAYS }, fault);
      await looksAgain();
      await world.there.says('dr', 'InSync', 'False', reason);
      expect(await restored(), what).toEqual(before);
      thereway.clear();
      await world.there.says('dr', 'InSync', 'True');
      expect(await restored(), `${what} is over`).toEqual(before);
    }
    for (const fault of [{ fault: 'slow', pieceBytes: 512, everyMs: 5 }, shiftedDate(3_600_000)] as const) {
      thereway.inject({ verb: 'get', times: ALWAYS }, fault);
      await looksAgain();
      await world.there.says('dr', 'InSync', 'True');
      expect(await restored(), 'slow reads, and answers that tell a wrong time').toEqual(before);
      thereway.clear();
    }
  });

  test('is over when it is over: what could not be exported meanwhile is restored', async () => {
    await isLabelled('alpha', 'gold');
    await world.there.says('dr', 'InSync', 'True');
  });
});

describe('a writer that is cut off', () => {
  test('cannot finish what it has begun when another has taken over meanwhile', async () => {
    const partition = Promise.withResolvers<void>();
    const late = hereway.inject({ verb: 'put', key: POINTER }, { fault: 'delay', until: partition.promise });
    await label('beta', 'late');
    await late.struck();
    hereway.inject({ times: ALWAYS }, { fault: 'reset' });
    const { code, stdout, stderr } = await world.there.command('failover', '--yes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('epoch 2: this cluster is the writer of prod now');
    await world.there.says('dr', 'Exported', 'True');
    partition.resolve();
    await world.here.says('dr', 'Exported', 'False', /^StoreIsUnavailable/);
    expect(await pointer()).toMatchObject({ epoch: 2, clusterUid: await uidOf(world.there) });
  });

  test('is deposed when it comes back, says so, and writes nothing, also after a restart', async () => {
    hereway.clear();
    await world.here.says('dr', 'Deposed', 'True', /has taken over under epoch 2/);
    const writes = hereway.count({ verb: 'put' });
    await world.here.killOperator();
    await label('gamma', 'late');
    await world.here.startOperator();
    const gets = hereway.count({ verb: 'get', key: POINTER });
    await eventually(() => hereway.count({ verb: 'get', key: POINTER }) > gets);
    await world.here.says('dr', 'Deposed', 'True');
    expect(hereway.count({ verb: 'put' })).toBe(writes);
  });

  test('leaves a store in which every epoch has one writer, and all is sound', async () => {
    const keys = (await world.keys()).filter((key) => MANIFEST.test(key));
    const bodies = await Promise.all(keys.map(async (key) => Buffer.from(await world.object(key))));
    const writers = Map.groupBy(
      bodies.map((body) => readManifest(body, expected)),
      ({ epoch }) => epoch,
    );
    const uids = [...writers].map(([epoch, all]) => [epoch, new Set(all.map(({ clusterUid }) => clusterUid)).size]);
    expect(uids).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(writers.get(2)?.[0]?.clusterUid).toBe(await uidOf(world.there));
    expect(await pointer()).toMatchObject({ epoch: 2, clusterUid: await uidOf(world.there) });
    const { code, stdout } = await runHoldfastIn(world.there.environment, 'sync', 'verify', '--cluster', 'prod');
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('0 broken') });
  });
});
