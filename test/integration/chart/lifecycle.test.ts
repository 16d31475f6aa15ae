/** The chart through its life on a real API server: looked at, installed, changed, taken back, tested and uninstalled. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/doctor/answer.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { kubeconfigFlag, runHoldfast } from '../../harness/holdfast.ts';
import type { RawObject } from '../../harness/raw-client.ts';
import { ServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { CHART, EVERY_JOB, EVERYTHING, helm, type Rendered, rendered, type Values } from './helm.ts';
import { addMonitoringKinds } from './monitoring-kinds.ts';
import { pathOf } from './paths.ts';

const NAMESPACE = 'storage';
const RELEASE = 'vault';

/** All that can be switched on around the jobs. */
const AROUND: Values = {
  ...EVERY_JOB,
  topology: { enabled: true, replicas: 2 },
  pool: { enabled: true, replicas: 3 },
  sync: { enabled: true, alerts: { enabled: true } },
  monitoring: {
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    alerts: { enabled: true, runbookUrl: 'https://example.com/runbooks/' },
    dashboard: { enabled: true },
  },
  networkPolicies: { enabled: true, metricsFrom: [{ namespaceSelector: { matchLabels: { team: 'monitoring' } } }] },
  podSecurity: { labelNamespace: true },
};

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({ controllers: true });
  for (const name of [NAMESPACE, 'keys', 'holdfast'])
    await plane.admin.post('/api/v1/namespaces', { metadata: { name } });
  await addMonitoringKinds(plane);
});
afterAll(() => plane?.[Symbol.asyncDispose]());

async function run(args: readonly string[], values?: Values): Promise<string> {
  const where = ['--namespace', NAMESPACE, '--kubeconfig', plane.kubeconfig];
  const { code, stdout, stderr } = await helm([...args, ...where], values);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

const statusOf = async (path: string): Promise<number> => (await plane.admin.request('GET', path)).status;
const ours = (values: Values) => rendered(values, { name: RELEASE, namespace: NAMESPACE });
const deployment = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${RELEASE}-holdfast-topology`;

describe('the API server would take, without a warning,', () => {
  test.each<[string, Values]>([
    ['each job alone: topology', { topology: { enabled: true } }],
    ['devices', { devices: { enabled: true } }],
    ['lvm', { lvm: { enabled: true } }],
    ['pool', { pool: { enabled: true } }],
    ['sync', { sync: { enabled: true } }],
    ['the console', { console: { enabled: true, allowActions: true } }],
    ['everything said', EVERYTHING],
    ['all that is around the jobs', { ...AROUND, podSecurity: { labelNamespace: false } }],
  ])('%s', async (_, values) => {
    const args = ['install', 'trial', CHART, '--dry-run=server', '-n', NAMESPACE, '--kubeconfig', plane.kubeconfig];
    const { code, stderr } = await helm([...args, '-f', '-'], values);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  /** Of helm's own dry run the server sees nothing of new objects: so each is sent to it as a dry run, and strictly. */
  test('each object by itself, with no field that it does not know', async () => {
    for (const object of await rendered(AROUND, { name: 'trial', namespace: NAMESPACE })) {
      const type = 'application/apply-patch+yaml';
      const query = 'dryRun=All&fieldManager=test&fieldValidation=Strict&force=true';
      const path = `${pathOf(object, NAMESPACE)}?${query}`;
      const { status, body } = await plane.admin.request('PATCH', path, object, type);
      expect([object.kind, object.metadata.name, status, status < 300 ? '' : body]).toEqual([
        object.kind,
        object.metadata.name,
        expect.toSatisfy((code: number) => code === 200 || code === 201),
        '',
      ]);
    }
  });
});

/** What the pod would say: the doctor, with the account that the chart gives it. */
async function saidUnderItsRights(): Promise<Answer> {
  const name = `${RELEASE}-holdfast-doctor`;
  const { metadata } = await plane.admin.get(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${name}`);
  const account = new ServiceAccount(plane, { name, namespace: NAMESPACE, uid: metadata.uid });
  await account.rotate();
  const { stdout } = await runHoldfast('doctor', '-o', 'json', await kubeconfigFlag(plane.directory, account, plane));
  return JSON.parse(stdout);
}

