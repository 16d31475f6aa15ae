/**
 * An original, as it stands in a cluster with its volumes, and Holdfast put in its place by one command of helm: the same Deployment or DaemonSet
 * goes on with another image, and nothing that it looks after is made anew, wiped or labelled otherwise.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { kubeconfigFlag, runHoldfast, startHoldfast } from '../../harness/holdfast.ts';
import type { RawObject } from '../../harness/raw-client.ts';
import { ServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { VOLUMES } from '../agents.ts';
import { aPool, poolsIn, setsIn } from '../pool/shipped.ts';
import { World, ZONE } from '../topology/world.ts';
import { CHART, helm, type Rendered } from './helm.ts';
import { installOriginal } from './install-original.ts';
import { INSTALLED, type Installed } from './originals.ts';
import { pathOf } from './paths.ts';

let plane: ControlPlane;
let directory: string;
beforeAll(async () => {
  plane = await startControlPlane({ controllers: true });
  directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  for (const name of ['worker-1', 'worker-2'])
    await plane.admin.post('/api/v1/nodes', { metadata: { name, labels: { 'kubernetes.io/hostname': name } } });
});
afterAll(async () => {
  await plane?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

async function run(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await helm([...args, '--kubeconfig', plane.kubeconfig]);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

const install = (installed: Installed): Promise<void> => installOriginal(plane, directory, installed);

const stateOf = async (path: string) => {
  const { metadata, spec } = await plane.admin.get(path);
  const { uid, labels, annotations, finalizers, ownerReferences } = metadata;
  return { uid, labels, annotations, finalizers, ownerReferences, spec };
};

/** All that must be the same afterwards: not even written. */
const versionsOf = (paths: readonly string[]) =>
  Promise.all(paths.map(async (path) => (await plane.admin.get(path)).metadata.resourceVersion));

const workloadIn = ({ objects }: Installed): Rendered => {
  const found = objects.find(({ kind }) => kind === 'Deployment' || kind === 'DaemonSet');
  if (!found) throw new Error('it has no workload');
  return found;
};

interface LiveWorkload extends RawObject {
  readonly spec: {
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly serviceAccountName: string;
        readonly containers: readonly { name: string; image: string }[];
      };
    };
  };
}

/** Puts Holdfast in its place with the values that are shipped for that, and looks at what became of it. */
async function migrate(original: keyof typeof INSTALLED) {
  const installed: Installed = INSTALLED[original];
  const { namespace, release = original } = installed;
  const path = pathOf(workloadIn(installed), namespace);
  const before = await plane.admin.get<LiveWorkload>(path);
  const values = join(CHART, 'values', `from-${original}.yaml`);
  // What kubectl has applied helm does not know: only when it replaces an object does nothing of the original's pod stay in it.
  const over = installed.release === undefined ? ['--take-ownership', '--force'] : ['--take-ownership'];
  await run('upgrade', '--install', release, CHART, '-n', namespace, '-f', values, ...over);
  const after = await plane.admin.get<LiveWorkload>(path);
  return { installed, namespace, release, path, before, after };
}

/** One and the same Deployment or DaemonSet, of which nothing but the pods is new. */
function goesOn({ before, after }: Awaited<ReturnType<typeof migrate>>): void {
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(after.spec.selector).toEqual(before.spec.selector);
  expect(after.metadata.labels).toMatchObject(JSON.parse(JSON.stringify(before.spec.selector.matchLabels)));
  expect(after.spec.template.metadata.labels).toMatchObject(before.spec.template.metadata.labels);
  const names = before.spec.template.spec.containers.map(({ name }) => name);
  const [container, ...others] = after.spec.template.spec.containers;
  expect(others).toEqual([]);
  expect(names).toContain(container?.name);
  expect(container?.image).toMatch(/^holdfast:/);
  expect(container).not.toHaveProperty('command');
}

/** The doctor sees one of each job, and finds nothing that is wrong. */
async function isWell(): Promise<void> {
  await eventually(async () => {
    const { stdout } = await runHoldfast('doctor', '-o', 'json', `--kubeconfig=${plane.kubeconfig}`);
    const { checks } = JSON.parse(stdout);
    const wrong = checks.filter(({ verdict }: { verdict: { is: string } }) => verdict.is !== 'ok');
    expect(wrong).toEqual([]);
  });
}

