import { expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { KubeClient } from '../kube/client.ts';
import type { KubeObject, Resource } from '../kube/resource.ts';
import { RecordingLog } from '../observe/recording-log.ts';
import { Caches } from './caches.ts';
import { SimulatedCollection } from './simulated-collection.ts';

interface Thing extends KubeObject {
  readonly data: string;
}

const THINGS: Resource<Thing> = { group: 'g', version: 'v1', plural: 'things', kind: 'Thing', namespaced: false };
const dataOf = (thing: Thing) => thing.data;

function world() {
  const clock = new VirtualClock();
  const server = new SimulatedCollection();
  const log = new RecordingLog();
  const random = () => 0.5;
  const client = new KubeClient({ transport: server, clock, random });
  const caches = new Caches({ client, clock, random, log });
  const stop = new AbortController();
  let ready = false;
  return {
    clock,
    server,
    log,
    caches,
    ready: () => ready,
    async start() {
      void caches.run(stop.signal);
      caches.synced(stop.signal).then(
        () => {
          ready = true;
        },
        () => undefined,
      );
      await clock.advance(0);
    },
    async stop() {
      stop.abort();
      await clock.advance(0);
    },
  };
}

test('one list and one watch serve all views of a resource, each with its own projection', async () => {
  const { caches, server, start, ready } = world();
  server.put('a', 'abc');
  const whole = caches.view(THINGS, { project: dataOf });
  const short = caches.view(THINGS, { project: (thing) => thing.data.length });
  await start();
  expect(ready()).toBe(true);
  expect([whole.get('a'), short.get('a')]).toEqual(['abc', 3]);
  expect(server.requests).toHaveLength(1);
});

test('views with the same projection are one store, with the indexes of both', async () => {
  const { caches, server, start } = world();
  server.put('a', 'abc');
  const first = caches.view(THINGS, { project: dataOf, indexes: { initial: (data: string) => [data.slice(0, 1)] } });
  const second = caches.view(THINGS, { project: dataOf, indexes: { last: (data: string) => [data.slice(-1)] } });
  await start();
  expect(first.keysBy('initial', 'a')).toEqual(['a']);
  expect(second.keysBy('last', 'c')).toEqual(['a']);
});

test('another selection is another list', async () => {
  const { caches, server, start } = world();
  caches.view(THINGS, { project: dataOf });
  caches.view(THINGS, { project: dataOf, labelSelector: 'x=y' });
  await start();
  expect(server.requests).toHaveLength(2);
});

test('until the whole collection was seen a view says that absence means nothing', async () => {
  const { caches, server, start, ready, clock } = world();
  const view = caches.view(THINGS, { project: dataOf });
  server.refusals.push(500, 500, 500);
  await start();
  expect([view.synced, ready()]).toEqual([false, false]);
  expect(caches.missing()).toEqual([expect.stringContaining('things.g: resting')]);
  await clock.advance(60_000);
  expect([view.synced, ready(), caches.missing()]).toEqual([true, true, []]);
});

test('a view that is optional is done without when the server denies it, with one warning', async () => {
  const { caches, server, start, ready, clock, log } = world();
  const view = caches.view(THINGS, { project: dataOf, optional: true });
  for (let i = 0; i < 3; i++) server.refusals.push(403);
  server.put('a', '1');
  await start();
  expect([view.synced, view.available, ready()]).toEqual([false, false, true]);
  await clock.advance(150_000);
  expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  await clock.advance(300_000);
  expect([view.available, view.get('a')]).toEqual([true, '1']);
});

test('a view that somebody cannot do without is waited for', async () => {
  const { caches, server, start, ready } = world();
  caches.view(THINGS, { project: dataOf, optional: true });
  caches.view(THINGS, { project: dataOf });
  server.refusals.push(403);
  await start();
  expect(ready()).toBe(false);
});

test('an object that a projection cannot read is left out of that view, reported, and stops nothing', async () => {
  const { caches, server, start, log } = world();
  server.put('bad', 'x');
  server.put('good', 'y');
  const strict = caches.view(THINGS, {
    project: ({ data }) => {
      if (data === 'x') throw new Error('unreadable');
      return data;
    },
  });
  const lenient = caches.view(THINGS, { project: dataOf });
  await start();
  expect([...strict.keys()]).toEqual(['good']);
  expect([...lenient.keys()].sort()).toEqual(['bad', 'good']);
  expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
});

test('a view cannot be asked for when the caches run already', async () => {
  const { caches, start } = world();
  await start();
  expect(() => caches.view(THINGS, { project: dataOf })).toThrow('after the caches were started');
});

test('a cache whose loop no longer turns is reported as stuck, one that is merely cut off is not', async () => {
  const { caches, server, start, clock } = world();
  caches.view(THINGS, { project: dataOf });
  await start();
  for (let i = 0; i < 2_000; i++) server.refusals.push(503);
  server.endWatches();
  await clock.advance(1_800_000);
  expect(caches.stuck()).toEqual([]);
  server.refusals.length = 0;
  server.request = () => new Promise(() => undefined);
  await clock.advance(1_800_000);
  expect(caches.stuck()).toEqual([expect.stringContaining('without a sign of life')]);
});
