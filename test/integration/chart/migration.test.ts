/**
 * An original, as it stands in a cluster with its volumes, and Holdfast put in its place by one command of helm: the same Deployment or DaemonSet
 * goes on with another image, and nothing that it looks after is made anew, wiped or labelled otherwise.
 */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TROUBLE_ANNOTATION } from '../../../src/devices/contract.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { type Holdfast, kubeconfigFlag, runHoldfast, startHoldfast, startHoldfastIn } from '../../harness/holdfast.ts';
import type { RawObject } from '../../harness/raw-client.ts';
import { startS3Server } from '../../harness/s3-server.ts';
import { ServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { INSTALLED, type Installed } from '../../originals/originals.ts';
import { statefulSetOf } from '../../originals/storage-agents.ts';
import { configMapsIn, VOLUMES } from '../agents.ts';
import { aPool, poolsIn, setsIn } from '../pool/shipped.ts';
import { aSync, type RawSync, SYNCS } from '../sync/shipped.ts';
import { BUCKET, environmentOf } from '../sync/world.ts';
import { World, ZONE } from '../topology/world.ts';
import { CHART, helm } from './helm.ts';
import { installOriginal } from './install-original.ts';
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
  const path = pathOf(installed.workload, namespace);
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

/** The same, with a token as the kubelet gives it to the pod of an agent on this node. */
async function agentOn(node: string, namespace: string, name: string): Promise<string> {
  const { metadata } = await plane.admin.post(`/api/v1/namespaces/${namespace}/pods`, {
    metadata: { generateName: 'agent-' },
    spec: {
      nodeName: node,
      tolerations: [{ operator: 'Exists' }],
      serviceAccountName: name,
      containers: [{ name: 'agent', image: 'holdfast' }],
    },
  });
  const { uid } = (await plane.admin.get(`/api/v1/namespaces/${namespace}/serviceaccounts/${name}`)).metadata;
  const account = new ServiceAccount(plane, { name, namespace, uid });
  await account.rotate({ boundTo: { kind: 'Pod', name: metadata.name, uid: metadata.uid } });
  return await kubeconfigFlag(plane.directory, account, plane);
}

const errorsOf = ({ logged }: Holdfast) => logged.filter(({ level }) => level === 'error');

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
  const PREFIX = 'local-pv-provisioner.cybozu.io';
  const NAMESPACE = 'kube-system';

  /** Which disks are meant: those of a directory in which there are none. */
  async function configured(): Promise<Readonly<Record<string, string>>> {
    const deviceDir = join(directory, 'disks');
    await mkdir(deviceDir);
    const settings = { volumeMode: 'Filesystem', fsType: 'ext4', deviceDir, deviceNameFilter: '.*' };
    await plane.admin.post(configMapsIn(NAMESPACE), { metadata: { name: 'no-disks' }, data: settings });
    const annotations = { [`${PREFIX}/pv-spec-configmap`]: 'no-disks' };
    await plane.admin.patch('/api/v1/nodes/worker-1', { metadata: { annotations } });
    return { ...settings, storageClassName: 'local-storage' };
  }

  async function volumeOf(settings: Readonly<Record<string, string>>) {
    const { uid } = (await plane.admin.get('/api/v1/nodes/worker-1')).metadata;
    const { storageClassName, fsType, deviceDir } = settings;
    const metadata = {
      labels: { 'local-pv-provisioner.cybozu.com/node': 'worker-1', [`${PREFIX}/node`]: 'worker-1' },
      annotations: Object.fromEntries(Object.entries(settings).map(([key, value]) => [`${PREFIX}/${key}`, value])),
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Node', name: 'worker-1', uid, controller: true, blockOwnerDeletion: true },
      ],
    };
    return aVolume('local-worker-1-sdb', metadata, { storageClassName, local: { path: `${deviceDir}/sdb`, fsType } });
  }

  test('goes on as Holdfast, with its ConfigMaps, its classes and its volumes', async () => {
    await install(INSTALLED['local-pv-provisioner']);
    const volume = await madeAvailable(await volumeOf(await configured()));
    const others = (INSTALLED['local-pv-provisioner'].beside ?? []).map((each) => pathOf(each, NAMESPACE));
    const before = await versionsOf([volume, ...others]);
    const state = await stateOf(volume);
    goesOn(await migrate('local-pv-provisioner'));
    expect(await versionsOf([volume, ...others])).toEqual(before);
    const account = await agentOn('worker-1', NAMESPACE, 'local-pv-provisioner');
    const where = ['--node-name=worker-1', `--namespace-name=${NAMESPACE}`, `--state-dir=${join(directory, 'state')}`];
    await using agent = await startHoldfast('devices', ...where, account);
    await eventually(async () => expect(await agent.metric('holdfast_devices_configured')).toBe(1));
    await eventually(async () => {
      const { items } = await plane.admin.list(`${configMapsIn(NAMESPACE)}?labelSelector=holdfast.dev/report`);
      expect(JSON.stringify(items)).toContain('local-worker-1-sdb');
    });
    expect(errorsOf(agent)).toEqual([]);
    // Its disk is not there, of which it tells. All else is as it was.
    const annotations = { ...Object(state.annotations), [TROUBLE_ANNOTATION]: expect.stringContaining('sdb') };
    expect(await stateOf(volume)).toEqual({ ...state, annotations });
    expect(await versionsOf(others)).toEqual(before.slice(1));
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
    // What becomes of it on the node that it is on takes that node: test/lab/node/lvm-adopt.test.ts. Nobody else's agent writes it.
    const account = await agentOn('worker-2', migrated.namespace, 'prod-k8s-local-pv-sa');
    const where = ['--node-name=worker-2', `--namespace=${migrated.namespace}`, '--mount-namespace=own'];
    await using agent = await startHoldfast('lvm', ...where, `--mount-base=${join(directory, 'pv')}`, account);
    await agent.ready();
    await eventually(async () => expect(await agent.metric('controller_runtime_reconcile_total')).toBeGreaterThan(0));
    expect(errorsOf(agent)).toEqual([]);
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
    expect(errorsOf(holdfast)).toEqual([]);
    await isWell();
  });
});

