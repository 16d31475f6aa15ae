import { expect, test } from 'vitest';
import { serveHttp } from '../../../test/harness/loopback.ts';
import { startConnectProxy } from '../../../test/harness/proxies.ts';
import { eventually } from '../../../test/harness/wait.ts';
import { VirtualClock } from '../clock/virtual.ts';
import type { CallRecord } from './caller.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { connect } from './connect.ts';

const accessTo = (server: URL): ClusterAccess => ({
  server,
  tls: () => ({}),
  authorize: async () => ({ authorization: 'Bearer secret' }),
  namespace: 'default',
  from: 'a test',
});
const parts = () => ({ clock: new VirtualClock(), random: () => 0.5 });

test('a connected client talks to the server as whoever the access says, and is counted', async () => {
  await using server = await serveHttp((_, response) => response.end('{"major":"1"}'));
  const calls: CallRecord[] = [];
  const onCall = (call: CallRecord) => void calls.push(call);
  const { client, close } = connect(accessTo(server.url), { ...parts(), userAgent: 'holdfast-test/1', onCall });
  expect(await client.raw('GET', '/version')).toEqual({ major: '1' });
  expect(server.requests[0]?.headers).toMatchObject({
    authorization: 'Bearer secret',
    'user-agent': 'holdfast-test/1',
  });
  expect(calls).toMatchObject([{ method: 'GET', path: '/version', code: '200' }]);
  await close();
});

test('it keeps to the number of connections and to the proxy that it was given', async () => {
  await using server = await serveHttp((_, response) => response.end('{}'));
  await using proxy = await startConnectProxy();
  const { client, close } = connect({ ...accessTo(server.url), proxy: proxy.url }, { ...parts(), connections: 1 });
  await Promise.all(Array.from({ length: 5 }, () => client.raw('GET', '/version')));
  expect(proxy.tunnels).toEqual([server.url.host]);
  await close();
});

test('it is limited in its rate only when that is asked for', async () => {
  await using server = await serveHttp((_, response) => response.end('{}'));
  const { clock, random } = parts();
  const { client, close } = connect(accessTo(server.url), { clock, random, rateLimit: { perSecond: 1, burst: 2 } });
  const answers = Promise.all([1, 2, 3].map(() => client.raw('GET', '/version')));
  // Two were answered, so that their deadlines are over; only the third waits.
  await eventually(() => server.requests.length === 2 && clock.pending === 1);
  await clock.advance(1_000);
  await answers;
  await close();
});
