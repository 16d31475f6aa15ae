import { expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { KubeClient } from '../kube/client.ts';
import type { KubeObject, Resource } from '../kube/resource.ts';
import { KeptLists } from './kept-lists.ts';
import { SimulatedCollection } from './simulated-collection.ts';

const THINGS: Resource<KubeObject> = { group: 'g', version: 'v1', plural: 'things', kind: 'Thing', namespaced: false };

function world() {
  const clock = new VirtualClock();
  const server = new SimulatedCollection();
  const random = () => 0.5;
  const client = new KubeClient({ transport: server, clock, random });
  let changes = 0;
  const stop = new AbortController();
  const onChange = () => {
    changes += 1;
  };
  const kept = new KeptLists({ client, clock, random, signal: stop.signal, onChange });
  /** What a list brings, by whoever has its lists from there. */
  const names = async () => {
    const listed = client.listingFrom(kept).list(THINGS, { limit: 500 });
    listed.catch(() => {}); // it is awaited below
    await clock.advance(0);
    return (await listed).items.map(({ metadata }) => metadata.name);
  };
  return { clock, server, kept, names, changes: () => changes, stop: () => stop.abort() };
}

test('what was listed once is watched, and listed out of memory in the order of the server', async () => {
  const { clock, server, names, changes } = world();
  server.put('b', 'x');
  expect(await names()).toEqual(['b']);
  expect(changes()).toBe(0);
  server.put('a', 'x');
  await clock.advance(0);
  expect(changes()).toBe(1);
  expect(await names()).toEqual(['a', 'b']);
  server.remove('b');
  await clock.advance(0);
  expect(await names()).toEqual(['a']);
  expect(server.requests).toHaveLength(1);
});

test('what may not be watched is listed by the server, and told', async () => {
  const { server, kept, names } = world();
  server.put('a', 'x');
  server.beforeAnswer = (path) => {
    if (path.includes('watch=true')) server.refusals.unshift(403);
  };
  expect(await names()).toEqual(['a']);
  expect(kept.unwatched()).toEqual([expect.stringContaining('things.g may not be watched')]);
  server.put('b', 'x');
  expect(await names()).toEqual(['a', 'b']);
});

test('what may not be listed either is refused as ever, and nothing is told of watching', async () => {
  const { server, kept, names } = world();
  server.beforeAnswer = () => server.refusals.unshift(403);
  await expect(names()).rejects.toMatchObject({ reason: 'Forbidden' });
  expect(kept.unwatched()).toEqual([]);
});

test('while a watch is broken nothing is answered out of memory', async () => {
  const { clock, server, names } = world();
  server.put('a', 'x');
  expect(await names()).toEqual(['a']);
  server.endWatches(new Error('reset'));
  await clock.advance(0);
  const before = server.requests.length;
  await names();
  expect(server.requests.slice(before).some((path) => !path.includes('watch=true'))).toBe(true);
});

test('a server that does not answer a streamed list is not waited for', async () => {
  const { clock, server, names } = world();
  server.put('a', 'x');
  server.streams = 'ignored';
  const listed = names();
  await clock.advance(10_000);
  expect(await listed).toEqual(['a']);
});

test('a server that has been silent for long is asked, and by one small question', async () => {
  const { clock, server, names } = world();
  server.put('a', 'x');
  await names();
  await clock.advance(16_000);
  const before = server.requests.length;
  expect(await names()).toEqual(['a']);
  expect(await names()).toEqual(['a']);
  expect(server.requests.slice(before)).toEqual([expect.stringContaining('limit=1')]);
});

test('watches end with the signal', async () => {
  const { clock, server, names, changes, stop } = world();
  await names();
  stop();
  await clock.advance(0);
  server.put('a', 'x');
  await clock.advance(60_000);
  expect(changes()).toBe(0);
  expect(server.requests).toHaveLength(1);
});