describe('PersistentVolume Sync Operator', () => {
  const EXPORT = join(import.meta.dirname, '../../../src/sync/export/fixtures/original-export.json');

  /** As the original restores what its export has of the volume: for any claim, and gone with the resource that it is restored by. */
  const restoredFrom = ({ metadata, spec }: RawObject, sync: RawObject) => {
    const { apiVersion, kind } = sync;
    const { name, uid } = sync.metadata;
    return {
      metadata: {
        name: metadata.name,
        labels: { app: 'bench', 'volumesyncs.storage.cndev.nl/recovery': name },
        finalizers: ['volumesyncs.storage.cndev.nl/finalizer'],
        ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
      },
      spec: { ...Object(spec), claimRef: undefined },
    };
  };

  test('goes on as Holdfast in the same release, with what it restored, and back again', async () => {
    await using store = await startS3Server();
    const text = await readFile(EXPORT, 'utf8');
    await store.request({ method: 'PUT', path: `/${BUCKET}` });
    await store.request({ method: 'PUT', path: `/${BUCKET}/site-a/1763236800_storage_objects.json`, body: text });
    await install(INSTALLED['pvsync-operator']);
    const resource = aSync('site-b', { protectedCluster: 'site-a', mode: 'Recovery' });
    const sync = await eventually(() => plane.admin.post(SYNCS, resource));
    const volumes: readonly RawObject[] = JSON.parse(text).persistent_volumes;
    for (const volume of volumes) await plane.admin.post(VOLUMES, restoredFrom(volume, sync));
    const paths = volumes.map(({ metadata }) => `${VOLUMES}/${metadata.name}`);
    const states = () => Promise.all(paths.map(stateOf));
    const restored = await states();
    const others = [`${SYNCS}/site-b`, '/api/v1/namespaces/pvsync-operator/secrets/pvsync'];
    const before = await versionsOf(others);
    const migrated = await migrate('pvsync-operator');
    goesOn(migrated);
    expect(await versionsOf(others)).toEqual(before);
    const account = await accountOf('pvsync-operator', 'pvsync-pvsync-operator');
    await using operator = await startHoldfastIn(
      environmentOf(store),
      'sync',
      '--health-probe-bind-address=0',
      account,
    );
    await eventually(async () => {
      const { status } = await plane.admin.get<RawSync>(`${SYNCS}/site-b`);
      expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'InSync', status: 'True' }));
    });
    expect(errorsOf(operator)).toEqual([]);
    // They are the same ones. What would have them deleted with the resource is gone, and each is for its own claim again.
    for (const [index, now] of (await states()).entries()) {
      const { uid, labels, spec } = restored[index] ?? {};
      const { claimRef } = Object(volumes[index]).spec;
      const meant = { kind: claimRef.kind, namespace: claimRef.namespace, name: claimRef.name };
      expect(now).toMatchObject({ uid, labels, spec: { ...Object(spec), claimRef: meant } });
      expect(now).toMatchObject({ ownerReferences: undefined, finalizers: ['kubernetes.io/pv-protection'] });
    }
    await isWell();
    await run('rollback', migrated.release, '1', '-n', migrated.namespace);
    const back = await plane.admin.get<LiveWorkload>(migrated.path);
    expect(back.metadata.uid).toBe(migrated.before.metadata.uid);
    expect(back.spec.template.spec.containers[0]?.image).toContain('pvsync:v0.6.2');
  });
});
