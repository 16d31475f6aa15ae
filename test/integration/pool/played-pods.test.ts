/** Whether the pods that are played here do what pods do: everything else in this directory stands on that. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { twoEndpointImage } from '../../harness/played-container.ts';
import { PlayedPods } from '../../harness/played-pods.ts';
import { createClass } from '../../harness/played-volumes.ts';
import type { RawObject } from '../../harness/raw-client.ts';
import type { Sayings } from '../../harness/two-endpoint-agent.ts';
import { eventually } from '../../harness/wait.ts';

interface Pod extends RawObject {
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly { readonly restartCount: number; readonly state: object }[];
  };
}

const SETS = '/apis/apps/v1/namespaces/default/statefulsets';
const PODS = '/api/v1/namespaces/default/pods';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';

let plane: ControlPlane;
let pods: PlayedPods;
beforeAll(async () => {
  plane = await startControlPlane({ controllers: true });
  await createClass(plane.admin, 'disk', { isDefault: true });
  await createClass(plane.admin, 'rigid', { expands: false });
  pods = await PlayedPods.start({
    plane,
    images: { agent: twoEndpointImage },
    nodes: { a: 'zone-a', b: 'zone-b' },
  });
});
afterAll(async () => {
  await pods?.[Symbol.asyncDispose]();
  await plane?.[Symbol.asyncDispose]();
});

async function aSet(name: string, { image = 'agent', replicas = 1, storageClass = 'disk' } = {}): Promise<void> {
  const labels = { app: name };
  const container = {
    name: 'storage-agent',
    image,
    env: [
      { name: 'PV_PATH', value: '/data' },
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ],
    volumeMounts: [{ name: 'vol', mountPath: '/data' }],
  };
  const claim = {
    metadata: { name: 'vol' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: storageClass,
      resources: { requests: { storage: '1Gi' } },
    },
  };
  await plane.admin.post(SETS, {
    metadata: { name },
    spec: {
      replicas,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
      volumeClaimTemplates: [claim],
    },
  });
}

const look = (pod: string): Promise<Pod> => plane.admin.get<Pod>(`${PODS}/${pod}`);
const conditionOf = ({ status }: Pod) => status.conditions?.find(({ type }) => type === 'Ready')?.status;

const ready = (pod: string, otherThan = ''): Promise<Pod> =>
  eventually(
    async () => {
      const found = await look(pod);
      expect(conditionOf(found)).toBe('True');
      expect(found.metadata.uid).not.toBe(otherThan);
      return found;
    },
    { for: `${pod} to be ready` },
  );

async function statusOf({ status }: Pod): Promise<unknown> {
  return await (await request(`http://${status.podIP}:8080/status`)).body.json();
}

const says = async (pod: string, sayings: Sayings): Promise<void> =>
  writeFile(join(await pods.volumeOf('default', `vol-${pod}`), 'says.json'), JSON.stringify(sayings));

test('a pod has a claim with a volume, is placed by the scheduler, and answers at the address in its status', async () => {
  await aSet('up', { replicas: 2 });
  const both = await Promise.all([ready('up-0'), ready('up-1')]);
  expect(both.map(({ spec }) => spec.nodeName)).toEqual([expect.stringMatching(/^[ab]$/), expect.any(String)]);
  expect(await Promise.all(both.map(statusOf))).toMatchObject([
    { name: 'up-0', state: 'Ready' },
    { name: 'up-1', state: 'Ready' },
  ]);
  expect(await plane.admin.get(`${CLAIMS}/vol-up-0`)).toMatchObject({ status: { phase: 'Bound' } });
});

test('a program that was killed is started again in the same pod', async () => {
  await aSet('killed');
  const before = await ready('killed-0');
  await pods.kill('killed-0');
  await eventually(async () => {
    const { metadata, status } = await ready('killed-0');
    expect(metadata.uid).toBe(before.metadata.uid);
    expect(status.podIP).toBe(before.status.podIP);
    expect(status.containerStatuses).toMatchObject([{ restartCount: 1 }]);
  });
  expect(await statusOf(before)).toMatchObject({ state: 'Ready' });
});

test('one that is taken down is not ready until it may come up', async () => {
  await aSet('down');
  await ready('down-0');
  await pods.takeDown('down-0');
  await eventually(async () => expect(conditionOf(await look('down-0'))).toBe('False'));
  pods.letUp('down-0');
  await ready('down-0');
});

test('a pod that is deleted is made anew, at another address, with what its claim holds', async () => {
  await aSet('anew');
  const before = await ready('anew-0');
  await says('anew-0', { used: 7 });
  await plane.admin.delete(`${PODS}/anew-0`);
  const after = await ready('anew-0', before.metadata.uid);
  expect(after.status.podIP).not.toBe(before.status.podIP);
  expect(await statusOf(after)).toMatchObject({ used: 7 });
});

test('a claim that is deleted is an empty disk when it is made anew, and its volume is gone', async () => {
  await aSet('emptied');
  const { metadata } = await ready('emptied-0');
  await says('emptied-0', { used: 7 });
  const volume = `/api/v1/persistentvolumes/pvc-${(await plane.admin.get(`${CLAIMS}/vol-emptied-0`)).metadata.uid}`;
  await plane.admin.delete(`${CLAIMS}/vol-emptied-0`);
  await plane.admin.delete(`${PODS}/emptied-0`);
  expect(await statusOf(await ready('emptied-0', metadata.uid))).toMatchObject({ used: 0 });
  await eventually(async () => expect((await plane.admin.request('GET', volume)).status).toBe(404));
});

test('an image that is not there is waited for', async () => {
  await aSet('never', { image: 'no-such' });
  await eventually(async () => {
    expect(await look('never-0')).toMatchObject({
      status: { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] },
    });
  });
});

test('a claim grows when it may, and only where its class allows it', async () => {
  await aSet('growing');
  await aSet('rigid', { storageClass: 'rigid' });
  await Promise.all([ready('growing-0'), ready('rigid-0')]);
  const more = { spec: { resources: { requests: { storage: '2Gi' } } } };
  await plane.admin.patch(`${CLAIMS}/vol-growing-0`, more);
  await eventually(async () =>
    expect(await plane.admin.get(`${CLAIMS}/vol-growing-0`)).toMatchObject({
      status: { capacity: { storage: '2Gi' } },
    }),
  );
  await expect(plane.admin.patch(`${CLAIMS}/vol-rigid-0`, more)).rejects.toThrow(
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
  );
});
