/** The jobs, as they are shipped, on the sandbox: each as an account with the rights that the manifests give it, and no others. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { toYaml } from '../../../src/kit/yaml.ts';
import { runHoldfast, startHoldfast, startHoldfastIn } from '../../harness/holdfast.ts';
import { type Sandbox, startSandbox } from '../../harness/sandbox.ts';
import { eventually } from '../../harness/wait.ts';

const INSTALL = resolve(import.meta.dirname, '../../../deploy/install');
const ZONE = 'topology.kubernetes.io/zone';
const NAMESPACE = 'holdfast';
const NODE = 'node-1';
const LEADER = ['--leader-elect=true', `--leader-elect-namespace=${NAMESPACE}`];

let sandbox: Sandbox;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  sandbox = await startSandbox();
  for (const file of ['namespace.yaml', ...(await readdir(INSTALL))]) await install(file);
});

/** All that is shipped but the processes themselves: those are started here. */
async function install(file: string): Promise<void> {
  const shipped = parseAllDocuments(await readFile(join(INSTALL, file), 'utf8')).map((each) => each.toJS());
  const without = shipped.filter((each) => each && !['Deployment', 'DaemonSet'].includes(each.kind));
  await sandbox.kubectlWith(without.map((each) => stringify(each)).join('---\n'), 'apply', '-f', '-');
}

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const inNamespace = (...args: readonly string[]) => sandbox.kubectl('-n', NAMESPACE, ...args);

/** The flag with the kubeconfig of the account of a job, with the rights that are shipped, and no others. */
async function accountFlag(job: string, ...more: readonly string[]): Promise<string> {
  const account = `holdfast-${job}`;
  const token = (await inNamespace('create', 'token', account, ...more)).trim();
  const config = parse(await sandbox.kubectl('config', 'view', '--raw', '-o', 'yaml'));
  config.users[0].user = { token };
  const file = join(directory, account);
  await writeFile(file, stringify(config));
  return `--kubeconfig=${file}`;
}

/** The same for an agent, whose token is bound to its pod, as a kubelet would ask for it, and so names its node. */
async function agentFlag(job: string): Promise<string> {
  const pod = `holdfast-${job}-agent`;
  await apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: pod, namespace: NAMESPACE },
    spec: {
      serviceAccountName: `holdfast-${job}`,
      nodeName: NODE,
      containers: [{ name: 'agent', image: 'holdfast' }],
    },
  });
  return accountFlag(job, '--bound-object-kind=Pod', `--bound-object-name=${pod}`);
}

/** An account that does several jobs has the roles of each. */
async function accountOf(name: string, jobs: readonly string[]): Promise<void> {
  const account = `holdfast-${name}`;
  const subject = `--serviceaccount=${NAMESPACE}:${account}`;
  await inNamespace('create', 'serviceaccount', account);
  for (const job of jobs) {
    for (const role of [`holdfast-${job}`, `holdfast-${job}-events`])
      await sandbox.kubectl('create', 'clusterrolebinding', `${account}-${role}`, `--clusterrole=${role}`, subject);
    const role = ['devices', 'lvm'].includes(job) ? `holdfast-${job}` : `holdfast-${job}-leader-election`;
    await inNamespace('create', 'rolebinding', `${account}-${role}`, `--role=${role}`, subject);
  }
}

const apply = (object: object) => sandbox.kubectlWith(toYaml(object), 'apply', '-f', '-');

