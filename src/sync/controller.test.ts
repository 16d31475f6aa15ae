/** The whole operator on simulated clusters and a simulated store: what each side does when, and what people are told. */
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { ApiError } from '../kit/kube/api-error.ts';
import { DRILL_ANNOTATION, FINALIZER, RECOVERY_LABEL, SYNC_ENABLED, SYNC_LABEL } from './contract.ts';
import { NO_KEYS } from './export/keys.ts';
import { takeOver } from './protect/take-over.ts';
import { bringIntoScope } from './recover/release.ts';
import { SimulatedSite } from './simulated-site.ts';
import { SimulatedStore } from './store/simulated-store.ts';

const SCOPE = { [SYNC_LABEL]: SYNC_ENABLED };
const VOLUMES = 'persistentvolumes';
const CLAIMS = 'persistentvolumeclaims';

const aVolume = (name: string, labels: Record<string, string> = SCOPE, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, labels },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteMany'],
    nfs: { server: '10.0.0.1', path: `/${name}` },
    claimRef: { namespace: 'shop', name, uid: `claim-${name}` },
    ...spec,
  },
  status: { phase: 'Bound' },
});

const aClaim = (name: string, labels: Record<string, string> = SCOPE, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'shop', labels },
  spec: { accessModes: ['ReadWriteMany'], volumeName: name, resources: { requests: { storage: '1Gi' } }, ...spec },
  status: { phase: 'Bound' },
});

function aWorld() {
  const clock = new VirtualClock();
  const store = new SimulatedStore(clock);
  const [here, there] = [new SimulatedSite(clock, 'here', store), new SimulatedSite(clock, 'there', store)];
  const pair = (name: string) => {
    here.cluster.put(VOLUMES, aVolume(name));
    here.cluster.put(CLAIMS, aClaim(name));
  };
  const exports = () => store.history.filter(({ key, body }) => key.startsWith('alpha/') && body).map(({ key }) => key);
  return { clock, store, here, there, pair, exports };
}

/** Until both sides have done what there is to do. */
const settle = async (clock: VirtualClock, ms = 5_000) => {
  for (let passed = 0; passed < ms; passed += 100) await clock.advance(100);
};

async function aPairOfClusters(names = ['a', 'b']) {
  const world = aWorld();
  for (const name of names) world.pair(name);
  world.here.declare('dr', {});
  world.there.declare('dr', { mode: 'Recovery', pollingInterval: 1 });
  world.here.start();
  world.there.start();
  await settle(world.clock);
  return world;
}

test('what is exported here is restored there, and both say so', async () => {
  const { here, there, exports } = await aPairOfClusters();
  expect(exports()).toHaveLength(1);
  expect(here.conditions('dr')).toBe('Exported=True Exported Deposed=False IsTheWriter');
  expect(there.conditions('dr')).toBe('InSync=True InSync');
  expect(there.names(VOLUMES).toSorted()).toEqual(['a', 'b']);
  expect(there.names(CLAIMS).toSorted()).toEqual(['a', 'b']);
  expect(there.status('dr')).toMatchObject({
    succeeded: true,
    managedVolumeCount: 2,
    managedClaimCount: 2,
    pointerSeen: true,
  });
  expect(there.look('dr').metadata.finalizers).toEqual([FINALIZER]);
});

test('a burst of changes is one export, and no change is none', async () => {
  const { clock, pair, exports } = await aPairOfClusters();
  for (let index = 0; index < 40; index += 1) {
    pair(`burst-${index}`);
    await clock.advance(50);
  }
  await settle(clock, 20_000);
  expect(exports()).toHaveLength(2);
  await settle(clock, 120_000);
  expect(exports()).toHaveLength(2);
});

