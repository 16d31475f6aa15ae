import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { startFaultProxy } from '../../harness/fault-proxy.ts';
import { RawClient, type WatchEvents } from '../../harness/raw-client.ts';
import { eventually } from '../../harness/wait.ts';
import {
  type EventRewrite,
  everyEventTwice,
  expiredAfter,
  heldBack,
  pairsSwapped,
  replayedAfter,
  withoutEvents,
} from '../../harness/watch-rewrite.ts';

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane();
});
afterAll(() => controlPlane?.[Symbol.asyncDispose]());

const MAPS = '/api/v1/namespaces/default/configmaps';
let made = 0;
const newName = () => `map-${++made}`;
const map = (name: string, data = {}) => ({ metadata: { name }, data });
const exists = async (name: string) => (await controlPlane.admin.request('GET', `${MAPS}/${name}`)).status === 200;

describe.each([
  ['HTTP/1.1', false, '1.1'],
  ['HTTP/2', true, '2.0'],
] as const)('a fault proxy spoken to by %s', (_, http2, version) => {
  /** A proxy and a client with the admin's token behind it. */
  async function start() {
    const proxy = await startFaultProxy(controlPlane);
    const client = new RawClient({ url: proxy.url, ca: proxy.ca, token: controlPlane.adminToken, http2 });
    const dispose = async () => {
      await client[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    };
    return { proxy, client, [Symbol.asyncDispose]: dispose };
  }

  it('passes requests and answers unharmed, and counts them', async () => {
    await using t = await start();
    const name = newName();
    const created = await t.client.post(MAPS, map(name, { text: 'ü'.repeat(100_000) }));
    expect(await controlPlane.admin.get(`${MAPS}/${name}`)).toEqual(created);
    expect(await t.client.get(`${MAPS}/${name}`)).toEqual(created);
    await t.client.patch(`${MAPS}/${name}`, { data: { text: 'short' } });
    await t.client.delete(`${MAPS}/${name}`);
    expect(await exists(name)).toBe(false);
    expect(t.proxy.log.map(({ verb }) => verb)).toEqual(['create', 'get', 'patch', 'delete']);
    expect(t.proxy.log.every(({ httpVersion }) => httpVersion === version)).toBe(true);
    expect(t.proxy.count({ verb: 'get', resource: 'configmaps', name })).toBe(1);
    expect(t.proxy.connections.opened).toBe(new Set(t.proxy.log.map(({ connection }) => connection)).size);
  });

  it('forwards who asks, and speaks for those who do not say', async () => {
    await using proxy = await startFaultProxy(controlPlane, { token: controlPlane.adminToken });
    await using nobody = new RawClient({ url: proxy.url, ca: proxy.ca, http2 });
    await using wrong = new RawClient({ url: proxy.url, ca: proxy.ca, token: 'wrong', http2 });
    expect((await nobody.request('GET', MAPS)).status).toBe(200);
    expect((await wrong.request('GET', MAPS)).status).toBe(401);
  });

  it('passes the events of a watch as they happen', async () => {
    await using t = await start();
    const events = await watchFromNow(t.client);
    for (const name of [newName(), newName()]) {
      await controlPlane.admin.post(MAPS, map(name));
      expect(await nextName(events)).toBe(name);
    }
    await events.return();
  });

  it('opens a watch before its first event, and lets the server know when the client leaves', async () => {
    await using t = await start();
    const templates = '/api/v1/namespaces/default/podtemplates?watch=true';
    const events = await t.client.watch(templates);
    expect(await openWatches('podtemplates')).toBe(1);
    await events.return();
    await eventually(async () => (await openWatches('podtemplates')) === 0);
  });

  it('drops: no answer ever, nothing done', async () => {
    await using t = await start();
    const name = newName();
    const rule = t.proxy.inject({ verb: 'create' }, { fault: 'drop' });
    const answer = t.client.post(MAPS, map(name));
    await rule.struck();
    expect(await settledWithin(answer, 200)).toBe('pending');
    expect(await exists(name)).toBe(false);
    t.proxy.resetAllConnections();
    await expect(answer).rejects.toThrow();
  });

  it('delays the request', async () => {
    await using t = await start();
    const name = newName();
    const release = Promise.withResolvers<void>();
    const rule = t.proxy.inject({ verb: 'create' }, { fault: 'delay', until: release.promise });
    const answer = t.client.post(MAPS, map(name));
    await rule.struck();
    expect(await exists(name)).toBe(false);
    release.resolve();
    expect((await answer).metadata.name).toBe(name);
  });

  it('delays by time', async () => {
    await using t = await start();
    t.proxy.inject({ verb: 'list' }, { fault: 'delay', until: 300 });
    const started = performance.now();
    await t.client.list(MAPS);
    expect(performance.now() - started).toBeGreaterThanOrEqual(299);
  });

  it('delays the reply of a request that is carried out', async () => {
    await using t = await start();
    const name = newName();
    const release = Promise.withResolvers<void>();
    t.proxy.inject({ verb: 'create' }, { fault: 'delay-reply', until: release.promise });
    const answer = t.client.post(MAPS, map(name));
    await eventually(() => exists(name));
    expect(await settledWithin(answer, 100)).toBe('pending');
    release.resolve();
    expect((await answer).metadata.name).toBe(name);
  });

  it('resets before the request reaches the server', async () => {
    await using t = await start();
    const name = newName();
    const rule = t.proxy.inject({ verb: 'create' }, { fault: 'reset' });
    await expect(t.client.post(MAPS, map(name))).rejects.toThrow();
    expect(rule.hits).toBe(1);
    expect(await exists(name)).toBe(false);
    await t.client.post(MAPS, map(name));
    expect(t.proxy.connections.opened).toBe(2);
  });

  it('loses the reply of a request that is carried out', async () => {
    await using t = await start();
    const name = newName();
    t.proxy.inject({ verb: 'create' }, { fault: 'lost-reply' });
    await expect(t.client.post(MAPS, map(name))).rejects.toThrow();
    expect(await exists(name)).toBe(true);
  });

  it('cuts a reply in the middle of its body', async () => {
    await using t = await start();
    const name = newName();
    await controlPlane.admin.post(MAPS, map(name, { text: 'x'.repeat(10_000) }));
    t.proxy.inject({ verb: 'get' }, { fault: 'cut', afterBytes: 5_000 });
    await expect(t.client.get(`${MAPS}/${name}`)).rejects.toThrow();
    expect((await t.client.get(`${MAPS}/${name}`)).metadata.name).toBe(name);
  });

  it('cuts a watch after a number of events', async () => {
    await using t = await start();
    t.proxy.inject({ verb: 'watch' }, { fault: 'cut', afterEvents: 2 });
    const names = [newName(), newName(), newName()];
    const { seen, failure } = await watchOf(t.client, names);
    expect(seen).toEqual(names.slice(0, 2));
    expect(failure).toBeInstanceOf(Error);
  });

  it('leaves a watch half-open: silent after a number of events, and the connection alive', async () => {
    await using t = await start();
    t.proxy.inject({ verb: 'watch' }, { fault: 'half-open', afterEvents: 1 });
    const events = await watchFromNow(t.client);
    const name = newName();
    await controlPlane.admin.post(MAPS, map(name));
    expect(await nextName(events)).toBe(name);
    const silent = events.next();
    await controlPlane.admin.post(MAPS, map(newName()));
    expect(await settledWithin(silent, 200)).toBe('pending');
    expect((await t.client.request('GET', MAPS)).status).toBe(200);
    t.proxy.resetAllConnections();
    await expect(silent).rejects.toThrow();
  });

  it('freezes a connection with everything on it', async () => {
    await using t = await start();
    const event = (await watchFromNow(t.client)).next();
    t.proxy.connections.freezeAll();
    await controlPlane.admin.post(MAPS, map(newName()));
    expect(await settledWithin(event, 200)).toBe('pending');
    await using another = new RawClient({ url: t.proxy.url, ca: t.proxy.ca, token: controlPlane.adminToken, http2 });
    const name = newName();
    const rule = t.proxy.inject({ verb: 'create' }, { fault: 'freeze' });
    const frozen = another.post(MAPS, map(name));
    await rule.struck();
    expect(await settledWithin(frozen, 100)).toBe('pending');
    expect(await exists(name)).toBe(false);
    t.proxy.resetAllConnections();
    await expect(frozen).rejects.toThrow();
    await expect(event).rejects.toThrow();
  });

  it.each<[string, EventRewrite, readonly number[]]>([
    ['every event twice', everyEventTwice, [1, 1, 2, 2, 3, 3, 4, 4]],
    ['pairs in reverse order', pairsSwapped, [2, 1, 4, 3]],
    ['the beginning once more', replayedAfter(2), [1, 2, 1, 2, 3, 4]],
    ['an event less', withoutEvents(({ object }) => JSON.stringify(object).includes('"secret"')), [1, 2, 4]],
  ])('rewrites a watch: %s', async (_what, events, order) => {
    await using t = await start();
    t.proxy.inject({ verb: 'watch' }, { fault: 'rewrite', events });
    const names = [newName(), newName(), newName(), newName()];
    const { seen } = await watchOf(t.client, names, order.length);
    expect(seen).toEqual(order.map((number) => names[number - 1]));
  });

  it('rewrites a watch: nothing for a while', async () => {
    await using t = await start();
    const release = Promise.withResolvers<void>();
    t.proxy.inject({ verb: 'watch' }, { fault: 'rewrite', events: heldBack(release.promise) });
    const events = await watchFromNow(t.client);
    const name = newName();
    await controlPlane.admin.post(MAPS, map(name));
    const event = nextName(events);
    expect(await settledWithin(event, 200)).toBe('pending');
    release.resolve();
    expect(await event).toBe(name);
    await events.return();
  });

  it('rewrites a watch: its history is gone', async () => {
    await using t = await start();
    t.proxy.inject({ verb: 'watch' }, { fault: 'rewrite', events: expiredAfter(1) });
    const events = await watchFromNow(t.client);
    const name = newName();
    await controlPlane.admin.post(MAPS, map(name));
    expect(await nextName(events)).toBe(name);
    expect((await events.next()).value).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    expect((await events.next()).done).toBe(true);
  });

  it('answers reads with what was true before', async () => {
    await using t = await start();
    const name = newName();
    t.proxy.inject({ name, verb: 'get', times: 2 }, { fault: 'stale' });
    t.proxy.inject({ verb: 'list' }, { fault: 'stale' });
    const past = await t.client.post(MAPS, map(name, { version: 'past' }));
    const pastList = await t.client.list(MAPS);
    expect(await t.client.get(`${MAPS}/${name}`)).toEqual(past);
    const present = await t.client.patch(`${MAPS}/${name}`, { data: { version: 'present' } });
    expect(await t.client.get(`${MAPS}/${name}`)).toEqual(past);
    expect(await t.client.get(`${MAPS}/${name}`)).toEqual(past);
    expect(await t.client.get(`${MAPS}/${name}`)).toEqual(present);
    expect(await t.client.list(`${MAPS}?limit=500`)).toEqual(pastList);
    expect(await t.client.list(MAPS)).not.toEqual(pastList);
  });

  it('answers a chosen status at the n-th call of a kind, nothing done', async () => {
    await using t = await start();
    t.proxy.inject({ verb: 'create', resource: 'configmaps', nth: 2, times: 2 }, { fault: 'status', status: 503 });
    const statuses: number[] = [];
    const names = [newName(), newName(), newName(), newName()];
    for (const name of names) {
      await t.client.request('GET', MAPS);
      statuses.push((await t.client.request('POST', MAPS, map(name))).status);
    }
    expect(statuses).toEqual([201, 503, 503, 201]);
    expect(await Promise.all(names.map(exists))).toEqual([true, false, false, true]);
    expect(t.proxy.log.filter(({ fault }) => fault === 'status')).toHaveLength(2);
  });

  it.each([409, 410, 429, 500, 503])('answers %d as an API server words it', async (status) => {
    await using t = await start();
    t.proxy.inject({ where: ({ url }) => url === MAPS }, { fault: 'status', status, retryAfter: 7 });
    const answer = await t.client.request('GET', MAPS);
    expect(answer).toMatchObject({ status, headers: { 'retry-after': '7' }, body: { kind: 'Status', code: status } });
  });

  it('answers an error though the server has done it', async () => {
    await using t = await start();
    const name = newName();
    t.proxy.inject({ verb: 'create' }, { fault: 'status', status: 504, carriedOut: true });
    expect((await t.client.request('POST', MAPS, map(name))).status).toBe(504);
    expect(await exists(name)).toBe(true);
  });

  it('lets everything pass once the rules are removed or cleared', async () => {
    await using t = await start();
    const forever = { times: Number.POSITIVE_INFINITY };
    const rule = t.proxy.inject({ verb: 'list', ...forever }, { fault: 'status', status: 500 });
    t.proxy.inject({ verb: 'get', ...forever }, { fault: 'status', status: 500 });
    expect((await t.client.request('GET', MAPS)).status).toBe(500);
    t.proxy.remove(rule);
    expect((await t.client.request('GET', MAPS)).status).toBe(200);
    expect((await t.client.request('GET', '/api/v1/namespaces/default')).status).toBe(500);
    t.proxy.clear();
    expect((await t.client.request('GET', '/api/v1/namespaces/default')).status).toBe(200);
  });

  it('resets all connections at once', async () => {
    await using t = await start();
    const event = (await watchFromNow(t.client)).next();
    t.proxy.resetAllConnections();
    await expect(event).rejects.toThrow();
    expect(t.proxy.connections.open).toHaveLength(0);
    expect((await t.client.request('GET', MAPS)).status).toBe(200);
  });
});

it('stands before a plain HTTP server, too, and leaves the host that a signature would cover', async () => {
  const seen: string[] = [];
  const server = createServer(async (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.host} ${(await buffer(request)).length}`);
    response.end('stored');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  await using proxy = await startFaultProxy({ url: `http://127.0.0.1:${port}` });
  proxy.inject({ method: 'PUT', nth: 2 }, { fault: 'status', status: 503 });
  const put = () => fetch(`${proxy.url}/bucket/key?x=1`, { method: 'PUT', body: Buffer.alloc(100_000) });
  expect(await (await put()).text()).toBe('stored');
  expect((await put()).status).toBe(503);
  expect(seen).toEqual([`PUT /bucket/key?x=1 ${new URL(proxy.url).host} 100000`]);
  server.close();
});

it('resets the client when the server behind it is gone, and serves it again when it is back', async () => {
  await using proxy = await startFaultProxy(controlPlane);
  await using client = new RawClient({ url: proxy.url, ca: proxy.ca, token: controlPlane.adminToken });
  await controlPlane.apiServer.kill();
  await expect(client.get(MAPS)).rejects.toThrow();
  await controlPlane.apiServer.start();
  expect((await client.request('GET', MAPS)).status).toBe(200);
});

const watchPath = (resourceVersion: string) => `${MAPS}?watch=true&resourceVersion=${resourceVersion}`;

/** Events that happen from now on. */
async function watchFromNow(client: RawClient): Promise<WatchEvents> {
  const { metadata } = await controlPlane.admin.list(MAPS);
  return client.watch(watchPath(metadata.resourceVersion));
}

async function nextName(events: WatchEvents): Promise<string> {
  const { value, done } = await events.next();
  if (done) throw new Error('the watch has ended');
  return value.object.metadata.name;
}

/** What a watch shows of objects that are made, the third with a key "secret": until enough, or until it breaks. */
async function watchOf(client: RawClient, names: readonly string[], enough = Number.POSITIVE_INFINITY) {
  const events = await watchFromNow(client);
  for (const [i, name] of names.entries())
    await controlPlane.admin.post(MAPS, map(name, i === 2 ? { secret: '' } : {}));
  const seen: string[] = [];
  try {
    for await (const { object } of events) {
      seen.push(object.metadata.name);
      if (seen.length === enough) break;
    }
    return { seen };
  } catch (failure) {
    return { seen, failure };
  }
}

/** By the API server's own count. */
async function openWatches(resource: string): Promise<number> {
  const metrics = await controlPlane.admin.get<string>('/metrics');
  const line = metrics
    .split('\n')
    .find((text) => text.includes('longrunning_requests') && text.includes(`"${resource}",scope="namespace"`));
  return Number(line?.split(' ').at(-1) ?? 0);
}

/** Whether a promise that must not settle has stayed so for a while. */
async function settledWithin(promise: Promise<unknown>, milliseconds: number): Promise<'settled' | 'pending'> {
  const settled = promise.then(
    () => 'settled' as const,
    () => 'settled' as const,
  );
  return Promise.race([settled, sleep(milliseconds, 'pending' as const)]);
}
