import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { VirtualClock } from '../../../src/kit/clock/virtual.ts';
import { type ApiErrorReason, hasReason } from '../../../src/kit/kube/api-error.ts';
import type { Preconditions } from '../../../src/kit/kube/client.ts';
import { clusterAccess } from '../../../src/kit/kube/cluster-access.ts';
import { connect } from '../../../src/kit/kube/connect.ts';
import type { KubeObject, Resource } from '../../../src/kit/kube/resource.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { startFaultProxy } from '../../harness/fault-proxy.ts';
import { createServiceAccount } from '../../harness/users.ts';
import { aConfigMap, CONFIG_MAPS, connected } from './connected.ts';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane();
});
afterAll(() => plane[Symbol.asyncDispose]());

let serial = 0;
const fresh = (): string => `object-${++serial}`;
const ref = (name: string) => ({ namespace: 'default', name });

const reasonOf = (promise: Promise<unknown>): Promise<ApiErrorReason | undefined> =>
  promise.then(
    () => undefined,
    (error: unknown) => (hasReason(error, ...ALL_REASONS) ? error.reason : Promise.reject(error)),
  );
const ALL_REASONS: readonly ApiErrorReason[] = [
  'AlreadyExists',
  'BadRequest',
  'Conflict',
  'Expired',
  'Forbidden',
  'Gone',
  'Invalid',
  'NotFound',
  'Unauthorized',
  'UnsupportedMediaType',
];

test('every verb does what it says', async () => {
  await using kit = connected(plane, plane.adminToken);
  const { client } = kit;
  const name = fresh();
  const created = await client.create(CONFIG_MAPS, aConfigMap(name, { a: '1' }));
  expect(await client.get(CONFIG_MAPS, ref(name))).toEqual(created);
  await client.update(CONFIG_MAPS, { ...created, data: { a: '2', b: '1' } });
  await client.mergePatch(CONFIG_MAPS, ref(name), { data: { a: null, c: '1' } });
  await client.jsonPatch(CONFIG_MAPS, ref(name), [{ op: 'add', path: '/data/d', value: '1' }]);
  const applied = aConfigMap(name, { e: '1' });
  await client.apply(CONFIG_MAPS, applied, { fieldManager: 'somebody' });
  expect((await client.get(CONFIG_MAPS, ref(name))).data).toEqual({ b: '1', c: '1', d: '1', e: '1' });
  expect(await client.delete(CONFIG_MAPS, ref(name))).toBe(true);
  expect(await client.delete(CONFIG_MAPS, ref(name))).toBe(false);
  expect(await client.find(CONFIG_MAPS, ref(name))).toBeUndefined();
});

test('a dry run checks and stores nothing', async () => {
  await using kit = connected(plane, plane.adminToken);
  const name = fresh();
  const answer = await kit.client.create(CONFIG_MAPS, aConfigMap(name), { dryRun: true });
  expect(answer.metadata.uid).toBeTruthy();
  expect(await kit.client.find(CONFIG_MAPS, ref(name))).toBeUndefined();
});

test('a list comes in pages that make up the whole', async () => {
  await using kit = connected(plane, plane.adminToken);
  const labelled = (name: string) => ({
    ...aConfigMap(name),
    metadata: { namespace: 'default', name, labels: { page: 'd' } },
  });
  const names = Array.from({ length: 7 }, fresh);
  for (const name of names) await kit.client.create(CONFIG_MAPS, labelled(name));
  const seen: (string | undefined)[] = [];
  const sizes: number[] = [];
  let next: { readonly continue?: string } = {};
  do {
    const page = await kit.client.list(CONFIG_MAPS, {
      namespace: 'default',
      labelSelector: 'page=d',
      limit: 3,
      ...next,
    });
    seen.push(...page.items.map(({ metadata }) => metadata.name));
    sizes.push(page.items.length);
    next = page.metadata.continue ? { continue: page.metadata.continue } : {};
  } while (next.continue);
  expect(seen.sort()).toEqual(names.sort());
  expect(sizes).toEqual([3, 3, 1]);
});

describe('a precondition', () => {
  test('of another uid makes every conditional write a conflict and changes nothing', async () => {
    await using kit = connected(plane, plane.adminToken);
    const { client } = kit;
    const name = fresh();
    await client.create(CONFIG_MAPS, aConfigMap(name, { a: '1' }));
    const preconditions = { uid: '00000000-0000-0000-0000-000000000000' };
    expect(await reasonOf(client.mergePatch(CONFIG_MAPS, ref(name), { data: { a: '2' } }, { preconditions }))).toBe(
      'Conflict',
    );
    expect(await reasonOf(client.delete(CONFIG_MAPS, ref(name), { preconditions }))).toBe('Conflict');
    const other = { ...aConfigMap(name, { a: '3' }), metadata: { ...ref(name), ...preconditions } };
    expect(await reasonOf(client.apply(CONFIG_MAPS, other, { fieldManager: 'x', force: true }))).toBe('Conflict');
    expect((await client.get(CONFIG_MAPS, ref(name))).data).toEqual({ a: '1' });
  });

  test('of an older version makes an update a conflict', async () => {
    await using kit = connected(plane, plane.adminToken);
    const name = fresh();
    const old = await kit.client.create(CONFIG_MAPS, aConfigMap(name));
    await kit.client.mergePatch(CONFIG_MAPS, ref(name), { data: { a: '1' } });
    expect(await reasonOf(kit.client.update(CONFIG_MAPS, { ...old, data: { a: '2' } }))).toBe('Conflict');
    const preconditions = { resourceVersion: old.metadata.resourceVersion ?? '' };
    expect(await reasonOf(kit.client.delete(CONFIG_MAPS, ref(name), { preconditions }))).toBe('Conflict');
  });
});