test('topology labels the volume of a pod that the scheduler has placed', async () => {
  await apply({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  await apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: {
      containers: [{ name: 'main', image: 'web' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  });
  await sandbox.kubectl('wait', '--for=condition=Ready', 'pod/web', '--timeout=60s');
  const { code, stdout, stderr } = await runHoldfast('topology', '--once', await accountFlag('topology'));
  expect(code, stderr).toBe(0);
  const node = await sandbox.kubectl('get', 'pod', 'web', '-o', 'jsonpath={.spec.nodeName}');
  const zone = await sandbox.kubectl(
    'get',
    'node',
    node,
    '-o',
    `jsonpath={.metadata.labels.${ZONE.replaceAll('.', '\\.')}}`,
  );
  const volume = await sandbox.kubectl('get', 'pvc', 'data', '-o', 'jsonpath={.spec.volumeName}');
  expect(stdout).toContain(volume);
  expect(await sandbox.kubectl('get', 'pv', volume, '--show-labels')).toContain(`${ZONE}=${zone}`);
});

test('pool makes the agents of a pool, and says that they do not answer', async () => {
  await using _operator = await startHoldfast(
    'pool',
    ...LEADER,
    '--health-probe-bind-address=0',
    await accountFlag('pool'),
  );
  await apply({
    apiVersion: 'pvpool.noobaa.com/v1',
    kind: 'PvPool',
    metadata: { name: 'blobs' },
    spec: { image: 'holdfast:1', numPVs: 2, pvSizeGB: 1, storageClass: 'standard', args: ['storage-agent'] },
  });
  await eventually(async () => {
    const pods = await sandbox.kubectl('get', 'pods', '-o', 'name');
    expect(pods).toContain('pod/blobs-sts-0\npod/blobs-sts-1');
  });
  await eventually(async () => {
    const says = await sandbox.kubectl('get', 'pvpool', 'blobs', '-o', 'jsonpath={.status.conditions}');
    expect(says).toContain('AgentDoesNotAnswer');
    expect(says).toContain('ECONNREFUSED');
  });
});

test('sync exports to a directory what is labelled', async () => {
  const store = join(directory, 'store');
  await mkdir(store);
  const flags = [...LEADER, '--health-probe-bind-address=0', await accountFlag('sync')];
  await using _operator = await startHoldfastIn({ OBJECT_STORAGE_PATH: store }, 'sync', ...flags);
  await apply({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'kept', labels: { 'volumesyncs.storage.cndev.nl/sync': 'enabled' } },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      csi: { driver: 'a.example.com', volumeHandle: 'x' },
    },
  });
  await apply({
    apiVersion: 'storage.cndev.nl/v1alpha1',
    kind: 'PersistentVolumeSync',
    metadata: { name: 'all' },
    spec: { protectedCluster: 'alpha', mode: 'Protected', cloudProvider: 'file', retention: 5 },
  });
  await eventually(async () => expect(await readdir(join(store, 'alpha'))).not.toEqual([]));
  await eventually(async () => {
    const succeeded = await sandbox.kubectl('get', 'pvsync', 'all', '-o', 'jsonpath={.status.succeeded}');
    expect(succeeded).toBe('true');
  });
  await expect(
    apply({
      apiVersion: 'storage.cndev.nl/v1alpha1',
      kind: 'PersistentVolumeSync',
      metadata: { name: 'second' },
      spec: { protectedCluster: 'beta', mode: 'Protected', cloudProvider: 'file', retention: 5 },
    }),
  ).rejects.toThrow('ValidatingAdmissionPolicy');
});

test('controller does the three jobs of a cluster in one process, with one watch of volumes for all', async () => {
  const store = join(directory, 'store-of-all');
  await mkdir(store);
  await accountOf('controller', ['topology', 'pool', 'sync']);
  const flags = [await accountFlag('controller'), ...LEADER, '--health-probe-bind-address=0'];
  await sandbox.kubectl('delete', 'pvsync', 'all', '--ignore-not-found', '--wait=false');
  await using operator = await startHoldfastIn({ OBJECT_STORAGE_PATH: store }, 'controller', ...flags);
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'together', labels: { 'volumesyncs.storage.cndev.nl/sync': 'enabled' } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  await apply(claim);
  await apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'together' },
    spec: {
      containers: [{ name: 'main', image: 'web' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'together' } }],
    },
  });
  await apply({
    apiVersion: 'pvpool.noobaa.com/v1',
    kind: 'PvPool',
    metadata: { name: 'together' },
    spec: { image: 'holdfast:1', numPVs: 1, pvSizeGB: 1, storageClass: 'standard', args: ['storage-agent'] },
  });
  await eventually(async () => {
    const { stdout } = await runHoldfast('status', 'topology', '-o', 'json', `--kubeconfig=${sandbox.kubeconfig}`);
    expect(JSON.parse(stdout).volumes).toContainEqual(
      expect.objectContaining({ claim: 'default/together', zone: expect.stringMatching(/./) }),
    );
  });
  await eventually(async () => expect(await sandbox.kubectl('get', 'pods', '-o', 'name')).toContain('together-sts-0'));
  await eventually(async () => expect(await sandbox.kubectl('get', 'pvsync', '-o', 'name')).toBe(''));
  await apply({
    apiVersion: 'storage.cndev.nl/v1alpha1',
    kind: 'PersistentVolumeSync',
    metadata: { name: 'together' },
    spec: { protectedCluster: 'together', mode: 'Protected', cloudProvider: 'file', retention: 5 },
  });
  await eventually(async () => expect(await readdir(join(store, 'together'))).not.toEqual([]));
  expect(await operator.metric('leader_election_master_status', /holdfast-controller/)).toBe(1);
  expect(await operator.metric('reflector_lists_total', /"persistentvolumes"/)).toBe(1);
});

