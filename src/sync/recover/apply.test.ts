import { describe, expect, test } from 'vitest';
import { ApiError } from '../../kit/kube/api-error.ts';
import { ConnectionError } from '../../kit/kube/transport.ts';
import { RECOVERY_LABEL } from '../contract.ts';
import { aClaim, aPair, aVolume, OURS, pairs, RecoveryWorld, together } from './builders.ts';
import type { Written } from './writing.ts';

const failed = ({ failures }: Written) => failures.map(({ doing, kind, key }) => `${doing} ${kind} ${key}`);

describe('a plan is carried out', () => {
  test('by one request for each object: namespaces, then volumes, then claims', async () => {
    const world = new RecoveryWorld();
    const written = await world.apply(world.plan(pairs(3)));
    expect(written).toMatchObject({ counts: { create: 6, change: 0, remove: 0, disown: 0 }, failures: [] });
    expect(world.writes).toEqual([
      'POST /api/v1/namespaces',
      ...Array.from({ length: 3 }, () => 'POST /api/v1/persistentvolumes'),
      ...Array.from({ length: 3 }, () => 'POST /api/v1/namespaces/apps/persistentvolumeclaims'),
    ]);
  });

  test('and then no request is left to be made', async () => {
    const world = new RecoveryWorld();
    await world.restore(pairs(3));
    world.writes.length = 0;
    await world.restore(pairs(3));
    expect(world.writes).toEqual([]);
  });

  test('so many at a time, and it is told how far it is', async () => {
    const world = new RecoveryWorld('apps');
    let [now, most] = [0, 0];
    const told: number[] = [];
    world.beforeRequest = () => {
      now += 1;
      most = Math.max(most, now);
    };
    world.afterWrite = () => {
      now -= 1;
    };
    const onProgress = ({ done, total }: { readonly done: number; readonly total: number }) => told.push(done / total);
    await world.apply(world.plan(pairs(50)), { parallel: 8, onProgress });
    expect(most).toBeLessThanOrEqual(8);
    expect(told).toHaveLength(100);
    expect(told.at(-1)).toBe(1);
  });

  test('with what was removed gone, claims first, and the objects of others as they were', async () => {
    const world = new RecoveryWorld();
    await world.restore(pairs(10));
    const mine = world.has(aVolume('mine', {}, { labels: {} }));
    world.writes.length = 0;
    const written = await world.apply(world.plan(pairs(9)));
    expect(written).toMatchObject({ counts: { remove: 2 }, failures: [] });
    expect(world.writes).toEqual([
      'DELETE /api/v1/namespaces/apps/persistentvolumeclaims/v9',
      'DELETE /api/v1/persistentvolumes/v9',
    ]);
    world.bind();
    expect(world.volume('v9')).toBeUndefined();
    expect(world.volume('mine')).toEqual(mine);
  });

  test('with owners cut off first, and changes to the same objects afterwards', async () => {
    const world = new RecoveryWorld('apps');
    const owner = { apiVersion: 'storage.cndev.nl/v1alpha1', kind: 'PersistentVolumeSync', name: 'dr', uid: 'u' };
    world.has(
      aVolume('a', {}, { labels: OURS, ownerReferences: [owner], finalizers: ['kubernetes.io/pv-protection'] }),
    );
    const written = await world.apply(world.plan({ volumes: [aVolume('a')] }));
    expect(written).toMatchObject({ counts: { disown: 1, change: 1 }, failures: [] });
    expect(world.volume('a')?.metadata.ownerReferences).toEqual([]);
    expect(world.volume('a')?.spec?.persistentVolumeReclaimPolicy).toBe('Retain');
  });
});

