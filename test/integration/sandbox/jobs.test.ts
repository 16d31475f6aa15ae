/** The jobs, as they are shipped, on the sandbox: each as an account with the rights that the manifests give it, and no others. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { toYaml } from '../../../src/kit/yaml.ts';
import { runHoldfast, startHoldfast, startHoldfastIn } from '../../harness/holdfast.ts';
import { type Sandbox, startSandbox } from '../../harness/sandbox.ts';
import { eventually } from '../../harness/wait.ts';

const DEPLOY = resolve(import.meta.dirname, '../../../deploy');
const ZONE = 'topology.kubernetes.io/zone';

let sandbox: Sandbox;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  sandbox = await startSandbox();
  await sandbox.kubectl('apply', '-n', 'default', '-f', join(DEPLOY, 'rbac'));
  await sandbox.kubectl('apply', '-f', join(DEPLOY, 'admission'));
});

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** The flag with the kubeconfig of an account that has exactly the rights of the job, or of those that are done together under its name. */
async function accountFlag(job: string, together: readonly string[] = [job]): Promise<string> {
  const account = `holdfast-${job}`;
  const subject = `--serviceaccount=default:${account}`;
  const { kubectl } = sandbox;
  await kubectl('create', 'serviceaccount', account);
  for (const role of [...together.map((each) => `holdfast-${each}`), 'holdfast-events'])
    await kubectl('create', 'clusterrolebinding', `${account}-${role}`, `--clusterrole=${role}`, subject);
  await kubectl('create', 'rolebinding', account, '--role=holdfast-leader-election', subject);
  const token = (await kubectl('create', 'token', account)).trim();
  const config = parse(await kubectl('config', 'view', '--raw', '-o', 'yaml'));
  config.users[0].user = { token };
  const file = join(directory, account);
  await writeFile(file, stringify(config));
  return `--kubeconfig=${file}`;
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
  await using _operator = await startHoldfast('pool', '--health-probe-bind-address=0', await accountFlag('pool'));
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
  const flags = ['--health-probe-bind-address=0', await accountFlag('sync')];
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
  const flags = [
    await accountFlag('controller', ['topology', 'pool', 'sync']),
    '--leader-elect',
    '--leader-elect-namespace=default',
    '--health-probe-bind-address=0',
  ];
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

test('node does both jobs of a node in one process: lvm reports on it, and devices says that it is told of no disks', async () => {
  const flags = [
    `--kubeconfig=${sandbox.kubeconfig}`, // the policies of nodes want a token of a pod, which no kubelet gives here
    '--node-name=node-1',
    '--namespace=default',
    '--mount-namespace=own',
    `--state-dir=${join(directory, 'state')}`,
  ];
  await using agent = await startHoldfast('node', ...flags);
  await eventually(async () => {
    expect(await sandbox.kubectl('get', 'configmaps', '-o', 'name')).toContain('holdfast-lvm-node-1');
    expect(agent.logged).toContainEqual(expect.objectContaining({ msg: 'nothing is done on this node' }));
  });
  const { text } = await agent.page('/metrics');
  expect(text).toContain('holdfast_devices_');
  expect(text).toContain('holdfast_lvm_');
});
