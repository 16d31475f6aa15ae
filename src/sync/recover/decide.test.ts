import { describe, expect, test } from 'vitest';
import { keyOfObject } from '../../kit/kube/resource.ts';
import { DRILL_LABEL, RECOVERY_LABEL, SYNC_LABEL } from '../contract.ts';
import { aClaim, aPair, aVolume, claimRefTo, type Exported, OURS, pairs, RecoveryWorld, together } from './builders.ts';
import { decide } from './decide.ts';
import type { RecoveryPlan } from './plan.ts';
import { type Fact, remedyOf } from './refusals.ts';
import type { RestoreSpec } from './seen.ts';

const keys = (targets: readonly { readonly key: string }[]): readonly string[] => targets.map(({ key }) => key);

/** Why each is refused, by its key. */
const facts = ({ refused }: RecoveryPlan): Readonly<Record<string, Fact>> =>
  Object.fromEntries(refused.map(({ key, fact }) => [key, fact]));

const doesNothing = (plan: RecoveryPlan): void =>
  expect(plan).toMatchObject({ disown: [], namespaces: [], create: [], change: [], remove: [] });

async function restored(exported: Exported, spec: RestoreSpec = {}): Promise<RecoveryWorld> {
  const world = new RecoveryWorld();
  await world.restore(exported, spec);
  return world;
}

const csi = (volumeHandle: string, driver = 'csi.example') => ({ csi: { driver, volumeHandle } });
const nfs = (path: string) => ({ nfs: { server: '10.1.2.3', path } });

describe('an empty cluster', () => {
  test('gets all that is in the export, and the namespaces that it needs', () => {
    const exported = together(aPair('a', 'shop/a'), aPair('b', 'default/b'), { volumes: [aVolume('free')] });
    const plan = new RecoveryWorld().plan(exported);
    expect(keys(plan.create)).toEqual(['a', 'b', 'free', 'shop/a', 'default/b']);
    expect(plan.namespaces).toEqual(['shop']);
    expect(plan).toMatchObject({ change: [], remove: [], refused: [], present: [], same: { volumes: 0, claims: 0 } });
  });

  test('needs no namespace for what is refused', () => {
    const exported = aPair('a', 'shop/a', { hostPath: { path: '/data' }, nfs: undefined });
    const plan = new RecoveryWorld().plan(exported);
    expect(plan.namespaces).toEqual([]);
    doesNothing(plan);
  });
});

describe('a cluster that has been restored', () => {
  test('needs nothing, also when all of it has been bound', async () => {
    const exported = together(pairs(3), { volumes: [aVolume('free')], claims: [aClaim('apps/local')] });
    const world = await restored(exported);
    expect(world.volume('v0')?.spec?.claimRef?.uid).toBe(world.claim('apps/v0')?.metadata.uid);
    const plan = world.plan(exported);
    doesNothing(plan);
    expect(plan).toMatchObject({ refused: [], same: { volumes: 4, claims: 4 } });
  });

  test('follows labels, annotations, sizes and options of the export', async () => {
    const world = await restored(together(aPair('a'), pairs(3)));
    const larger = { capacity: { storage: '20Gi' }, mountOptions: ['ro'], accessModes: ['ReadOnlyMany'] };
    const { volumes } = aPair('a', 'apps/a', larger);
    const metadata = { labels: { [SYNC_LABEL]: 'enabled', tier: 'gold' }, annotations: { 'example.com/x': 'y' } };
    const changed = volumes.map((volume) => ({ ...volume, metadata: { ...volume.metadata, ...metadata } }));
    const [change, ...rest] = world.plan(together({ ...aPair('a'), volumes: changed }, pairs(3))).change;
    expect(rest).toEqual([]);
    expect(change).toMatchObject({
      kind: 'PersistentVolume',
      key: 'a',
      uid: world.volume('a')?.metadata.uid,
      resourceVersion: world.volume('a')?.metadata.resourceVersion,
      patch: {
        metadata: { labels: { tier: 'gold' }, annotations: { 'example.com/x': 'y' } },
        spec: { capacity: { storage: '20Gi' }, mountOptions: ['ro'], accessModes: ['ReadOnlyMany'] },
      },
      fields: ['metadata.labels', 'metadata.annotations', 'spec.capacity', 'spec.accessModes', 'spec.mountOptions'],
    });
  });

  test('loses the labels that the export has lost, and keeps those that others have given', async () => {
    const labelled = (labels: Record<string, string>) => ({ volumes: [aVolume('a', {}, { labels })] });
    const world = await restored(labelled({ app: 'shop', tier: 'gold' }));
    world.change(world.volume('a'), ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, labels: { ...metadata.labels, zone: 'here' } },
    }));
    const exported = labelled({ app: 'shop' });
    expect(world.plan(exported).change.map(({ patch }) => patch)).toEqual([{ metadata: { labels: { tier: null } } }]);
    await world.restore(exported);
    expect(world.volume('a')?.metadata.labels).toEqual({ app: 'shop', zone: 'here', ...OURS });
  });

  test('gets back what somebody has changed: policy, protection, labels', async () => {
    const exported = aPair('a');
    const world = await restored(exported);
    world.change(world.volume('a'), ({ metadata, spec, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, finalizers: ['example.com/other'] },
      spec: { ...spec, persistentVolumeReclaimPolicy: 'Delete' },
    }));
    expect(world.plan(exported).change.map(({ patch }) => patch)).toEqual([
      {
        metadata: { finalizers: ['example.com/other', 'kubernetes.io/pv-protection'] },
        spec: { persistentVolumeReclaimPolicy: 'Retain' },
      },
    ]);
  });

  test('never shrinks, since somebody may have made room here', async () => {
    const world = await restored(aPair('a'));
    const smaller = aPair('a', 'apps/a', { capacity: { storage: '5Gi' } });
    doesNothing(world.plan(smaller));
  });

  test('lets the class of a volume follow only while it is not bound', async () => {
    const mappings = { storageClasses: [{ from: 'shared', to: 'here' }] };
    const free = { volumes: [aVolume('free')] };
    const world = await restored(together(aPair('a'), free));
    const plan = world.plan(together(aPair('a'), free), { mappings });
    expect(plan.change).toMatchObject([{ key: 'free', patch: { spec: { storageClassName: 'here' } } }]);
    expect(facts(plan)).toEqual({ 'apps/a': 'mustBeRecreated' });
  });
});