describe('a release', () => {
  const before: Values = { topology: { enabled: true, resyncPeriod: '30m' } };
  const argsOf = async () => {
    const { spec } = await plane.admin.get<
      RawObject & { spec: { template: { spec: { containers: { args: string[] }[] } } } }
    >(deployment);
    return spec.template.spec.containers[0]?.args ?? [];
  };

  test('is installed, changed, and taken back, and its Deployment is one and the same', async () => {
    await run(['install', RELEASE, CHART, '-f', '-'], before);
    const { uid } = (await plane.admin.get(deployment)).metadata;
    await run(['upgrade', RELEASE, CHART, '--take-ownership', '-f', '-'], AROUND);
    expect((await plane.admin.get(deployment)).metadata.uid).toBe(uid);
    expect(await argsOf()).toContain('--resync-period=60m');
    for (const object of await ours(AROUND))
      expect([pathOf(object, NAMESPACE), await statusOf(pathOf(object, NAMESPACE))]).toEqual([
        pathOf(object, NAMESPACE),
        200,
      ]);
    await run(['rollback', RELEASE, '1']);
    expect((await plane.admin.get(deployment)).metadata.uid).toBe(uid);
    expect(await argsOf()).toContain('--resync-period=30m');
    const kept = (object: Rendered) => JSON.stringify(object.metadata).includes('"helm.sh/resource-policy":"keep"');
    const others = (await ours(AROUND)).filter(({ metadata }) => !metadata.name.includes('topology'));
    for (const object of others.filter((each) => !kept(each)))
      expect([pathOf(object, NAMESPACE), await statusOf(pathOf(object, NAMESPACE))]).toEqual([
        pathOf(object, NAMESPACE),
        404,
      ]);
    // Forward by an upgrade: to roll back to a revision with kinds that were kept meanwhile is more than helm can do.
    await run(['upgrade', RELEASE, CHART, '-f', '-'], AROUND);
    expect(await argsOf()).toContain('--resync-period=60m');
  });

  test('labels its namespace for Pod Security as its jobs need it', async () => {
    const { metadata } = await plane.admin.get(`/api/v1/namespaces/${NAMESPACE}`);
    expect(metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'privileged' });
    const [namespace] = (await rendered({ topology: { enabled: true }, podSecurity: { labelNamespace: true } })).filter(
      ({ kind }) => kind === 'Namespace',
    );
    expect(namespace?.metadata).toMatchObject({ labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } });
  });

  test('without devices and lvm has pods that a restricted namespace takes', async () => {
    const name = 'restricted';
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await plane.admin.post('/api/v1/namespaces', { metadata: { name, labels } });
    const values = { topology: { enabled: true }, pool: { enabled: true }, sync: { enabled: true } };
    for (const object of await rendered(values, { name: 'tight', namespace: name })) {
      const template = Object(object.spec).template;
      if (template === undefined) continue;
      const { serviceAccountName: _, ...spec } = template.spec;
      const pods = `/api/v1/namespaces/${name}/pods?dryRun=All`;
      await plane.admin.post(`/api/v1/namespaces/${name}/serviceaccounts`, {
        metadata: { name: `of-${object.metadata.name}` },
      });
      const pod = {
        metadata: { name: object.metadata.name },
        spec: { ...spec, serviceAccountName: `of-${object.metadata.name}` },
      };
      expect(await plane.admin.post(pods, pod)).toMatchObject({ kind: 'Pod' });
    }
  });

  test('is tested by a pod of its image that runs the doctor, under rights that are there only meanwhile', async () => {
    const pods = `/api/v1/namespaces/${NAMESPACE}/pods/${RELEASE}-holdfast-doctor`;
    const role = `/apis/rbac.authorization.k8s.io/v1/clusterroles/${RELEASE}-holdfast-doctor`;
    expect(await statusOf(role)).toBe(404);
    const tested = run(['test', RELEASE, '--timeout', '60s']);
    await eventually(() => plane.admin.get(pods));
    expect(await statusOf(role)).toBe(200);
    expect(await plane.admin.get(pods)).toMatchObject({
      spec: { containers: [{ image: 'holdfast:0.1.0', args: ['doctor', '--all', '--fail-on=error'] }] },
    });
    const { counts } = await saidUnderItsRights();
    expect(counts).toMatchObject({ error: 0, unknown: 0 });
    // There is no kubelet: what it would say is said here.
    await plane.admin.request(
      'PATCH',
      `${pods}/status`,
      { status: { phase: 'Succeeded' } },
      'application/merge-patch+json',
    );
    expect(await tested).toContain('Phase:          Succeeded');
    expect(await statusOf(role)).toBe(404);
  });

  test('is uninstalled, and leaves the kinds, the namespace and what is in it', async () => {
    const said = await run(['uninstall', RELEASE]);
    expect(said).toContain('pvpools.pvpool.noobaa.com');
    expect(await statusOf(deployment)).toBe(404);
    for (const kept of [
      `/api/v1/namespaces/${NAMESPACE}`,
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/pvpools.pvpool.noobaa.com',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/persistentvolumesyncs.storage.cndev.nl',
    ])
      expect(await plane.admin.get(kept)).not.toHaveProperty('metadata.deletionTimestamp');
  });
});