test('a heartbeat keeps the age of an export small, and a poll costs one request when nothing is new', async () => {
  const { clock, store, there } = await aPairOfClusters();
  await settle(clock, 90_000);
  const before = store.calls.length;
  const own = there.writes.length;
  await settle(clock, 10_000);
  const calls = store.calls.slice(before).filter(({ who }) => who === 'there');
  expect(calls.every(({ verb, key }) => verb === 'get' && key === '.holdfast/alpha/pointer.json')).toBe(true);
  expect(calls.length).toBeGreaterThan(8);
  expect(calls.length).toBeLessThanOrEqual(11);
  expect(there.writes.slice(own)).toEqual([]);
  await settle(clock, 600_000);
  expect(there.status('dr').rpoSeconds).toBeLessThan(120);
});

test('what was deleted here is deleted there, and what is put in the way of it is put right', async () => {
  const { clock, here, there, pair } = await aPairOfClusters(['a', 'b', 'c']);
  here.cluster.vanish('c');
  here.cluster.remove('shop/c', CLAIMS);
  await settle(clock, 10_000);
  expect(there.names(VOLUMES).toSorted()).toEqual(['a', 'b']);
  there.cluster.vanish('a');
  await settle(clock, 10_000);
  expect(there.names(VOLUMES).toSorted()).toEqual(['a', 'b']);
  pair('d');
  await settle(clock, 10_000);
  expect(there.names(VOLUMES).toSorted()).toEqual(['a', 'b', 'd']);
});

test('a store that is away is told of, changes nothing, and is well again by itself', async () => {
  const { clock, store, here, there, pair } = await aPairOfClusters();
  store.inject({ times: 1_000_000 }, { kind: 'fail' });
  pair('later');
  await settle(clock, 60_000);
  expect(here.conditions('dr')).toBe('Exported=False StoreIsUnavailable');
  expect(there.conditions('dr')).toBe('InSync=False StoreIsUnavailable');
  expect(there.status('dr').succeeded).toBe(false);
  expect(there.names(VOLUMES).toSorted()).toEqual(['a', 'b']);
  store.heal();
  await settle(clock, 60_000);
  expect(there.conditions('dr')).toBe('InSync=True InSync');
  expect(there.names(VOLUMES).toSorted()).toEqual(['a', 'b', 'later']);
  expect(there.status('dr')).not.toHaveProperty('errorMessage');
});

describe('an API server that does not do what it is asked for is told of, and what is left is done when it does', () => {
  const broken = (what: RegExp) => (request: string) =>
    what.test(request)
      ? new ApiError({ request, status: 500, reason: 'InternalError', detail: 'a webhook does not answer' })
      : undefined;
  const many = Array.from({ length: 50 }, (_, index) => `v${index}`);

  test('on the recovery side', async () => {
    const { clock, here, there, pair } = aWorld();
    for (const name of many) pair(name);
    here.declare('dr', {});
    there.declare('dr', { mode: 'Recovery', pollingInterval: 1 });
    there.refuses = broken(/^POST .*\/persistentvolumes/);
    here.start();
    there.start();
    await settle(clock, 30_000);
    expect(there.conditions('dr')).toBe('InSync=False ClusterRefuses');
    expect(there.status('dr').errorMessage).toContain('a webhook does not answer');
    there.refuses = () => undefined;
    await settle(clock, 120_000);
    expect(there.conditions('dr')).toBe('InSync=True InSync');
    expect(there.names(VOLUMES)).toHaveLength(50);
  });

  test('on the protected side', async () => {
    const { clock, here, pair } = aWorld();
    pair('a');
    here.declare('dr', {});
    here.refuses = broken(/^GET .*\/namespaces\/kube-system/);
    here.start();
    await settle(clock, 30_000);
    expect(here.conditions('dr')).toBe('Exported=False ClusterRefuses');
    here.refuses = () => undefined;
    await settle(clock, 30_000);
    expect(here.conditions('dr')).toContain('Exported=True');
  });
});

