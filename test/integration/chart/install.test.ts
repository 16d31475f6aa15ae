/** The chart, installed by the real helm on a real API server: it is taken as it is, and its agents may do what they have to, and nothing else. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { FINALIZER, NODE_ID_LABEL, PREFIX } from '../../../src/lvm/contract.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { kubeconfigFlag, startHoldfast } from '../../harness/holdfast.ts';
import { RawClient, type RawObject } from '../../harness/raw-client.ts';
import { type Question, ServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { configMapsIn, VOLUMES } from '../agents.ts';
import { aNode, aVolume } from '../lvm/rights.ts';
import { aPool, poolsIn } from '../pool/shipped.ts';
import { World, ZONE } from '../topology/world.ts';
import { CHART, EVERYTHING, helm, rendered, type Values } from './helm.ts';
import { pathOf } from './paths.ts';

/** Other names than those in deploy/: whatever is not named after the release would be seen. */
const RELEASE = 'vault';
const NAMESPACE = 'storage';
const KEYS = 'keys';
const LVM_ACCOUNT = 'local-pv';
const POOLS = poolsIn(KEYS);

const VALUES: Values = {
  ...EVERYTHING,
  lvm: { enabled: true, secretNamespaces: [KEYS], serviceAccount: { name: LVM_ACCOUNT } },
  pool: { enabled: true, networkPolicy: { namespaces: [KEYS] } },
  sync: { enabled: true },
};

let plane: ControlPlane;
let told: string;
const clients = new AsyncDisposableStack();
beforeAll(async () => {
  plane = await startControlPlane({ controllers: true });
  await plane.admin.post('/api/v1/namespaces', { metadata: { name: KEYS } });
  for (const name of ['worker-a', 'worker-b']) await aNode(plane, name, { [NODE_ID_LABEL]: `id-${name}` });
  const created = ['--create-namespace', '-f', '-'];
  told = await run(['install', RELEASE, CHART, ...created], VALUES);
});
afterAll(async () => {
  await clients.disposeAsync();
  await plane?.[Symbol.asyncDispose]();
});

