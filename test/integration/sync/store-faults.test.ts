/** What the S3 store says and does when the network, or the server, is at fault: nothing wrong is ever taken for right. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/kit/clock/clock.ts';
import { VirtualClock } from '../../../src/kit/clock/virtual.ts';
import { failureOf } from '../../../src/kit/failure-of.ts';
import { STALLED_MS } from '../../../src/sync/store/calls.ts';
import { openStore } from '../../../src/sync/store/open.ts';
import type { ObjectStore } from '../../../src/sync/store/store.ts';
import type { Fault } from '../../harness/faults.ts';
import { type S3Server, startS3Server } from '../../harness/s3-server.ts';
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

const { signal } = new AbortController();
const most = 64 * 2 ** 20;
const LARGE = 5_000_000;
let server: S3Server;
let proxy: StoreProxy;
let store: ObjectStore;
beforeAll(async () => {
  server = await startS3Server();
  await server.request({ method: 'PUT', path: '/exports' });
  proxy = await startStoreProxy(server);
  store = await open();
});
afterAll(async () => {
  await store?.close();
  await proxy?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});
beforeEach(() => proxy.clear());

const open = (time?: { clock: Clock; random: () => number }) => {
  const { accessKey, secretKey, region } = server.credentials;
  const env = {
    S3_ENDPOINT_URL: proxy.url,
    OBJECT_STORAGE_ACCOUNT: accessKey,
    OBJECT_STORAGE_SECRET: secretKey,
    OBJECT_STORAGE_BUCKET: 'exports',
    AWS_REGION: region,
  };
  return openStore('s3', env, time);
};

let made = 0;
const newKey = () => `faults/${++made}`;
const put = (key: string, body: string | Uint8Array, condition?: { absent: true } | { etag: string }) =>
  store.put(key, Buffer.from(body), { signal, ...(condition && { condition }) });
const get = (key: string) => store.get(key, { signal, most });
const hash = (body: Uint8Array) => createHash('sha256').update(body).digest('hex');
const digest = async (key: string) => {
  const got = await get(key);
  return got.kind === 'found' ? hash(got.body) : got.kind;
};
const list = (prefix: string) => Array.fromAsync(store.list(prefix, { signal }));
/** Past the proxy. */
const stored = async (key: string) => {
  const { status, text } = await server.request({ method: 'GET', path: `/exports/${key}` });
  return status === 200 ? text : status;
};

describe('a write', () => {
  it.each([
    ['is torn in the middle of its body', { fault: 'torn-upload', afterBytes: 1_000_000 }],
    ['loses its connection before it is sent', { fault: 'reset' }],
    ['is answered 500', refusal(500, 'InternalError')],
    ['is answered 503', refusal(503, 'SlowDown')],
  ] satisfies [string, Fault][])('that %s has not happened, is not tried again, and may be', async (_, fault) => {
    const key = newKey();
    const struck = proxy.inject({ verb: 'put', key }, fault);
    const body = randomBytes(LARGE);
    await expect(put(key, body, { absent: true })).rejects.toMatchObject({ fault: 'unavailable' });
    expect([struck.hits, proxy.count({ verb: 'put', key }), await stored(key)]).toEqual([1, 1, 404]);
    await put(key, body, { absent: true });
    expect(await digest(key)).toBe(hash(body));
  });

  it.each([
    ['nothing is there', { absent: true }],
    ['it is what was read', { etag: '' }],
  ] as const)('on condition that %s, whose reply is lost, is not taken for refused', async (_, wanted) => {
    const key = newKey();
    const condition = 'absent' in wanted ? wanted : await put(key, 'before');
    proxy.inject({ verb: 'put', key }, { fault: 'lost-reply' });
    await expect(put(key, 'after', condition)).rejects.toMatchObject({ fault: 'unavailable' });
    expect(proxy.count({ verb: 'put', key })).toBe('absent' in wanted ? 1 : 2);
    expect(await stored(key)).toBe('after');
    await expect(put(key, 'again', condition)).rejects.toMatchObject({ fault: 'preconditionFailed' });
  });
});

it('a body that is not the one whose hash was signed is refused by the server', async () => {
  const key = newKey();
  const sha256 = hash(Buffer.from('another'));
  await expect(store.put(key, Buffer.from('content'), { signal, sha256 })).rejects.toMatchObject({
    name: 'StoreError',
  });
  expect(await stored(key)).toBe(404);
});