/** With the rights that the chart has given to the account that the pods run under. */
async function accountOf(namespace: string, name: string): Promise<string> {
  const { metadata } = await plane.admin.get(`/api/v1/namespaces/${namespace}/serviceaccounts/${name}`);
  const account = new ServiceAccount(plane, { name, namespace, uid: metadata.uid });
  await account.rotate();
  return await kubeconfigFlag(plane.directory, account, plane);
}

/** As one that the original has made, or looks after. */
const aVolume = (name: string, metadata: object, spec: object = {}) => ({
  metadata: { name, ...metadata },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    storageClassName: 'of-an-original',
    local: { path: `/mnt/pv/${name}` },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['worker-1'] }] },
        ],
      },
    },
    ...spec,
  },
});

async function madeAvailable(object: ReturnType<typeof aVolume>): Promise<string> {
  await plane.admin.post(VOLUMES, object);
  const path = `${VOLUMES}/${object.metadata.name}`;
  await eventually(async () => expect(await plane.admin.get(path)).toMatchObject({ status: { phase: 'Available' } }));
  return path;
}

describe('PV Zone Operator', () => {
  test('goes on as Holdfast, and no volume that it has labelled is written again', async () => {
    await install(INSTALLED['pv-zone-operator']);
    const world = new World({ name: 'zones', admin: plane.admin, controllers: true });
    const { volume } = await world.used(await world.node({ zone: 'a' }), { labels: { [ZONE]: 'a' } });
    const path = `${VOLUMES}/${volume}`;
    await eventually(async () => expect(await plane.admin.get(path)).toMatchObject({ status: { phase: 'Bound' } }));
    const state = await stateOf(path);
    const before = await versionsOf([path]);
    const migrated = await migrate('pv-zone-operator');
    goesOn(migrated);
    const account = `/api/v1/namespaces/kube-system/serviceaccounts/pv-zone-operator`;
    expect(migrated.after.spec.template.spec.serviceAccountName).toBe('pv-zone-operator');
    await plane.admin.get(account);
    await using holdfast = await startHoldfast('topology', await accountOf('kube-system', 'pv-zone-operator'));
    await holdfast.ready();
    await eventually(async () => expect(await holdfast.metric('holdfast_topology_volumes_labelled')).toBe(1));
    expect(await stateOf(path)).toEqual(state);
    expect(await versionsOf([path])).toEqual(before);
    await isWell();
  });
});

describe('local-pv-provisioner', () => {
  test('goes on as Holdfast, with its ConfigMaps, its classes and its volumes', async () => {
    await install(INSTALLED['local-pv-provisioner']);
    const node = {
      'local-pv-provisioner.cybozu.com/node': 'worker-1',
      'local-pv-provisioner.cybozu.io/node': 'worker-1',
    };
    const volume = await madeAvailable(aVolume('local-worker-1-sdb', { labels: node }));
    const others = (INSTALLED['local-pv-provisioner'].beside ?? []).map((each) => pathOf(each, 'kube-system'));
    const before = await versionsOf([volume, ...others]);
    const state = await stateOf(volume);
    goesOn(await migrate('local-pv-provisioner'));
    expect(await versionsOf([volume, ...others])).toEqual(before);
    expect(await stateOf(volume)).toEqual(state);
    await isWell();
  });
});

describe('k8s-local-pv', () => {
  test('goes on as Holdfast in the same release, with the class that came with it, and its volumes', async () => {
    await install(INSTALLED['k8s-local-pv']);
    const annotations = {
      'local-pv.k8s.portavita.net/status': 'Processed',
      'local-pv.k8s.portavita.net/vg': 'storage_bulk',
    };
    const volume = await madeAvailable(aVolume('data-node04', { annotations }, { storageClassName: 'k8s-local-pv' }));
    const kind = '/apis/storage.k8s.io/v1/storageclasses/k8s-local-pv';
    const { uid } = (await plane.admin.get(kind)).metadata;
    const before = await versionsOf([volume]);
    const migrated = await migrate('k8s-local-pv');
    goesOn(migrated);
    expect((await plane.admin.get(kind)).metadata.uid).toBe(uid);
    expect(await versionsOf([volume])).toEqual(before);
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    expect((await plane.admin.request('GET', `${roles}/prod-k8s-local-pv-role`)).status).toBe(404);
    await isWell();
    await run('uninstall', migrated.release, '-n', migrated.namespace);
    expect((await plane.admin.get(kind)).metadata.uid).toBe(uid);
    expect(await versionsOf([volume])).toEqual(before);
  });
});

