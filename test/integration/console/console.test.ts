/** `holdfast console` as it is shipped, in front of a real API server: callers see and do what their own tokens let them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionResult, Hello, Message, State, VolumeStory } from '../../../src/console/model.ts';
import { consoleSpec } from '../../../src/console/spec.ts';
import { aNodeReport } from '../../../src/devices/builders.ts';
import { APPROVALS_ANNOTATION } from '../../../src/devices/contract.ts';
import { devicesReports } from '../../../src/devices/node-report.ts';
import { rolesOf } from '../../../src/kit/manifests/rbac.ts';
import { BUILT } from '../../harness/built.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { kubeconfigFlag } from '../../harness/holdfast.ts';
import { kubeconfig } from '../../harness/kubeconfig.ts';
import { createServiceAccount, type PolicyRule } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';

const VOLUME = 'local-node-1-sdb';
const report = aNodeReport({
  node: 'node-1',
  at: new Date().toISOString(),
  devices: [
    {
      volume: VOLUME,
      path: '/dev/sdb',
      state: { is: 'refused', fact: 'hasForeignData', why: 'holds ext4', remedy: '', canBeApproved: true },
      device: 'wwid:naa.1',
      identity: { sizeBytes: 1024, wwid: 'naa.1' },
    },
  ],
});

const read = (...resources: string[]): PolicyRule => ({ apiGroups: [''], resources, verbs: ['get', 'list', 'watch'] });
const EVENTS: PolicyRule = { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['list'] };

let plane: ControlPlane;
let console: RunningConsole;

interface RunningConsole extends AsyncDisposable {
  readonly url: string;
  readonly logged: readonly string[];
}

async function startConsole(...flags: readonly string[]): Promise<RunningConsole> {
  const all = ['--auth=token', '--namespace=default', '--listen=127.0.0.1:0', '--allow-actions', ...flags];
  const child = spawn(process.execPath, [BUILT, 'console', ...all], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH },
  });
  const logged: string[] = [];
  createInterface(child.stderr).on('line', (line) => logged.push(line));
  let url = '';
  for await (const line of createInterface(child.stdout)) {
    url = / is at (\S+)/.exec(line)?.[1] ?? '';
    break;
  }
  return {
    url,
    logged,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

beforeAll(async () => {
  plane = await startControlPlane();
  await makeTheWorld(plane);
  const rules = (kind: string) => rolesOf(consoleSpec).flatMap((role) => (role.kind === kind ? role.rules : []));
  const account = await createServiceAccount(plane, {
    name: 'console',
    clusterRules: rules('ClusterRole'),
    namespaceRules: { default: rules('Role') },
  });
  console = await startConsole(await kubeconfigFlag(plane.directory, account, plane));
});
afterAll(async () => {
  await console?.[Symbol.asyncDispose]();
  await plane?.[Symbol.asyncDispose]();
});

async function makeTheWorld({ admin }: ControlPlane): Promise<void> {
  await admin.post('/api/v1/nodes', { metadata: { name: 'node-1' } });
  await admin.post('/api/v1/namespaces/default/configmaps', devicesReports.mapOf(report, 'default'));
  const { metadata } = await admin.post('/api/v1/persistentvolumes', {
    metadata: { name: 'a' },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, nfs: { server: 'x', path: '/' } },
  });
  await admin.post('/apis/events.k8s.io/v1/namespaces/default/events', {
    metadata: { generateName: 'a-' },
    regarding: { apiVersion: 'v1', kind: 'PersistentVolume', name: 'a', uid: metadata.uid },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'example.com/teller',
    reportingInstance: 'x',
    action: 'Tell',
    reason: 'Told',
    type: 'Normal',
    note: 'somebody tells of it',
  });
}

const ask = (path: string, token?: string, init: RequestInit = {}, { url } = console) =>
  fetch(`${url}${path}`, { ...init, headers: { ...init.headers, ...(token && { authorization: `Bearer ${token}` }) } });

async function stateFor(token: string, of = console): Promise<State> {
  const response = await ask('api/clusters/cluster/live', token, {}, of);
  expect(response.status).toBe(200);
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const [, data] = /^id: .*\ndata: (.*)\n\n/.exec(text) ?? [];
    if (data === undefined) continue;
    const message = JSON.parse(data) as Message;
    if (message.is === 'state') return message.state;
  }
  throw new Error('no state came');
}

async function approve(of: RunningConsole, token: string): Promise<ActionResult> {
  const { approve: action } = (await stateFor(token, of)).nodes['node-1']?.devices[0] ?? {};
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-holdfast': '1' },
    body: JSON.stringify({ ...action, confirmed: VOLUME }),
  };
  return (await (await ask('api/clusters/cluster/actions', token, init, of)).json()) as ActionResult;
}

const somebody = (name: string, ...clusterRules: PolicyRule[]) => createServiceAccount(plane, { name, clusterRules });

test('who has no token, or one that has expired, is told nothing', async () => {
  const late = await somebody('late', read('persistentvolumes'));
  expect((await ask('api/clusters/cluster/live')).status).toBe(401);
  expect((await ask('api/clusters/cluster/live', late.mint(-120))).status).toBe(401);
});

test('who may read volumes, nodes and reports sees them, and the story of a volume with its Events', async () => {
  const { token } = await somebody('reader', read('persistentvolumes', 'nodes', 'configmaps'), EVENTS);
  await eventually(async () => (await stateFor(token)).nodes['node-1']?.devices.length === 1, {
    for: 'the console to have read the cluster',
  });
  const state = await stateFor(token);
  expect(Object.keys(state.volumes)).toEqual(['a']);
  expect(state.nodes['node-1']?.devices).toMatchObject([{ state: 'refused', why: 'It holds ext4.' }]);
  const kinds = state.overview.jobs.filter(({ job }) => job === 'pool' || job === 'sync');
  expect(kinds.map(({ health }) => health)).toEqual(['unknown', 'unknown']);
  const hello = (await (await ask('api/hello', token)).json()) as Hello;
  expect(hello.user).toBe('system:serviceaccount:default:reader');
  const story = (await (await ask('api/clusters/cluster/volumes/a', token)).json()) as VolumeStory;
  expect(story.moments).toContainEqual(
    expect.objectContaining({ what: 'Somebody tells of it.', by: 'example.com/teller' }),
  );
});

test('who may read nothing sees nothing, and not that all is well', async () => {
  const { token } = await somebody('stranger');
  const { volumes, nodes, overview } = await stateFor(token);
  expect([volumes, nodes]).toEqual([{}, {}]);
  expect(overview.verdict.health).toBe('unknown');
  expect((await ask('api/clusters/cluster/volumes/a', token)).status).toBe(404);
});

test('a console that has a certificate of its own does not lend it to its callers', async () => {
  const { url, ca, directory, credentials } = plane;
  const file = join(directory, 'certificate.kubeconfig');
  await writeFile(file, kubeconfig({ url, ca, certificate: credentials.admin }));
  await using powerful = await startConsole(`--kubeconfig=${file}`);
  const { token } = await somebody('borrower', read('persistentvolumes', 'nodes', 'configmaps'));
  await eventually(async () => (await stateFor(token, powerful)).nodes['node-1']?.devices.length === 1);
  expect(await approve(powerful, token)).toMatchObject({
    succeeded: false,
    sentence: expect.stringContaining('system:serviceaccount:default:borrower'),
  });
});

test('a wipe is approved by who may patch nodes, and by nobody else', async () => {
  const rules = [read('persistentvolumes', 'nodes', 'configmaps')];
  const { token: reader } = await somebody('approving-reader', ...rules);
  const { token: writer } = await somebody('approver', ...rules, {
    apiGroups: [''],
    resources: ['nodes'],
    verbs: ['patch'],
  });
  const act = (token: string) => approve(console, token);
  const annotations = async (): Promise<Readonly<Record<string, string>>> =>
    ((await plane.admin.get('/api/v1/nodes/node-1')).metadata.annotations ?? {}) as Readonly<Record<string, string>>;
  expect(await act(reader)).toMatchObject({
    succeeded: false,
    sentence: expect.stringContaining('you may not do that'),
  });
  expect(await annotations()).not.toHaveProperty(APPROVALS_ANNOTATION);
  expect(await act(writer)).toMatchObject({ succeeded: true });
  expect(JSON.parse((await annotations())[APPROVALS_ANNOTATION] ?? '')).toHaveProperty('wwid:naa.1');
  const { logged } = console;
  const audited = logged.map((line) => JSON.parse(line)).filter(({ audit }) => audit);
  expect(audited.map(({ user, succeeded }) => [user, succeeded])).toEqual([
    ['system:serviceaccount:default:approving-reader', false],
    ['system:serviceaccount:default:approver', true],
  ]);
  expect(logged.join('')).not.toContain(writer);
});
