/** A stock kubectl on the sandbox: every command that a person would try first. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toYaml } from '../../../src/kit/yaml.ts';
import { type Sandbox, startSandbox } from '../../harness/sandbox.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox[Symbol.asyncDispose]());

const volume = (name: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    hostPath: { path: '/data' },
    storageClassName: 'fast',
  },
});

const configMap = (name: string, data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

const statefulSet = (name: string, image = 'web:1') => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name },
  spec: {
    serviceName: name,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image }] } },
  },
});

const apply = (object: object, ...flags: readonly string[]) =>
  sandbox.kubectlWith(toYaml(object), 'apply', '-f', '-', ...flags);

/** The cells of each line. */
const cells = (table: string): readonly (readonly string[])[] =>
  table
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd().split(/ {2,}/));

test('it says how to use it', () => {
  expect(sandbox.said).toContain(`export KUBECONFIG=${sandbox.kubeconfig}`);
});

describe('get', () => {
  test('shows tables', async () => {
    await apply(volume('tabled'));
    await sandbox.kubectl('wait', '--for=jsonpath={.status.phase}=Available', 'pv/tabled', '--timeout=30s');
    const [head, row] = cells(await sandbox.kubectl('get', 'pv', 'tabled'));
    expect(head?.slice(0, 5)).toEqual(['NAME', 'CAPACITY', 'ACCESS MODES', 'RECLAIM POLICY', 'STATUS']);
    expect(row?.slice(0, 5)).toEqual(['tabled', '1Gi', 'RWO', 'Retain', 'Available']);
  });

  test('shows more when it is asked for wide tables', async () => {
    await apply(volume('wide'));
    const [head] = cells(await sandbox.kubectl('get', 'pv', 'wide', '-o', 'wide'));
    expect(head?.at(-1)).toBe('VOLUMEMODE');
  });

  test('shows YAML and what a path leads to', async () => {
    await apply(configMap('shown', { x: '1' }));
    expect(await sandbox.kubectl('get', 'cm', 'shown', '-o', 'yaml')).toContain('data:\n  x: "1"\n');
    expect(await sandbox.kubectl('get', 'cm', 'shown', '-o', 'jsonpath={.data.x}')).toBe('1');
  });

  test('selects by labels and by fields', async () => {
    await apply({ ...configMap('chosen', {}), metadata: { name: 'chosen', labels: { picked: 'yes' } } });
    expect(await sandbox.kubectl('get', 'cm', '-l', 'picked=yes', '-o', 'name')).toBe('configmap/chosen\n');
    const byName = await sandbox.kubectl('get', 'cm', '--field-selector', 'metadata.name=chosen', '-o', 'name');
    expect(byName).toBe('configmap/chosen\n');
  });

  test('watches', async () => {
    await apply(configMap('watched', { x: '1' }));
    const wait = sandbox.kubectl('wait', '--for=jsonpath={.data.x}=2', 'cm/watched', '--timeout=60s');
    await sandbox.kubectl('patch', 'cm', 'watched', '--type=merge', '-p', '{"data":{"x":"2"}}');
    expect(await wait).toBe('configmap/watched condition met\n');
  });

  test('shows what changes while it watches', async () => {
    await apply(configMap('live', {}));
    await using watching = sandbox.startKubectl('get', 'cm', 'live', '-w');
    const next = async () => (await watching.line()).split(/ {2,}/).slice(0, 2);
    expect(await next()).toEqual(['NAME', 'DATA']);
    expect(await next()).toEqual(['live', '0']);
    await sandbox.kubectl('patch', 'cm', 'live', '--type=merge', '-p', '{"data":{"x":"1","y":"2"}}');
    expect(await next()).toEqual(['live', '2']);
  });
});

