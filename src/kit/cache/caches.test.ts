import { expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { KubeClient } from '../kube/client.ts';
import type { KubeObject, Resource } from '../kube/resource.ts';
import { RecordingLog } from '../observe/recording-log.ts';
import { Caches } from './caches.ts';
import type { ReflectorState } from './reflector-state.ts';
import { broken, SimulatedCollection } from './simulated-collection.ts';

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
  const states: string[] = [];
  const onState = (resource: string, { is }: ReflectorState) => states.push(`${resource} ${is}`);
  const caches = new Caches({ client, clock, random, log, onState });
  const stop = new AbortController();
  let ready = false;
  return {
    clock,
    server,
    log,
    caches,
    states,
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

test('views with the same projection cannot mean different things by one index', () => {
  const { caches } = world();
  caches.view(THINGS, { project: dataOf, indexes: { letter: (data: string) => [data.slice(0, 1)] } });
  expect(() =>
    caches.view(THINGS, { project: dataOf, indexes: { letter: (data: string) => [data.slice(-1)] } }),
  ).toThrow('two indexes named "letter"');
});

test('whoever wants to know is told in which state each collection is', async () => {
  const { caches, server, start, states, clock } = world();
  caches.view(THINGS, { project: dataOf });
  server.refusals.push(500);
  await start();
  await clock.advance(60_000);
  expect(states.slice(0, 4)).toEqual(['things.g listing', 'things.g resting', 'things.g listing', 'things.g watching']);
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

test('a server that cannot be reached for long costs a line each time that it has failed twice as often', async () => {
  const { caches, server, start, clock, log } = world();
  caches.view(THINGS, { project: dataOf });
  for (let i = 0; i < 1_000; i++) server.refusals.push(500);
  await start();
  await clock.advance(900_000);
  expect(log.at('info').map(({ fields }) => fields.failures)).toEqual([1, 2, 4, 8, 16, 32, 64]);
  expect(log.at('debug').length).toBeGreaterThan(20);
});

test('a view that is optional is done without when the server denies it, with one warning', async () => {
  const { caches, server, start, ready, clock, log } = world();
  const view = caches.view(THINGS, { project: dataOf, optional: true });
  for (let i = 0; i < 30; i++) server.refusals.push(403);
  server.put('a', '1');
  await start();
  expect([view.synced, view.available, ready()]).toEqual([false, false, true]);
  await clock.advance(150_000);
  expect(log.at('warn')).toHaveLength(1);
  server.refusals.length = 0;
  await clock.advance(60_000);
  expect([view.available, view.get('a')]).toEqual([true, '1']);
  server.endWatches();
  await clock.advance(1_000);
  expect(log.at('info').map(({ message }) => message)).toEqual(['readable again']);
});

test.each(['offered', 'refused'] as const)(
  'without the right to watch, to list is of little use, and costs one warning (streams %s)',
  async (streams) => {
    const { caches, server, start, clock, log } = world();
    server.streams = streams;
    server.put('a', '1');
    caches.view(THINGS, { project: dataOf });
    let allowed = false;
    server.beforeAnswer = (path) => {
      const isWatch = path.includes('watch=true') && !(streams === 'refused' && path.includes('sendInitialEvents'));
      if (isWatch && !allowed) server.refusals.push(403);
    };
    await start();
    await clock.advance(600_000);
    const before = server.requests.length;
    await clock.advance(600_000);
    expect(server.requests.length - before).toBeLessThan(50);
    expect(log.at('warn')).toHaveLength(1);
    expect(log.lines.map(({ message }) => message)).not.toContain('readable again');
    allowed = true;
    await clock.advance(120_000);
    expect([server.watches, caches.missing()]).toEqual([1, []]);
  },
);

test('a denial that passes in a moment costs no warning', async () => {
  const { caches, server, start, clock, log } = world();
  const view = caches.view(THINGS, { project: dataOf });
  server.refusals.push(403, 404);
  await start();
  expect(view.available).toBe(false);
  await clock.advance(5_000);
  expect([view.available, log.lines]).toEqual([true, []]);
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
  expect(log.at('error')).toHaveLength(1);
});

test('an object that an index cannot read is left out, and what comes after it is not lost', async () => {
  const { caches, server, start, clock } = world();
  const indexes = {
    initial: (data: string) => {
      if (data === 'bad') throw new Error('unreadable');
      return [data.slice(0, 1)];
    },
  };
  const view = caches.view(THINGS, { project: dataOf, indexes });
  server.put('a', 'good');
  await start();
  server.put('a', 'bad');
  server.put('b', 'better');
  await clock.advance(0);
  expect([[...view.keys()], view.keysBy('initial', 'g'), view.keysBy('initial', 'b')]).toEqual([['b'], [], ['b']]);
  server.put('a', 'good again');
  await clock.advance(0);
  expect(view.by('initial', 'g')).toEqual(['good again']);
  expect(server.requests).toHaveLength(1);
});

test('who cannot take a change that it is told of harms neither the others nor what comes after', async () => {
  const { caches, server, start, clock, log } = world();
  const view = caches.view(THINGS, { project: dataOf });
  const heard: string[] = [];
  view.subscribe(({ key }) => {
    throw new Error(`no ${key}`);
  });
  view.subscribe(({ key }) => heard.push(key));
  await start();
  server.put('a', '1');
  server.put('b', '1');
  await clock.advance(0);
  expect([heard, [...view.keys()], server.requests.length]).toEqual([['a', 'b'], ['a', 'b'], 1]);
  expect(log.at('error')).toHaveLength(2);
});

test('an object that one view leaves out is removed from the others when it is gone', async () => {
  const { caches, server, start, clock } = world();
  const picky = caches.view(THINGS, { project: ({ data }) => (data === 'small' ? data : undefined) });
  const whole = caches.view(THINGS, { project: dataOf });
  server.put('a', 'large');
  server.put('b', 'small');
  await start();
  expect([[...picky.keys()], [...whole.keys()]]).toEqual([['b'], ['a', 'b']]);
  server.put('a', 'larger');
  server.replay(1);
  await clock.advance(1_000);
  expect(server.requests).toHaveLength(1); // what one view leaves out is known by the other, and a repetition recognised
  server.endWatches(broken());
  server.remove('a');
  server.compact();
  await clock.advance(60_000);
  expect([...whole.keys()]).toEqual(['b']);
});

test('a view says for how long it may have been out of date', async () => {
  const { caches, server, start, clock } = world();
  const view = caches.view(THINGS, { project: dataOf });
  expect(view.staleMs).toBe(Number.POSITIVE_INFINITY);
  await start();
  await clock.advance(30_000);
  server.bookmark();
  await clock.advance(1_000);
  expect(view.staleMs).toBe(1_000);
  server.request = () => Promise.reject(broken());
  server.endWatches(broken());
  await clock.advance(3_600_000);
  expect([view.synced, view.available, view.staleMs]).toEqual([true, true, 3_601_000]);
});

test('a view that somebody cannot do without is missing when the right to read it is taken away', async () => {
  const { caches, server, start, clock } = world();
  const view = caches.view(THINGS, { project: dataOf });
  await start();
  for (let i = 0; i < 100; i++) server.refusals.push(403);
  server.endWatches();
  await clock.advance(1_000);
  expect([view.synced, view.available, caches.missing()]).toEqual([
    true,
    false,
    [expect.stringContaining('things.g: denied')],
  ]);
  server.refusals.length = 0;
  await clock.advance(120_000);
  expect([view.available, caches.missing()]).toEqual([true, []]);
});

test('how far the server is, is asked without labels: it might have to read all to find one that has them', async () => {
  const { caches, server, start, clock } = world();
  caches.view(THINGS, { project: dataOf, labelSelector: 'x=y', fieldSelector: 'metadata.name=a' });
  await start();
  server.endWatches();
  await clock.advance(1_000);
  const fields = 'fieldSelector=metadata.name%3Da';
  expect(server.requests.map((path) => [path.includes('labelSelector=x%3Dy'), path.includes(fields)])).toEqual([
    [true, true],
    [false, true],
    [true, true],
  ]);
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
