import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { KubeClient } from './client.ts';
import { answer, FakeTransport, type JournalEntry, refusal } from './fake-transport.ts';
import type { KubeObject, Resource } from './resource.ts';
import { ConnectionError } from './transport.ts';

interface Thing extends KubeObject {
  readonly spec?: unknown;
}
const POOLS: Resource<Thing> = { group: 'x.io', version: 'v1', plural: 'pools', kind: 'Pool', namespaced: true };
const NODES: Resource<Thing> = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };
const POOL_PATH = '/apis/x.io/v1/namespaces/shop/pools';
const NODE_PATH = '/api/v1/nodes';
const REF = { namespace: 'shop', name: 'a' };
const NODE = { metadata: { name: 'n' } };
const POOL = { metadata: REF };
const gone = refusal(404, 'NotFound', 'not found');
const lost = new ConnectionError('the connection broke', { mayHaveHappened: true });

describe('reading', () => {
  test.each([
    ['of a namespace', POOLS, REF, `${POOL_PATH}/a`],
    ['of the cluster', NODES, { name: 'n' }, `${NODE_PATH}/n`],
  ])('an object %s asks for its path', async (_, resource, ref, path) => {
    const { client, sent } = aClient();
    await client.get(resource, ref);
    expect(sent()).toMatchObject({ method: 'GET', path, body: undefined });
    expect(sent().headers).toEqual({ accept: 'application/json', 'user-agent': 'holdfast' });
  });

  test('an object that is not there is an error to get and nothing to find', async () => {
    const { client, transport } = aClient();
    transport.on('GET', /./, gone);
    await expect(client.get(NODES, { name: 'n' })).rejects.toMatchObject({ reason: 'NotFound' });
    await expect(client.find(NODES, { name: 'n' })).resolves.toBeUndefined();
  });

  test('an object that may not be read is an error also to find', async () => {
    const { client, transport } = aClient();
    transport.on('GET', /./, refusal(403, 'Forbidden', 'no'));
    await expect(client.find(NODES, { name: 'n' })).rejects.toMatchObject({ reason: 'Forbidden' });
  });

  test('a page asks for what was selected, and for nothing that was left empty', async () => {
    const { client, transport, sent } = aClient();
    transport.on('GET', /./, answer(200, { metadata: { resourceVersion: '7', continue: 'c2' }, items: [POOL] }));
    const page = await client.list(POOLS, {
      ...{ namespace: 'shop', labelSelector: 'a in (b,c)', fieldSelector: '', limit: 5, continue: 'c1' },
    });
    expect(page).toEqual({ metadata: { resourceVersion: '7', continue: 'c2' }, items: [POOL] });
    expect(sent().path).toBe(POOL_PATH);
    expect(Object.fromEntries(sent().query)).toEqual({ labelSelector: 'a in (b,c)', limit: '5', continue: 'c1' });
  });

  test('all items are read page by page, each with what was selected', async () => {
    const { client, transport } = aClient();
    const page = (name: string, next?: string) =>
      answer(200, { metadata: { continue: next }, items: [{ metadata: { name } }] });
    transport.on('GET', /./, page('a', 'c1'), page('b', 'c2'), page('c', ''));
    const pages = await Array.fromAsync(client.pages(POOLS, { namespace: 'shop', labelSelector: 'x=y' }));
    expect(pages.map((items) => items.map(({ metadata }) => metadata.name))).toEqual([['a'], ['b'], ['c']]);
    expect(transport.journal.map(({ path, query }) => [path, Object.fromEntries(query)])).toEqual([
      [POOL_PATH, { labelSelector: 'x=y', limit: '500' }],
      [POOL_PATH, { labelSelector: 'x=y', limit: '500', continue: 'c1' }],
      [POOL_PATH, { labelSelector: 'x=y', limit: '500', continue: 'c2' }],
    ]);
  });

  test('a page that cannot be read is an error, and not the end', async () => {
    const { client, transport } = aClient();
    transport.on(
      'GET',
      /./,
      answer(200, { metadata: { continue: 'c1' }, items: [NODE] }),
      refusal(410, 'Expired', 'late'),
    );
    await expect(Array.fromAsync(client.pages(NODES))).rejects.toMatchObject({ reason: 'Expired' });
  });

  test('a page without items, as some servers send it, is empty', async () => {
    const { client, transport } = aClient();
    transport.on('GET', /./, answer(200, { metadata: {}, items: null }));
    expect((await client.list(NODES)).items).toEqual([]);
  });

  test('what is no JSON says that it did not come from an API server', async () => {
    const { client, transport } = aClient();
    transport.on('GET', /./, answer(200, '<html>Please log in</html>'));
    await expect(client.get(NODES, { name: 'n' })).rejects.toThrow(
      'GET /api/v1/nodes/n: what answered is not an API server: no JSON came',
    );
  });
});