test('refusals of the server are told apart', async () => {
  await using kit = connected(plane, plane.adminToken);
  const { client } = kit;
  const name = fresh();
  await client.create(CONFIG_MAPS, aConfigMap(name));
  expect(await reasonOf(client.create(CONFIG_MAPS, aConfigMap(name)))).toBe('AlreadyExists');
  expect(await reasonOf(client.create(CONFIG_MAPS, aConfigMap('Not A Name')))).toBe('Invalid');
  expect(await reasonOf(client.get(CONFIG_MAPS, ref('nowhere')))).toBe('NotFound');
  expect(await reasonOf(client.list(CONFIG_MAPS, { labelSelector: '???' }))).toBe('BadRequest');
  await using nobody = connected(plane, 'not-a-token');
  expect(await reasonOf(nobody.client.get(CONFIG_MAPS, ref(name)))).toBe('Unauthorized');
  await using account = await createServiceAccount(plane, { name: 'powerless' });
  await using powerless = connected(plane, account.token);
  expect(await reasonOf(powerless.client.get(CONFIG_MAPS, ref(name)))).toBe('Forbidden');
});

test('fields that we do not know, and integers too large for JavaScript, survive a round trip', async () => {
  await using kit = connected(plane, plane.adminToken);
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  await plane.admin.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'oddities.test.holdfast.dev' },
    spec: {
      group: 'test.holdfast.dev',
      scope: 'Cluster',
      names: { plural: 'oddities', kind: 'Oddity' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  const oddities: Resource<KubeObject & { readonly spec?: unknown }> = {
    group: 'test.holdfast.dev',
    version: 'v1',
    plural: 'oddities',
    kind: 'Oddity',
    namespaced: false,
  };
  const text = '{"large":9223372036854775807,"small":-9223372036854775808,"nested":[{"unknown":1.5e3}]}';
  await expect
    .poll(() => plane.admin.request('GET', '/apis/test.holdfast.dev/v1/oddities').then(({ status }) => status), {
      timeout: 30_000,
    })
    .toBe(200);
  await kit.client.create(oddities, { metadata: { name: 'odd' }, spec: JSON.parse(text, rawIntegers) });
  const read = await kit.client.get(oddities, { name: 'odd' });
  await kit.client.update(oddities, { ...read, metadata: { ...read.metadata, labels: { touched: 'yes' } } });
  const stored = await kit.client.get(oddities, { name: 'odd' });
  expect(JSON.stringify(stored.spec)).toContain('"large":9223372036854775807');
  expect(JSON.stringify(stored.spec)).toContain('"small":-9223372036854775808');
  expect(stored.metadata.labels).toEqual({ touched: 'yes' });
});

function rawIntegers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  return typeof value === 'number' && !Number.isSafeInteger(value) ? rawJSON(context?.source ?? '') : value;
}

describe('a write whose reply is lost', () => {
  test('is not sent again when it is a create, and the caller is told that it may have happened', async () => {
    await using proxy = await startFaultProxy(plane);
    await using kit = connected(proxy, plane.adminToken);
    proxy.inject({ method: 'POST' }, { fault: 'lost-reply' });
    const name = fresh();
    await expect(kit.client.create(CONFIG_MAPS, aConfigMap(name))).rejects.toMatchObject({ mayHaveHappened: true });
    expect(proxy.count({ method: 'POST' })).toBe(1);
    expect(await kit.client.find(CONFIG_MAPS, ref(name))).toBeDefined();
  });

  test('is sent again when its precondition makes that safe', async () => {
    await using proxy = await startFaultProxy(plane);
    await using kit = connected(proxy, plane.adminToken);
    const name = fresh();
    const { metadata } = await kit.client.create(CONFIG_MAPS, aConfigMap(name));
    const { uid = '', resourceVersion = '' } = metadata;
    const patched = (preconditions: Preconditions) =>
      kit.client.mergePatch(CONFIG_MAPS, ref(name), { data: { a: '1' } }, { preconditions });
    proxy.inject({ method: 'PATCH' }, { fault: 'lost-reply' });
    expect(await reasonOf(patched({ uid, resourceVersion }))).toBe('Conflict');
    expect(proxy.count({ method: 'PATCH' })).toBe(2);
    proxy.inject({ method: 'PATCH' }, { fault: 'lost-reply' });
    await expect(patched({ uid })).rejects.toMatchObject({ mayHaveHappened: true });
    proxy.inject({ method: 'DELETE' }, { fault: 'lost-reply' });
    const preconditions = { uid };
    await kit.client.delete(CONFIG_MAPS, ref(name), { preconditions });
    expect([proxy.count({ method: 'PATCH' }), proxy.count({ method: 'DELETE' })]).toEqual([3, 2]);
  });
});

