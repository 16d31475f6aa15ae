import { expect, test } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { KubeClient } from '../kit/kube/client.ts';
import { answer, FakeTransport, refusal } from '../kit/kube/fake-transport.ts';
import { refusedPods } from './refused-pods.ts';

const NOW = new Date('2026-01-01T12:00:00Z');
const SET = { metadata: { namespace: 'default', name: 'data-sts', uid: 'u1' } };
const QUOTA = 'exceeded quota: pods, requested: pods=1, used: pods=3, limited: pods=3';

/** As the controller of StatefulSets tells it. */
const event = (pod: string, why: string, minutesAgo: number) => ({
  note: `create Pod ${pod} in StatefulSet data-sts failed error: ${why}`,
  deprecatedLastTimestamp: new Date(NOW.getTime() - minutesAgo * 60_000).toISOString(),
});

async function refused(reply: ReturnType<typeof answer>) {
  const transport = new FakeTransport();
  transport.on('GET', /events/, reply);
  const client = new KubeClient({ transport, clock: new VirtualClock(), random: () => 0 });
  const pods = await refusedPods(client, SET, NOW, new AbortController().signal);
  return { pods: Object.fromEntries(pods), asked: transport.journal[0] };
}

test('what the controller said last of a pod is why it is not there', async () => {
  const items = [event('data-sts-3', QUOTA, 1), event('data-sts-3', 'it was something else', 9)];
  const { pods, asked } = await refused(answer(200, { items }));
  expect(pods).toEqual({ 'data-sts-3': QUOTA });
  expect(asked?.path).toBe('/apis/events.k8s.io/v1/namespaces/default/events');
  expect(asked?.query.get('fieldSelector')).toBe('regarding.uid=u1,reason=FailedCreate,type=Warning');
});

test('a claim that cannot be made is the reason that its pod cannot', async () => {
  const note =
    'create Claim vol-data-sts-3 for Pod data-sts-3 in StatefulSet data-sts failed error: exceeded quota: claims';
  const items = [{ note, series: { count: 9, lastObservedTime: NOW.toISOString() } }];
  expect((await refused(answer(200, { items }))).pods).toEqual({ 'data-sts-3': 'exceeded quota: claims' });
});

test('what is long over, or says nothing of a pod, is left out', async () => {
  const items = [event('data-sts-3', QUOTA, 21), { ...event('data-sts-4', QUOTA, 1), note: 'it is raining' }, {}];
  expect((await refused(answer(200, { items }))).pods).toEqual({});
});

test('what is said cannot steer a terminal, and is not endless', async () => {
  const items = [event('data-sts-3', `\u001b[2J${'x'.repeat(1_000)}`, 1)];
  const { pods } = await refused(answer(200, { items }));
  expect(pods['data-sts-3']).toMatch(/^\\u001b\[2Jx{100,300}$/);
});

test('a server that does not tell is no trouble', async () => {
  expect((await refused(refusal(403, 'Forbidden', 'not you'))).pods).toEqual({});
});
