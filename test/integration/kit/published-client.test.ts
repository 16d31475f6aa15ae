/**
 * What the published client does not do well, on which docs/adr/0002-own-kube-transport.md rests. A test that fails here is good news:
 * look at that record again.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { startFaultProxy } from '../../harness/fault-proxy.ts';
import { eventually } from '../../harness/wait.ts';
import { aConfigMap, connected, mirror } from './connected.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const GOOD_NEWS = 'the published client has become better: look at docs/adr/0002-own-kube-transport.md again';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane();
  await plane.admin.post(PATH, aConfigMap('first'));
});
afterAll(() => plane[Symbol.asyncDispose]());

function published(server: string, ca?: string, token?: string): KubeConfig {
  const config = new KubeConfig();
  const insecure = server.startsWith('http:') ? { skipTLSVerify: true } : {};
  config.loadFromOptions({
    clusters: [{ name: 'c', server, ...insecure, ...(ca && { caData: Buffer.from(ca).toString('base64') }) }],
    users: [{ name: 'u', ...(token && { token }) }],
    contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
    currentContext: 'x',
  });
  return config;
}

test('it opens a connection for every request', async () => {
  await using proxy = await startFaultProxy(plane);
  const api = published(proxy.url, proxy.ca, plane.adminToken).makeApiClient(CoreV1Api);
  for (let i = 0; i < 20; i++) await api.readNamespacedConfigMap({ namespace: 'default', name: 'first' });
  expect(proxy.connections.opened, GOOD_NEWS).toBe(20);
});

test('it drops the fields that it does not know when an object is read and written back', async () => {
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'first' }, data: {}, ofTheFuture: 'kept?' };
  const bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join('');
    if (text !== '') bodies.push(JSON.parse(text));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(object));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api = published(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).makeApiClient(CoreV1Api);
  const ref = { namespace: 'default', name: 'first' };
  const body = await api.readNamespacedConfigMap(ref);
  await api.replaceNamespacedConfigMap({ ...ref, body });
  server.close();
  server.closeAllConnections();
  expect(bodies, 'nothing was written back').toHaveLength(1);
  expect(bodies[0], GOOD_NEWS).not.toHaveProperty('ofTheFuture');
});

test('its informer is dead after one reset of the connection, where our cache goes on', async () => {
  await using proxy = await startFaultProxy(plane);
  const config = published(proxy.url, proxy.ca, plane.adminToken);
  const api = config.makeApiClient(CoreV1Api);
  const informer = makeInformer(config, PATH, () => api.listNamespacedConfigMap({ namespace: 'default' }));
  const seen: (string | undefined)[] = [];
  const errors: unknown[] = [];
  informer.on('add', ({ metadata }) => seen.push(metadata?.name));
  informer.on('error', (error) => errors.push(error));
  await informer.start();
  await using kit = connected(proxy, plane.adminToken);
  await using ours = mirror(kit.client);
  await eventually(() => ours.view.synced && seen.length > 0 && proxy.count({ verb: 'watch' }) >= 2);
  proxy.resetAllConnections();
  await eventually(() => errors.length > 0);
  await plane.admin.post(PATH, aConfigMap('after-the-reset'));
  await eventually(() => ours.view.has('default/after-the-reset'));
  expect(seen, GOOD_NEWS).not.toContain('after-the-reset');
  await informer.stop();
});