describe('watching', () => {
  test('asks for bookmarks, from where it was told', async () => {
    const { client, transport, sent } = aClient();
    transport.on('GET', NODE_PATH, answer(200, '{"type":"ADDED","object":{"metadata":{"name":"n"}}}\n'));
    const { signal } = new AbortController();
    const batches = await Array.fromAsync(
      client.watch(NODES, { signal, resourceVersion: '7', timeoutSeconds: 300, sendInitialEvents: false }),
    );
    expect(batches).toEqual([[{ type: 'ADDED', object: NODE }]]);
    expect(Object.fromEntries(sent().query)).toEqual({
      ...{ watch: 'true', allowWatchBookmarks: 'true', resourceVersion: '7', timeoutSeconds: '300' },
    });
  });

  test('asks for the present state first only together with what the server wants to have said then', async () => {
    const { client, transport, sent } = aClient();
    transport.on('GET', NODE_PATH, answer(200, ''));
    const { signal } = new AbortController();
    await Array.fromAsync(client.watch(NODES, { signal, sendInitialEvents: true }));
    expect(Object.fromEntries(sent().query)).toMatchObject({
      ...{ sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' },
    });
  });

  test('is refused with the error of the answer, and not tried again', async () => {
    const { client, transport } = aClient();
    transport.on('GET', NODE_PATH, refusal(503, 'ServiceUnavailable', 'starting'));
    const { signal } = new AbortController();
    await expect(Array.fromAsync(client.watch(NODES, { signal }))).rejects.toMatchObject({ status: 503 });
    expect(transport.journal).toHaveLength(1);
  });
});

describe('writing', () => {
  const options = { dryRun: true, fieldManager: 'me' };
  const query = { dryRun: 'All', fieldManager: 'me' };
  const typedPool = { apiVersion: 'x.io/v1', kind: 'Pool', ...POOL };
  const versioned = { metadata: { ...REF, uid: 'u', resourceVersion: '7' } };

  test('a new object goes to its collection, with its kind', async () => {
    const { client, sent } = aClient();
    await client.create(POOLS, POOL, options);
    expectSent(sent(), { method: 'POST', path: POOL_PATH, query, body: typedPool, type: 'application/json' });
    await client.create(NODES, NODE);
    expectSent(sent(), { method: 'POST', path: NODE_PATH, body: { apiVersion: 'v1', kind: 'Node', ...NODE } });
  });

  test('a new object of which nobody asks what became is sent the same, and only an API server may answer', async () => {
    const { client, sent, transport } = aClient();
    expect(await client.createUnread(POOLS, POOL, options)).toBeUndefined();
    expectSent(sent(), { method: 'POST', path: POOL_PATH, query, body: typedPool, type: 'application/json' });
    await expect(client.createUnread(POOLS, NODE)).rejects.toThrow('a Pool was to be created without its namespace');
    transport.on('POST', /./, answer(200, '<html>Please log in</html>'));
    await expect(client.createUnread(POOLS, POOL)).rejects.toThrow('what answered is not an API server');
  });

  test('a part of an object goes below it, and may be of another kind', async () => {
    const { client, sent } = aClient();
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: REF, spec: { replicas: 2 } };
    await client.update(POOLS, scale, { subresource: 'scale' });
    expectSent(sent(), { method: 'PUT', path: `${POOL_PATH}/a/scale`, body: scale });
    await client.create(POOLS, scale, { subresource: 'eviction' });
    expectSent(sent(), { method: 'POST', path: `${POOL_PATH}/a/eviction`, body: scale });
  });

  test('a replaced object goes to its own path, with all that it had', async () => {
    const { client, sent } = aClient();
    await client.update(POOLS, versioned, { ...options, subresource: 'status' });
    const body = { ...typedPool, ...versioned };
    expectSent(sent(), { method: 'PUT', path: `${POOL_PATH}/a/status`, query, body, type: 'application/json' });
  });

  test('a merge patch carries its preconditions in its metadata', async () => {
    const { client, sent } = aClient();
    const patch = { metadata: { labels: { a: null } }, spec: { size: 1 } };
    const preconditions = { uid: 'u', resourceVersion: '7' };
    await client.mergePatch(POOLS, REF, patch, { ...options, preconditions });
    const body = { metadata: { labels: { a: null }, uid: 'u', resourceVersion: '7' }, spec: { size: 1 } };
    expectSent(sent(), { method: 'PATCH', path: `${POOL_PATH}/a`, query, body, type: 'application/merge-patch+json' });
  });

  test('a JSON patch is sent as it is', async () => {
    const { client, sent } = aClient();
    const body = [{ op: 'add', path: '/metadata/finalizers/-', value: 'x.io/keep' }];
    await client.jsonPatch(POOLS, REF, body, { ...options, subresource: 'status' });
    const path = `${POOL_PATH}/a/status`;
    expectSent(sent(), { method: 'PATCH', path, query, body, type: 'application/json-patch+json' });
  });

  test.each([
    [{ fieldManager: 'me' }, { fieldManager: 'me' }],
    [
      { fieldManager: 'me', force: true, dryRun: true },
      { fieldManager: 'me', force: 'true', dryRun: 'All' },
    ],
  ])('an apply says who manages the fields: %o', async (applyOptions, query) => {
    const { client, sent } = aClient();
    await client.apply(POOLS, POOL, applyOptions);
    const type = 'application/apply-patch+yaml';
    expectSent(sent(), { method: 'PATCH', path: `${POOL_PATH}/a`, query, body: typedPool, type });
  });

  test('a delete carries its preconditions and how to delete in its body', async () => {
    const { client, sent } = aClient();
    const preconditions = { uid: 'u', resourceVersion: '7' };
    const how = { preconditions, propagation: 'Orphan', gracePeriodSeconds: 0, dryRun: true } as const;
    await client.delete(POOLS, REF, how);
    expectSent(sent(), {
      method: 'DELETE',
      path: `${POOL_PATH}/a`,
      body: {
        ...{ kind: 'DeleteOptions', apiVersion: 'v1', preconditions, propagationPolicy: 'Orphan' },
        ...{ gracePeriodSeconds: 0, dryRun: ['All'] },
      },
      type: 'application/json',
    });
  });

  test('an object of a namespace needs to say which', async () => {
    const { client, transport } = aClient();
    await expect(client.create(POOLS, NODE)).rejects.toThrow('a Pool was to be created without its namespace');
    await expect(client.update(POOLS, NODE)).rejects.toThrow('Pool "n" was asked for without its namespace');
    await expect(client.apply(NODES, { metadata: {} }, { fieldManager: 'me' })).rejects.toThrow('without a name');
    expect(transport.journal).toEqual([]);
  });

  test('what was read is written back whole: unknown fields and integers of any size', async () => {
    const { client, transport, sent } = aClient();
    const text =
      '{"apiVersion":"x.io/v1","kind":"Pool","metadata":{"name":"a","namespace":"shop","resourceVersion":"7","new":[1]},' +
      '"spec":{"bytes":9223372036854775807,"ratio":0.1,"odd":{"__proto__":1,"":null}},"status":{"later":true}}';
    transport.on('GET', /./, answer(200, text));
    await client.update(POOLS, await client.get(POOLS, REF));
    expect(sent().text).toBe(text);
  });

  test('a patch for an object with another uid is a conflict, however the server calls it', async () => {
    const { client, transport } = aClient();
    const causes = [{ reason: 'FieldValueInvalid', field: 'metadata.uid', message: 'field is immutable' }];
    transport.on('PATCH', /./, refusal(422, 'Invalid', 'Pool "a" is invalid', causes));
    const patched = client.mergePatch(POOLS, REF, {}, { preconditions: { uid: 'u' } });
    await expect(patched).rejects.toMatchObject({ reason: 'Conflict', status: 409 });
  });
});

