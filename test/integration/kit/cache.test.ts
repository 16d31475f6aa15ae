import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { startFaultProxy } from '../../harness/fault-proxy.ts';
import { eventually } from '../../harness/wait.ts';
import { everyEventTwice, expiredAfter, pairsSwapped, replayedAfter } from '../../harness/watch-rewrite.ts';
import { aConfigMap, CONFIG_MAPS, connected, contentsOf, contentsOnServer, mirror } from './connected.ts';

const CONFIG_MAPS_PATH = '/api/v1/namespaces/default/configmaps';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane();
});
afterAll(() => plane[Symbol.asyncDispose]());
beforeEach(async () => {
  await plane.admin.delete(CONFIG_MAPS_PATH, { kind: 'DeleteOptions', apiVersion: 'v1' });
});

const isCopyOfServer = (view: Parameters<typeof contentsOf>[0]) =>
  eventually(async () => expect(contentsOf(view)).toEqual(await contentsOnServer(plane)));

/** Some objects made, changed and removed; `round` makes each call different. */
async function churn(round: number): Promise<void> {
  const name = `churn-${round % 5}`;
  const known = await plane.admin.request('GET', `${CONFIG_MAPS_PATH}/${name}`);
  if (known.status === 404) await plane.admin.post(CONFIG_MAPS_PATH, aConfigMap(name, { round: `${round}` }));
  else if (round % 3 === 0) await plane.admin.delete(`${CONFIG_MAPS_PATH}/${name}`);
  else await plane.admin.patch(`${CONFIG_MAPS_PATH}/${name}`, { data: { round: `${round}` } });
}

test('200 connection resets in a row lose no event and leave a cache equal to the server', async () => {
  await using proxy = await startFaultProxy(plane);
  await using kit = connected(proxy, plane.adminToken);
  await using copy = mirror(kit.client);
  await eventually(() => copy.view.synced);
  const seen = new Map<string, Set<string>>();
  copy.view.subscribe(({ key, after }) => {
    if (after !== undefined) seen.set(key, (seen.get(key) ?? new Set()).add(after));
  });
  for (let round = 0; round < 200; round++) {
    await churn(round);
    const watches = proxy.count({ verb: 'watch' });
    proxy.resetAllConnections();
    await eventually(() => proxy.count({ verb: 'watch' }) > watches);
  }
  await isCopyOfServer(copy.view);
  // A watch that resumes delivers each state in between, not only the last: that is the difference to listing again.
  const rounds = [...seen.values()].flatMap((states) => [...states]);
  const written = Array.from({ length: 200 }, (_, round) => `{"round":"${round}"}`);
  expect(rounds.length).toBeGreaterThan(written.length / 2);
  expect(rounds.every((state) => written.includes(state))).toBe(true);
  expect(proxy.log.filter(({ url }) => url.includes('sendInitialEvents'))).toHaveLength(1);
});

test('events are never lost when every watch is cut after a few of them', async () => {
  await using proxy = await startFaultProxy(plane);
  await using kit = connected(proxy, plane.adminToken);
  proxy.inject({ verb: 'watch', resource: 'configmaps', nth: 2, times: 1_000 }, { fault: 'cut', afterEvents: 2 });
  await using copy = mirror(kit.client);
  await eventually(() => copy.view.synced);
  proxy.resetAllConnections();
  for (let round = 0; round < 60; round++) await churn(round);
  await isCopyOfServer(copy.view);
  expect(proxy.count({ verb: 'watch' })).toBeGreaterThan(10);
});

test('etcd is compacted under a watch that sleeps, and the cache recovers with a new list', async () => {
  await using proxy = await startFaultProxy(plane);
  await using kit = connected(proxy, plane.adminToken);
  await plane.admin.post(CONFIG_MAPS_PATH, aConfigMap('removed-meanwhile'));
  await using copy = mirror(kit.client, { silenceMs: 3_000 });
  await eventually(() => copy.view.synced);
  proxy.connections.freezeAll();
  const refused = proxy.inject({ resource: 'configmaps', times: 1_000_000 }, { fault: 'reset' });
  await plane.admin.delete(`${CONFIG_MAPS_PATH}/removed-meanwhile`);
  for (let round = 0; round < 20; round++) await churn(round);
  await plane.compact();
  await plane.apiServer.kill(); // its own watch cache remembers more than etcd
  await plane.apiServer.start();
  await refused.struck();
  proxy.clear();
  await isCopyOfServer(copy.view);
  expect(copy.log.lines.map(({ fields }) => JSON.stringify(fields)).join()).toContain('the version expired');
});