describe('a claim that asks for more', () => {
  const asking = (storage: string) => ({
    ...aPair('a', 'apps/a', { capacity: { storage: '40Gi' } }),
    claims: [aClaim('apps/a', { volumeName: 'a', resources: { requests: { storage } } })],
  });

  test('grows where its StorageClass lets it', async () => {
    const world = await restored(asking('10Gi'));
    world.expandingClasses = new Set(['shared']);
    expect(world.plan(asking('20Gi')).change).toMatchObject([
      { key: 'apps/a', patch: { spec: { resources: { requests: { storage: '20Gi' } } } } },
    ]);
  });

  test('does not where it does not, and says so', async () => {
    const world = await restored(asking('10Gi'));
    const plan = world.plan(asking('20Gi'));
    doesNothing(plan);
    expect(facts(plan)).toEqual({ 'apps/a': 'classDoesNotExpand' });
  });

  test('waits until it is bound, which the server insists on', async () => {
    const world = new RecoveryWorld();
    await world.apply(world.plan(asking('10Gi')));
    world.expandingClasses = new Set(['shared']);
    const plan = world.plan(asking('20Gi'));
    doesNothing(plan);
    expect(facts(plan)).toEqual({});
  });

  test('is never made to ask for less', async () => {
    const world = await restored(asking('20Gi'));
    world.expandingClasses = new Set(['shared']);
    doesNothing(world.plan(asking('10Gi')));
  });
});