describe('what happens meanwhile', () => {
  test('an object that appears is not taken over, and no claim is given to it', async () => {
    const world = new RecoveryWorld('apps');
    const plan = world.plan(together(aPair('a'), aPair('b')));
    const foreign = world.has(aVolume('a', { nfs: { server: 'x', path: '/secret' } }, { labels: {} }));
    const written = await world.apply(plan);
    expect(failed(written)).toEqual(['create PersistentVolume a', 'create PersistentVolumeClaim apps/a']);
    expect(world.volume('a')).toEqual(foreign);
    expect(world.claim('apps/a')).toBeUndefined();
    expect(world.claim('apps/b')).toBeDefined();
  });

  test('an object that changes is not changed by what was decided before', async () => {
    const world = new RecoveryWorld();
    await world.restore(aPair('a'));
    const plan = world.plan(aPair('a', 'apps/a', { mountOptions: ['ro'] }));
    world.change(world.volume('a'), ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, labels: {} } }));
    const theirs = world.volume('a');
    const written = await world.apply(plan);
    expect(failed(written)).toEqual(['change PersistentVolume a']);
    expect(world.volume('a')).toEqual(theirs);
  });

  test('an object that others write to is changed all the same, in what does not depend on that', async () => {
    const world = new RecoveryWorld();
    await world.restore(aPair('a'));
    const plan = world.plan(aPair('a', 'apps/a', { mountOptions: ['ro'] }));
    world.change(world.volume('a'), (volume) => ({ ...volume, status: { phase: 'Bound.' } }));
    expect(await world.apply(plan)).toMatchObject({ counts: { change: 1 }, failures: [] });
    expect(world.volume('a')?.spec?.mountOptions).toEqual(['ro']);
  });

  test('an object that somebody has made larger meanwhile is not made smaller', async () => {
    const world = new RecoveryWorld();
    await world.restore(aPair('a'));
    const plan = world.plan(aPair('a', 'apps/a', { capacity: { storage: '20Gi' } }));
    const capacity = { storage: '50Gi' };
    world.change(world.volume('a'), (volume) => ({ ...volume, spec: { ...volume.spec, capacity } }));
    expect(failed(await world.apply(plan))).toEqual(['change PersistentVolume a']);
    expect(world.volume('a')?.spec?.capacity).toEqual(capacity);
  });

  test('a volume that was bound meanwhile is not reserved for its claim any more', async () => {
    const world = new RecoveryWorld('apps');
    await world.restore({ volumes: [aVolume('a')] });
    const plan = world.plan(aPair('a'));
    world.has(aClaim('apps/quick', { volumeName: 'a' }, { labels: {} }));
    world.bind();
    expect(failed(await world.apply(plan))).toEqual([
      'change PersistentVolume a',
      'create PersistentVolumeClaim apps/a',
    ]);
    expect(world.volume('a')?.spec?.claimRef?.name).toBe('quick');
  });

  test('what others keep an object by is not written over', async () => {
    const world = new RecoveryWorld();
    await world.restore({ volumes: [aVolume('a')] });
    const keeping = (...finalizers: readonly string[]) =>
      world.change(world.volume('a'), ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, finalizers } }));
    keeping('example.com/one');
    const plan = world.plan({ volumes: [aVolume('a')] });
    keeping('example.com/one', 'example.com/two');
    expect(failed(await world.apply(plan))).toEqual(['change PersistentVolume a']);
    expect(world.volume('a')?.metadata.finalizers).toEqual(['example.com/one', 'example.com/two']);
  });

  test('an object that was made anew is neither changed nor removed', async () => {
    const world = new RecoveryWorld();
    await world.restore(pairs(10));
    const plan = world.plan(pairs(9));
    world.cluster.vanish('v9');
    const theirs = world.has(aVolume('v9', {}, { labels: {} }));
    await world.apply(plan);
    expect(world.volume('v9')).toEqual(theirs);
  });

  test('one that was written to by others is looked at again before it is removed', async () => {
    const world = new RecoveryWorld();
    await world.restore(pairs(10));
    const plan = world.plan(pairs(9));
    world.change(world.volume('v9'), ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, annotations: { 'pv.kubernetes.io/x': 'y' } },
    }));
    expect(await world.apply(plan)).toMatchObject({ counts: { remove: 2 }, failures: [] });
    world.bind();
    expect(world.volume('v9')).toBeUndefined();
  });

  test('one that was taken from us is not removed', async () => {
    const world = new RecoveryWorld();
    await world.restore(pairs(10));
    const plan = world.plan(pairs(9));
    world.change(world.volume('v9'), ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, labels: {} } }));
    const theirs = world.volume('v9');
    expect(failed(await world.apply(plan))).toEqual(['remove PersistentVolume v9']);
    expect(world.volume('v9')).toEqual(theirs);
  });

  test('one that was bound to the claim of somebody else is not removed', async () => {
    const world = new RecoveryWorld();
    await world.restore(together(pairs(9), { volumes: [aVolume('free')] }));
    const plan = world.plan(pairs(9));
    world.has(aClaim('apps/mine', { volumeName: 'free' }, { labels: {} }));
    world.bind();
    expect(failed(await world.apply(plan))).toEqual(['remove PersistentVolume free']);
    expect(world.volume('free')?.metadata.deletionTimestamp).toBeUndefined();
  });

  test('one whose claim was made anew by somebody is not removed', async () => {
    const world = new RecoveryWorld();
    await world.restore(pairs(10));
    const plan = world.plan(pairs(9));
    world.afterWrite = (count) => {
      if (count !== world.writes.length || world.claim('apps/v9')) return;
      world.afterWrite = () => {};
      world.change(world.volume('v9'), ({ spec, ...rest }) => {
        const { uid: _, ...claimRef } = spec?.claimRef ?? {};
        return { ...rest, spec: { ...spec, claimRef } };
      });
      world.has(aClaim('apps/v9', { volumeName: 'v9' }, { labels: {} }));
      world.bind();
    };
    expect(failed(await world.apply(plan))).toEqual(['remove PersistentVolume v9']);
    expect(world.volume('v9')?.metadata.deletionTimestamp).toBeUndefined();
  });

  test('a volume stays when the removal of its claim has failed', async () => {
    const world = new RecoveryWorld();
    await world.restore(pairs(10));
    const plan = world.plan(pairs(9));
    world.beforeRequest = (method, path) => {
      if (method === 'DELETE' && path.includes('claims')) throw apiError(403, 'Forbidden');
    };
    expect(failed(await world.apply(plan))).toEqual([
      'remove PersistentVolumeClaim apps/v9',
      'remove PersistentVolume v9',
    ]);
    expect(world.volume('v9')?.metadata.deletionTimestamp).toBeUndefined();
  });

  test.each([
    ['has got a volume whose data would go with it', 'pvc-1'],
    ['has one whose policy was changed', 'v9'],
  ])('a claim that %s meanwhile is not removed', async (_what, volumeName) => {
    const world = new RecoveryWorld();
    await world.restore(together(pairs(9), aPair('v9')));
    const plan = world.plan(pairs(9));
    const policy = { persistentVolumeReclaimPolicy: 'Delete' };
    if (volumeName === 'v9') world.change(world.volume('v9'), (one) => ({ ...one, spec: { ...one.spec, ...policy } }));
    else {
      world.has(aVolume(volumeName, policy, { labels: {} }));
      world.change(world.claim('apps/v9'), (claim) => ({ ...claim, spec: { ...claim.spec, volumeName } }));
    }
    const { failures } = await world.apply(plan);
    expect(failures[0]).toMatchObject({ doing: 'remove', kind: 'PersistentVolumeClaim', key: 'apps/v9' });
    expect(failures[0]?.error.message).toContain(`the data of volume ${volumeName} would go with it`);
    expect(world.claim('apps/v9')).toBeDefined();
    expect(world.volume('v9')?.metadata.deletionTimestamp).toBeUndefined();
  });

  test('a volume whose policy was changed meanwhile is not removed', async () => {
    const world = new RecoveryWorld();
    await world.restore(together(pairs(9), { volumes: [aVolume('free')] }));
    const plan = world.plan(pairs(9));
    world.change(world.volume('free'), (one) => ({
      ...one,
      spec: { ...one.spec, persistentVolumeReclaimPolicy: 'Delete' },
    }));
    expect(failed(await world.apply(plan))).toEqual(['remove PersistentVolume free']);
    expect(world.volume('free')?.metadata.deletionTimestamp).toBeUndefined();
  });

  test('one that keeps changing is left for the next pass', async () => {
    const world = new RecoveryWorld();
    await world.restore(pairs(10));
    const plan = world.plan(pairs(9));
    world.beforeRequest = (method, path) => {
      if (method !== 'DELETE' || !path.endsWith('volumes/v9')) return;
      const { phase } = world.volume('v9')?.status ?? {};
      world.change(world.volume('v9'), (volume) => ({ ...volume, status: { phase: `${phase}.` } }));
    };
    expect(failed(await world.apply(plan))).toEqual(['remove PersistentVolume v9']);
    expect(world.volume('v9')?.metadata.deletionTimestamp).toBeUndefined();
  });
});

