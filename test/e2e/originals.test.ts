/** The manifests of the originals with another image and nothing else changed, or only what docs/migration.md says that one needs. */
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { LoopDevice } from '../host/loop-device.ts';
import type { Rendered } from '../integration/chart/helm.ts';
import { collectionOf, pathOf } from '../integration/chart/paths.ts';
import type { Container, Workload } from '../originals/objects.ts';
import { INSTALLED, type Installed } from '../originals/originals.ts';
import { statefulSetOf } from '../originals/storage-agents.ts';
import { Cluster, isReady, NODE, type Pod } from './cluster.ts';

const root = resolve(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Where ours looks for its ConfigMaps, unless it is told another. */
const OURS = 'holdfast';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
  await cluster.hasDefaultAccount('kube-system');
  for (const { namespace } of [{ namespace: OURS }, ...Object.values(INSTALLED)])
    if (namespace !== 'kube-system') await cluster.namespace(namespace);
}, 900_000);
afterAll(() => cluster?.[Symbol.asyncDispose](), 120_000);

interface Made {
  readonly path: string;
  readonly labels?: { readonly namespace: string; readonly selector: string };
}
const made: Made[] = [];

async function make(object: Rendered, namespace: string): Promise<void> {
  await cluster.admin.post(collectionOf(object, namespace), object);
  made.push({ path: pathOf(object, namespace) });
}

afterEach(async () => {
  for (const { path, labels } of made.splice(0).toReversed()) {
    await cluster.admin.delete(path, { gracePeriodSeconds: 1 });
    if (!labels) continue;
    await cluster.eventually('the pods to go', async () => {
      const left = await cluster.pods(labels.namespace, labels.selector);
      if (left.length > 0) throw new Error(`${left.length} are there`);
    });
  }
}, 300_000);

/** What is added to a manifest beside the image: only what its page asks for. */
interface Added {
  readonly pod?: object;
  readonly container?: object;
}

/** Applies it with the image of the tag, and gives the pod when it is ready. */
async function started({ namespace, objects, beside = [], workload }: Installed, tag: string, added: Added = {}) {
  for (const object of [...beside, ...objects]) await make(object, namespace);
  const changed = withImage(workload, tag, added);
  await cluster.admin.post(collectionOf(changed, namespace), changed);
  const selector = inWords(workload.spec.selector.matchLabels);
  made.push({ path: pathOf(changed, namespace), labels: { namespace, selector } });
  const [pod] = await cluster.readyPods(namespace, selector);
  if (!pod) throw new Error('there is no pod');
  return pod;
}

const inWords = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

/** Without what guards the metrics of one of them: its image is not on this node. */
const isGuardOfMetrics = ({ name }: Container): boolean => name === 'kube-rbac-proxy';

function withImage(workload: Workload, tag: string, { pod = {}, container = {} }: Added): Workload {
  const { template } = workload.spec;
  const image = `holdfast:${version}-${tag}`;
  const containers = template.spec.containers
    .filter((each) => !isGuardOfMetrics(each))
    .map((each) => ({ ...each, image, ...container }));
  return {
    ...workload,
    spec: { ...workload.spec, template: { ...template, spec: { ...template.spec, ...pod, containers } } },
  };
}

/** Binds what is in deploy/rbac to an account. */
async function grant(file: string, account: { readonly name: string; readonly namespace: string }): Promise<void> {
  const documents = parseAllDocuments(readFileSync(join(root, `deploy/rbac/${file}.yaml`), 'utf8'));
  for (const role of documents.map((document): Rendered => document.toJS())) {
    await make(role, account.namespace);
    const binding = {
      apiVersion: role.apiVersion,
      kind: `${role.kind}Binding`,
      metadata: { ...role.metadata, name: `${account.name}-more` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: role.kind, name: role.metadata.name },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    };
    await make(binding, account.namespace);
  }
}

/** It says so, and has not been started anew meanwhile. */
async function says(pod: Pod, words: string): Promise<void> {
  const { name, namespace = '' } = pod.metadata;
  await cluster.eventually(`the log of ${name} to say "${words}"`, async () => {
    const log = await cluster.log(namespace, name);
    if (!log.includes(words)) throw new Error(`it says ${log}`);
  });
  await stays(pod);
}

async function stays({ metadata: { name, namespace } }: Pod): Promise<void> {
  const now = await cluster.admin.get<Pod>(`/api/v1/namespaces/${namespace}/pods/${name}`);
  expect(isReady(now)).toBe(true);
  expect(now.status.containerStatuses).toMatchObject([{ restartCount: 0 }]);
}

const AT_WORK = 'caches are complete: controllers start';