test('a server that says when to come back is asked again then, and not before, also for a create', async () => {
  await using proxy = await startFaultProxy(plane);
  await using kit = connected(proxy, plane.adminToken);
  proxy.inject({ method: 'POST', times: 2 }, { fault: 'status', status: 429, retryAfter: 1 });
  const started = performance.now();
  await kit.client.create(CONFIG_MAPS, aConfigMap(fresh()));
  expect(performance.now() - started).toBeGreaterThan(1_990);
  expect(proxy.count({ method: 'POST' })).toBe(3);
});

test('a request that is never answered ends at its deadline', async () => {
  await using proxy = await startFaultProxy(plane);
  await using kit = connected(proxy, plane.adminToken);
  proxy.inject({ method: 'POST' }, { fault: 'drop' });
  const create = kit.client.create(CONFIG_MAPS, aConfigMap(fresh()), { timeoutMs: 300 });
  await expect(create).rejects.toMatchObject({ reason: 'Timeout', status: 504 });
});

test('100 requests one after another use one connection, and 100 at once no more than are allowed', async () => {
  await using proxy = await startFaultProxy(plane);
  await using kit = connected(proxy, plane.adminToken);
  for (let i = 0; i < 100; i++) await kit.client.raw('GET', '/version');
  expect(proxy.connections.opened).toBe(1);
  await Promise.all(Array.from({ length: 100 }, () => kit.client.raw('GET', '/version')));
  expect(proxy.connections.opened).toBeLessThanOrEqual(32);
});

describe('the identity of a pod', () => {
  async function aPod(token: string) {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-pod-'));
    const replaceToken = async (next: string) => {
      await writeFile(join(directory, 'token.new'), next);
      await rename(join(directory, 'token.new'), join(directory, 'token'));
    };
    await replaceToken(token);
    await writeFile(join(directory, 'ca.crt'), plane.ca);
    await writeFile(join(directory, 'namespace'), 'default');
    return { directory, replaceToken, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) };
  }
  const inPod = (url: string) => {
    const { hostname, port } = new URL(url);
    return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  };
  const READ = { clusterRules: [{ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['configmaps'] }] };

  test('a rotated token is picked up with no failed request', async () => {
    await using account = await createServiceAccount(plane, { name: 'rotating', ...READ });
    await using pod = await aPod(account.token);
    const clock = new VirtualClock();
    const access = await clusterAccess({ clock, env: inPod(plane.url), serviceAccountDirectory: pod.directory });
    const sent = new Set<string | undefined>();
    const codes: string[] = [];
    const watched = async (refresh: boolean) => {
      const headers = await access.authorize(refresh);
      sent.add(headers.authorization);
      return headers;
    };
    const parts = { clock, random: Math.random, onCall: ({ code }: { code: string }) => codes.push(code) };
    const { client, close } = connect({ ...access, authorize: watched }, parts);
    const before = account.token;
    await client.list(CONFIG_MAPS, { namespace: 'default' });
    await pod.replaceToken(await account.rotate());
    await clock.advance(11_000);
    for (let i = 0; i < 20; i++) await client.list(CONFIG_MAPS, { namespace: 'default' });
    expect(new Set(codes)).toEqual(new Set(['200']));
    expect(sent).toEqual(new Set([`Bearer ${before}`, `Bearer ${account.token}`]));
    await close();
  });

  test('a token that the server no longer takes is read anew at once, and the caller notices nothing', async () => {
    await using account = await createServiceAccount(plane, { name: 'expiring', ...READ });
    await using pod = await aPod(account.mint(-120));
    const access = await clusterAccess({
      clock: systemClock,
      env: inPod(plane.url),
      serviceAccountDirectory: pod.directory,
    });
    const { client, close } = connect(access, { clock: systemClock, random: Math.random });
    expect(await reasonOf(client.list(CONFIG_MAPS, { namespace: 'default' }))).toBe('Unauthorized');
    await pod.replaceToken(account.token);
    expect(await reasonOf(client.list(CONFIG_MAPS, { namespace: 'default' }))).toBeUndefined();
    await close();
  });
});

test('a kubeconfig with a client certificate, named by flag or by KUBECONFIG, leads to the cluster', async () => {
  for (const way of [
    { kubeconfig: plane.kubeconfig, env: {} },
    { env: { KUBECONFIG: `/nowhere:${plane.kubeconfig}` } },
  ]) {
    const access = await clusterAccess({ clock: systemClock, ...way });
    const { client, close } = connect(access, { clock: systemClock, random: Math.random });
    expect(await client.raw('GET', '/version')).toMatchObject({ major: '1' });
    await close();
  }
});
