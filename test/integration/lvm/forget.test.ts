/** How a person lets go of a volume whose node is gone, as a real process on a real API server. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { NODE_ID_LABEL } from '../../../src/lvm/contract.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { kubeconfigFlag, runHoldfast } from '../../harness/holdfast.ts';
import type { RawObject } from '../../harness/raw-client.ts';
import { createServiceAccount } from '../../harness/users.ts';
import { VOLUMES } from '../agents.ts';
import { aNode, aVolume } from './rights.ts';

const FINALIZER = 'holdfast.dev/lvm';
const OTHERS = 'example.dev/other';
/** Kubernetes puts it on every volume. */
const PROTECTION = 'kubernetes.io/pv-protection';
const NODE = '/api/v1/nodes/worker-1';

let plane: ControlPlane;
let person: string;
const accounts = new AsyncDisposableStack();
beforeAll(async () => {
  plane = await startControlPlane();
  const clusterRules = [
    { apiGroups: [''], resources: ['nodes'], verbs: ['list'] },
    { apiGroups: [''], resources: ['persistentvolumes'], verbs: ['get', 'patch'] },
  ];
  const account = accounts.use(await createServiceAccount(plane, { name: 'person', clusterRules }));
  person = await kubeconfigFlag(plane.directory, account, plane);
});
afterAll(async () => {
  await accounts.disposeAsync();
  await plane?.[Symbol.asyncDispose]();
});

let name: string;
let count = 0;
beforeEach(async () => {
  name = `data-${++count}`;
  await plane.admin.post(VOLUMES, aVolume(name, 'node1', { metadata: { finalizers: [FINALIZER, OTHERS] } }));
});

const forget = (...flags: readonly string[]) => runHoldfast('lvm', 'forget', name, person, ...flags);
const finalizers = async (): Promise<readonly string[]> => {
  const { metadata } = await plane.admin.get<RawObject & { metadata: { finalizers?: string[] } }>(`${VOLUMES}/${name}`);
  return metadata.finalizers ?? [];
};

/** The node of the volume, in this state, until it is disposed of. */
async function withNode(ready: string): Promise<AsyncDisposable> {
  await aNode(plane, 'worker-1', { [NODE_ID_LABEL]: 'node1' });
  await plane.admin.patch(`${NODE}/status`, { status: { conditions: [{ type: 'Ready', status: ready }] } });
  return {
    async [Symbol.asyncDispose]() {
      await plane.admin.delete(NODE);
    },
  };
}

test('a volume whose node is gone is let go, and those of others stay', async () => {
  await plane.admin.delete(`${VOLUMES}/${name}`);
  const { code, stdout } = await forget('--yes');
  expect(code).toBe(0);
  expect(stdout).toContain('node1, which is not in the cluster');
  expect(stdout).toContain(`${name} is forgotten.`);
  expect(await finalizers()).toEqual([OTHERS, PROTECTION]);
});

test('one that is not being deleted is kept', async () => {
  const { code, stderr } = await forget('--yes');
  expect(code).toBe(2);
  expect(stderr).toContain(`kubectl delete pv ${name}`);
  expect(await finalizers()).toContain(FINALIZER);
});

test('one whose node is there and ready is kept, unless that is forced', async () => {
  await using _node = await withNode('True');
  await plane.admin.delete(`${VOLUMES}/${name}`);
  const refused = await forget('--yes');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('its node worker-1 is there and ready');
  expect(await finalizers()).toContain(FINALIZER);
  expect((await forget('--yes', '--force')).code).toBe(0);
  expect(await finalizers()).toEqual([OTHERS, PROTECTION]);
});

test('one whose node does not answer any more is let go', async () => {
  await using _node = await withNode('Unknown');
  await plane.admin.delete(`${VOLUMES}/${name}`);
  const { code, stdout } = await forget('--yes');
  expect([code, stdout]).toEqual([0, expect.stringContaining('worker-1, which is there, and not ready')]);
  expect(await finalizers()).toEqual([OTHERS, PROTECTION]);
});

test('nothing is forgotten when there is nobody to be asked', async () => {
  await plane.admin.delete(`${VOLUMES}/${name}`);
  const { code, stderr } = await forget();
  expect([code, stderr]).toEqual([2, expect.stringContaining('add --yes if you are sure')]);
  expect(await finalizers()).toContain(FINALIZER);
});

test('what is no volume of ours is not touched', async () => {
  await plane.admin.post(VOLUMES, aVolume(`${name}-foreign`, 'node1', { metadata: { finalizers: [OTHERS] } }));
  const { code, stderr } = await runHoldfast('lvm', 'forget', `${name}-foreign`, person, '--yes');
  expect([code, stderr]).toEqual([2, expect.stringContaining('is not held by an agent of ours')]);
});