describe('an object that is here and is not ours', () => {
  test('is left alone, and its claim is not restored', () => {
    const world = new RecoveryWorld('apps');
    world.has(aVolume('a', nfs('/somewhere/else'), { labels: { [RECOVERY_LABEL]: 'another' } }));
    const plan = world.plan(aPair('a'));
    doesNothing(plan);
    expect(facts(plan)).toEqual({ a: 'existsAndIsNotOurs', 'apps/a': 'volumeIsNotRestored' });
  });

  test('is told to be there when it has the same data', () => {
    const world = new RecoveryWorld('apps');
    const { claimRef: _, ...spec } = { ...aVolume('a').spec, claimRef: undefined };
    world.has(
      aVolume(
        'a',
        { ...spec, claimRef: { namespace: 'apps', name: 'a' }, capacity: { storage: '99Gi' } },
        { labels: {} },
      ),
    );
    const plan = world.plan(aPair('a'));
    expect(plan.present).toEqual([{ kind: 'PersistentVolume', key: 'a' }]);
    expect(keys(plan.create)).toEqual(['apps/a']);
  });

  test('is not the same when it belongs to another claim', () => {
    const world = new RecoveryWorld('apps');
    world.has(aVolume('a', { claimRef: claimRefTo('apps/b') }, { labels: {} }));
    expect(facts(world.plan(aPair('a')))).toMatchObject({ a: 'existsAndIsNotOurs' });
  });

  test('may be a claim, which then does not get the volume', () => {
    const world = new RecoveryWorld('apps');
    world.has(aClaim('apps/a', {}, { labels: {} }));
    const plan = world.plan(aPair('a'));
    doesNothing(plan);
    expect(facts(plan)).toEqual({ a: 'claimIsAnothers', 'apps/a': 'existsAndIsNotOurs' });
  });

  test('gets its volume if it is a claim that asks for it by name', () => {
    const world = new RecoveryWorld('apps');
    world.has(aClaim('apps/a', { volumeName: 'a' }, { labels: {} }));
    const plan = world.plan(aPair('a'));
    expect(keys(plan.create)).toEqual(['a']);
    expect(plan.present).toEqual([{ kind: 'PersistentVolumeClaim', key: 'apps/a' }]);
  });

  test('is not reserved a volume for later either', async () => {
    const free = { volumes: [aVolume('a')] };
    const world = await restored(free);
    world.has(aClaim('apps/a', {}, { labels: {} }));
    const plan = world.plan(aPair('a'));
    doesNothing(plan);
    expect(facts(plan)).toMatchObject({ a: 'claimIsAnothers' });
  });

  test('keeps a volume from a claim that is not exported, too', () => {
    const world = new RecoveryWorld('apps');
    world.has(aClaim('apps/a', {}, { labels: {} }));
    const plan = world.plan({ volumes: aPair('a').volumes });
    doesNothing(plan);
    expect(facts(plan)).toEqual({ a: 'claimIsAnothers' });
  });
});

describe('what cannot be changed', () => {
  test.each([
    ['the path of a volume', nfs('/export/new'), 'spec.nfs'],
    ['the kind of its source', { nfs: undefined, ...csi('h') }, 'spec.csi'],
    ['its mode', { volumeMode: 'Block' }, 'spec.volumeMode'],
  ])('is left as it is when it is %s', async (_what, spec, field) => {
    const world = await restored({ volumes: [aVolume('a')] });
    const plan = world.plan({ volumes: [aVolume('a', spec)] });
    doesNothing(plan);
    expect(plan.refused).toMatchObject([{ key: 'a', fact: 'mustBeRecreated' }]);
    expect(plan.refused[0]?.message).toContain(field);
  });

  test('does not keep the data of a volume from being kept, whatever a person does about it then', async () => {
    const world = new RecoveryWorld();
    world.has(aVolume('a', { persistentVolumeReclaimPolicy: 'Delete' }, { labels: OURS }));
    const plan = world.plan({ volumes: [aVolume('a', nfs('/export/new'))] });
    expect(facts(plan)).toEqual({ a: 'mustBeRecreated' });
    expect(plan.change).toMatchObject([{ key: 'a', patch: { spec: { persistentVolumeReclaimPolicy: 'Retain' } } }]);
    await world.apply(plan);
    doesNothing(world.plan({ volumes: [aVolume('a', nfs('/export/new'))] }));
  });

  test('is kept also of a volume that is being deleted: its claim may go only later', () => {
    const world = new RecoveryWorld();
    const metadata = { labels: OURS, deletionTimestamp: '2026-01-01T00:00:00Z' };
    world.has(aVolume('a', { persistentVolumeReclaimPolicy: 'Delete' }, metadata));
    const plan = world.plan({ volumes: [aVolume('a')] });
    expect(facts(plan)).toEqual({ a: 'isBeingDeleted' });
    expect(plan.change).toMatchObject([{ key: 'a', fields: ['spec.persistentVolumeReclaimPolicy'] }]);
  });

  test('of somebody else is not even given another policy', () => {
    const world = new RecoveryWorld();
    world.has(aVolume('a', { persistentVolumeReclaimPolicy: 'Delete' }, { labels: {} }));
    doesNothing(world.plan({ volumes: [aVolume('a', nfs('/export/new'))] }));
  });

  test('is the affinity of a volume that has one; one that has none can be given it', async () => {
    const affinity = (zone: string) => ({
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }] },
      },
    });
    const world = await restored({ volumes: [aVolume('a'), aVolume('b', affinity('x'))] });
    const plan = world.plan({ volumes: [aVolume('a', affinity('x')), aVolume('b', affinity('y'))] });
    expect(plan.change).toMatchObject([{ key: 'a', fields: ['spec.nodeAffinity'] }]);
    expect(facts(plan)).toEqual({ b: 'mustBeRecreated' });
  });

  test.each([
    ['its class', { storageClassName: 'other' }],
    ['how it is accessed', { accessModes: ['ReadWriteOnce'] }],
    ['what it selects', { selector: { matchLabels: { a: 'b' } } }],
  ])('is left as it is when it is of a claim %s', async (_what, spec) => {
    const of = (more: object) => ({ volumes: [aVolume('x')], claims: [aClaim('apps/a', { ...more })] });
    const world = await restored(of({}));
    const plan = world.plan(of(spec));
    doesNothing(plan);
    expect(facts(plan)).toEqual({ 'apps/a': 'mustBeRecreated' });
  });

  test('is the volume of a claim that has been bound to another one', async () => {
    const world = await restored({ volumes: [aVolume('x')], claims: [aClaim('apps/a')] });
    world.change(world.claim('apps/a'), (claim) => ({ ...claim, spec: { ...claim.spec, volumeName: 'local-1' } }));
    expect(facts(world.plan(together(aPair('a'), { volumes: [aVolume('x')] })))).toEqual({
      'apps/a': 'mustBeRecreated',
    });
  });

  test('does not include that a claim is given its volume', async () => {
    const world = await restored({ volumes: [aVolume('a')], claims: [aClaim('apps/a')] });
    const plan = world.plan(aPair('a'));
    expect(plan.change).toMatchObject([
      { key: 'a', patch: { spec: { claimRef: { namespace: 'apps', name: 'a', uid: null, resourceVersion: null } } } },
      { key: 'apps/a', patch: { spec: { volumeName: 'a' } } },
    ]);
  });
});

