/** What the original exports is restored by us, what we export by it, and what it has restored is ours from then on. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { keyOfObject } from '../../kit/kube/resource.ts';
import { silentLog } from '../../kit/observe/log.ts';
import type { ExportStatus } from '../contract.ts';
import { readDocument } from '../export/document.ts';
import { NO_KEYS } from '../export/keys.ts';
import { Protector } from '../protect/apply.ts';
import { whole } from '../protect/simulated-site.ts';
import { SimulatedStore } from '../store/simulated-store.ts';
import { bodyOf, type Exported, pairs, RecoveryWorld, SYNC } from './builders.ts';
import { findExport } from './newest.ts';
import { restoredByTheOriginal } from './original-reader.ts';

const signal = new AbortController().signal;
const DAY = 24 * 3_600_000;

/** The protected side, with all that it does to a store. */
class Site {
  readonly clock = new VirtualClock();
  readonly store = new SimulatedStore(this.clock);
  readonly #protector = new Protector({
    store: this.store.as('protected'),
    keys: NO_KEYS,
    clock: this.clock,
    log: silentLog,
  });
  #known: ExportStatus | undefined;

  async exports(exported: Exported): Promise<void> {
    const document = bodyOf(exported);
    const { counts } = readDocument(document);
    const outcome = this.#protector.export(
      { ...this.#request, content: () => whole({ document, counts }), isScheduled: false },
      signal,
    );
    await this.clock.advance(5_000);
    const told = await outcome;
    if ('status' in told) this.#known = told.status;
  }

  get #request() {
    const form = { compression: 'None', encryption: 'None', isSigned: false } as const;
    return {
      cluster: 'prod',
      clusterUid: 'uid-of-prod',
      known: this.#known,
      form,
      retention: 5,
      asOf: this.clock.now(),
    };
  }

  original() {
    return restoredByTheOriginal(this.store.as('recovery'), 'prod', SYNC, signal);
  }

  async found() {
    const store = this.store.as('recovery');
    const now = this.clock.now();
    const found = await findExport(
      { store, spec: { protectedCluster: 'prod' }, status: undefined, keys: NO_KEYS, now },
      signal,
    );
    if (found.kind !== 'export') throw new Error(JSON.stringify(found));
    return found;
  }
}

const keys = (objects: readonly { readonly metadata: object }[]) => objects.map(keyOfObject).toSorted();

test('whatever we have exported, however often and however long ago, the original restores the same as we do', async () => {
  const step = fc.record({
    from: fc.nat(5),
    count: fc.integer({ min: 1, max: 6 }),
    daysLater: fc.constantFrom(0, 0, 1, 6),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const site = new Site();
      for (const { from, count, daysLater } of steps) {
        await site.clock.advance(daysLater * DAY);
        const exported = pairs(count, from);
        await site.exports(exported);
        const original = await site.original();
        expect(keys(original.volumes)).toEqual(keys(exported.volumes));
        expect(keys(original.claims)).toEqual(keys(exported.claims));
        const { key, document } = await site.found();
        expect(key).toBe(original.key);
        expect(keys([...document.volumes])).toEqual(keys(exported.volumes));
      }
    }),
    { numRuns: 40 },
  );
});

test('what we export has all that the original needs of an object', async () => {
  const site = new Site();
  await site.exports(pairs(1));
  const { namespaces, volumes, claims } = await site.original();
  expect(namespaces).toEqual(['apps']);
  expect(volumes[0]).toMatchObject({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v0', labels: { 'volumesyncs.storage.cndev.nl/recovery': SYNC } },
    spec: { nfs: { server: '10.1.2.3', path: '/export/v0' }, persistentVolumeReclaimPolicy: 'Retain' },
  });
  expect(claims[0]).toMatchObject({
    metadata: { namespace: 'apps', name: 'v0' },
    spec: { storageClassName: 'shared' },
  });
});

test('what the original exports is restored by us, each claim with the volume that it had', async () => {
  const body = readFileSync(join(import.meta.dirname, '../export/fixtures/original-export.json'));
  const document = readDocument(body);
  const exported = { volumes: [...document.volumes], claims: [...document.claims] };
  const world = new RecoveryWorld();
  const plan = await world.restore(exported);
  expect(plan.refused).toEqual([]);
  expect(plan.create).toHaveLength(exported.volumes.length + exported.claims.length);
  const names = exported.volumes.map(({ metadata }) => metadata.name);
  for (const { metadata, spec } of exported.claims) {
    const restored = world.claim(`${metadata.namespace}/${metadata.name}`);
    expect(restored?.spec?.volumeName).toBe(names.find((name) => name === spec?.volumeName));
  }
  expect(world.claims.filter(({ status }) => status?.phase === 'Bound')).toHaveLength(1);
  expect(await world.restore(exported)).toMatchObject({ create: [], change: [], remove: [], refused: [] });
});

test('what the original has restored is taken on: nobody deletes it with the resource, and claims get their volumes', async () => {
  const site = new Site();
  const exported = pairs(3);
  await site.exports(exported);
  const { volumes, claims } = await site.original();
  const world = new RecoveryWorld('apps');
  for (const object of [...volumes, ...claims]) world.has(object);
  await world.restore(exported);
  for (const { metadata } of [...world.volumes, ...world.claims]) {
    expect(metadata.ownerReferences).toEqual([]);
    expect(metadata.finalizers).toHaveLength(1);
  }
  for (const name of ['v0', 'v1', 'v2']) expect(world.claim(`apps/${name}`)?.spec?.volumeName).toBe(name);
  expect(await world.restore(exported)).toMatchObject({ disown: [], create: [], change: [], remove: [], refused: [] });
});