const apiError = (status: number, reason: ApiError['reason']) =>
  new ApiError({ request: 'it', status, reason, detail: 'no' });

describe('when something fails', () => {
  test('one object does not stop the others', async () => {
    const world = new RecoveryWorld('apps');
    world.beforeRequest = (_method, path) => {
      if (world.writes.length === 2 && path.includes('persistentvolumes')) {
        world.writes.push('refused');
        throw apiError(422, 'Invalid');
      }
    };
    const written = await world.apply(world.plan(pairs(10)), { parallel: 1 });
    expect(failed(written)).toEqual(['create PersistentVolume v2', 'create PersistentVolumeClaim apps/v2']);
    expect(written.failures[0]?.error.message).toContain('Invalid');
    expect(written.counts.create).toBe(18);
  });

  test('nor do many, each of which the server has answered', async () => {
    const world = new RecoveryWorld('apps');
    world.beforeRequest = () => {
      throw apiError(422, 'Invalid');
    };
    const written = await world.apply(world.plan({ volumes: pairs(100).volumes }), { parallel: 4 });
    expect(written.failures).toHaveLength(100);
  });

  test.each([
    [403, 'Forbidden'],
    [500, 'InternalError'],
  ] as const)('namespaces that cannot be made only fail the claims in them (%i)', async (status, reason) => {
    const world = new RecoveryWorld('apps');
    world.beforeRequest = (_method, path) => {
      if (/namespaces(\?|$)/.test(path)) throw apiError(status, reason);
      if (path.includes('/shop/')) throw apiError(404, 'NotFound');
    };
    const written = await world.apply(world.plan(together(aPair('a', 'shop/a'), aPair('b'))));
    expect(failed(written)).toEqual(['create PersistentVolumeClaim shop/a']);
    expect(world.claim('apps/b')).toBeDefined();
  });

  test.each([apiError(401, 'Unauthorized'), new ConnectionError('gone', { mayHaveHappened: true })])(
    'a namespace that cannot be made ends the pass where no other could be either: %s',
    async (error) => {
      const world = new RecoveryWorld();
      world.beforeRequest = (_method, path) => {
        if (/namespaces(\?|$)/.test(path)) throw error;
      };
      await expect(world.apply(world.plan(pairs(1)))).rejects.toBe(error);
      expect(world.writes).toEqual([]);
    },
  );

  test('a server that is gone ends the pass, instead of being asked a hundred thousand times', async () => {
    const world = new RecoveryWorld('apps');
    let asked = 0;
    world.beforeRequest = () => {
      asked += 1;
      throw new ConnectionError('gone', { mayHaveHappened: true });
    };
    await expect(world.apply(world.plan(pairs(1_000)), { parallel: 4 })).rejects.toThrow('gone');
    expect(asked).toBeLessThan(20);
  });

  test('a server that fails once in a while does not', async () => {
    const world = new RecoveryWorld('apps');
    let asked = 0;
    world.beforeRequest = () => {
      asked += 1;
      if (asked % 3 === 0) throw new ConnectionError('gone', { mayHaveHappened: true });
    };
    const written = await world.apply(world.plan({ volumes: pairs(100).volumes }), { parallel: 4 });
    expect(written.failures.length).toBeGreaterThan(20);
    expect(written.counts.create + written.failures.length).toBe(100);
  });

  test('who may no longer write ends the pass at once', async () => {
    const world = new RecoveryWorld('apps');
    const writing = world.writing();
    const check = () => {
      if (world.writes.length >= 5) throw new Error('we no longer lead');
    };
    const client = writing.client.gatedBy({ check });
    await expect(world.apply(world.plan(pairs(20)), { client, parallel: 1 })).rejects.toThrow('no longer lead');
    expect(world.writes).toHaveLength(5);
  });

  test('it ends at once when it is told to', async () => {
    const world = new RecoveryWorld('apps');
    const abort = new AbortController();
    world.afterWrite = (count) => {
      if (count === 5) abort.abort(new Error('stop'));
    };
    await expect(world.apply(world.plan(pairs(20)), { signal: abort.signal, parallel: 1 })).rejects.toThrow('stop');
    expect(world.writes).toHaveLength(5);
  });

  test('what was begun is finished by the next pass, and is not done twice', async () => {
    const world = new RecoveryWorld();
    const abort = new AbortController();
    world.afterWrite = (count) => {
      if (count === 5) abort.abort(new Error('killed'));
    };
    await world.apply(world.plan(pairs(10)), { signal: abort.signal, parallel: 1 }).catch(() => {});
    world.afterWrite = () => {};
    await world.restore(pairs(10));
    expect(world.writes).toHaveLength(1 + 20);
    expect(world.volumes.every(({ metadata }) => metadata.labels?.[RECOVERY_LABEL] === 'dr')).toBe(true);
  });
});