describe('a volume and its claim', () => {
  test('a claim is refused that names the volume of another one', () => {
    const exported = together(aPair('a', 'apps/owner'), { claims: [aClaim('apps/thief', { volumeName: 'a' })] });
    const plan = new RecoveryWorld().plan(exported);
    expect(keys(plan.create)).toEqual(['a', 'apps/owner']);
    expect(facts(plan)).toEqual({ 'apps/thief': 'volumeIsAnothers' });
  });

  test('a volume is refused whose claim has another one', () => {
    const exported = together(aPair('new', 'apps/a'), {
      volumes: [aVolume('old', { claimRef: claimRefTo('apps/a') })],
    });
    const plan = new RecoveryWorld().plan(exported);
    expect(keys(plan.create)).toEqual(['new', 'apps/a']);
    expect(facts(plan)).toEqual({ old: 'claimHasAnotherVolume' });
  });

  test('a volume that is bound to another claim here stays with it', async () => {
    const world = await restored({ volumes: [aVolume('a')] });
    world.has(aClaim('apps/squatter', { volumeName: 'a' }, { labels: {} }));
    world.bind();
    const plan = world.plan(aPair('a'));
    expect(facts(plan)).toMatchObject({ a: 'volumeIsBound', 'apps/a': 'volumeIsNotRestored' });
    doesNothing(plan);
  });

  test('a volume waits for its claim again, when the one that it was bound to here has been deleted', async () => {
    const exported = aPair('a');
    const world = await restored(exported);
    world.cluster.remove('apps/a', 'persistentvolumeclaims');
    world.bind();
    expect(world.volume('a')?.status?.phase).toBe('Released');
    await world.restore(exported);
    expect(world.claim('apps/a')?.status?.phase).toBe('Bound');
    expect(world.volume('a')?.spec?.claimRef?.uid).toBe(world.claim('apps/a')?.metadata.uid);
    doesNothing(world.plan(exported));
  });

  test('a volume does not wait for a claim of somebody else who has taken the name', async () => {
    const exported = aPair('a');
    const world = await restored(exported);
    world.cluster.remove('apps/a', 'persistentvolumeclaims');
    world.bind();
    world.has(aClaim('apps/a', {}, { labels: {} }));
    const plan = world.plan(exported);
    doesNothing(plan);
    expect(facts(plan)).toEqual({ 'apps/a': 'existsAndIsNotOurs' });
    world.bind();
    expect(world.volume('a')?.status?.phase).toBe('Released');
  });

  test('are not tied together where claims are left to this cluster', async () => {
    const world = new RecoveryWorld();
    world.has(aClaim('default/a', {}, { labels: {} }));
    const plan = world.plan(together(aPair('a', 'default/a'), { claims: [aClaim('default/b', { volumeName: 'a' })] }), {
      binding: 'Local',
    });
    expect(keys(plan.create)).toEqual(['a', 'default/b']);
  });
});

