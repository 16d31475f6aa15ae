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

/** The flag with the kubeconfig of an account that has exactly the rights of the job. */
async function accountFlag(job: string): Promise<string> {
  const account = `holdfast-${job}`;
  const subject = `--serviceaccount=default:${account}`;
  const { kubectl } = sandbox;
  await kubectl('create', 'serviceaccount', account);
  for (const role of [account, 'holdfast-events'])
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
