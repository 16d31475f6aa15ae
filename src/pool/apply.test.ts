/** Every write says which object, and which version of it, it is meant for. */
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { Retry } from '../kit/controller/outcome.ts';
import { KubeClient } from '../kit/kube/client.ts';
import { answer, FakeTransport, refusal } from '../kit/kube/fake-transport.ts';
import { setReplicas, type Write, write, writeStatus } from './apply.ts';
import { aClaim, aPool, SET_UID, seenOf } from './builders.ts';

const SIGNAL = new AbortController().signal;
const OF_SET = [
  { op: 'test', path: '/metadata/uid', value: SET_UID },
  { op: 'test', path: '/metadata/resourceVersion', value: '9' },
];

function aServer() {
  const transport = new FakeTransport();
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
    transport.on(method, /./, answer(200, { metadata: {} }));
  const client = new KubeClient({ transport, clock: new VirtualClock(), random: () => 0 });
  return { transport, writes: { client, secret: (bytes: number) => 'ab'.repeat(bytes), signal: SIGNAL } };
}

async function written(action: Write) {
  const { transport, writes } = aServer();
  await write(writes, seenOf(), action);
  return transport.journal.map(({ method, path, body }) => ({
    method,
    path: path.split('/').slice(-2).join('/'),
    body,
  }));
}

test('the replicas are changed only of the version that was seen, and only from as many as were seen', async () => {
  const { transport, writes } = aServer();
  await setReplicas(writes, seenOf(), 3, 2);
  expect(transport.bodies('PATCH')).toEqual([
    [...OF_SET, { op: 'test', path: '/spec/replicas', value: 3 }, { op: 'replace', path: '/spec/replicas', value: 2 }],
  ]);
});

describe('carries the uid and the version of what was seen', () => {
  const OF_CLAIM = { uid: 'claim-2', resourceVersion: '3' };

  test('to raise the replicas', async () => {
    const [patch] = await written({ do: 'scaleUp', from: 3, to: 4 });
    expect(patch?.body).toEqual(expect.arrayContaining(OF_SET));
  });

  test('to lower the partition', async () => {
    expect(await written({ do: 'lowerPartition', to: 1 })).toMatchObject([
      {
        method: 'PATCH',
        body: {
          metadata: { uid: SET_UID, resourceVersion: '9' },
          spec: { updateStrategy: { rollingUpdate: { partition: 1 } } },
        },
      },
    ]);
  });

  test('to write the template', async () => {
    expect(await written({ do: 'writeTemplate' })).toMatchObject([
      { method: 'PUT', body: { metadata: { uid: SET_UID, resourceVersion: '9' } } },
    ]);
  });

  test('to grow a claim', async () => {
    expect(await written({ do: 'growClaim', claim: aClaim(2), gib: 7 })).toEqual([
      {
        method: 'PATCH',
        path: 'persistentvolumeclaims/vol-data-sts-2',
        body: { metadata: OF_CLAIM, spec: { resources: { requests: { storage: '7Gi' } } } },
      },
    ]);
  });

  test('to label a claim', async () => {
    expect(await written({ do: 'labelClaim', claim: aClaim(2) })).toMatchObject([
      { method: 'PATCH', body: { metadata: { ...OF_CLAIM, labels: { 'pv-pool': 'data' } } } },
    ]);
  });

  test('to take the annotation away', async () => {
    expect(await written({ do: 'takeCancelAway' })).toMatchObject([
      {
        body: {
          metadata: {
            uid: 'uid-of-pool',
            resourceVersion: '7',
            annotations: { 'holdfast.dev/cancel-scale-down': null },
          },
        },
      },
    ]);
  });

  test('to own a claim, whose other owners stay', async () => {
    const another = { apiVersion: 'v1', kind: 'Another', name: 'a', uid: 'u' };
    const claim = aClaim(2, { owners: [another] });
    const ours = { apiVersion: 'pvpool.noobaa.com/v1', kind: 'PvPool', name: 'data', uid: 'uid-of-pool' };
    expect(await written({ do: 'ownClaim', claim, owned: true })).toMatchObject([
      { body: { metadata: { ...OF_CLAIM, ownerReferences: [another, ours] } } },
    ]);
    const owned = aClaim(2, { owners: [another, ours] });
    expect(await written({ do: 'ownClaim', claim: owned, owned: false })).toMatchObject([
      { body: { metadata: { ...OF_CLAIM, ownerReferences: [another] } } },
    ]);
  });
});

test('a claim is deleted by its uid', async () => {
  expect(await written({ do: 'deleteClaim', claim: aClaim(2) })).toMatchObject([
    { method: 'DELETE', path: 'persistentvolumeclaims/vol-data-sts-2', body: { preconditions: { uid: 'claim-2' } } },
  ]);
});

test('a token has 32 random bytes', async () => {
  const [made] = await written({ do: 'create', kind: 'Secret' });
  const token = Buffer.from('ab'.repeat(32)).toString('base64');
  expect(made?.body).toMatchObject({ data: { token } });
});

test('what somebody else has made meanwhile is left to the next look', async () => {
  const { transport, writes } = aServer();
  transport.on('POST', /services$/, refusal(409, 'AlreadyExists', 'it is there'));
  await expect(write(writes, seenOf(), { do: 'create', kind: 'Service' })).resolves.toEqual({});
});

describe('a status', () => {
  test('is written whole, over the version that was seen', async () => {
    const { transport, writes } = aServer();
    await writeStatus(writes, aPool(), { phase: 'Ready' });
    expect(transport.journal[0]?.path).toMatch(/pvpools\/data\/status$/);
    expect(transport.bodies('PATCH')).toEqual([
      [
        { op: 'test', path: '/metadata/uid', value: 'uid-of-pool' },
        { op: 'test', path: '/metadata/resourceVersion', value: '7' },
        { op: 'add', path: '/status', value: { phase: 'Ready' } },
      ],
    ]);
  });

  test.each([
    ['has changed meanwhile is tried again', '8', Retry],
    ['is still the one that was seen is wrong', '7', /422/],
  ])('that the server refuses for a pool that %s', async (_, resourceVersion, error) => {
    const { transport, writes } = aServer();
    transport.on('PATCH', /status$/, refusal(422, 'Invalid', 'the server rejected our request'));
    transport.on('GET', /pvpools\/data$/, answer(200, { metadata: { resourceVersion } }));
    await expect(writeStatus(writes, aPool(), { phase: 'Ready' })).rejects.toThrow(error);
  });
});