describe('volumes of nodes', () => {
  const exported = {
    volumes: [aVolume('h', { hostPath: { path: '/data' } }), aVolume('l', { local: { path: '/mnt/disk' } })],
  };

  test('are refused', () => {
    const plan = new RecoveryWorld().plan(exported);
    doesNothing(plan);
    expect(facts(plan)).toEqual({ h: 'nodeVolume', l: 'nodeVolume' });
  });

  test('are restored where the resource allows it', () => {
    expect(keys(new RecoveryWorld().plan(exported, { allowNodeVolumes: true }).create)).toEqual(['h', 'l']);
  });
});

describe('handles', () => {
  const mappings = {
    csiVolumeHandles: [
      { from: 'eu-1:', to: 'x:' },
      { from: 'eu-2:', to: 'x:' },
    ],
  };

  test('that rules make the same are refused', () => {
    const exported = {
      volumes: [aVolume('a', csi('eu-1:v')), aVolume('b', csi('eu-2:v')), aVolume('c', csi('eu-1:w'))],
    };
    const plan = new RecoveryWorld().plan(exported, { mappings });
    expect(keys(plan.create)).toEqual(['c']);
    expect(facts(plan)).toEqual({ a: 'handleCollides', b: 'handleCollides' });
  });

  test('that were the same already are as they were, also when one of them is here', async () => {
    const [a, b] = [aVolume('a', csi('eu-1:v')), aVolume('b', csi('eu-1:v'))];
    expect(keys(new RecoveryWorld().plan({ volumes: [a, b] }, { mappings }).create)).toEqual(['a', 'b']);
    const world = await restored({ volumes: [a] }, { mappings });
    expect(keys(world.plan({ volumes: [a, b] }, { mappings }).create)).toEqual(['b']);
  });

  test('that a volume here has under another name are refused', () => {
    const world = new RecoveryWorld();
    world.has(aVolume('mine', csi('x:v'), { labels: {} }));
    const plan = world.plan(
      { volumes: [aVolume('a', csi('eu-1:v')), aVolume('b', csi('eu-1:v', 'other.example'))] },
      { mappings },
    );
    expect(keys(plan.create)).toEqual(['b']);
    expect(plan.refused).toMatchObject([
      { key: 'a', fact: 'handleCollides', because: { kind: 'PersistentVolume', key: 'mine' } },
    ]);
  });

  test('that a copy for a drill has for a while are nothing to collide with', () => {
    const world = new RecoveryWorld();
    world.has(aVolume('drill-1-a', csi('v'), { labels: { [DRILL_LABEL]: '1' } }));
    expect(keys(world.plan({ volumes: [aVolume('a', csi('v'))] }).create)).toEqual(['a']);
  });
});

test('what is not here is judged by its outline, and read from the export only when it is made', () => {
  const world = new RecoveryWorld('apps');
  const seen = world.seen(pairs(3));
  let reads = 0;
  const counted = <T>(objects: { at(place: number): T }) => ({
    [Symbol.iterator]: () => expect.unreachable(),
    at(place: number): T {
      reads += 1;
      return objects.at(place);
    },
  });
  const { document } = seen;
  const watched = { ...document, volumes: counted(document.volumes), claims: counted(document.claims) };
  const plan = decide({ ...seen, document: watched });
  expect({ create: plan.create.length, reads }).toEqual({ create: 6, reads: 0 });
  const made = plan.create.map(({ make }) => keyOfObject(make()));
  expect({ made, reads }).toEqual({ made: keys(plan.create), reads: 6 });
});