describe('deleting', () => {
  test('says whether there was anything to delete', async () => {
    const { client, transport } = aClient();
    transport.on('DELETE', /./, answer(200, {}), gone);
    expect([await client.delete(NODES, { name: 'n' }), await client.delete(NODES, { name: 'n' })]).toEqual([
      true,
      false,
    ]);
  });

  test('is done when the object is gone after an attempt whose reply was lost', async () => {
    const { client, transport, clock } = aClient();
    transport.on('DELETE', /./, lost, gone);
    const deleted = client.delete(NODES, { name: 'n' }, { preconditions: { uid: 'u' } });
    await clock.advance(1_000);
    expect(await deleted).toBe(true);
  });

  test('found nothing when the attempt before it cannot have happened', async () => {
    const { client, transport, clock } = aClient();
    transport.on('DELETE', /./, refusal(429, 'TooManyRequests', 'later'), gone);
    const deleted = client.delete(NODES, { name: 'n' }, { preconditions: { uid: 'u' } });
    await clock.advance(1_000);
    expect(await deleted).toBe(false);
  });

  test('another object of that name is a conflict', async () => {
    const { client, transport } = aClient();
    transport.on('DELETE', /./, refusal(409, 'Conflict', 'the UID in the precondition is another'));
    const deleted = client.delete(NODES, { name: 'n' }, { preconditions: { uid: 'u' } });
    await expect(deleted).rejects.toMatchObject({ reason: 'Conflict' });
  });
});

