/** The proxy in front of an object store, spoken to by hand: each fault, and that all passes when there is none. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type S3Request, type S3Server, startS3Server } from '../../harness/s3-server.ts';
import {
  ALWAYS,
  refusal,
  rewrittenBody,
  type StoreProxy,
  shiftedDate,
  startStoreProxy,
  truncatedBody,
} from '../../harness/store-proxy.ts';
import { eventually } from '../../harness/wait.ts';

let server: S3Server;
let proxy: StoreProxy;
beforeAll(async () => {
  server = await startS3Server();
  await server.request({ method: 'PUT', path: '/exports' });
  proxy = await startStoreProxy(server);
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});
beforeEach(() => proxy.clear());

let made = 0;
const newKey = () => `key ${++made}/ü+%`;
const send = (request: S3Request) => server.request({ ...request, via: proxy.url });
const put = (key: string, body: string | Uint8Array) => send({ method: 'PUT', path: `/exports/${key}`, body });
const get = (key: string) => send({ method: 'GET', path: `/exports/${key}` });
const list = (prefix: string) => send({ method: 'GET', path: '/exports', query: { 'list-type': '2', prefix } });
/** Past the proxy. */
const stored = async (key: string) => {
  const { status, text } = await server.request({ method: 'GET', path: `/exports/${key}` });
  return status === 200 ? text : status;
};

it('passes signed requests and their answers unharmed, and knows what they ask for', async () => {
  const key = newKey();
  const before = proxy.log.length;
  expect(await put(key, 'content')).toMatchObject({ status: 200 });
  expect(await get(key)).toMatchObject({ status: 200, text: 'content' });
  expect(await send({ method: 'HEAD', path: `/exports/${key}` })).toMatchObject({ headers: { 'content-length': '7' } });
  expect((await list(key)).text).toContain('<KeyCount>1</KeyCount>');
  expect(await send({ method: 'DELETE', path: `/exports/${key}` })).toMatchObject({ status: 204 });
  expect(await stored(key)).toBe(404);
  const verbs = ['put', 'get', 'head', 'list', 'remove'];
  expect(proxy.log.slice(before)).toEqual(verbs.map((verb) => ({ verb, bucket: 'exports', key })));
});

it('passes the signature on, which the server still checks', async () => {
  const credentials = { ...server.credentials, secretKey: 'wrong' };
  expect(await send({ method: 'GET', path: '/exports', credentials })).toMatchObject({ status: 403 });
});

it('tears an upload in the middle, of which nothing is stored', async () => {
  const key = newKey();
  const torn = proxy.inject({ verb: 'put', key }, { fault: 'torn-upload', afterBytes: 100_000 });
  await expect(put(key, Buffer.alloc(1_000_000, 'x'))).rejects.toThrow();
  expect([torn.hits, await stored(key)]).toEqual([1, 404]);
  expect(await put(key, 'whole')).toMatchObject({ status: 200 });
});

it('cuts a download in the middle', async () => {
  const key = newKey();
  await put(key, 'x'.repeat(1_000_000));
  proxy.inject({ verb: 'get' }, { fault: 'cut', afterBytes: 100_000 });
  await expect(get(key)).rejects.toThrow();
  expect(await get(key)).toMatchObject({ status: 200 });
});

it('loses the reply to a write that has happened', async () => {
  const key = newKey();
  proxy.inject({ verb: 'put' }, { fault: 'lost-reply' });
  await expect(put(key, 'content')).rejects.toThrow();
  expect(await stored(key)).toBe('content');
});

it.each([
  [403, 'AccessDenied'],
  [404, 'NoSuchBucket'],
  [500, 'InternalError'],
  [503, 'SlowDown'],
])('answers %i %s to as many calls in a row as told', async (status, code) => {
  const key = newKey();
  proxy.inject({ key, nth: 2, times: 2 }, refusal(status, code));
  expect(await put(key, '1')).toMatchObject({ status: 200 });
  expect(await put(key, '2')).toMatchObject({ status, text: expect.stringContaining(`<Code>${code}</Code>`) });
  expect(await get(key)).toMatchObject({ status });
  expect(await get(key)).toMatchObject({ status: 200, text: '1' });
});

it('holds calls back, and lets them go when it is told to', async () => {
  const key = newKey();
  const gate = Promise.withResolvers<void>();
  const held = proxy.inject({ verb: 'put' }, { fault: 'delay', until: gate.promise });
  const writing = put(key, 'late');
  await held.struck();
  expect(await stored(key)).toBe(404);
  gate.resolve();
  expect(await writing).toMatchObject({ status: 200 });
  expect(await stored(key)).toBe('late');
});

it('freezes a connection, as if the machine behind it were gone', async () => {
  const frozen = proxy.inject({ verb: 'get' }, { fault: 'freeze' });
  const reading = get(newKey()).catch(() => 'broken');
  await frozen.struck();
  proxy.connections.resetAll();
  expect(await reading).toBe('broken');
});

it('lets a body come slowly', async () => {
  const key = newKey();
  await put(key, 'content');
  proxy.inject({ verb: 'get' }, { fault: 'slow', pieceBytes: 1, everyMs: 1 });
  expect(await get(key)).toMatchObject({ status: 200, text: 'content' });
});

it('gives a list as it was, each prefix its own', async () => {
  const [a, b] = [newKey(), newKey()];
  const stale = proxy.inject({ verb: 'list', times: ALWAYS }, { fault: 'stale' });
  expect((await list(a)).text).toContain('<KeyCount>0</KeyCount>');
  await put(a, '1');
  await put(b, '1');
  expect((await list(b)).text).toContain('<KeyCount>1</KeyCount>');
  expect((await list(a)).text).toContain('<KeyCount>0</KeyCount>');
  proxy.remove(stale);
  expect((await list(a)).text).toContain('<KeyCount>1</KeyCount>');
});

it('shifts the date of answers', async () => {
  proxy.inject({}, shiftedDate(3_600_000));
  const { headers } = await get(newKey());
  const ahead = Date.parse(`${headers.date}`) - Date.now();
  expect(ahead).toBeGreaterThan(3_000_000);
});

it('truncates and rewrites what is read, as a whole answer', async () => {
  const key = newKey();
  await put(key, 'content');
  proxy.inject({ verb: 'get' }, truncatedBody(3));
  proxy.inject(
    { verb: 'get', nth: 2 },
    rewrittenBody((body) => Buffer.from(body.toString().toUpperCase())),
  );
  expect(await get(key)).toMatchObject({ status: 200, text: 'con', headers: { 'content-length': '3' } });
  expect(await get(key)).toMatchObject({ status: 200, text: 'CONTENT' });
  expect(await stored(key)).toBe('content');
});

it('goes on after all its connections were reset', async () => {
  expect(await get(newKey())).toMatchObject({ status: 404 });
  proxy.connections.resetAll();
  await eventually(async () => expect(await get(newKey())).toMatchObject({ status: 404 }));
});