describe('servers and paths of NFS', () => {
  const nfs = (server: string, path = '/exports/pv1') => ({ nfs: { server, path } });
  const mappings = {
    nfsServers: [
      { from: 'nas-a', to: 'dr' },
      { from: 'nas-b', to: 'dr' },
    ],
  };

  test('that rules make the same are refused', () => {
    const exported = {
      volumes: [
        aVolume('a', nfs('nas-a')),
        aVolume('b', nfs('nas-b', '/exports//pv1/')),
        aVolume('c', nfs('nas-b', '/exports/pv2')),
      ],
    };
    const plan = new RecoveryWorld().plan(exported, { mappings });
    expect(keys(plan.create)).toEqual(['c']);
    expect(facts(plan)).toEqual({ a: 'handleCollides', b: 'handleCollides' });
  });

  test('that one rule makes the same as one that no rule is for are refused', () => {
    const exported = { volumes: [aVolume('a', nfs('nas-a')), aVolume('d', nfs('DR'))] };
    expect(facts(new RecoveryWorld().plan(exported, { mappings }))).toEqual({
      a: 'handleCollides',
      d: 'handleCollides',
    });
  });

  test('that were the same already are as they were, also when one of them is here', async () => {
    const [a, b] = [aVolume('a', nfs('nas-a')), aVolume('b', nfs('nas-a', '/exports/pv1/'))];
    expect(keys(new RecoveryWorld().plan({ volumes: [a, b] }, { mappings }).create)).toEqual(['a', 'b']);
    const world = await restored({ volumes: [a] }, { mappings });
    expect(keys(world.plan({ volumes: [a, b] }, { mappings }).create)).toEqual(['b']);
  });

  test('that a volume here has are refused where a rule leads there, and shared where both name them', () => {
    const world = new RecoveryWorld();
    world.has(aVolume('mine', nfs('dr'), { labels: {} }));
    const plan = world.plan({ volumes: [aVolume('a', nfs('nas-a'))] }, { mappings });
    expect(plan.create).toEqual([]);
    expect(plan.refused).toMatchObject([
      { key: 'a', fact: 'handleCollides', because: { kind: 'PersistentVolume', key: 'mine' } },
    ]);
    expect(keys(world.plan({ volumes: [aVolume('d', nfs('dr'))] }, { mappings }).create)).toEqual(['d']);
  });
});

describe('namespaces', () => {
  test('that are being deleted get nothing new', () => {
    const world = new RecoveryWorld();
    world.cluster.put('namespaces', { metadata: { name: 'apps', deletionTimestamp: '2026-01-01T00:00:00Z' } });
    const plan = world.plan(aPair('a'));
    expect(keys(plan.create)).toEqual(['a']);
    expect(plan.namespaces).toEqual([]);
    expect(facts(plan)).toEqual({ 'apps/a': 'namespaceIsTerminating' });
  });

  test('of Kubernetes itself are not made', () => {
    const plan = new RecoveryWorld().plan(together(aPair('a', 'kube-evil/a'), aPair('b', 'kube-system/b')));
    expect(keys(plan.create)).toEqual(['a', 'b', 'kube-system/b']);
    expect(plan.namespaces).toEqual([]);
    expect(facts(plan)).toEqual({ 'kube-evil/a': 'namespaceIsReserved' });
  });
});

describe('hostile objects', () => {
  test.each([
    ['a size that is none', { capacity: { storage: 'lots' } }],
    ['no size', { capacity: {} }],
    ['a size of nothing', { capacity: { storage: '0' } }],
    ['a size below nothing', { capacity: { storage: '-1Gi' } }],
    ['a capacity that is a text', { capacity: 'all' }],
    ['a claim in a place that is none', { claimRef: { namespace: '../kube-system', name: 'a' } }],
    ['a claim without a name', { claimRef: { namespace: 'apps' } }],
    ['a handle that is none', { csi: { driver: 'x', volumeHandle: 7 } }],
    ['options that are none', { mountOptions: 'rw' }],
  ])('a volume with %s is refused alone, and its claim with it', (_what, spec) => {
    const bad = { volumes: [aVolume('bad', spec)], claims: [aClaim('apps/bad', { volumeName: 'bad' })] };
    const plan = new RecoveryWorld().plan(together(aPair('good'), bad));
    expect(keys(plan.create)).toEqual(['good', 'apps/good']);
    expect(facts(plan)).toEqual({ bad: 'specIsInvalid', 'apps/bad': 'volumeIsNotRestored' });
  });

  test.each([
    ['no size', { resources: {} }],
    ['a volume whose name is a path', { volumeName: '../../secrets' }],
    ['a class that is none', { storageClassName: { name: 'x' } }],
  ])('a claim with %s is refused alone', (_what, spec) => {
    const plan = new RecoveryWorld().plan(together(aPair('good'), { claims: [aClaim('apps/bad', spec)] }));
    expect(keys(plan.create)).toEqual(['good', 'apps/good']);
    expect(facts(plan)).toEqual({ 'apps/bad': 'specIsInvalid' });
  });

  test('one that cannot be read any more is not removed for that', async () => {
    const world = await restored(pairs(10));
    const broken = aVolume('v0', { capacity: { storage: 'lots' } });
    const plan = world.plan({ ...pairs(10), volumes: [broken, ...pairs(9, 1).volumes] });
    doesNothing(plan);
    expect(facts(plan)).toEqual({ v0: 'specIsInvalid', 'apps/v0': 'volumeIsNotRestored' });
  });
});