/** A volume on a node, of a device or a volume group that this machine does not have: enough to be told of, and nothing to be done. */
const volumeOn = (node: string, job: 'devices' | 'lvm', path: string, metadata: object): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: `${job}-${node}`, ...metadata },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    storageClassName: job === 'lvm' ? 'k8s-local-pv' : 'local-storage',
    volumeMode: job === 'lvm' ? 'Filesystem' : 'Block',
    local: { path },
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [nodeIs(node, job)] }] } },
  },
});

const NODE_ID = 'node-id.k8s.portavita.net/nodeid';
const nodeIs = (node: string, job: 'devices' | 'lvm') => ({
  key: job === 'lvm' ? NODE_ID : 'kubernetes.io/hostname',
  operator: 'In',
  values: [node],
});

const STRANGE = 'node-2';
const reportOf = (job: string, node = NODE) => inNamespace('get', 'configmap', `holdfast-${job}-${node}`, '-o', 'yaml');

test('devices tells of its own node, and may not of another', async () => {
  const deviceDir = join(directory, 'no-disks');
  await mkdir(deviceDir);
  await apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'pv-spec', namespace: NAMESPACE },
    data: { volumeMode: 'Block', deviceDir, deviceNameFilter: '.*' },
  });
  for (const node of [NODE, STRANGE]) {
    const labels = { 'local-pv-provisioner.cybozu.com/node': node };
    await apply(volumeOn(node, 'devices', join(deviceDir, 'ghost'), { labels }));
  }
  const flags = [
    await agentFlag('devices'),
    `--namespace-name=${NAMESPACE}`,
    '--default-pv-spec-configmap=pv-spec',
    `--state-dir=${join(directory, 'devices')}`,
  ];
  {
    await using _agent = await startHoldfast('devices', ...flags, `--node-name=${NODE}`);
    await eventually(async () => expect(await reportOf('devices')).toContain('ghost'));
  }
  await using stranger = await startHoldfast('devices', ...flags, `--node-name=${STRANGE}`);
  await eventually(async () => expect(JSON.stringify(stranger.logged)).toContain('holdfast-devices-reports'));
  await expect(reportOf('devices', STRANGE)).rejects.toThrow('not found');
});

test('lvm tells of its own node, and may not of another', async () => {
  for (const node of [NODE, STRANGE]) {
    await sandbox.kubectl('label', 'node', node, `${NODE_ID}=${node}`);
    const annotations = {
      'local-pv.k8s.portavita.net/vg': 'holdfast_test_none',
      'local-pv.k8s.portavita.net/fsType': 'ext4',
    };
    await apply(volumeOn(node, 'lvm', `/mnt/pv/lvm-${node}`, { annotations }));
  }
  const flags = [await agentFlag('lvm'), `--namespace=${NAMESPACE}`, '--mount-namespace=own'];
  {
    await using _agent = await startHoldfast('lvm', ...flags, `--node-name=${NODE}`);
    await eventually(async () => expect(await reportOf('lvm')).toContain(`lvm-${NODE}`));
    await eventually(async () =>
      expect(await sandbox.kubectl('get', 'pv', `lvm-${NODE}`, '-o', 'yaml')).toContain('Not-Processed-Errors'),
    );
  }
  await using stranger = await startHoldfast('lvm', ...flags, `--node-name=${STRANGE}`);
  await eventually(async () => expect(JSON.stringify(stranger.logged)).toMatch(/holdfast-lvm-(volumes|homes|reports)/));
  await expect(reportOf('lvm', STRANGE)).rejects.toThrow('not found');
});

test('node does both jobs of a node in one process: lvm reports on it, and devices says that it is told of no disks', async () => {
  await accountOf('node', ['devices', 'lvm']);
  await inNamespace('delete', 'configmap', `holdfast-lvm-${NODE}`);
  const flags = [
    await agentFlag('node'),
    `--node-name=${NODE}`,
    `--namespace=${NAMESPACE}`,
    '--mount-namespace=own',
    `--state-dir=${join(directory, 'state')}`,
  ];
  await using agent = await startHoldfast('node', ...flags);
  await eventually(async () => {
    expect(await reportOf('lvm')).toContain(`lvm-${NODE}`);
    expect(agent.logged).toContainEqual(expect.objectContaining({ msg: 'nothing is done on this node' }));
  });
  const { text } = await agent.page('/metrics');
  expect(text).toContain('holdfast_devices_');
  expect(text).toContain('holdfast_lvm_');
});