describe('PV Pool Operator', () => {
  test('goes on as Holdfast, and no pool, StatefulSet or claim is made anew', async () => {
    await install(INSTALLED['pv-pool-operator']);
    const pool = aPool('data', { numPVs: 2, pvSizeGB: 1 });
    const created = await eventually(() => plane.admin.post(poolsIn('default'), pool));
    await plane.admin.post(setsIn('default'), statefulSetOf(created));
    const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
    const paths = [`${setsIn('default')}/data-sts`, `${claims}/vol-data-sts-0`, `${poolsIn('default')}/data`];
    await eventually(() => versionsOf(paths));
    const uids = () => Promise.all(paths.map(async (path) => (await plane.admin.get(path)).metadata.uid));
    const before = await uids();
    const { template } = Object(await plane.admin.get(paths[0] ?? '')).spec;
    goesOn(await migrate('pv-pool-operator'));
    const account = await accountOf('pv-pool-operator-system', 'pv-pool-operator-controller-manager');
    await using holdfast = await startHoldfast('pool', '--health-probe-bind-address=0', account);
    const status = (path: string) => plane.admin.get<RawObject & { status?: { phase?: string } }>(path);
    await eventually(async () => expect((await status(paths[2] ?? '')).status?.phase).toBeDefined());
    expect(await uids()).toEqual(before);
    const set = Object(await plane.admin.get(paths[0] ?? ''));
    expect(set.spec.template).toEqual(template);
    expect(set.spec.replicas).toBe(2);
    expect(holdfast.logged.filter(({ level }) => level === 'error')).toEqual([]);
    await isWell();
  });
});

/** As the original makes it of a pool. */
function statefulSetOf({ metadata: { name, uid } }: RawObject) {
  const labels = { 'pv-pool': name };
  const owner = {
    apiVersion: 'pvpool.noobaa.com/v1',
    kind: 'PvPool',
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  return {
    metadata: { name: `${name}-sts`, ownerReferences: [owner] },
    spec: {
      serviceName: `${name}-srv`,
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'storage-agent',
              image: 'agents:1',
              env: [{ name: 'PV_PATH', value: '/data' }],
              volumeMounts: [{ name: 'vol', mountPath: '/data' }],
              resources: { requests: { cpu: '100m', memory: '100M' }, limits: { cpu: '100m', memory: '100M' } },
            },
          ],
        },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'vol' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  };
}

describe('PersistentVolume Sync Operator', () => {
  test('goes on as Holdfast in the same release, with what it restored, and back again', async () => {
    await install(INSTALLED['pvsync-operator']);
    const restored = await madeAvailable(
      aVolume('restored', { labels: { 'volumesyncs.storage.cndev.nl/recovery': 'site-b' } }),
    );
    const syncs = '/apis/storage.cndev.nl/v1alpha1/persistentvolumesyncs';
    const spec = { protectedCluster: 'site-a', mode: 'Recovery', cloudProvider: 's3', retention: 5 };
    const sync = {
      apiVersion: 'storage.cndev.nl/v1alpha1',
      kind: 'PersistentVolumeSync',
      metadata: { name: 'site-b' },
      spec,
    };
    await eventually(() => plane.admin.post(syncs, sync));
    const secret = '/api/v1/namespaces/pvsync-operator/secrets/pvsync';
    const paths = [restored, `${syncs}/site-b`, secret];
    const before = await versionsOf(paths);
    const migrated = await migrate('pvsync-operator');
    goesOn(migrated);
    expect(await versionsOf(paths)).toEqual(before);
    await isWell();
    await run('rollback', migrated.release, '1', '-n', migrated.namespace);
    const back = await plane.admin.get<LiveWorkload>(migrated.path);
    expect(back.metadata.uid).toBe(migrated.before.metadata.uid);
    expect(back.spec.template.spec.containers[0]?.image).toContain('pvsync:v0.6.1');
    expect(await versionsOf(paths)).toEqual(before);
  });
});