describe('what is being deleted here', () => {
  test('is waited for', async () => {
    const world = await restored(aPair('a'));
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    for (const object of [world.volume('a'), world.claim('apps/a')])
      world.change(object, ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, deletionTimestamp } }));
    const plan = world.plan(aPair('a', 'apps/a', { mountOptions: ['ro'] }));
    doesNothing(plan);
    expect(facts(plan)).toEqual({ a: 'isBeingDeleted', 'apps/a': 'isBeingDeleted' });
    expect(plan.refused.map(remedyOf)).toEqual([undefined, undefined]);
  });

  test('keeps a claim from naming it', async () => {
    const world = await restored({ volumes: [aVolume('a'), aVolume('x')] });
    world.change(world.volume('a'), ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }));
    expect(facts(world.plan(together(aPair('a'), { volumes: [aVolume('x')] })))).toEqual({
      a: 'isBeingDeleted',
      'apps/a': 'volumeIsNotRestored',
    });
  });
});

describe('what is no longer in the export', () => {
  test('is removed, claims before volumes, if it is ours', async () => {
    const world = await restored(pairs(10));
    world.has(aVolume('mine', {}, { labels: {} }));
    world.has(aVolume('theirs', {}, { labels: { [RECOVERY_LABEL]: 'another' } }));
    const { remove } = world.plan(pairs(9));
    expect(keys(remove)).toEqual(['apps/v9', 'v9']);
    expect(remove[1]).toMatchObject({
      uid: world.volume('v9')?.metadata.uid,
      resourceVersion: world.volume('v9')?.metadata.resourceVersion,
      needs: { kind: 'PersistentVolumeClaim', key: 'apps/v9' },
    });
  });

  test('is not removed twice', async () => {
    const world = await restored(pairs(10));
    world.change(world.volume('v9'), ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    }));
    expect(keys(world.plan(pairs(9)).remove)).toEqual(['apps/v9']);
  });

  test('stays while a claim that stays is bound to it', async () => {
    const world = await restored(pairs(10));
    const { volumes, claims } = pairs(10);
    const plan = world.plan({ volumes: volumes.slice(0, 9), claims });
    expect(plan.remove).toEqual([]);
    expect(facts(plan)).toEqual({ v9: 'volumeIsInUse' });
  });

  test('stays while the claim of somebody else is bound to it', async () => {
    const world = await restored(together(pairs(9), { volumes: [aVolume('free')] }));
    world.has(aClaim('apps/mine', { volumeName: 'free' }, { labels: {} }));
    world.bind();
    expect(facts(world.plan(pairs(9)))).toEqual({ free: 'volumeIsInUse' });
  });

  test('goes when its claim has gone by itself', async () => {
    const world = await restored(pairs(10));
    world.cluster.remove('apps/v9', 'persistentvolumeclaims');
    world.bind();
    expect(keys(world.plan(pairs(9)).remove)).toEqual(['v9']);
  });

  test('stays while it is bound, also when its claim has not been seen', async () => {
    const world = await restored(pairs(10));
    world.cluster.remove('apps/v9', 'persistentvolumeclaims');
    const plan = world.plan(pairs(9));
    expect(plan.remove).toEqual([]);
    expect(plan.refused).toMatchObject([
      { key: 'v9', fact: 'volumeIsInUse', because: { kind: 'PersistentVolumeClaim', key: 'apps/v9' } },
    ]);
  });

  test('stays if it is a volume whose data would go with it', async () => {
    const world = await restored(together(pairs(9), { volumes: [aVolume('free')] }));
    world.change(world.volume('free'), (volume) => ({
      ...volume,
      spec: { ...volume.spec, persistentVolumeReclaimPolicy: 'Delete' },
    }));
    const plan = world.plan(pairs(9));
    expect(plan.remove).toEqual([]);
    expect(facts(plan)).toEqual({ free: 'dataWouldBeLost' });
  });

  test('stays if it is a claim whose data is here only and would go with it', async () => {
    const exported = together(pairs(9), { claims: [aClaim('apps/local')] });
    const world = await restored(exported);
    world.has(aVolume('pvc-1', { claimRef: { namespace: 'apps', name: 'local' } }, { labels: {} }));
    world.bind();
    const plan = world.plan(pairs(9));
    expect(plan.remove).toEqual([]);
    expect(plan.refused).toMatchObject([
      { key: 'apps/local', fact: 'dataWouldBeLost', because: { kind: 'PersistentVolume', key: 'pvc-1' } },
    ]);
  });

  test('goes if it is a claim whose data stays', async () => {
    const world = await restored(together(pairs(9), { claims: [aClaim('apps/local')] }));
    const claimRef = { namespace: 'apps', name: 'local' };
    world.has(aVolume('pvc-1', { claimRef, persistentVolumeReclaimPolicy: 'Retain' }, { labels: {} }));
    world.bind();
    expect(keys(world.plan(pairs(9)).remove)).toEqual(['apps/local']);
  });
});