describe('changes', () => {
  test('apply makes, leaves alone, and changes', async () => {
    expect(await apply(statefulSet('applied'))).toBe('statefulset.apps/applied created\n');
    expect(await apply(statefulSet('applied'))).toBe('statefulset.apps/applied unchanged\n');
    expect(await apply(statefulSet('applied', 'web:2'))).toBe('statefulset.apps/applied configured\n');
    const image = '-o=jsonpath={.spec.template.spec.containers[*].image}';
    expect(await sandbox.kubectl('get', 'sts', 'applied', image)).toBe('web:2');
  });

  test('apply on the server knows who owns what', async () => {
    const map = configMap('owned', { x: '1' });
    expect(await apply(map, '--server-side', '--field-manager=one')).toContain('serverside-applied');
    const other = apply(configMap('owned', { x: '2' }), '--server-side', '--field-manager=two');
    await expect(other).rejects.toThrow('conflict with "one": .data.x');
    await apply(configMap('owned', { x: '2' }), '--server-side', '--field-manager=two', '--force-conflicts');
    expect(await sandbox.kubectl('get', 'cm', 'owned', '-o', 'jsonpath={.data.x}')).toBe('2');
  });

  test('create sends what it makes itself, and refuses a field that there is not', async () => {
    expect(await sandbox.kubectl('create', 'configmap', 'made', '--from-literal=x=1')).toBe('configmap/made created\n');
    expect(await sandbox.kubectl('get', 'cm', 'made', '-o', 'jsonpath={.data.x}')).toBe('1');
    const wrong = { ...configMap('wrong', {}), dada: {} };
    await expect(sandbox.kubectlWith(toYaml(wrong), 'create', '-f', '-')).rejects.toThrow('unknown field "dada"');
  });

  test('patch, in all its ways', async () => {
    await apply(statefulSet('patched'));
    const patch = (type: string, body: unknown) =>
      sandbox.kubectl('patch', 'sts', 'patched', `--type=${type}`, '-p', JSON.stringify(body));
    const containers = [{ name: 'd', image: 'side' }];
    await patch('strategic', { spec: { template: { spec: { containers } } } });
    await patch('merge', { spec: { replicas: 4 } });
    await patch('json', [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'other' }]);
    const shown = '-o=jsonpath={.spec.replicas} {.spec.template.spec.containers[*].image}';
    expect(await sandbox.kubectl('get', 'sts', 'patched', shown)).toBe('4 other web:1');
  });

  test('label and annotate', async () => {
    await apply(configMap('labelled', {}));
    await sandbox.kubectl('label', 'cm', 'labelled', 'colour=red');
    await sandbox.kubectl('annotate', 'cm', 'labelled', 'note=hello');
    const shown = '-o=jsonpath={.metadata.labels.colour} {.metadata.annotations.note}';
    expect(await sandbox.kubectl('get', 'cm', 'labelled', shown)).toBe('red hello');
  });

  test('scale', async () => {
    await apply(statefulSet('scaled'));
    await sandbox.kubectl('scale', 'sts', 'scaled', '--replicas=7');
    expect(await sandbox.kubectl('get', 'sts', 'scaled', '-o', 'jsonpath={.spec.replicas}')).toBe('7');
  });

  test('delete waits until it is gone', async () => {
    await apply(configMap('gone', {}));
    await sandbox.kubectl('delete', 'cm', 'gone');
    await expect(sandbox.kubectl('get', 'cm', 'gone')).rejects.toThrow('configmaps "gone" not found');
  });

  test('a dry run changes nothing', async () => {
    expect(await apply(configMap('dry', {}), '--dry-run=server')).toContain('created (server dry run)');
    await expect(sandbox.kubectl('get', 'cm', 'dry')).rejects.toThrow('not found');
  });

  test('diff tells what an apply would change, and changes nothing', async () => {
    const diff = (image: string) => sandbox.kubectlWith(toYaml(statefulSet('compared', image)), 'diff', '-f', '-');
    await apply(statefulSet('compared'));
    const changed = expect.stringMatching(/^-.*image: web:1\n\+.*image: web:2$/m);
    await expect(diff('web:2')).rejects.toMatchObject({ code: 1, stdout: changed });
    expect(await diff('web:1')).toBe('');
  });

  test('drain waits for a budget, and ends', async () => {
    for (const other of ['node-1', 'node-2']) await sandbox.kubectl('cordon', other);
    const { spec, ...set } = statefulSet('guarded');
    await apply({ ...set, spec: { ...spec, replicas: 2 } });
    await apply({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'guarded' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
    });
    const bothReady = ['wait', '--for=jsonpath={.status.readyReplicas}=2', 'sts/guarded', '--timeout=60s'];
    await sandbox.kubectl(...bothReady);
    for (const other of ['node-1', 'node-2']) await sandbox.kubectl('uncordon', other);
    const told = await sandbox.kubectl('drain', 'node-3', '--force', '--timeout=90s');
    await sandbox.kubectl('uncordon', 'node-3');
    expect(told).toMatch(/^node\/node-3 drained$/m);
    const tries = told.match(/^evicting pod default\/guarded-\d$/gm) ?? [];
    expect(tries.length, 'the second had to wait for the first').toBeGreaterThan(2);
    await sandbox.kubectl(...bothReady);
    const nodes = await sandbox.kubectl('get', 'pods', '-l', 'app=guarded', '-o=jsonpath={.items[*].spec.nodeName}');
    expect(nodes).not.toContain('node-3');
  });
});

