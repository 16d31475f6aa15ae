import { expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { failureOf } from '../../kit/failure-of.ts';
import { SimulatedStore } from './simulated-store.ts';
import type { ObjectStore } from './store.ts';

const { signal } = new AbortController();
const START = new Date('2026-01-01T00:00:00.700Z');

function aStore() {
  const clock = new VirtualClock(START);
  const store = new SimulatedStore(clock);
  return { clock, store, client: store.as('east') };
}

const text = async (client: ObjectStore, key: string): Promise<string> => {
  const got = await client.get(key, { signal, most: 100 });
  return got.kind === 'found' ? got.body.toString() : got.kind;
};

const keys = async (client: ObjectStore, prefix = ''): Promise<string[]> => {
  const listed = await Array.fromAsync(client.list(prefix, { signal }));
  return listed.map(({ key }) => key);
};

test('the history tells who wrote what when, and under which condition', async () => {
  const { clock, store, client } = aStore();
  const { etag } = await client.put('a', Buffer.from('1'), { signal, condition: { absent: true } });
  await clock.advance(1000);
  await store.as('west').put('a', Buffer.from('2'), { signal, condition: { etag } });
  await client.remove('a', { signal });
  await client.remove('a', { signal });
  expect(store.history.map(({ at, who, body, condition }) => [at.getTime(), who, body?.toString(), condition])).toEqual(
    [
      [START.getTime(), 'east', '1', { absent: true }],
      [START.getTime() + 1000, 'west', '2', { etag }],
      [START.getTime() + 1000, 'east', undefined, undefined],
    ],
  );
});

test('a fault strikes the n-th call of its kind, and as many after it as told', async () => {
  const { store, client } = aStore();
  const rule = store.inject({ verb: 'put', key: /^a/, who: 'east', nth: 2, times: 2 }, { kind: 'fail' });
  const put = (key: string, as = client) => failureOf(() => as.put(key, Buffer.from('x'), { signal }));
  expect(await put('a1')).toBeUndefined();
  expect(await put('b')).toBeUndefined();
  expect(await put('a2', store.as('west'))).toBeUndefined();
  expect(await put('a3')).toMatchObject({ fault: 'unavailable' });
  expect(await put('a4')).toMatchObject({ fault: 'unavailable' });
  expect(await put('a5')).toBeUndefined();
  expect(rule.hits).toBe(2);
  expect(store.keys()).toEqual(['a1', 'a2', 'a5', 'b']);
  expect(store.count({ verb: 'put', who: 'east' })).toBe(5);
});

test('a write whose reply is lost has happened', async () => {
  const { store, client } = aStore();
  store.inject({ verb: 'put' }, { kind: 'lost-reply' });
  await expect(client.put('a', Buffer.from('1'), { signal })).rejects.toMatchObject({ fault: 'unavailable' });
  expect(store.body('a')?.toString()).toBe('1');
});

test('a call is denied, or has no bucket, as told, and says what to do', async () => {
  const { store, client } = aStore();
  store.inject({ key: 'a' }, { kind: 'fail', as: 'denied' });
  store.inject({ key: 'b' }, { kind: 'fail', as: 'noBucket' });
  await expect(client.head('a', { signal })).rejects.toThrow(/cannot look at "a" in the simulated store.*credentials/);
  await expect(client.head('b', { signal })).rejects.toMatchObject({ fault: 'noBucket' });
});

test('what is read comes torn or tampered with, and whole again afterwards', async () => {
  const { store, client } = aStore();
  store.write('a', 'content');
  store.inject({ verb: 'get' }, { kind: 'torn', bytes: 3 });
  store.inject({ verb: 'get', nth: 2 }, { kind: 'tampered', change: (body) => Buffer.concat([body, body]) });
  expect(await text(client, 'a')).toBe('con');
  expect(await text(client, 'a')).toBe('contentcontent');
  expect(await text(client, 'a')).toBe('content');
});

test('a stale list lags: it shows the store as it was', async () => {
  const { clock, store, client } = aStore();
  store.write('a', '1');
  store.write('b', '1');
  await clock.advance(60_000);
  store.write('b', undefined);
  store.write('c', '1');
  const rule = store.inject({ verb: 'list', times: Number.POSITIVE_INFINITY }, { kind: 'stale', behindMs: 30_000 });
  expect(await keys(client)).toEqual(['a', 'b']);
  store.remove(rule);
  expect(await keys(client)).toEqual(['a', 'c']);
});

test('what hangs is ended by its signal alone', async () => {
  const { store, client } = aStore();
  store.inject({}, { kind: 'hang' });
  const controller = new AbortController();
  const hanging = client.head('a', { signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(hanging).rejects.toThrow('enough');
});

test('what is delayed happens when its time has come, in the order that the test wants', async () => {
  const { clock, store, client } = aStore();
  const gate = Promise.withResolvers<void>();
  store.inject({ who: 'east' }, { kind: 'delay', until: gate.promise });
  store.inject({ who: 'west' }, { kind: 'delay', until: 5000 });
  const slow = client.put('a', Buffer.from('east'), { signal });
  const west = store.as('west').put('a', Buffer.from('west'), { signal });
  await clock.advance(5000);
  gate.resolve();
  await Promise.all([slow, west]);
  expect(store.history.map(({ who }) => who)).toEqual(['west', 'east']);
});

test('a store without conditional writes takes what should have been refused', async () => {
  const { store, client } = aStore();
  store.write('a', '1');
  store.inject({ times: Number.POSITIVE_INFINITY }, { kind: 'no-conditions' });
  await client.put('a', Buffer.from('2'), { signal, condition: { absent: true } });
  expect(store.body('a')?.toString()).toBe('2');
  store.heal();
  const refused = client.put('a', Buffer.from('3'), { signal, condition: { absent: true } });
  await expect(refused).rejects.toMatchObject({ fault: 'preconditionFailed' });
});

test('what was handed in or out may be changed by its owner', async () => {
  const { client } = aStore();
  const body = Buffer.from('1');
  await client.put('a', body, { signal });
  body.write('2');
  const got = await client.get('a', { signal, most: 10 });
  if (got.kind === 'found') got.body.write('3');
  expect(await text(client, 'a')).toBe('1');
});

test('the same content has the same ETag, and times are whole seconds', async () => {
  const { store, client } = aStore();
  const [first, second] = [
    await client.put('a', Buffer.from('1'), { signal }),
    await client.put('b', Buffer.from('1'), { signal }),
  ];
  expect(first).toEqual(second);
  expect((await client.head('a', { signal }))?.modifiedAt).toEqual(new Date('2026-01-01T00:00:00Z'));
  expect(store.count()).toBe(3);
});