describe('when an export has lost too much', () => {
  test('nothing is done, and what would be is told', async () => {
    const world = await restored(pairs(20));
    const changed = aPair('v0', 'apps/v0', { mountOptions: ['ro'] });
    const plan = world.plan(together(changed, pairs(9, 1), aPair('new', 'shop/new')));
    doesNothing(plan);
    expect(plan.held?.message).toContain('10 of the 20 volumes');
    expect(keys(plan.held?.create ?? [])).toEqual(['new', 'shop/new']);
    expect(keys(plan.held?.change ?? [])).toEqual(['v0']);
    expect(plan.held?.remove).toHaveLength(20);
  });

  test('but the data of what was restored is kept', async () => {
    const world = await restored(pairs(20));
    const policy = { persistentVolumeReclaimPolicy: 'Delete' };
    for (const name of ['v0', 'v1'])
      world.change(world.volume(name), (one) => ({ ...one, spec: { ...one.spec, ...policy } }));
    const plan = world.plan(together(aPair('v0', 'apps/v0', { mountOptions: ['ro'] }), pairs(9, 1)));
    const retained = { patch: { spec: { persistentVolumeReclaimPolicy: 'Retain' } } };
    expect(plan.change).toMatchObject([
      { key: 'v0', ...retained },
      { key: 'v1', ...retained },
    ]);
    expect(plan.change[0]?.patch).toEqual(retained.patch);
    expect(keys(plan.held?.change ?? []), 'what else differs waits').toEqual(['v0']);
  });

  test('that does not become less by looking again', async () => {
    const world = await restored(pairs(6));
    const foreign = pairs(100, 50);
    await world.restore(foreign);
    const again = await world.restore(foreign);
    expect(again.held?.message).toContain('6 of the 6 volumes');
    expect(world.volumes).toHaveLength(6);
  });

  test('that counts before anything is refused for another reason', async () => {
    const world = await restored(pairs(3));
    const plan = world.plan({ volumes: [aVolume('other')], claims: pairs(3).claims });
    expect(plan.held?.message).toContain('3 of the 3 volumes');
  });

  test('a person can allow it', async () => {
    const world = await restored(pairs(20));
    const plan = world.plan(pairs(10), { allowMassDeletion: true });
    expect(plan.remove).toHaveLength(20);
    expect(plan.held).toBeUndefined();
  });
});

describe('what the original has restored', () => {
  const owner = { apiVersion: 'storage.cndev.nl/v1alpha1', kind: 'PersistentVolumeSync', name: 'dr', uid: 'u' };
  const other = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n' };
  const metadata = {
    labels: OURS,
    ownerReferences: [owner, other],
    finalizers: ['kubernetes.io/pv-protection', 'volumesyncs.storage.cndev.nl/finalizer', 'example.com/other'],
  };

  test('is first of all let go by the garbage collector, and goes when it should', () => {
    const world = new RecoveryWorld('apps');
    const spec = { persistentVolumeReclaimPolicy: 'Retain' };
    world.has(aVolume('a', spec, { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' }));
    const plan = world.plan({ volumes: [aVolume('a', spec)] });
    expect(plan.disown).toMatchObject([
      {
        kind: 'PersistentVolume',
        key: 'a',
        patch: {
          metadata: {
            ownerReferences: [other],
            finalizers: ['kubernetes.io/pv-protection', 'example.com/other'],
          },
        },
      },
    ]);
  });

  test('is so also when nothing else may be done', () => {
    const world = new RecoveryWorld('apps');
    for (const name of ['a', 'b']) world.has(aVolume(name, {}, metadata));
    const plan = world.plan({ volumes: [aVolume('x')] });
    expect(plan.held).toBeDefined();
    expect(keys(plan.disown)).toEqual(['a', 'b']);
  });

  test('is not looked for among what is not ours', () => {
    const world = new RecoveryWorld('apps');
    world.has(aVolume('a', {}, { ...metadata, labels: {} }));
    expect(world.plan({ volumes: [aVolume('x')] }).disown).toEqual([]);
  });
});
