import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Caches } from '../../../src/kit/cache/caches.ts';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import type { KubeObject, Resource } from '../../../src/kit/kube/resource.ts';
import { silentLog } from '../../../src/kit/observe/log.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { startFaultProxy } from '../../harness/fault-proxy.ts';
import { createServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { everyEventTwice, expiredAfter, pairsSwapped, replayedAfter } from '../../harness/watch-rewrite.ts';
import { aConfigMap, CONFIG_MAPS, connected, contentsOf, contentsOnServer, mirror } from './connected.ts';

const MAY_READ = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
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

test('an API server that comes up again, and denies all until it has read the roles, is followed on within moments', async () => {
  const reader = await createServiceAccount(plane, { name: 'reader', namespaceRules: { default: MAY_READ } });
  await using kit = connected(plane, reader.token);
  await using copy = mirror(kit.client, { backoff: { baseMs: 5, maxMs: 50 } }); // so that it asks at the first moment
  await eventually(() => copy.view.synced);
  await plane.apiServer.kill();
  await plane.apiServer.start();
  await plane.admin.post(CONFIG_MAPS_PATH, aConfigMap('made-at-once'));
  await eventually(() => copy.view.has('default/made-at-once'), { timeout: 20_000 }); // a right that is missing is asked for each minute
});

test('a right that is taken away and given back leaves a cache equal to the server', async () => {
  const binding = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
  await using proxy = await startFaultProxy(plane);
  const reader = await createServiceAccount(plane, { name: 'fallen', namespaceRules: { default: MAY_READ } });
  await using kit = connected(proxy, reader.token);
  await plane.admin.post(CONFIG_MAPS_PATH, aConfigMap('removed-meanwhile'));
  await using copy = mirror(kit.client);
  await isCopyOfServer(copy.view);
  const { metadata, ...granted } = await plane.admin.get(`${binding}/default-fallen`);
  await plane.admin.delete(`${binding}/default-fallen`);
  await eventually(async () => !(await reader.can({ verb: 'watch', resource: 'configmaps', namespace: 'default' })));
  proxy.resetAllConnections();
  await eventually(() => !copy.view.available);
  await plane.admin.delete(`${CONFIG_MAPS_PATH}/removed-meanwhile`);
  for (let round = 0; round < 20; round++) await churn(round);
  expect(copy.view.has('default/removed-meanwhile')).toBe(true);
  await plane.admin.post(binding, { ...granted, metadata: { name: metadata.name } });
  await isCopyOfServer(copy.view);
  expect(copy.view.available).toBe(true);
});

describe('a resource that is defined, deleted with all objects, and defined again', () => {
  const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const PATH = '/apis/example.dev/v1/things';
  const THINGS: Resource<KubeObject & { readonly life?: string }> = {
    group: 'example.dev',
    version: 'v1',
    plural: 'things',
    kind: 'Thing',
    namespaced: false,
  };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const definition = {
    metadata: { name: 'things.example.dev' },
    spec: {
      group: 'example.dev',
      scope: 'Cluster',
      names: { plural: 'things', singular: 'thing', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
  const define = () => eventually(() => plane.admin.post(DEFINITIONS, definition));
  const make = (name: string, life: string) =>
    eventually(() => plane.admin.post(PATH, { apiVersion: 'example.dev/v1', kind: 'Thing', metadata: { name }, life }));

  test('is followed on, and nothing of its first life is left', async () => {
    await using kit = connected(plane, plane.adminToken);
    const caches = new Caches({ client: kit.client, clock: systemClock, random: Math.random, log: silentLog });
    const view = caches.view(THINGS, { project: ({ life }) => life });
    const contents = () => Object.fromEntries([...view.keys()].sort().map((key) => [key, view.get(key)]));
    const stop = new AbortController();
    const ended = caches.run(stop.signal);
    await eventually(() => !view.available); // it is waited for, too
    await define();
    await make('both', 'first');
    await make('former', 'first');
    await eventually(() => expect(contents()).toEqual({ both: 'first', former: 'first' }));
    await plane.admin.delete(`${DEFINITIONS}/things.example.dev`);
    await define();
    await make('both', 'second');
    await eventually(() => expect(contents()).toEqual({ both: 'second' }));
    stop.abort();
    await ended;
  });
});

test('a server without streamed lists and without bookmarks is followed on through silence', async () => {
  const old = ['--watch-cache=false', '--feature-gates=WatchList=false'];
  await using plain = await startControlPlane({ apiServerFlags: old });
  await using proxy = await startFaultProxy(plain);
  await using kit = connected(proxy, plain.adminToken);
  await using copy = mirror(kit.client, { silenceMs: 500 });
  await eventually(() => copy.view.synced);
  await eventually(() => proxy.count({ verb: 'watch' }) > 12); // as many silences as would have made the pauses long
  const asked = proxy.count({ verb: 'watch' });
  await plain.admin.post(CONFIG_MAPS_PATH, aConfigMap('after-silence'));
  await eventually(() => copy.view.has('default/after-silence'));
  expect(proxy.count({ verb: 'watch' }) - asked).toBeLessThan(3);
  expect(proxy.log.filter(({ url }) => url.includes('sendInitialEvents'))).toHaveLength(1);
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