describe('a read', () => {
  it('that is cut off in the middle is incomplete, and whole the next time', async () => {
    const key = newKey();
    const body = randomBytes(LARGE);
    await put(key, body);
    proxy.inject({ verb: 'get', key }, { fault: 'cut', afterBytes: 1_000_000 });
    await expect(get(key)).rejects.toMatchObject({ fault: 'incomplete' });
    expect(await digest(key)).toBe(hash(body));
  });

  it('that falls silent in the middle is given up and tried again', async () => {
    const clock = new VirtualClock();
    const patient = await open({ clock, random: Math.random });
    const key = newKey();
    const body = randomBytes(LARGE);
    await put(key, body);
    const silent = proxy.inject({ verb: 'get', key }, { fault: 'half-open', afterBytes: 1_000_000 });
    const reading = patient.get(key, { signal, most });
    await silent.struck();
    await eventually(async () => {
      await clock.advance(1_000);
      expect(proxy.count({ verb: 'get', key })).toBe(2);
    });
    const got = await reading;
    expect(got.kind === 'found' && hash(got.body)).toBe(hash(body));
    await patient.close();
  });

  it('that comes slowly comes whole', async () => {
    const key = newKey();
    await put(key, 'content');
    proxy.inject({ verb: 'get', key }, { fault: 'slow', pieceBytes: 1, everyMs: 5 });
    expect(await get(key)).toMatchObject({ kind: 'found', body: Buffer.from('content') });
  });

  it.each(['get', 'head', 'list', 'remove'] as const)('that meets a burst of 503 gets over it (%s)', async (verb) => {
    const key = newKey();
    await put(key, 'content');
    proxy.inject({ verb, times: 2 }, refusal(503, 'SlowDown'));
    const calls = {
      get: () => get(key),
      head: () => store.head(key, { signal }),
      list: () => list(key),
      remove: () => store.remove(key, { signal }),
    };
    await calls[verb]();
    expect(
      proxy.log
        .filter((call) => call.verb === verb)
        .slice(-3)
        .map(({ fault }) => fault),
    ).toEqual(['reply', 'reply', undefined]);
  });
});

describe('every call', () => {
  it.each([
    [403, 'AccessDenied', 'denied'],
    [404, 'NoSuchBucket', 'noBucket'],
    [500, 'InternalError', 'unavailable'],
  ] as const)('that is answered %i %s is %s, and heals', async (status, code, fault) => {
    const key = newKey();
    const rule = proxy.inject({ times: ALWAYS }, refusal(status, code));
    for (const call of [() => get(key), () => put(key, '1'), () => list(key), () => store.remove(key, { signal })])
      expect(await failureOf(call)).toMatchObject({ fault, message: expect.stringContaining(`${status} ${code}`) });
    proxy.remove(rule);
    await put(key, '1');
    expect(await stored(key)).toBe('1');
  });

  it.each(['put', 'get', 'list'] as const)('that freezes is given up (%s)', async (verb) => {
    const clock = new VirtualClock();
    const patient = await open({ clock, random: Math.random });
    const key = newKey();
    const frozen = proxy.inject({ verb, times: ALWAYS }, { fault: 'freeze' });
    const calls = {
      put: () => patient.put(key, Buffer.from('1'), { signal }),
      get: () => patient.get(key, { signal, most }),
      list: () => Array.fromAsync(patient.list(key, { signal })),
    };
    const error = failureOf(calls[verb]);
    for (let tries = 1; tries <= (verb === 'put' ? 1 : 3); tries++) {
      await frozen.struck(tries);
      await clock.advance(STALLED_MS + 2_000);
    }
    expect(await error).toMatchObject({ fault: 'unavailable', message: expect.stringContaining('nothing has come') });
    await patient.close();
  });
});

it('a list of which something is missing is not taken for the list', async () => {
  const prefix = `${newKey()}/`;
  for (const name of ['a', 'b', 'c']) await put(prefix + name, name);
  const { text } = await server.request({ method: 'GET', path: '/exports', query: { 'list-type': '2', prefix } });
  const without = (pattern: RegExp, by = '') =>
    rewrittenBody((body) => Buffer.from(body.toString().replace(pattern, by)));
  const faults = [
    ...Array.from({ length: Math.floor(text.length / 50) }, (_, n) => truncatedBody(n * 50)),
    without(/<Contents>.*?<\/Contents>/),
    without(/<IsTruncated>false/, '<IsTruncated>true'),
  ];
  const hasty = await open({ clock: systemClock, random: () => 0 });
  for (const fault of faults) {
    const rule = proxy.inject({ verb: 'list', times: ALWAYS }, fault);
    expect(await failureOf(() => Array.fromAsync(hasty.list(prefix, { signal })))).toMatchObject({
      name: 'StoreError',
    });
    proxy.remove(rule);
  }
  await hasty.close();
});

it('a server whose answers tell a wrong time is got along with', async () => {
  const key = newKey();
  proxy.inject({ verb: 'get' }, shiftedDate(3_600_000));
  await get(key);
  expect((await failureOf(() => put(key, '1'))) ?? { fault: 'unavailable' }).toMatchObject({ fault: 'unavailable' });
  await put(key, '2');
  expect(await stored(key)).toBe('2');
});

it('the connection is used again and again', async () => {
  const key = newKey();
  await put(key, '1');
  const before = proxy.connections.opened;
  for (let times = 0; times < 10; times++) await get(key);
  expect(proxy.connections.opened - before).toBeLessThanOrEqual(1);
});