describe('looking around', () => {
  test('describe', async () => {
    await apply(volume('described'));
    const told = await sandbox.kubectl('describe', 'pv', 'described');
    expect(told).toMatch(/Finalizers: +\[kubernetes.io\/pv-protection\]/);
    expect(told).toMatch(/Type: +HostPath/);
  });

  test('api-resources', async () => {
    const names = (await sandbox.kubectl('api-resources', '-o', 'name')).split('\n');
    expect(names).toEqual(
      expect.arrayContaining(['persistentvolumes', 'statefulsets.apps', 'leases.coordination.k8s.io']),
    );
    expect(names, 'what is left out is not listed').not.toContain('deployments.apps');
  });

  test('events, in both of their forms', async () => {
    const event = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'told', namespace: 'default' },
      eventTime: new Date().toISOString().replace('Z', '000Z'),
      reportingController: 'test',
      reportingInstance: 'test-1',
      action: 'Testing',
      reason: 'Tested',
      type: 'Normal',
      note: 'all is well',
      regarding: { kind: 'ConfigMap', name: 'some', namespace: 'default', apiVersion: 'v1' },
    };
    await sandbox.kubectlWith(toYaml(event), 'create', '-f', '-');
    expect(await sandbox.kubectl('events')).toMatch(/Normal +Tested +ConfigMap\/some +all is well/);
    expect(await sandbox.kubectl('get', 'events.v1.', 'told', '-o', 'jsonpath={.message}')).toBe('all is well');
  });

  test('auth can-i, for oneself and for others', async () => {
    expect(await sandbox.kubectl('auth', 'can-i', 'delete', 'nodes')).toBe('yes\n');
    await sandbox.kubectl('create', 'serviceaccount', 'reader');
    await sandbox.kubectl('create', 'role', 'reader', '--verb=get,list', '--resource=pods');
    await sandbox.kubectl('create', 'rolebinding', 'reader', '--role=reader', '--serviceaccount=default:reader');
    const as = '--as=system:serviceaccount:default:reader';
    expect(await sandbox.kubectl('auth', 'can-i', 'list', 'pods', as)).toBe('yes\n');
    await expect(sandbox.kubectl('get', 'secrets', as)).rejects.toThrow(
      'cannot list resource "secrets" in API group "" in the namespace "default"',
    );
  });

  test('a token of a service account is as good as the account', async () => {
    await sandbox.kubectl('create', 'serviceaccount', 'holder');
    const token = (await sandbox.kubectl('create', 'token', 'holder')).trim();
    const userName = '-o=jsonpath={.status.userInfo.username}';
    const whoami = await sandbox.kubectl('--token', token, 'auth', 'whoami', userName);
    expect(whoami).toBe('system:serviceaccount:default:holder');
  });

  test('what it cannot do it says', async () => {
    await sandbox.kubectl('run', 'silent', '--image=none');
    await expect(sandbox.kubectl('logs', 'silent')).rejects.toThrow('the sandbox has no pods/log');
    const deployment = sandbox.kubectl('create', 'deployment', 'none', '--image=none');
    await expect(deployment).rejects.toThrow('the sandbox has no Deployment of apps/v1');
  });

  test('a kind that is left out is one that it does not have, however it is asked for', async () => {
    const unknown = `the server doesn't have a resource type "deployments"`;
    await expect(sandbox.kubectl('get', 'deployments')).rejects.toThrow(unknown);
    await expect(sandbox.kubectl('get', '--raw', '/apis/apps/v1/deployments')).rejects.toThrow(
      'the sandbox has no deployments.apps, only the kinds that Holdfast needs (kubectl api-resources lists them)',
    );
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'none' } };
    await expect(apply(deployment)).rejects.toThrow('no matches for kind "Deployment" in version "apps/v1"');
    expect(await sandbox.kubectl('get', 'all', '-n', 'kube-public')).toBe('');
  });
});
