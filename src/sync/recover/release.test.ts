import { describe, expect, test } from 'vitest';
import { settled, VirtualClock } from '../../kit/clock/virtual.ts';
import { RECOVERY_LABEL, SYNC_LABEL } from '../contract.ts';
import { aVolume, OURS, pairs, RecoveryWorld } from './builders.ts';
import { bringIntoScope, keepInScope, release } from './release.ts';

const owner = { apiVersion: 'storage.cndev.nl/v1alpha1', kind: 'PersistentVolumeSync', name: 'dr', uid: 'u' };
const other = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n' };

describe('what is released', () => {
  test('stays, without our label, finalizer and owner, and with all that is of others', async () => {
    const world = new RecoveryWorld();
    const finalizers = ['kubernetes.io/pv-protection', 'volumesyncs.storage.cndev.nl/finalizer', 'example.com/other'];
    const labels = { ...OURS, app: 'shop' };
    const before = world.has(aVolume('a', {}, { labels, finalizers, ownerReferences: [owner, other] }));
    await release(world.writing());
    expect(world.volume('a')?.metadata).toMatchObject({
      uid: before.metadata.uid,
      labels: { app: 'shop' },
      finalizers: ['kubernetes.io/pv-protection', 'example.com/other'],
      ownerReferences: [other],
    });
    expect(world.volume('a')?.metadata.labels).not.toHaveProperty(RECOVERY_LABEL);
  });

  test('is all of it, however many pages the server makes of it, by one write each', async () => {
    const world = new RecoveryWorld();
    await world.restore(pairs(7));
    world.writes.length = 0;
    const written = await release(world.writing());
    expect(written).toMatchObject({ counts: { release: 14 }, failures: [] });
    expect(world.writes).toHaveLength(14);
    expect([...world.volumes, ...world.claims].some(({ metadata }) => metadata.labels?.[RECOVERY_LABEL])).toBe(false);
    expect(await release(world.writing())).toMatchObject({ counts: { release: 0 } });
  });

  test('is nothing of another resource, or of nobody', async () => {
    const world = new RecoveryWorld();
    const theirs = [
      world.has(aVolume('theirs', {}, { labels: { [RECOVERY_LABEL]: 'another' }, ownerReferences: [owner] })),
      world.has(aVolume('mine', {}, { labels: {}, ownerReferences: [owner] })),
    ];
    await release(world.writing());
    expect(world.volumes).toEqual(theirs);
  });

  test('is released also when others write to it all the time', async () => {
    const world = new RecoveryWorld();
    await world.restore(pairs(1));
    world.change(world.volume('v0'), ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, finalizers: ['volumesyncs.storage.cndev.nl/finalizer'] },
    }));
    let writes = 0;
    world.beforeRequest = (method) => {
      if (method !== 'PATCH' || writes++ >= 2) return;
      world.change(world.volume('v0'), ({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, finalizers: [...(metadata.finalizers ?? []), `example.com/${writes}`] },
      }));
    };
    expect(await release(world.writing())).toMatchObject({ counts: { release: 2 }, failures: [] });
    expect(world.volume('v0')?.metadata.labels).not.toHaveProperty(RECOVERY_LABEL);
    expect(world.volume('v0')?.metadata.finalizers).toEqual(['example.com/1', 'example.com/2']);
  });

  test('is said not to be when it cannot be', async () => {
    const world = new RecoveryWorld();
    await world.restore(pairs(1));
    world.beforeRequest = (method) => {
      const object = world.volume('v0');
      if (method === 'PATCH') world.change(object, (one) => ({ ...one, status: { phase: `${one.status?.phase}.` } }));
    };
    const { failures } = await release(world.writing());
    expect(failures.map(({ doing, key }) => [doing, key])).toEqual([['release', 'v0']]);
  });
});

describe('what is brought into the scope of exports', () => {
  test('is all that was restored, which stays known as that, and nothing else', async () => {
    const world = new RecoveryWorld();
    await world.restore(pairs(3));
    const mine = world.has(aVolume('mine', {}, { labels: {} }));
    await bringIntoScope(world.writing());
    const restored = [...world.volumes, ...world.claims].filter(({ metadata }) => metadata.name !== 'mine');
    for (const { metadata } of restored) expect(metadata.labels).toEqual({ ...OURS, [SYNC_LABEL]: 'enabled' });
    expect(world.volume('mine')).toEqual(mine);
    expect(await bringIntoScope(world.writing())).toMatchObject({ counts: { release: 0 } });
  });

  test('is out of scope again when this cluster becomes a recovery cluster once more', async () => {
    const world = new RecoveryWorld();
    await world.restore(pairs(3));
    await bringIntoScope(world.writing());
    await world.restore(pairs(3));
    for (const { metadata } of [...world.volumes, ...world.claims]) expect(metadata.labels).toEqual(OURS);
  });

  test('is put back into it as long as somebody takes it out', async () => {
    const world = new RecoveryWorld();
    await world.restore(pairs(3));
    const clock = new VirtualClock();
    const takeOut = (name: string) =>
      world.change(world.volume(name), ({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, labels: OURS },
      }));
    const keeping = keepInScope(world.writing(), clock);
    for (const name of ['v0', 'v1', 'v0']) {
      await settled();
      takeOut(name);
      await clock.advance(1_000);
    }
    await clock.advance(1_000);
    expect(await keeping).toMatchObject({ counts: { release: 0 }, failures: [] });
    for (const { metadata } of world.volumes) expect(metadata.labels).toHaveProperty([SYNC_LABEL], 'enabled');
  });

  test('is told of when that does not end', async () => {
    const world = new RecoveryWorld();
    await world.restore(pairs(1));
    const clock = new VirtualClock();
    world.afterWrite = () =>
      world.change(world.volume('v0'), ({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, labels: OURS },
      }));
    const keeping = keepInScope(world.writing(), clock);
    for (let seconds = 0; seconds < 10; seconds += 1) await clock.advance(1_000);
    expect(await keeping).toMatchObject({ counts: { release: 1 } });
  });
});
