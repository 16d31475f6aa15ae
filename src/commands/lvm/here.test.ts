import { expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { KubeClient } from '../../kit/kube/client.ts';
import { answer, FakeTransport, refusal } from '../../kit/kube/fake-transport.ts';
import { UsageError } from '../line/usage-error.ts';
import { ownNode } from './here.ts';

function aVisitor() {
  const transport = new FakeTransport();
  const client = new KubeClient({ transport, clock: new VirtualClock(), random: () => 0.5 });
  return { transport, visitor: { client, signal: new AbortController().signal } };
}

test('this machine is the node of its name, with the labels that it has there', async () => {
  const { transport, visitor } = aVisitor();
  transport.on('GET', '/api/v1/nodes/node-1', answer(200, { metadata: { name: 'node-1', labels: { rack: 'a' } } }));
  expect(await ownNode(visitor, 'node-1', 'look again')).toEqual({ name: 'node-1', labels: { rack: 'a' } });
});

test('of a machine that is no node it is said so, and what to do', async () => {
  const { transport, visitor } = aVisitor();
  transport.on('GET', '/api/v1/nodes/node-1', refusal(404, 'NotFound', 'not found'));
  const refused = await ownNode(visitor, 'node-1', 'look again').catch((error: unknown) => error);
  expect(refused).toEqual(new UsageError('the cluster has no node node-1: look again'));
});