describe('a write whose reply was lost', () => {
  const preconditions = { uid: 'u' };
  const versioned = { metadata: { ...REF, resourceVersion: '7' } };
  const ofVersion = { op: 'test', path: '/metadata/resourceVersion', value: '7' };
  const append = { op: 'add', path: '/metadata/finalizers/-', value: 'x' };
  const writes: readonly [string, number, (client: KubeClient) => Promise<unknown>][] = [
    ['a create', 1, (client) => client.create(POOLS, POOL)],
    ['an update of whatever is there', 1, (client) => client.update(POOLS, POOL)],
    ['an update of the version that was read', 2, (client) => client.update(POOLS, versioned)],
    ['a merge patch of whatever is there', 1, (client) => client.mergePatch(POOLS, REF, {})],
    ['a merge patch of one object', 1, (client) => client.mergePatch(POOLS, REF, {}, { preconditions })],
    [
      'a merge patch of one version',
      2,
      (client) => client.mergePatch(POOLS, REF, {}, { preconditions: { resourceVersion: '7' } }),
    ],
    ['a JSON patch', 1, (client) => client.jsonPatch(POOLS, REF, [append])],
    ['a JSON patch of one version', 2, (client) => client.jsonPatch(POOLS, REF, [ofVersion, append])],
    [
      'a JSON patch after a test that it does not make fail',
      1,
      (client) => client.jsonPatch(POOLS, REF, [{ op: 'test', path: '/metadata/uid', value: 'u' }, append]),
    ],
    ['an apply', 2, (client) => client.apply(POOLS, POOL, { fieldManager: 'me' })],
    ['a delete of whatever is there', 1, (client) => client.delete(POOLS, REF)],
    ['a delete of one object', 2, (client) => client.delete(POOLS, REF, { preconditions })],
    ['a raw POST', 1, (client) => client.raw('POST', '/api/v1/namespaces/a/serviceaccounts/b/token', {})],
    [
      'an access review',
      2,
      (client) => client.raw('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {}),
    ],
  ];

  test.each(writes)('is sent again or not as it is safe: %s, %d in all', async (_, times, write) => {
    const { client, transport, clock } = aClient();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) transport.on(method, /./, lost, answer(200, {}));
    const outcome = write(client).catch((error: unknown) => error);
    await clock.advance(1_000);
    if (times === 1) expect(await outcome).toBe(lost);
    else expect(await outcome).not.toBeInstanceOf(Error);
    expect(transport.journal).toHaveLength(times);
  });
});

describe('a raw request', () => {
  test('asks for any path', async () => {
    const { client, transport, sent } = aClient();
    transport.on('GET', '/version', answer(200, { major: '1' }));
    expect(await client.raw('GET', '/version')).toEqual({ major: '1' });
    await client.raw('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec: {} });
    expectSent(sent(), {
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      body: { spec: {} },
    });
  });
});

interface Expected {
  readonly method: string;
  readonly path: string;
  readonly query?: object;
  readonly body: unknown;
  readonly type?: string;
}

function expectSent(entry: JournalEntry, { method, path, query = {}, body, type }: Expected): void {
  expect([entry.method, entry.path]).toEqual([method, path]);
  expect(Object.fromEntries(entry.query)).toEqual(query);
  expect(entry.body).toEqual(body);
  if (type) expect(entry.headers['content-type']).toBe(type);
}

function aClient() {
  const clock = new VirtualClock();
  const transport = new FakeTransport();
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) transport.on(method, /./, answer(200, {}));
  const client = new KubeClient({ transport, clock, random: () => 0.5 });
  const sent = (): JournalEntry => transport.journal.at(-1) ?? expect.unreachable('nothing was sent');
  return { clock, transport, client, sent };
}
