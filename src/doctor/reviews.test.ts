import { expect, test } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { KubeClient } from '../kit/kube/client.ts';
import { FakeTransport } from '../kit/kube/fake-transport.ts';
import { aWriter } from './builders.ts';
import { questionsOn, rightsOf } from './reviews.ts';

const OTHERS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const OWN = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const writer = aWriter({ job: 'topology', namespace: 'storage', account: 'zones' });
const allowed = { status: 201, body: { status: { allowed: true } } };
const denied = { status: 201, body: { status: { allowed: false } } };
const forbidden = { status: 403, body: { kind: 'Status', reason: 'Forbidden', message: 'you may not ask that' } };
const iAm = (username: string) => ({ status: 201, body: { status: { userInfo: { username } } } });

function asked(transport: FakeTransport) {
  const client = new KubeClient({ transport, clock: new VirtualClock(), random: () => 0.5 });
  return rightsOf({ client, signal: new AbortController().signal }, writer);
}

test('each right is asked of the API server, for the account and its groups', async () => {
  const transport = new FakeTransport().on('POST', OTHERS, ({ body }) =>
    Object(body).spec.resourceAttributes.verb === 'patch' ? denied : allowed,
  );
  const rights = await asked(transport);
  expect(rights).toHaveLength(questionsOn(writer).length);
  expect(rights.filter(({ isAllowed }) => !isAllowed).map(({ verb }) => verb)).toEqual(['patch']);
  expect(transport.bodies('POST')[0]).toMatchObject({
    spec: {
      user: 'system:serviceaccount:storage:zones',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:storage', 'system:authenticated'],
    },
  });
});

test('who may not ask for others, and is that account, asks for itself', async () => {
  const transport = new FakeTransport()
    .on('POST', OTHERS, forbidden)
    .on('POST', WHO, iAm('system:serviceaccount:storage:zones'))
    .on('POST', OWN, allowed);
  expect((await asked(transport)).every(({ isAllowed }) => isAllowed)).toBe(true);
});

test('who may not ask for others, and is somebody else, is not answered', async () => {
  const transport = new FakeTransport()
    .on('POST', OTHERS, forbidden)
    .on('POST', WHO, iAm('somebody'))
    .on('POST', OWN, allowed);
  await expect(asked(transport)).rejects.toThrow('you may not ask that');
});
