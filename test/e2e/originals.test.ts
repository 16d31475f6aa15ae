/** The manifests of the originals, written down from their documents, with another image and nothing else changed. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { RawObject } from '../harness/raw-client.ts';
import { Cluster, isReady, type Pod } from './cluster.ts';

const root = resolve(import.meta.dirname, '../..');
const NAMESPACE = 'kube-system';
/** Where ours looks for its ConfigMaps, unless it is told another. */
const OURS = 'holdfast';
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
  await cluster.hasDefaultAccount(NAMESPACE);
  await cluster.namespace(OURS);
  // Of the last two, whose kinds their documents have applied first.
  for (const file of ['pvpools.pvpool.noobaa.com', 'persistentvolumesyncs.storage.cndev.nl'])
    for (const object of objectsIn(`deploy/crds/${file}.yaml`)) await make(object);
}, 900_000);
afterAll(() => cluster?.[Symbol.asyncDispose](), 120_000);

const PLURALS: Readonly<Record<string, string>> = {
  ServiceAccount: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`,
  Secret: `/api/v1/namespaces/${NAMESPACE}/secrets`,
  ConfigMap: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
  ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  Role: `/apis/rbac.authorization.k8s.io/v1/namespaces/${OURS}/roles`,
  RoleBinding: `/apis/rbac.authorization.k8s.io/v1/namespaces/${OURS}/rolebindings`,
  CustomResourceDefinition: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  Deployment: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`,
  DaemonSet: `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets`,
  StatefulSet: `/apis/apps/v1/namespaces/${NAMESPACE}/statefulsets`,
};
const pathOf = ({ kind }: RawObject): string => PLURALS[kind] ?? kind;

function objectsIn(path: string, image?: string): readonly RawObject[] {
  const text = readFileSync(join(root, path), 'utf8');
  const changed = image === undefined ? text : text.replace(/^( *image: ).*$/m, `$1${image}`);
  return parseAllDocuments(changed).map((document) => document.toJS());
}

const made: RawObject[] = [];
async function make(object: RawObject): Promise<void> {
  await cluster.admin.post(pathOf(object), object);
}

afterEach(async () => {
  for (const object of made.splice(0).toReversed())
    await cluster.admin.delete(`${pathOf(object)}/${object.metadata.name}`, { gracePeriodSeconds: 1 });
  await cluster.eventually('the pods to go', async () => {
    const left = await cluster.pods(NAMESPACE, 'app=original');
    if (left.length > 0) throw new Error(`${left.length} are there`);
  });
}, 300_000);

/** Applies it with the image of the tag, and gives the pod when it is ready. */
async function started(name: string, tag: string): Promise<Pod> {
  for (const object of objectsIn(`test/e2e/originals/${name}.yaml`, `holdfast:${version}-${tag}`)) {
    await make(object);
    made.push(object);
  }
  const [pod] = await cluster.readyPods(NAMESPACE, 'app=original');
  if (!pod) throw new Error('there is no pod');
  return pod;
}

/** Binds what is in deploy/rbac to the account of an original. */
async function grant(file: string, account: string): Promise<void> {
  for (const role of objectsIn(`deploy/rbac/${file}.yaml`)) {
    await make(role);
    await make({
      apiVersion: role.apiVersion,
      kind: `${role.kind}Binding`,
      metadata: { ...role.metadata, name: `${account}-more` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: role.kind, name: role.metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace: NAMESPACE }],
    });
  }
}

/** It says so, and has not been started anew meanwhile. */
async function says(pod: Pod, words: string): Promise<void> {
  await cluster.eventually(`the log of ${pod.metadata.name} to say "${words}"`, async () => {
    const log = await cluster.log(NAMESPACE, pod.metadata.name);
    if (!log.includes(words)) throw new Error(`it says ${log}`);
  });
  const now = await cluster.admin.get<Pod>(`/api/v1/namespaces/${NAMESPACE}/pods/${pod.metadata.name}`);
  expect(isReady(now)).toBe(true);
  expect(now.status.containerStatuses).toMatchObject([{ restartCount: 0 }]);
}

const AT_WORK = 'caches are complete: controllers start';

test('pv-zone-operator', async () => {
  await says(await started('topology', 'topology'), AT_WORK);
});

test('local-pv-provisioner, with its metrics', async () => {
  const pod = await started('devices', 'devices');
  await says(pod, AT_WORK);
  const metrics = await (await fetch(`http://${pod.status.podIP}:8080/metrics`)).text();
  expect(metrics).toContain('local_pv_provisioner_available_devices{node="worker"}');
});

test('k8s-local-pv, which knows its node by the host name', async () => {
  await says(await started('lvm', 'lvm'), AT_WORK);
});

test('pv-pool-operator, with the rights that its page asks to be added', async () => {
  await grant('holdfast-pool', 'pv-pool-operator');
  await says(await started('pool', 'pool'), AT_WORK);
});

test('pvsync', async () => {
  await says(await started('sync', 'sync'), AT_WORK);
});

test('the storage agent, which answers as the original does', async () => {
  const pod = await started('storage-agent', 'storage-agent');
  const status = await cluster.eventually('the agent to answer', async () => {
    const answer = await fetch(`http://${pod.status.podIP}:8080/status`);
    return (await answer.json()) as Readonly<Record<string, unknown>>;
  });
  expect(status).toMatchObject({ name: 'pool-sts-0', state: expect.any(String), total: expect.any(Number) });
});
