/** `holdfast status lvm` as people type it, on a real API server, with all the rights that it can use and with fewer. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aNodeReport } from '../../../src/lvm/builders.ts';
import { NODE_ID_LABEL } from '../../../src/lvm/contract.ts';
import { lvmReports } from '../../../src/lvm/node-report.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { kubeconfigFlag, runHoldfast } from '../../harness/holdfast.ts';
import { createServiceAccount } from '../../harness/users.ts';
import { configMapsIn, VOLUMES } from '../agents.ts';
import { aNode, aVolume } from './rights.ts';

const GIB = 2 ** 30;
const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['list'] });

let plane: ControlPlane;
/** May look at everything that it shows. */
let reader: string;
/** May look at ConfigMaps in the namespace of the agents, and at nothing else. */
let walled: string;
const accounts = new AsyncDisposableStack();

beforeAll(async () => {
  plane = await startControlPlane();
  await plane.admin.post('/api/v1/namespaces', { metadata: { name: 'storage' } });
  reader = await account('reader', { clusterRules: ['configmaps', 'nodes', 'persistentvolumes'].map(rule) });
  walled = await account('walled', { namespaceRules: { storage: [rule('configmaps')] } });
  for (const name of ['a', 'b', 'c']) await aNode(plane, `node-${name}`, { [NODE_ID_LABEL]: name });
  await plane.admin.post(VOLUMES, aVolume('db-a', 'a'));
  await plane.admin.post(VOLUMES, aVolume('db-b', 'b'));
  await plane.admin.post(VOLUMES, aVolume('db-z', 'z'));
  const map = lvmReports.mapOf(REPORT, 'storage');
  await plane.admin.post(configMapsIn('storage'), map);
  await plane.admin.post(configMapsIn('storage'), { metadata: { ...map.metadata, name: 'holdfast-lvm-x' } });
});
afterAll(async () => {
  await accounts.disposeAsync();
  await plane?.[Symbol.asyncDispose]();
});

async function account(name: string, rules: Omit<Parameters<typeof createServiceAccount>[1], 'name'>): Promise<string> {
  return kubeconfigFlag(plane.directory, accounts.use(await createServiceAccount(plane, { name, ...rules })), plane);
}

const REPORT = aNodeReport({
  node: 'node-a',
  at: new Date().toISOString(),
  groups: [{ name: 'fast', sizeBytes: 4 * GIB, freeBytes: GIB, missingDisks: 0, pools: [] }],
  volumes: [{ volume: 'db-a', state: { is: 'ready' }, vg: 'fast', path: '/mnt/pv/db-a', sizeBytes: GIB }],
});

test('every volume is shown where it is, or that nobody makes it', async () => {
  const { code, stdout, stderr } = await runHoldfast('status', 'lvm', reader);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe(
    [
      '2 nodes, 3 volumes: 1 ready, 2 unreported',
      '',
      'NODE     GROUP   SIZE   FREE',
      'node-a   fast    4Gi    1Gi',
      '',
      'NODE     VOLUME   SIZE   GROUP   PATH           CLAIM   STATE',
      'node-a   db-a     1Gi    fast    /mnt/pv/db-a   -       ready',
      'node-b   db-b     1Gi    -       /mnt/pv/db-b   -       unreported: no agent reports from its node',
      '-        db-z     1Gi    -       /mnt/pv/db-z   -       unreported: no node of the cluster has node-id.k8s.portavita.net/nodeid=z',
      '',
      'AGENTS THAT NEED A LOOK',
      'node-b has volumes and no report: does holdfast lvm run there?',
      'no report on node-c: does holdfast lvm run there?',
      'the ConfigMap storage/holdfast-lvm-x is no report that this version of Holdfast can read',
      '',
      'NEEDS A PERSON',
      '-: db-z: no node of the cluster has node-id.k8s.portavita.net/nodeid=z. Name a node in its node affinity, by the value that its label node-id.k8s.portavita.net/nodeid has.',
      '',
    ].join('\n'),
  );
});

test('of one node only what is of it is shown, and a node that is not there is a slip', async () => {
  const { stdout } = await runHoldfast('status', 'lvm', 'node-b', reader);
  expect(stdout).toMatch(/^1 node, 1 volume: 1 unreported\n/);
  expect(stdout).not.toContain('node-a');
  const { code, stderr } = await runHoldfast('status', 'lvm', 'node-q', reader);
  expect(code).toBe(2);
  expect(stderr).toContain('there is no node node-q');
});

test('a script gets the same as values', async () => {
  const { stdout } = await runHoldfast('status', 'lvm', 'node-a', '-o', 'json', reader);
  expect(JSON.parse(stdout)).toMatchObject({
    nodes: [{ node: 'node-a', groups: [{ name: 'fast', freeBytes: GIB }], volumes: [{ state: { is: 'ready' } }] }],
  });
});

test('without the right to look at nodes and volumes, what agents have reported is shown, and what is missing is said', async () => {
  const { code, stdout, stderr } = await runHoldfast('status', 'lvm', '--namespace', 'storage', walled);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^1 node, 1 volume: 1 ready\n/);
  expect(stderr).toContain('only volumes that agents have reported are shown');
  expect(stderr).toContain('how volumes stand is taken from the reports alone');
  const refused = await runHoldfast('status', 'lvm', walled);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('name theirs by --namespace');
});