test('pv-zone-operator', async () => {
  await says(await started(INSTALLED['pv-zone-operator'], 'topology'), AT_WORK);
});

const volumes = async () => (await cluster.admin.list('/api/v1/persistentvolumes')).items;
const metricsOf = async ({ status }: Pod): Promise<string> =>
  await (await fetch(`http://${status.podIP}:8080/metrics`)).text();

async function annotated(configMap: string | null): Promise<void> {
  const annotations = { 'local-pv-provisioner.cybozu.io/pv-spec-configmap': configMap };
  await cluster.admin.patch(`/api/v1/nodes/${NODE}`, { metadata: { annotations } });
}

async function firstWordOn({ backing }: LoopDevice): Promise<string> {
  await using file = await open(backing);
  const { buffer } = await file.read(Buffer.alloc(MARK.length), 0, MARK.length, 0);
  return buffer.toString();
}

const MARK = 'whose is this?';

test('local-pv-provisioner refuses every disk as it stands, and makes volumes with hostPID', async () => {
  const original = INSTALLED['local-pv-provisioner'];
  const disk = await cluster.disk('swapped', 128 * 2 ** 20);
  await using file = await open(disk.backing, 'r+');
  await file.write(MARK);
  await annotated('pv-spec-cm-fs');
  const pod = await started(original, 'devices');
  await cluster.eventually('the disk to be refused', async () => {
    const metrics = await metricsOf(pod);
    expect(metrics).toContain(`local_pv_provisioner_available_devices{node="${NODE}"}`);
    expect(metrics).toMatch(/^holdfast_devices_refused\{.*useIsUnknown.*\} 1$/m);
  });
  await says(pod, 'hostPID');
  expect(await volumes()).toEqual([]);
  expect(await firstWordOn(disk)).toBe(MARK);

  // What its remedy asks for; and this machine lets nobody look into its process 1.
  const [container] = original.workload.spec.template.spec.containers;
  const args = [...Object(container?.args), '--trust-init'];
  const added = withImage(original.workload, 'devices', { pod: { hostPID: true }, container: { args } });
  await cluster.admin.patch(pathOf(added, original.namespace), { spec: added.spec });
  await cluster.eventually('a volume of the disk', async () => {
    expect((await volumes()).map(({ metadata }) => metadata.name)).toEqual([`local-${NODE}-swapped`]);
  });
  expect(await firstWordOn(disk)).not.toBe(MARK);
  await annotated(null);
  await cluster.admin.delete(`/api/v1/persistentvolumes/local-${NODE}-swapped`);
});

test('k8s-local-pv, which knows its node by the host name', async () => {
  // The processes of this node are among those of the machine, whose first one is not the node's to enter.
  await says(await started(INSTALLED['k8s-local-pv'], 'lvm', { pod: { hostPID: false } }), AT_WORK);
});

test('pv-pool-operator, with the rights and the memory that its page asks to be added', async () => {
  const original = INSTALLED['pv-pool-operator'];
  await grant('holdfast-pool', { name: 'default', namespace: original.namespace });
  await says(await started(original, 'pool', { container: { resources: {} } }), AT_WORK);
});

test('pvsync', async () => {
  await says(await started(INSTALLED['pvsync-operator'], 'sync'), AT_WORK);
});

test('the storage agent, which answers as the original does', async () => {
  const namespace = 'kube-system';
  const set = await storageAgents(namespace);
  const [pod] = await cluster.readyPods(namespace, 'pv-pool=pool');
  const status = await cluster.eventually('the agent to answer', async () => {
    const answer = await fetch(`http://${pod?.status.podIP}:8080/status`);
    return (await answer.json()) as Readonly<Record<string, unknown>>;
  });
  expect(status).toMatchObject({ name: `${set}-0`, state: expect.any(String), total: expect.any(Number) });
});

/** One of them, as the original makes it, on a directory in the place of a claim. */
async function storageAgents(namespace: string): Promise<string> {
  const { metadata, spec } = statefulSetOf({ metadata: { name: 'pool', uid: '' } });
  const { volumeClaimTemplates: _, template, ...rest } = spec;
  const containers = template.spec.containers.map((each) => ({ ...each, image: `holdfast:${version}-storage-agent` }));
  const pod = { containers, volumes: [{ name: 'vol', emptyDir: {} }] };
  const set = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: metadata.name },
    spec: { ...rest, replicas: 1, template: { ...template, spec: pod } },
  };
  await cluster.admin.post(collectionOf(set, namespace), set);
  made.push({ path: pathOf(set, namespace), labels: { namespace, selector: 'pv-pool=pool' } });
  return metadata.name;
}