async function run(args: readonly string[], values?: Values): Promise<string> {
  const where = ['--namespace', NAMESPACE, '--kubeconfig', plane.kubeconfig];
  const { code, stdout, stderr } = await helm([...args, ...where], values);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** The account of a job as the chart has made it. */
async function accountOf(name: string): Promise<ServiceAccount> {
  const { metadata } = await plane.admin.get(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${name}`);
  return clients.use(new ServiceAccount(plane, { name, namespace: NAMESPACE, uid: metadata.uid }));
}

/** With a token as the kubelet gives it to a pod of this account on this node. */
async function agentOn(node: string, account: ServiceAccount): Promise<RawClient> {
  const { metadata } = await plane.admin.post(`/api/v1/namespaces/${NAMESPACE}/pods`, {
    metadata: { generateName: 'agent-' },
    spec: {
      nodeName: node,
      tolerations: [{ operator: 'Exists' }],
      serviceAccountName: account.identity.name,
      containers: [{ name: 'agent', image: 'holdfast' }],
    },
  });
  const token = await account.rotate({ boundTo: { kind: 'Pod', name: metadata.name, uid: metadata.uid } });
  return clients.use(new RawClient({ url: plane.url, ca: plane.ca, token }));
}

/** Refused by a policy of this release, and not for want of a right. */
async function isForbidden(write: Promise<unknown>, policy: string, sentence: string): Promise<void> {
  const refusal = await write.then(
    () => 'it was allowed',
    (error: Error) => error.message,
  );
  expect(refusal).toContain('answered 403');
  expect(refusal).toContain(`ValidatingAdmissionPolicy '${RELEASE}-holdfast-${policy}'`);
  expect(refusal).toContain(sentence);
}

test('people are told what runs, what the namespace has to allow, and what to do next', async () => {
  const { appVersion } = parse(await readFile(join(CHART, 'Chart.yaml'), 'utf8'));
  expect(told).toContain(`Holdfast ${appVersion} runs: topology, devices, lvm, pool, sync.`);
  expect(told).toContain(`kubectl label namespace ${NAMESPACE} pod-security.kubernetes.io/enforce=privileged`);
  expect(told).toContain(`holdfast devices plan --namespace ${NAMESPACE}`);
  expect(told).toContain(`kubectl label node NODE ${NODE_ID_LABEL}=ID`);
  const nothing = await run(['install', 'idle', CHART, '--dry-run=server', '-f', '-'], {});
  expect(nothing).toContain('Nothing runs yet: every job is off.');
  expect(nothing).not.toContain('privileged');
  // --reuse-values lacks what a newer chart has in its values, and fails.
  expect(nothing).toContain('--reset-then-reuse-values --set topology.enabled=true');
});

describe('the API server', () => {
  test('keeps each object as it was rendered, and has no field of it dropped', async () => {
    const objects = await rendered(VALUES, { name: RELEASE, namespace: NAMESPACE });
    expect(objects.length).toBeGreaterThan(35);
    for (const object of objects) {
      const { spec, rules, roleRef, subjects, data } = object;
      const { name, labels } = object.metadata;
      const said = { metadata: { name, labels }, spec, rules, roleRef, subjects, data };
      expect(await plane.admin.get(pathOf(object, NAMESPACE))).toMatchObject(JSON.parse(JSON.stringify(said)));
    }
  });

  test('finds nothing to warn of in the policies', async () => {
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
    await eventually(async () => {
      const { items } = await plane.admin.list<RawObject & { status?: object }>(policies);
      expect(items.map(({ status }) => status)).toEqual(items.map(() => ({ observedGeneration: 1, typeChecking: {} })));
      expect(items).toHaveLength(8);
    });
  });

  test('takes the pods of all jobs', async () => {
    await eventually(async () => {
      const { items } = await plane.admin.list<RawObject & { metadata: { labels?: Record<string, string> } }>(
        `/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=app.kubernetes.io/instance=${RELEASE}`,
      );
      const jobs = items.map(({ metadata }) => metadata.labels?.['app.kubernetes.io/component']);
      expect(new Set(jobs)).toEqual(new Set(['topology', 'devices', 'lvm', 'pool', 'sync']));
    });
  });
});

describe('the agent of lvm', () => {
  const said = (status: string) => ({ metadata: { annotations: { [`${PREFIX}status`]: status } } });
  let agent: RawClient;
  let account: ServiceAccount;
  beforeAll(async () => {
    account = await accountOf(LVM_ACCOUNT);
    agent = await agentOn('worker-a', account);
    await plane.admin.post(VOLUMES, aVolume('probe', 'id-worker-b'));
    await eventually(
      async () => {
        const probe = agent.patch(`${VOLUMES}/probe?dryRun=All`, said('Processed'));
        await isForbidden(probe, 'lvm-homes', 'may write only volumes whose node affinity names that node');
      },
      { for: 'the rights and policies to be in force' },
    );
  });

  test('looks after a volume of its own node', async () => {
    const { metadata } = await plane.admin.post(VOLUMES, aVolume('own', 'id-worker-a'));
    const finalizers = [...(metadata.finalizers as string[]), FINALIZER];
    const spec = { persistentVolumeReclaimPolicy: 'Retain' };
    await agent.patch(`${VOLUMES}/own`, { metadata: { finalizers, ...said('Processed').metadata }, spec });
  });

  test('changes nothing on a volume of another node', async () => {
    await plane.admin.post(VOLUMES, aVolume('theirs', 'id-worker-b'));
    const before = await plane.admin.get(`${VOLUMES}/theirs`);
    const write = agent.patch(`${VOLUMES}/theirs`, said('Processed'));
    await isForbidden(write, 'lvm-homes', 'The agent of node worker-a may write only volumes');
    expect(await plane.admin.get<RawObject>(`${VOLUMES}/theirs`)).toMatchObject({
      metadata: { annotations: before.metadata.annotations },
    });
  });

  test('looks after the volumes of the pools that the chart declares for its node', async () => {
    await aNode(plane, 'worker-04', {});
    const its = await agentOn('worker-04', account);
    const path = `${VOLUMES}/elasticsearch-data-node04`;
    await eventually(() => its.patch(path, said('Processed')), { for: 'the policies to know the node' });
    const other = its.patch(`${VOLUMES}/elasticsearch-data-node05`, said('Processed'));
    await isForbidden(other, 'lvm-homes', 'The agent of node worker-04');
  });

  test('writes its own report in the namespace of the release, and no other', async () => {
    const report = (node: string) => ({
      metadata: { name: `holdfast-lvm-${node}`, labels: { 'holdfast.dev/report': 'lvm' } },
    });
    await agent.post(configMapsIn(NAMESPACE), report('worker-a'));
    const other = agent.post(configMapsIn(NAMESPACE), report('worker-b'));
    await isForbidden(other, 'lvm-reports', 'may write only the ConfigMap of its own report');
  });

  test('reads the Secrets of the namespaces that were chosen, and of no others', async () => {
    const mayRead = (namespace: string) => account.can({ verb: 'get', resource: 'secrets', namespace });
    expect([await mayRead(KEYS), await mayRead(NAMESPACE), await mayRead('default')]).toEqual([true, false, false]);
  });
});

describe('the agent of devices', () => {
  let agent: RawClient;
  beforeAll(async () => {
    agent = await agentOn('worker-a', await accountOf(`${RELEASE}-holdfast-devices`));
  });
  const onDevice = (node: string) => ({
    metadata: {
      name: `local-${node}-sdb`,
      labels: Object.fromEntries(['com', 'io'].map((end) => [`local-pv-provisioner.cybozu.${end}/node`, node])),
    },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: 'local-storage',
      local: { path: '/dev/disks/sdb' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] },
          ],
        },
      },
    },
  });

  test('makes and deletes volumes of its own node, and none of another', async () => {
    const other = () => agent.post(`${VOLUMES}?dryRun=All`, onDevice('worker-b'));
    await eventually(
      () => isForbidden(other(), 'devices-volumes', 'The agent of node worker-a may write only volumes'),
      {
        for: 'the rights and policies to be in force',
      },
    );
    await agent.post(VOLUMES, onDevice('worker-a'));
    await agent.delete(`${VOLUMES}/local-worker-a-sdb`);
    await plane.admin.post(VOLUMES, onDevice('worker-b'));
    const deletion = agent.delete(`${VOLUMES}/local-worker-b-sdb`);
    await isForbidden(deletion, 'devices-volumes', 'The agent of node worker-a may write only volumes');
  });

  test('finds the ConfigMap that the chart has made of its values', async () => {
    const { items } = await agent.list(configMapsIn(NAMESPACE));
    expect(items).toContainEqual(
      expect.objectContaining({
        metadata: expect.objectContaining({ name: 'ssd' }),
        data: expect.objectContaining({ volumeMode: 'Block' }),
      }),
    );
  });
});

describe('topology', () => {
  test('labels volumes and holds its lease with the flags and rights of its Deployment, and is refused nothing', async () => {
    const values = { topology: { enabled: true } };
    const deployment = (await rendered(values)).find(({ kind }) => kind === 'Deployment');
    const { args } = Object(deployment).spec.template.spec.containers[0];
    const ownPort = (flag: string) => flag.startsWith('--metrics-bind-address');
    const account = await accountOf(`${RELEASE}-holdfast-topology`);
    await account.rotate();
    const flags = args.slice(1).filter((flag: string) => !ownPort(flag));
    await using holdfast = await startHoldfast(
      'topology',
      ...flags,
      await kubeconfigFlag(plane.directory, account, plane),
    );
    const world = new World({ name: 'chart', admin: plane.admin });
    const { volume } = await world.used(await world.node({ zone: 'a' }), { labels: { [ZONE]: 'wrong' } });
    await world.hasLabels(volume, { [ZONE]: 'a' });
    await eventually(async () => expect(await world.events(volume)).toMatchObject([{ reason: 'TopologyReplaced' }]));
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
    expect((await plane.admin.list(leases)).items).toHaveLength(1);
    expect(holdfast.logged.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });

  test('could do nothing else', async () => {
    const account = await accountOf(`${RELEASE}-holdfast-topology`);
    await account.rotate();
    for (const question of NOT_ITS_BUSINESS) expect([question, await account.can(question)]).toEqual([question, false]);
  });

  const NOT_ITS_BUSINESS: readonly Question[] = [
    { verb: 'create', resource: 'persistentvolumes' },
    { verb: 'delete', resource: 'persistentvolumes' },
    { verb: 'list', resource: 'configmaps', namespace: NAMESPACE },
    { verb: 'get', resource: 'secrets', namespace: KEYS },
    { verb: 'get', group: 'coordination.k8s.io', resource: 'leases', namespace: 'default' },
  ];
});

describe('pool', () => {
  const SETS = `/apis/apps/v1/namespaces/${KEYS}/statefulsets`;

  test('makes the StatefulSet of a pool with the flags and rights of its Deployment, and is refused nothing', async () => {
    const deployment = (await rendered({ pool: { enabled: true } })).find(({ kind }) => kind === 'Deployment');
    const { args } = Object(deployment).spec.template.spec.containers[0];
    const flags = args.slice(1).filter((flag: string) => !flag.includes('-bind-address'));
    const account = await accountOf(`${RELEASE}-holdfast-pool`);
    await account.rotate();
    const kubeconfig = await kubeconfigFlag(plane.directory, account, plane);
    await using holdfast = await startHoldfast('pool', ...flags, '--health-probe-bind-address=0', kubeconfig);
    await plane.admin.post(POOLS, aPool('data', { numPVs: 2 }));
    const set = await eventually(() => plane.admin.get(`${SETS}/data-sts`));
    expect(set).toMatchObject({ spec: { replicas: 2 } });
    expect(holdfast.logged.filter(({ level }) => level === 'error')).toEqual([]);
    expect(JSON.stringify(holdfast.logged)).not.toContain('forbidden');
  });

  test('is the only one to scale it', async () => {
    const write = plane.admin.patch(`${SETS}/data-sts/scale`, { spec: { replicas: 1 } });
    await isForbidden(write, 'pool-scale', 'use kubectl scale pvpool data --replicas=N');
  });
});

describe('a second release, which a person tries beside', () => {
  test('has names of its own, so that neither takes anything from the other, and goes without a trace', async () => {
    const before = await rendered(VALUES, { name: RELEASE, namespace: NAMESPACE });
    const values = { topology: { enabled: true }, devices: { enabled: true }, lvm: { enabled: true } };
    await run(['install', 'second', CHART, '-f', '-'], values);
    await run(['uninstall', 'second']);
    for (const object of before) await plane.admin.get(pathOf(object, NAMESPACE));
    for (const object of await rendered(values, { name: 'second', namespace: NAMESPACE }))
      expect((await plane.admin.request('GET', pathOf(object, NAMESPACE))).status).toBe(404);
  });
});

describe('an upgrade', () => {
  test('that switches a job off takes its rights with it, and an uninstall leaves the volumes', async () => {
    const { lvm: _, ...withoutLvm } = VALUES;
    await run(['upgrade', RELEASE, CHART, '-f', '-'], withoutLvm);
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    expect((await plane.admin.request('GET', `${roles}/${RELEASE}-holdfast-lvm`)).status).toBe(404);
    expect((await plane.admin.request('GET', `${roles}/${RELEASE}-holdfast-devices`)).status).toBe(200);
    await run(['uninstall', RELEASE]);
    expect((await plane.admin.request('GET', `${roles}/${RELEASE}-holdfast-devices`)).status).toBe(404);
    const volume = await plane.admin.get(`${VOLUMES}/elasticsearch-data-node05`);
    expect(volume).not.toHaveProperty('metadata.deletionTimestamp');
    expect(await plane.admin.get(`${POOLS}/data`)).not.toHaveProperty('metadata.deletionTimestamp');
  });

  test('from somebody else who had the kind of pools takes it over when told to, and leaves the pools', async () => {
    const install = ['install', 'other', CHART, '-f', '-'];
    await expect(run(install, { pool: { enabled: true } })).rejects.toThrow(
      'cannot be imported into the current release',
    );
    await run([...install, '--take-ownership'], { pool: { enabled: true } });
    expect(await plane.admin.get(`${POOLS}/data`)).not.toHaveProperty('metadata.deletionTimestamp');
  });
});
