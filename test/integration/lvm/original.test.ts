/** In the place of k8s-local-pv, with nothing but its rights: the agent goes on with what it may, and says what it cannot. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PREFIX } from '../../../src/lvm/contract.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { type Holdfast, kubeconfigFlag, startHoldfast, startOriginal } from '../../harness/holdfast.ts';
import { createServiceAccount, type ServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { VOLUMES } from '../agents.ts';
import { rightsOfOriginal } from '../original-rights.ts';
import { aNode, aVolume } from './rights.ts';

let plane: ControlPlane;
let account: ServiceAccount;
let flags: readonly string[];

beforeAll(async () => {
  plane = await startControlPlane();
  await plane.admin.post('/api/v1/namespaces', { metadata: { name: 'holdfast' } });
  await aNode(plane, 'node-a', {});
  account = await createServiceAccount(plane, { name: 'k8s-local-pv', ...rightsOfOriginal('k8s-local-pv') });
  const kubeconfig = await kubeconfigFlag(plane.directory, account, plane);
  flags = [kubeconfig, '--node-name=node-a', '--mount-namespace=own', `--mount-base=${join(plane.directory, 'pv')}`];
});
afterAll(async () => {
  await account?.[Symbol.asyncDispose]();
  await plane?.[Symbol.asyncDispose]();
});

const says = ({ logged }: Holdfast, words: RegExp): Promise<unknown> =>
  eventually(async () =>
    expect(logged.map(({ msg, why }) => `${msg}: ${why}`)).toContainEqual(expect.stringMatching(words)),
  );

test('it works, warns of what it may not read, and does not end by it', async () => {
  await using agent = await startOriginal('k8s-local-pv', plane.directory, ...flags);
  await agent.ready();
  await says(agent, /^not readable: going on without it: .*configmaps/);
  await says(agent, /^which cluster this is cannot be read: the trash is not emptied: .*kube-system/);
  await agent.ready();
  agent.send('SIGTERM');
  expect(await agent.ended()).toBe(0);
});

test('under its own name it waits for the right to read the defaults: they may ask for encryption', async () => {
  await using agent = await startHoldfast('lvm', ...flags);
  await says(agent, /^not readable: waiting: .*configmaps/);
  expect((await agent.page('/readyz')).status).toBe(500);
});

/** What k8s-local-pv's own manifest has given to it: no Nodes, no ConfigMaps, no namespaces. */
const UPSTREAM = [
  { apiGroups: [''], resources: ['persistentvolumes'], verbs: ['get', 'list', 'watch', 'patch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['list', 'watch'] },
];

test('without a right to its Node it takes the volumes that its host name tells, and says so once', async () => {
  await using bare = await createServiceAccount(plane, { name: 'bare', clusterRules: UPSTREAM });
  await plane.admin.post(
    VOLUMES,
    aVolume('wrong', 'node7', { metadata: { annotations: { [`${PREFIX}fsType`]: 'ntfs' } } }),
  );
  const [, , ...rest] = flags;
  const directory = join(plane.directory, 'bare');
  await mkdir(directory);
  const kubeconfig = await kubeconfigFlag(directory, bare, plane);
  await using agent = await startOriginal('k8s-local-pv', directory, kubeconfig, '--node-name=node7', ...rest);
  await says(agent, /^not readable: going on without it: .*nodes/);
  const isTold = { metadata: { annotations: { [`${PREFIX}status`]: 'Not-Processed-Errors' } } };
  await eventually(async () => expect(await plane.admin.get(`${VOLUMES}/wrong`)).toMatchObject(isTold));
  const told = agent.logged.filter(({ msg, why }) => `${msg}`.startsWith('not readable') && /nodes/.test(`${why}`));
  expect(told).toHaveLength(1);
});
