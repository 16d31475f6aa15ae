/** What the Azure store says and does when the network, or the server, is at fault. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { failureOf } from '../../../src/kit/failure-of.ts';
import { openStore } from '../../../src/sync/store/open.ts';
import type { ObjectStore } from '../../../src/sync/store/store.ts';
import { type Azurite, startAzurite } from '../../harness/azurite.ts';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { ALWAYS, truncatedBody } from '../../harness/store-proxy.ts';

const { signal } = new AbortController();
const most = 64 * 2 ** 20;
const LARGE = 5_000_000;
let server: Azurite;
let proxy: FaultProxy;
let store: ObjectStore;
beforeAll(async () => {
  server = await startAzurite();
  await server.makeContainer('exports');
  proxy = await startFaultProxy({ url: server.url.origin });
  const { name, key } = server.account;
  const env = {
    AZURE_ENDPOINT_URL: `${proxy.url}/${name}`,
    OBJECT_STORAGE_ACCOUNT: name,
    OBJECT_STORAGE_SECRET: key,
    OBJECT_STORAGE_BUCKET: 'exports',
  };
  store = await openStore('azure', env, { clock: systemClock, random: () => 0 });
});
afterAll(async () => {
  await store?.close();
  await proxy?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});
beforeEach(() => proxy.clear());

let made = 0;
const newKey = () => `faults/${++made}`;
const put = (key: string, body: string | Uint8Array, condition?: { absent: true } | { etag: string }) =>
  store.put(key, Buffer.from(body), { signal, ...(condition && { condition }) });
const hash = (body: Uint8Array) => createHash('sha256').update(body).digest('hex');
const digest = async (key: string) => {
  const got = await store.get(key, { signal, most });
  return got.kind === 'found' ? hash(got.body) : got.kind;
};
/** Past the proxy. */
const stored = async (key: string) => {
  const { status, text } = await server.request({ method: 'GET', path: `/exports/${key}` });
  return status === 200 ? text : status;
};

it('a write that is torn in the middle of its body has not happened, is not tried again, and may be', async () => {
  const key = newKey();
  const body = randomBytes(LARGE);
  proxy.inject({ method: 'PUT' }, { fault: 'torn-upload', afterBytes: 1_000_000 });
  const before = proxy.count({ method: 'PUT' });
  await expect(put(key, body, { absent: true })).rejects.toMatchObject({ fault: 'unavailable' });
  expect([proxy.count({ method: 'PUT' }) - before, await stored(key)]).toEqual([1, 404]);
  await put(key, body, { absent: true });
  expect(await digest(key)).toBe(hash(body));
});

it.each([
  ['nothing is there', { absent: true }],
  ['it is what was read', { etag: '' }],
] as const)('a write on condition that %s, whose reply is lost, is not taken for refused', async (_, wanted) => {
  const key = newKey();
  const condition = 'absent' in wanted ? wanted : await put(key, 'before');
  proxy.inject({ method: 'PUT' }, { fault: 'lost-reply' });
  await expect(put(key, 'after', condition)).rejects.toMatchObject({ fault: 'unavailable' });
  expect(await stored(key)).toBe('after');
  await expect(put(key, 'again', condition)).rejects.toMatchObject({ fault: 'preconditionFailed' });
});

it('a read that is cut off in the middle is incomplete, and whole the next time', async () => {
  const key = newKey();
  const body = randomBytes(LARGE);
  await put(key, body);
  proxy.inject({ method: 'GET' }, { fault: 'cut', afterBytes: 1_000_000 });
  await expect(store.get(key, { signal, most })).rejects.toMatchObject({ fault: 'incomplete' });
  expect(await digest(key)).toBe(hash(body));
});

it('a list of which something is missing is not taken for the list', async () => {
  const prefix = `${newKey()}/`;
  for (const name of ['a', 'b', 'c']) await put(prefix + name, name);
  const query = { restype: 'container', comp: 'list', prefix };
  const { text } = await server.request({ method: 'GET', path: '/exports', query });
  expect(text.match(/<Name>/g)).toHaveLength(3);
  for (let bytes = 0; bytes < text.length; bytes += 50) {
    const rule = proxy.inject({ method: 'GET', times: ALWAYS }, truncatedBody(bytes));
    const error = await failureOf(() => Array.fromAsync(store.list(prefix, { signal })));
    expect([bytes, error]).toMatchObject([bytes, { name: 'StoreError' }]);
    proxy.remove(rule);
  }
  expect(await Array.fromAsync(store.list(prefix, { signal }))).toHaveLength(3);
});

it.each([500, 503])('a read that meets a burst of %i gets over it', async (status) => {
  const key = newKey();
  await put(key, 'content');
  proxy.inject({ method: 'GET', times: 2 }, { fault: 'status', status });
  expect(await digest(key)).toBe(hash(Buffer.from('content')));
});

it('a server that is down is found again when it is back', async () => {
  const key = newKey();
  await put(key, 'content');
  await server.stop(); // killed, it would lose its newest objects
  await expect(store.head(key, { signal })).rejects.toMatchObject({ fault: 'unavailable' });
  await server.start();
  await put(key, 'later');
  expect(await stored(key)).toBe('later');
});