test('a half-open watch, on which nothing comes although the server has news, is replaced', async () => {
  await using proxy = await startFaultProxy(plane);
  await using kit = connected(proxy, plane.adminToken);
  await using copy = mirror(kit.client, { silenceMs: 3_000 });
  await eventually(() => copy.view.synced);
  proxy.connections.freezeAll();
  await plane.admin.post(CONFIG_MAPS_PATH, aConfigMap('unheard', { of: 'yet' }));
  await isCopyOfServer(copy.view);
  expect(copy.log.lines.map(({ fields }) => JSON.stringify(fields)).join()).toContain('nothing was heard');
});

describe('a stream that cannot be trusted', () => {
  const untrustworthy = {
    'repeats every event': everyEventTwice,
    'brings events in the wrong order': pairsSwapped,
    'replays its past': replayedAfter(9),
    'says in the middle that the history is gone': expiredAfter(4),
  };
  test.each(Object.entries(untrustworthy))('%s: the cache is right in the end', async (_name, events) => {
    await using proxy = await startFaultProxy(plane);
    await using kit = connected(proxy, plane.adminToken);
    await using copy = mirror(kit.client);
    await eventually(() => copy.view.synced);
    proxy.inject({ verb: 'watch', nth: 1, times: 1 }, { fault: 'rewrite', events });
    proxy.resetAllConnections();
    await eventually(() => proxy.log.some(({ fault }) => fault === 'rewrite'));
    for (let round = 0; round < 24; round++) await churn(round);
    proxy.clear();
    await isCopyOfServer(copy.view);
  });
});

test('an API server that is killed and started again is followed on', async () => {
  await using kit = connected(plane, plane.adminToken);
  await using copy = mirror(kit.client);
  for (let round = 0; round < 10; round++) await churn(round);
  await isCopyOfServer(copy.view);
  await plane.apiServer.kill();
  await plane.apiServer.start();
  for (let round = 10; round < 20; round++) await churn(round);
  await isCopyOfServer(copy.view);
});

test('an API server that comes back with older data is believed: what it has lost goes, what it has kept is as it says', async () => {
  await plane.admin.post(CONFIG_MAPS_PATH, aConfigMap('kept', { version: 'old' }));
  const snapshot = await plane.snapshot();
  await using kit = connected(plane, plane.adminToken);
  await using copy = mirror(kit.client);
  await plane.admin.patch(`${CONFIG_MAPS_PATH}/kept`, { data: { version: 'new' } });
  await plane.admin.post(CONFIG_MAPS_PATH, aConfigMap('lost'));
  for (let round = 0; round < 60; round++) await churn(round); // more writes than the server makes by itself as it starts
  await isCopyOfServer(copy.view);
  await plane.restore(snapshot);
  await eventually(() => {
    expect(copy.view.get('default/kept')).toBe('{"version":"old"}');
    expect(copy.view.has('default/lost')).toBe(false);
  });
  await plane.admin.post(CONFIG_MAPS_PATH, aConfigMap('made-after-the-restore'));
  await isCopyOfServer(copy.view);
});

test('5,000 objects come as a stream, and in pages from a server without streams, with the same result', async () => {
  await using kit = connected(plane, plane.adminToken);
  const names = Array.from({ length: 5_000 }, (_, i) => `many-${i}`);
  await Promise.all(names.map((name) => kit.client.create(CONFIG_MAPS, aConfigMap(name, { name }))));
  await using proxy = await startFaultProxy(plane);
  const refuse = proxy.inject(
    { verb: 'watch', times: 1, where: ({ url }) => url.includes('sendInitialEvents') },
    { fault: 'status', status: 422 },
  );
  await using proxied = connected(proxy, plane.adminToken);
  await using streamed = mirror(kit.client);
  await using paged = mirror(proxied.client);
  await isCopyOfServer(streamed.view);
  await isCopyOfServer(paged.view);
  expect(refuse.hits).toBe(1);
  expect(proxy.count({ verb: 'list' })).toBeGreaterThanOrEqual(20);
});