test('old exports that cannot be removed are told of', async () => {
  const { clock, store, here, pair } = aWorld();
  pair('a');
  store.inject({ verb: 'list', key: 'alpha/' }, { kind: 'fail', as: 'denied' });
  here.declare('dr', {});
  here.start();
  await settle(clock, 120_000);
  expect(here.conditions('dr')).toContain('Exported=True OldExportsStay');
  expect(here.status('dr').conditions?.[0]?.message).toMatch(/are exported\. Old exports cannot be removed: .*alpha\//);
});

describe('an export that was seen and could not be restored', () => {
  const refused = () =>
    new ApiError({ request: 'it', status: 403, reason: 'Forbidden', detail: 'not in this cluster' });

  test('is not forgotten: an older one is not believed after it', async () => {
    const { clock, store, here, there, pair } = await aPairOfClusters();
    const old = store.body('.holdfast/alpha/pointer.json');
    there.refuses = (request) => (request.startsWith('POST /api/v1/persistentvolumes') ? refused() : undefined);
    pair('c');
    await settle(clock);
    expect(there.conditions('dr')).toContain('InSync=False WriteFailed');
    expect(there.status('dr')).toMatchObject({ export: { sequence: 1 }, seen: { newest: { sequence: 2 } } });
    here.kill();
    store.write('.holdfast/alpha/pointer.json', old);
    await settle(clock);
    expect(there.conditions('dr')).toContain('Refused=True SequenceWentBack');
  });

  test('is not forgotten by an operator that dies before it can say what it has restored', async () => {
    const { clock, store, here, there, pair } = await aPairOfClusters(['a', 'b', 'c', 'd', 'e']);
    const old = store.body('.holdfast/alpha/pointer.json');
    let hasWritten = false;
    there.refuses = (request) => {
      hasWritten ||= request.startsWith('POST /api/v1/persistentvolumes');
      if (!hasWritten || !request.includes('/status')) return undefined;
      there.kill();
      return refused();
    };
    pair('f');
    await settle(clock);
    expect(there.names(VOLUMES)).toContain('f');
    expect(there.status('dr').export).toMatchObject({ sequence: 1 });
    here.kill();
    store.write('.holdfast/alpha/pointer.json', old);
    there.refuses = () => undefined;
    there.start();
    await settle(clock);
    expect(there.names(VOLUMES)).toContain('f');
    expect(there.conditions('dr')).toContain('Refused=True SequenceWentBack');
  });

  test('is not restored while it cannot be written down that it was seen', async () => {
    const { clock, there, pair } = await aPairOfClusters();
    there.refuses = (request) => (request.includes('/status') ? refused() : undefined);
    pair('c');
    await settle(clock, 30_000);
    expect(there.names(VOLUMES)).not.toContain('c');
    there.refuses = () => undefined;
    await settle(clock, 120_000);
    expect(there.names(VOLUMES)).toContain('c');
    expect(there.conditions('dr')).toBe('InSync=True InSync');
  });

  test('is read again ever more seldom, and the next one at once', async () => {
    const { clock, store, there, pair } = await aPairOfClusters();
    there.refuses = (request) => (request.startsWith('POST /api/v1/persistentvolumes') ? refused() : undefined);
    pair('c');
    await settle(clock);
    const reads = () => store.count({ who: 'there', verb: 'get', key: /^alpha\// });
    const before = reads();
    await settle(clock, 600_000);
    expect(reads() - before).toBeGreaterThan(4);
    expect(reads() - before).toBeLessThan(12);
    expect(there.conditions('dr')).toContain('InSync=False WriteFailed');
    there.refuses = () => undefined;
    pair('d');
    await settle(clock);
    expect(there.conditions('dr')).toBe('InSync=True InSync');
    expect(there.names(VOLUMES)).toHaveLength(4);
  });

  test('is tried again by itself when it can be', async () => {
    const { clock, there, pair } = await aPairOfClusters();
    there.refuses = (request) => (request.startsWith('POST /api/v1/persistentvolumes') ? refused() : undefined);
    pair('c');
    await settle(clock, 120_000);
    there.refuses = () => undefined;
    await settle(clock, 300_000);
    expect(there.conditions('dr')).toBe('InSync=True InSync');
  });
});

test('a claim of somebody else that is like an exported one stays as it is, and people are told', async () => {
  const { clock, here, there } = await aPairOfClusters();
  const cache = (labels: Record<string, string>, storage: string) => {
    const { spec, status: _, ...claim } = aClaim('cache', labels);
    const { volumeName: __, ...unbound } = spec;
    return { ...claim, spec: { ...unbound, resources: { requests: { storage } } } };
  };
  there.cluster.put(CLAIMS, cache({}, '5Gi'));
  here.cluster.put(CLAIMS, cache(SCOPE, '1Gi'));
  await settle(clock);
  expect(there.conditions('dr')).toBe('InSync=True InSync');
  expect(there.status('dr').conditions?.[0]?.message).toMatch(
    /is restored, but PersistentVolumeClaim shop\/cache, which somebody else has made here: that is left as it is$/,
  );
  const claim = there.cluster.all(CLAIMS).find(({ metadata }) => metadata.name === 'cache');
  expect(claim?.metadata.labels).toEqual({});
});

test('what was seen of one cluster says nothing of another', async () => {
  const { clock, store, there } = await aPairOfClusters();
  store.write('legacy/1700000000_storage_objects.json', store.body(store.keys('alpha/')[0] ?? ''));
  there.change('dr', { protectedCluster: 'legacy' });
  await settle(clock);
  expect(there.conditions('dr')).toBe('InSync=True InSync');
  expect(there.status('dr').seen).toMatchObject({ cluster: 'legacy', pointer: false });
  expect(there.status('dr').export, 'the original has no epochs').not.toHaveProperty('epoch');
});

test('a second resource does nothing and says why, until the first is gone', async () => {
  const { clock, here, exports } = await aPairOfClusters();
  here.declare('second', { protectedCluster: 'beta' }, { creationTimestamp: '2999-01-01T00:00:00Z' });
  await settle(clock);
  expect(here.conditions('second')).toBe('Refused=True AnotherResourceIsOlder');
  expect(here.look('second').metadata.finalizers ?? []).not.toContain(FINALIZER);
  here.remove('dr');
  await settle(clock, 10_000);
  expect(here.has('dr')).toBe(false);
  expect(here.conditions('second')).toContain('Exported=True');
  expect(exports()).toHaveLength(1);
});

test('a resource that is deleted lets go of all that it restored, and deletes nothing', async () => {
  const { clock, there } = await aPairOfClusters();
  there.remove('dr');
  await settle(clock);
  expect(there.has('dr')).toBe(false);
  for (const collection of [VOLUMES, CLAIMS])
    for (const { metadata } of there.cluster.all(collection)) {
      expect(metadata.labels).not.toHaveProperty([RECOVERY_LABEL]);
      expect(metadata).not.toHaveProperty('deletionTimestamp');
    }
  expect(there.names(VOLUMES)).toHaveLength(2);
});

test('two clusters that export under one name: one does, and the other is refused', async () => {
  const { clock, store, here, there, pair } = aWorld();
  pair('a');
  there.cluster.put(VOLUMES, aVolume('x'));
  here.declare('dr', {});
  there.declare('dr', {});
  here.start();
  await settle(clock);
  there.start();
  await settle(clock, 120_000);
  expect(here.conditions('dr')).toContain('Exported=True');
  expect(there.conditions('dr')).toBe('Exported=False ExportsAreAnothers Refused=True ExportsAreAnothers');
  const writers = store.history.filter(({ key }) => key.startsWith('alpha/') || key.endsWith('pointer.json'));
  expect(new Set(writers.map(({ who }) => who))).toEqual(new Set(['here']));
});

test('an operator that is killed at any time goes on where it was', async () => {
  const { clock, here, there, pair } = aWorld();
  for (const name of ['a', 'b', 'c', 'd']) pair(name);
  here.declare('dr', {});
  there.declare('dr', { mode: 'Recovery', pollingInterval: 1 });
  for (let round = 0; round < 30; round += 1) {
    here.start();
    there.start();
    await settle(clock, 100 * (round % 7));
    here.kill();
    there.kill();
    if (round % 10 === 0) pair(`new-${round}`);
  }
  here.start();
  there.start();
  await settle(clock, 20_000);
  expect(there.conditions('dr')).toBe('InSync=True InSync');
  expect(there.names(VOLUMES).toSorted()).toEqual(['a', 'b', 'c', 'd', 'new-0', 'new-10', 'new-20']);
  const creations = there.writes.filter((write) => write.startsWith('POST /api/v1/persistentvolumes'));
  expect(creations).toHaveLength(7);
});

test('a dry run says what would be, and writes nothing', async () => {
  const { clock, here, there, pair } = aWorld();
  pair('a');
  here.declare('dr', {});
  there.declare('dr', { mode: 'Recovery', pollingInterval: 1, dryRun: true });
  here.start();
  there.start();
  await settle(clock);
  expect(there.conditions('dr')).toBe('InSync=False DryRun');
  expect(there.names(VOLUMES)).toEqual([]);
  there.change('dr', { dryRun: false });
  await settle(clock);
  expect(there.names(VOLUMES)).toEqual(['a']);
});

test('a dry run remembers that there was a pointer: nothing else counts from then on', async () => {
  const { clock, store, here, there, pair } = aWorld();
  pair('a');
  here.declare('dr', {});
  there.declare('dr', { mode: 'Recovery', pollingInterval: 1, dryRun: true });
  here.start();
  there.start();
  await settle(clock);
  here.kill();
  store.write('.holdfast/alpha/pointer.json', undefined);
  there.change('dr', { dryRun: false });
  await settle(clock);
  expect(there.conditions('dr')).toBe('InSync=False WaitingForExport WaitingForExport=True NoExportYet');
  expect(there.names(VOLUMES)).toEqual([]);
});

describe('what is refused is restored as soon as nothing is in its way any more', () => {
  const restoredClaim = (site: SimulatedSite, name: string) =>
    site.cluster.all(CLAIMS).find(({ metadata }) => metadata.name === name) ?? expect.unreachable();
  const withSpec = (claim: object, spec: object) => ({ ...claim, spec, status: { phase: 'Bound' } }) as never;

  test('a claim of somebody else that is not exported', async () => {
    const { clock, here, there } = await aPairOfClusters();
    there.cluster.put(CLAIMS, aClaim('new', {}));
    here.cluster.put(VOLUMES, aVolume('other-name', SCOPE, { claimRef: { namespace: 'shop', name: 'new' } }));
    await settle(clock);
    expect(there.conditions('dr')).toContain('Refused=True ClaimIsAnothers');
    there.cluster.remove('shop/new', CLAIMS);
    await settle(clock);
    expect(there.conditions('dr')).toBe('InSync=True InSync');
    expect(there.names(VOLUMES)).toContain('other-name');
  });

  test('a volume that has the same handle', async () => {
    const { clock, here, there } = await aPairOfClusters();
    const spec = { nfs: undefined, claimRef: undefined, csi: { driver: 'csi.example', volumeHandle: 'h' } };
    there.cluster.put(VOLUMES, aVolume('mine', {}, spec));
    here.cluster.put(VOLUMES, aVolume('new', SCOPE, spec));
    await settle(clock);
    expect(there.conditions('dr')).toContain('Refused=True HandleCollides');
    there.cluster.vanish('mine');
    await settle(clock);
    expect(there.conditions('dr')).toBe('InSync=True InSync');
  });

  test('a StorageClass whose claims may not grow', async () => {
    const { clock, here, there } = await aPairOfClusters();
    const bound = restoredClaim(there, 'a');
    there.cluster.put(CLAIMS, withSpec(bound, aClaim('a', {}, { storageClassName: 'shared' }).spec));
    here.cluster.put(CLAIMS, aClaim('a', SCOPE, { resources: { requests: { storage: '5Gi' } } }));
    here.cluster.put(VOLUMES, aVolume('a', SCOPE, { storageClassName: 'shared', capacity: { storage: '5Gi' } }));
    await settle(clock);
    expect(there.conditions('dr')).toContain('Refused=True ClassDoesNotExpand');
    const expanding = { metadata: { name: 'shared' }, allowVolumeExpansion: true };
    there.cluster.put('storageclasses', expanding);
    await settle(clock);
    expect(there.conditions('dr')).toBe('InSync=True InSync');
  });

  test('the data of a claim that is here only', async () => {
    const { clock, here, there } = await aPairOfClusters();
    const policy = (persistentVolumeReclaimPolicy: string) => aVolume('pvc-1', {}, { persistentVolumeReclaimPolicy });
    here.cluster.put(CLAIMS, aClaim('local', SCOPE, { volumeName: '' }));
    await settle(clock);
    there.cluster.put(VOLUMES, policy('Delete'));
    const spec = aClaim('local', {}, { volumeName: 'pvc-1' }).spec;
    there.cluster.put(CLAIMS, withSpec(restoredClaim(there, 'local'), spec));
    await settle(clock);
    here.cluster.remove('shop/local', CLAIMS);
    await settle(clock);
    expect(there.conditions('dr')).toContain('Refused=True DataWouldBeLost');
    there.cluster.put(VOLUMES, policy('Retain'));
    await settle(clock);
    expect(there.conditions('dr')).toBe('InSync=True InSync');
    expect(there.names(CLAIMS).toSorted()).toEqual(['a', 'b']);
  });
});

test('what stood in the way of a recovery is no longer counted when the cluster becomes the protected one', async () => {
  const { clock, here, there } = await aPairOfClusters();
  here.cluster.put(VOLUMES, aVolume('n', SCOPE, { nfs: undefined, hostPath: { path: '/x' } }));
  await settle(clock);
  const counted = 'holdfast_sync_refused_objects{sync="dr",fact="nodeVolume"} 1';
  expect(await there.metrics.registry.metrics()).toContain(counted);
  there.change('dr', { mode: 'Protected', protectedCluster: 'beta' });
  await settle(clock);
  expect(there.conditions('dr')).toContain('Exported=True');
  expect(await there.metrics.registry.metrics()).not.toContain('nodeVolume');
});

describe('a failover', () => {
  const { signal } = new AbortController();

  /** What the command does before it sets the mode. */
  async function begin({ clock, store, there }: ReturnType<typeof aWorld>): Promise<void> {
    const client = store.as('there');
    await takeOver({ store: client, cluster: 'alpha', clusterUid: 'uid-of-there', keys: NO_KEYS, clock }, signal);
    await bringIntoScope({ client: there.client(), sync: 'dr', signal });
  }

  const inScope = (site: SimulatedSite) =>
    [VOLUMES, CLAIMS].flatMap((collection) =>
      site.cluster.all(collection).filter(({ metadata }) => metadata.labels?.[SYNC_LABEL] === SYNC_ENABLED),
    ).length;

  test('that is cut off before the mode is set keeps what was restored in scope, and is told of', async () => {
    const world = await aPairOfClusters();
    const { clock, here, there, exports } = world;
    here.kill();
    await begin(world);
    await settle(clock, 60_000);
    expect(inScope(there)).toBe(4);
    expect(there.conditions('dr')).toBe('InSync=False FailoverUnderWay');
    there.change('dr', { mode: 'Protected' });
    await settle(clock);
    expect(there.status('dr')).toMatchObject({ succeeded: true, managedVolumeCount: 2, export: { epoch: 2 } });
    expect(exports()).toHaveLength(2);
  });

  test('that begins while an export is being read keeps what was restored in scope', async () => {
    const world = await aPairOfClusters();
    const { clock, store, here, there } = world;
    const hold = Promise.withResolvers<void>();
    store.inject({ who: 'there', verb: 'get', key: /^alpha\// }, { kind: 'delay', until: hold.promise });
    there.change('dr', { pollingInterval: 2 });
    await settle(clock);
    here.kill();
    await begin(world);
    await settle(clock, 1_000);
    hold.resolve();
    await settle(clock);
    expect(inScope(there)).toBe(4);
    expect(there.conditions('dr')).toBe('InSync=False FailoverUnderWay');
  });

  test('of another cluster is followed again', async () => {
    const world = await aPairOfClusters();
    const { clock, store, here, there } = world;
    here.kill();
    await begin(world);
    await settle(clock);
    const parts = { cluster: 'alpha', clusterUid: 'uid-of-here', keys: NO_KEYS, clock };
    await takeOver({ store: store.as('here'), ...parts }, signal);
    await settle(clock);
    expect(there.conditions('dr')).toBe('InSync=True InSync');
    expect(inScope(there)).toBe(0);
  });
});

describe('how long a restore takes', () => {
  const drilled = (site: SimulatedSite, at: string, seconds: number) => {
    const known = site.look('dr');
    const result = JSON.stringify({ at, seconds, volumes: 2, claims: 2, succeeded: true });
    site.put({ ...known, metadata: { ...known.metadata, annotations: { [DRILL_ANNOTATION]: result } } });
  };
  const measured = async (site: SimulatedSite) =>
    /holdfast_sync_rto_seconds\{sync="dr"\} (\S+)/.exec(await site.metrics.registry.metrics())?.[1];

  test('is measured from the first look at the store on, when all of an export is created', async () => {
    const { clock, store, here, there, pair } = aWorld();
    for (const name of ['a', 'b']) pair(name);
    here.declare('dr', {});
    here.start();
    await settle(clock);
    store.inject({ who: 'there', verb: 'get', key: /storage_objects/ }, { kind: 'delay', until: 7_000 });
    there.declare('dr', { mode: 'Recovery', pollingInterval: 1 });
    there.start();
    await settle(clock, 20_000);
    expect(there.conditions('dr')).toBe('InSync=True InSync');
    expect(there.status('dr').rtoSeconds).toBeGreaterThanOrEqual(7);
    expect(await measured(there)).toBe(String(there.status('dr').rtoSeconds));
  });

  test('is not what one more volume takes, nor one that is put back', async () => {
    const { clock, there, pair } = await aPairOfClusters();
    drilled(there, '2026-03-01T11:00:00Z', 2_400);
    await settle(clock);
    expect(await measured(there)).toBe('2400');
    pair('one-more');
    await settle(clock, 10_000);
    there.cluster.vanish('a');
    await settle(clock, 10_000);
    expect(there.names(VOLUMES).toSorted()).toEqual(['a', 'b', 'one-more']);
    expect(there.status('dr').rtoSeconds).toBe(2_400);
    expect(await measured(there)).toBe('2400');
  });

  test('is kept of the last ten drills', async () => {
    const { clock, there } = await aPairOfClusters();
    const times = () => there.status('dr').drills?.map(({ at }) => Number(at.slice(11, 13)));
    for (let hour = 10; hour < 22; hour += 1) {
      drilled(there, `2026-03-01T${hour}:00:00Z`, hour);
      await settle(clock);
    }
    expect(times()).toEqual([12, 13, 14, 15, 16, 17, 18, 19, 20, 21]);
    expect(there.status('dr').drills?.at(-1)).toEqual(there.status('dr').lastDrill);
  });

  test('is not known of an export that is restored in part only', async () => {
    const { clock, here, there, pair } = aWorld();
    for (const name of ['a', 'b']) pair(name);
    there.cluster.put(VOLUMES, aVolume('a', {}, { nfs: { server: '10.0.0.9', path: '/mine' } }));
    here.declare('dr', {});
    there.declare('dr', { mode: 'Recovery', pollingInterval: 1 });
    here.start();
    there.start();
    await settle(clock, 10_000);
    expect(there.names(VOLUMES).toSorted()).toEqual(['a', 'b']);
    expect(there.status('dr').rtoSeconds).toBeUndefined();
  });
});

describe('a cluster that has nothing to show yet', () => {
  const behind = async (site: SimulatedSite) =>
    Number(/holdfast_sync_rpo_seconds\{sync="dr"\} (\S+)/.exec(await site.metrics.registry.metrics())?.[1]);
  const since = (clock: VirtualClock) => ({ creationTimestamp: clock.now().toISOString() });

  test('is behind since its resource was made, on either side', async () => {
    const { clock, store, here, there, pair } = aWorld();
    pair('a');
    store.inject({ who: 'here', times: 1_000_000 }, { kind: 'fail' });
    here.declare('dr', {}, since(clock));
    there.declare('dr', { mode: 'Recovery', pollingInterval: 1 }, since(clock));
    here.start();
    there.start();
    await settle(clock, 60_000);
    expect(await behind(here)).toBeGreaterThanOrEqual(59);
    expect(await behind(there)).toBeGreaterThanOrEqual(59);
    expect(there.status('dr').rpoSeconds).toBeUndefined();
  });

  test('is not behind where nothing is to be written', async () => {
    const { clock, there } = aWorld();
    there.declare('dr', { mode: 'Recovery', pollingInterval: 1, dryRun: true }, since(clock));
    there.start();
    await settle(clock, 10_000);
    expect(await behind(there)).toBeNaN();
  });

  test('is as old as its export once there is one', async () => {
    const { clock, here, pair } = aWorld();
    pair('a');
    here.declare('dr', {}, { creationTimestamp: '2020-01-01T00:00:00Z' });
    here.start();
    await settle(clock, 10_000);
    expect(await behind(here)).toBeLessThan(60);
  });
});

describe('what the original has tied to the resource', () => {
  const owner = { apiVersion: 'storage.cndev.nl/v1alpha1', kind: 'PersistentVolumeSync', name: 'dr', uid: 'u' };
  const other = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'v' };

  function tied(site: SimulatedSite): void {
    const labels = { [RECOVERY_LABEL]: 'dr' };
    const metadata = { labels, ownerReferences: [owner, other], finalizers: [FINALIZER] };
    site.cluster.put(VOLUMES, { ...aVolume('a'), metadata: { name: 'a', ...metadata } });
    site.cluster.put(CLAIMS, { ...aClaim('a'), metadata: { name: 'a', namespace: 'shop', ...metadata } });
  }
  const ties = (site: SimulatedSite) =>
    [VOLUMES, CLAIMS].flatMap((collection) =>
      site.cluster.all(collection).map(({ metadata }) => [metadata.ownerReferences, metadata.finalizers]),
    );
  const LOOSE = [
    [[other], []],
    [[other], []],
  ];

  test('is cut before there is any export, and in a dry run', async () => {
    for (const dryRun of [false, true]) {
      const { clock, there } = aWorld();
      tied(there);
      there.declare('dr', { mode: 'Recovery', pollingInterval: 1, dryRun });
      there.start();
      await settle(clock, 2_000);
      expect(there.conditions('dr')).toContain('WaitingForExport=True');
      expect(ties(there)).toEqual(LOOSE);
    }
  });

  test('is cut while the store is away, in a cluster that exports by now, and beside an older resource', async () => {
    const { clock, store, here, there } = aWorld();
    store.inject({ times: 1_000_000 }, { kind: 'fail' });
    for (const site of [here, there]) tied(site);
    here.declare('dr', {});
    there.declare('aaa', { mode: 'Recovery' }, { creationTimestamp: '2020-01-01T00:00:00Z' });
    there.declare('dr', { mode: 'Recovery' }, { creationTimestamp: '2021-01-01T00:00:00Z' });
    for (const site of [here, there]) site.start();
    await settle(clock, 2_000);
    expect(ties(here)).toEqual(LOOSE);
    expect(ties(there)).toEqual(LOOSE);
  });

  test('is cut once, and then nothing is written any more', async () => {
    const { clock, there } = aWorld();
    tied(there);
    there.declare('dr', { mode: 'Recovery', pollingInterval: 1 });
    there.start();
    await settle(clock, 10_000);
    expect(there.writes.filter((each) => each.includes('/persistentvolume') && !each.includes('syncs'))).toHaveLength(
      2,
    );
  });
});
