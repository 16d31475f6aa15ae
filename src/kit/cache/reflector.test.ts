import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { KubeClient } from '../kube/client.ts';
import type { KubeObject, Resource } from '../kube/resource.ts';
import { ConnectionError } from '../kube/transport.ts';
import { Reflector } from './reflector.ts';
import type { ReflectorState } from './reflector-state.ts';
import { broken, SimulatedCollection } from './simulated-collection.ts';
import { Store } from './store.ts';

interface Thing extends KubeObject {
  readonly data: string;
}

const THINGS: Resource<Thing> = { group: '', version: 'v1', plural: 'things', kind: 'Thing', namespaced: false };

function reflecting(server = new SimulatedCollection()) {
  const clock = new VirtualClock();
  const store = new Store((thing: Thing) => thing.data, { synced: true, available: true, staleMs: 0 });
  const states: ReflectorState['is'][] = [];
  const reflector = new Reflector({
    client: new KubeClient({ transport: server, clock, random: () => 0.5 }),
    clock,
    random: () => 0.5,
    resource: THINGS,
    selection: {},
    sink: store,
    onState: (state) => states.push(state.is),
  });
  const stop = new AbortController();
  const ended = reflector.run(stop.signal);
  const held = () => Object.fromEntries([...store.keys()].sort().map((key) => [key, store.get(key)]));
  return {
    server,
    clock,
    store,
    states,
    reflector,
    held,
    async inStep() {
      await clock.advance(60_000);
      expect(held()).toEqual(server.contents());
      expect(reflector.state).toMatchObject({ is: 'watching', known: `${server.version}` });
    },
    async end() {
      stop.abort();
      await clock.advance(0);
      await ended;
    },
  };
}

/** Both events are delivered on one stream: an event that is lost for good cannot be noticed by anybody. */
function putInWrongOrder(server: SimulatedCollection): void {
  server.swapNext();
  server.put('a', 'first');
  server.put('b', 'second');
}

/** Lists through the pages, and not the stream. */
function withoutStreams(): SimulatedCollection {
  const server = new SimulatedCollection();
  server.streams = 'refused';
  return server;
}

const many = (server: SimulatedCollection, count: number) => {
  for (let i = 0; i < count; i++) server.put(`thing-${`${i}`.padStart(4, '0')}`, `${i}`);
};

describe('a list', () => {
  test('comes as one stream where the server offers it, and the same stream goes on as the watch', async () => {
    const world = reflecting();
    world.server.put('a', '1');
    await world.inStep();
    world.server.put('b', '2');
    await world.inStep();
    expect(world.server.requests).toHaveLength(1);
    expect(world.server.requests[0]).toContain('sendInitialEvents=true');
  });

  test('comes in pages where the server does not offer streams', async () => {
    const server = withoutStreams();
    many(server, 600);
    const world = reflecting(server);
    await world.inStep();
    expect(server.requests.filter((path) => path.includes('limit='))).toHaveLength(3);
  });

  test('is asked for as a whole when its pages expire before the last is read', async () => {
    const server = withoutStreams();
    many(server, 600);
    server.beforeAnswer = (path) => {
      if (!path.includes('continue=')) return;
      server.put('another', 'x');
      server.compact();
    };
    const world = reflecting(server);
    await world.inStep();
    expect(server.requests.filter((path) => path.includes('continue='))).toHaveLength(1);
  });

  test('that never ends, because the server ignores what it does not know, is given up for pages', async () => {
    const server = new SimulatedCollection();
    server.streams = 'ignored';
    server.put('a', '1');
    const world = reflecting(server);
    await world.clock.advance(200_000);
    await world.inStep();
    expect(server.requests.some((path) => path.includes('limit='))).toBe(true);
  });

  test('in which something is removed, changed and added before its end is right in the end', async () => {
    const server = new SimulatedCollection();
    many(server, 3);
    server.beforeInitialEnd = () => {
      server.remove('thing-0001');
      server.put('thing-0002', 'changed');
      server.put('another', 'x');
    };
    const world = reflecting(server);
    await world.inStep();
    expect(server.requests).toHaveLength(1);
  });

  test('that an older etcd cannot stream, although the server offers it, is read in pages', async () => {
    const server = new SimulatedCollection();
    server.streams = 'broken';
    many(server, 3);
    const world = reflecting(server);
    await world.inStep();
    expect(server.requests.some((path) => path.includes('limit=250'))).toBe(true);
  });

  test('whose stream is always ended before the list is, is read in pages', async () => {
    const server = new SimulatedCollection();
    server.streams = 'ignored';
    server.beforeInitialEnd = () => server.endWatches();
    server.put('a', '1');
    const world = reflecting(server);
    await world.inStep();
    expect(server.requests.filter((path) => path.includes('sendInitialEvents'))).toHaveLength(1);
  });

  test('as a whole is the exception: the next comes in pages again', async () => {
    const server = withoutStreams();
    many(server, 600);
    server.refusals.push(422, 410);
    const world = reflecting(server);
    await world.inStep();
    const wholes = () => server.requests.filter((path) => !path.includes('limit=') && !path.includes('watch=')).length;
    expect(wholes()).toBe(1);
    server.endWatches(broken());
    server.put('another', 'x');
    server.compact();
    await world.inStep();
    expect(wholes()).toBe(1);
    expect(server.requests.filter((path) => path.includes('sendInitialEvents'))).toHaveLength(1);
  });

  test('that fails as a whole is tried in pages again', async () => {
    const server = withoutStreams();
    many(server, 600);
    server.refusals.push(422, 410, 400);
    const world = reflecting(server);
    await world.inStep();
    expect(server.requests.slice(2, 4).map((path) => path.includes('limit='))).toEqual([false, true]);
  });

  test('that does not come from an API server is not believed, whatever its status', async () => {
    const server = withoutStreams();
    server.put('a', '1');
    const world = reflecting(server);
    await world.inStep();
    const { request } = server;
    server.request = async () => ({
      status: 200,
      header: () => undefined,
      body: [] as never,
      text: async () => '{"metadata":{},"items":[]}',
    });
    server.endWatches(broken());
    await world.clock.advance(60_000);
    expect(world.held()).toEqual({ a: '1' });
    server.request = request;
    await world.inStep();
  });

  test('is not asked for again and again without pause, when the watch after each is told that it comes too late', async () => {
    const world = reflecting();
    world.server.put('a', '1');
    await world.inStep();
    for (let second = 0; second < 600; second++) {
      world.server.put('a', `${second}`);
      world.server.endWatches(broken());
      world.server.put('a', `${second} again`);
      world.server.compact();
      await world.clock.advance(1_000);
    }
    const lists = () => world.server.requests.filter((path) => path.includes('sendInitialEvents')).length;
    expect(lists()).toBeLessThan(70);
    await world.inStep();
    await world.clock.advance(60_000);
    world.server.bookmark();
    await world.clock.advance(0);
    const before = lists();
    world.server.endWatches(broken());
    world.server.put('a', 'last');
    world.server.compact();
    await world.clock.advance(2_000);
    expect(lists()).toBe(before + 1); // a list that has served for a while makes the next one prompt again
    await world.inStep();
  });

  test('that is cut off halfway is started again, and what it had brought stays readable', async () => {
    const world = reflecting();
    world.server.refusals.push(broken(), 500, 503);
    many(world.server, 3);
    await world.inStep();
  });
});

describe('a watch', () => {
  test('that the server ends is resumed where it stood, without another list', async () => {
    const world = reflecting();
    world.server.put('a', '1');
    await world.inStep();
    world.server.endWatches();
    world.server.put('b', '2');
    world.server.remove('a');
    await world.inStep();
    expect(world.server.requests.filter((path) => path.includes('sendInitialEvents'))).toHaveLength(1);
  });

  test('that breaks two hundred times in a row loses nothing', async () => {
    const world = reflecting();
    for (let i = 0; i < 200; i++) {
      world.server.put(`thing-${i % 7}`, `${i}`);
      if (i % 5 === 0) world.server.remove(`thing-${i % 3}`);
      world.server.endWatches(broken());
      await world.clock.advance(i % 11);
    }
    await world.inStep();
  });

  test('that the server no longer remembers the start of is replaced by a new list', async () => {
    const world = reflecting();
    world.server.put('a', '1');
    world.server.put('b', '1');
    await world.inStep();
    world.server.endWatches(broken());
    world.server.remove('a');
    world.server.put('b', '2');
    world.server.compact();
    await world.inStep();
  });

  test('that is silent for too long is replaced, also when the connection seems to be open', async () => {
    const world = reflecting();
    world.server.put('a', '1');
    await world.inStep();
    world.server.silence();
    world.server.put('b', '2');
    await world.clock.advance(60_000);
    expect(world.held()).toEqual({ a: '1' });
    await world.clock.advance(120_000);
    await world.inStep();
  });

  test('is replaced within seconds of the silence also when the first connection that is asked on is as dead', async () => {
    const world = reflecting();
    world.server.put('a', '1');
    await world.inStep();
    world.server.silence();
    const { request } = world.server;
    world.server.request = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    while (world.reflector.state.is !== 'resuming') await world.clock.advance(100);
    world.server.put('b', '2');
    await world.clock.advance(1);
    world.server.request = request;
    await world.clock.advance(12_000);
    expect(world.held()).toEqual({ a: '1', b: '2' });
  });

  test('is kept for as long as bookmarks arrive', async () => {
    const world = reflecting();
    world.server.put('a', '1');
    await world.inStep();
    for (let minute = 0; minute < 30; minute++) {
      world.server.bookmark();
      await world.clock.advance(60_000);
    }
    expect(world.server.requests).toHaveLength(1);
  });

  test('of a quiet collection is resumed at once each time, although it brings nothing but the same bookmark', async () => {
    const world = reflecting();
    world.server.put('a', '1');
    await world.inStep();
    for (let i = 0; i < 20; i++) {
      world.server.bookmark();
      await world.clock.advance(0);
      world.server.endWatches();
      await world.clock.advance(1);
      expect(world.server.watches).toBe(1);
    }
  });

  test('that is silent each time is replaced without a long pause: there was one', async () => {
    const world = reflecting();
    world.server.put('a', '1');
    await world.clock.advance(40 * 150_100);
    expect(world.server.requests.filter((path) => path.includes('watch=true'))).toHaveLength(41);
  });

  test('costs a few requests in an hour, when nothing happens', async () => {
    const world = reflecting();
    world.server.put('a', '1');
    await world.inStep();
    const seconds = () =>
      Number(/timeoutSeconds=(\d+)/.exec(world.server.requests.findLast((path) => path.includes('watch')) ?? '')?.[1]);
    for (let minute = 0, age = 0; minute < 60; minute++, age += 60) {
      world.server.bookmark();
      if (age >= seconds()) {
        world.server.endWatches();
        age = 0;
      }
      await world.clock.advance(60_000);
    }
    expect(world.server.requests.length).toBeLessThan(20);
  });

  test('that repeats what it has said changes nothing', async () => {
    const world = reflecting();
    world.server.put('a', '1');
    await world.inStep();
    const changes: unknown[] = [];
    world.store.subscribe((change) => changes.push(change));
    world.server.put('a', '2');
    world.server.put('b', '1');
    world.server.replay(2, true);
    await world.inStep();
    expect(changes).toHaveLength(2);
    expect(world.server.requests).toHaveLength(1);
  });

  test('that brings a removed object back from the past does not bring it back here', async () => {
    const world = reflecting();
    world.server.put('a', '1');
    world.server.put('b', '1');
    await world.inStep();
    world.server.put('a', '2');
    world.server.remove('a');
    world.server.replay(2);
    await world.inStep();
    expect(world.held()).toEqual({ b: '1' });
  });

  test('that says twice that an object was removed is believed once, without another list', async () => {
    const world = reflecting();
    world.server.put('a', '1');
    await world.inStep();
    world.server.remove('a');
    world.server.replay(1);
    await world.inStep();
    expect(world.server.requests).toHaveLength(1);
  });

  test('whose events come in the wrong order is given up for a new list, because an event could be missing', async () => {
    const world = reflecting();
    world.server.put('a', '1');
    await world.inStep();
    putInWrongOrder(world.server);
    await world.inStep();
    expect(world.states.filter((state) => state === 'listing')).toHaveLength(2);
  });

  test('is not asked for again without pause by a server that ends every watch at once', async () => {
    const world = reflecting();
    world.server.put('a', '1');
    await world.inStep();
    const before = world.server.requests.length;
    for (let second = 0; second < 600; second++) {
      world.server.endWatches();
      await world.clock.advance(100);
    }
    expect(world.server.requests.length - before).toBeLessThan(60);
  });
});

test('a server that was restored from a backup is believed, not what was seen before', async () => {
  const world = reflecting();
  world.server.put('kept', '1');
  const restore = world.server.backup();
  world.server.put('kept', '2');
  world.server.put('lost', '1');
  await world.inStep();
  restore();
  await world.inStep();
  expect(world.held()).toEqual({ kept: '1' });
  world.server.put('new', '1');
  await world.inStep();
});

test('a bookmark from before what was seen means that the server was restored', async () => {
  const world = reflecting();
  const restore = world.server.backup();
  world.server.put('lost', '1');
  await world.inStep();
  const { endWatches } = world.server;
  world.server.endWatches = () => {};
  restore();
  world.server.endWatches = endWatches;
  world.server.bookmark();
  await world.inStep();
  expect(world.held()).toEqual({});
});

describe('a collection that the server denies', () => {
  const asked = (world: ReturnType<typeof reflecting>) => world.server.requests.length;

  test.each(['offered', 'refused'] as const)(
    'is asked for again soon, then from time to time, and taken when it is given (streams %s)',
    async (streams) => {
      const world = reflecting();
      world.server.streams = streams;
      for (let i = 0; i < 1_000; i++) world.server.refusals.push(403);
      world.server.put('a', '1');
      await world.clock.advance(1_000);
      expect(world.reflector.state.is).toBe('denied');
      expect(asked(world)).toBeGreaterThan(1);
      await world.clock.advance(600_000);
      const before = asked(world);
      await world.clock.advance(600_000);
      expect(asked(world) - before).toBeLessThan(25);
      world.server.refusals.length = 0;
      await world.clock.advance(60_000);
      await world.inStep();
      world.server.bookmark();
      for (let i = 0; i < 10; i++) {
        world.server.refusals.push(403);
        world.server.endWatches();
        await world.clock.advance(1_000);
        world.server.bookmark();
        await world.clock.advance(0);
        expect(world.reflector.state.is).toBe('watching'); // a denial after a time in step is the first of its row
      }
    },
  );

  test('is asked for again soon also after a long outage: a server that has just come up denies all until it knows the roles', async () => {
    const world = reflecting();
    world.server.put('a', '1');
    await world.inStep();
    const { request } = world.server;
    world.server.request = () => Promise.reject(new ConnectionError('nobody there', { mayHaveHappened: false }));
    world.server.endWatches(broken());
    await world.clock.advance(600_000);
    world.server.refusals.push(403, 403);
    world.server.request = request;
    let busy = 1;
    world.server.beforeAnswer = (path) => {
      if (path.includes('watch=true') && busy-- > 0) world.server.refusals.push(503);
    };
    while (world.server.refusals.length === 2) await world.clock.advance(100);
    await world.clock.advance(3_000);
    expect(world.reflector.state.is).toBe('watching');
    expect(busy).toBeLessThan(1);
  });
});

test('a pause that would last for days is not kept', async () => {
  const server = new SimulatedCollection();
  const { request } = server;
  const busy = { kind: 'Status', code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 999_999 } };
  server.request = async () => ({
    status: 429,
    header: () => undefined,
    body: [] as never,
    text: async () => JSON.stringify(busy),
  });
  const world = reflecting(server);
  await world.clock.advance(1_000);
  server.request = request;
  await world.clock.advance(120_000);
  await world.inStep();
});

test('a pause that the server asks for is kept', async () => {
  const server = new SimulatedCollection();
  server.put('a', '1');
  const world = reflecting(server);
  await world.clock.advance(0);
  server.endWatches(broken());
  const busy = { kind: 'Status', code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 20 } };
  const { request } = server;
  server.request = async (call) => {
    if (!call.path.includes('watch=true')) return request.call(server, call);
    server.requests.push(call.path);
    return { status: 429, header: () => undefined, body: [] as never, text: async () => JSON.stringify(busy) };
  };
  await world.clock.advance(2_000);
  const refused = server.requests.length;
  await world.clock.advance(18_000);
  expect(server.requests).toHaveLength(refused);
  server.request = request;
  await world.inStep();
});

test('a reflector that is told to stop ends, whatever it was doing', async () => {
  for (const doing of ['listing', 'watching', 'resting']) {
    const world = reflecting();
    if (doing === 'resting') world.server.refusals.push(broken(), broken(), broken(), broken(), broken());
    if (doing !== 'listing') await world.clock.advance(0);
    await world.end();
    expect(world.reflector.state.is).toBe('stopped');
    expect(world.clock.pending).toBe(0);
  }
});

test('whatever happens to lists and watches, the copy ends up equal to the collection', async () => {
  const names = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const act = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ do: fc.constant('put' as const), name: names, data: fc.string({ maxLength: 3 }) }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('remove' as const), name: names }) },
    fc.record({ do: fc.constantFrom('end', 'break', 'silence', 'compact', 'bookmark', 'save', 'restore', 'swap') }),
    fc.record({ do: fc.constant('amidst' as const), put: names, remove: names }),
    fc.record({ do: fc.constant('replay' as const), count: fc.nat(4), backwards: fc.boolean() }),
    fc.record({ do: fc.constant('refuse' as const), status: fc.constantFrom(403, 410, 429, 500, 503, 504) }),
    { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(5_000) }) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('offered' as const, 'refused' as const, 'broken' as const),
      fc.array(act, { maxLength: 60 }),
      async (streams, acts) => {
        const world = reflecting();
        const { server } = world;
        server.streams = streams;
        let restore = server.backup();
        for (const each of acts) {
          if (each.do === 'put') server.put(each.name, each.data);
          else if (each.do === 'remove') server.remove(each.name);
          else if (each.do === 'replay') server.replay(each.count, each.backwards);
          else if (each.do === 'amidst') {
            server.beforeInitialEnd = () => {
              server.put(each.put, 'amidst');
              server.remove(each.remove);
            };
          } else if (each.do === 'refuse') server.refusals.push(each.status);
          else if (each.do === 'wait') await world.clock.advance(each.ms);
          else if (each.do === 'end') server.endWatches();
          else if (each.do === 'break') server.endWatches(broken());
          else if (each.do === 'silence') server.silence();
          else if (each.do === 'compact') server.compact();
          else if (each.do === 'bookmark') server.bookmark();
          else if (each.do === 'swap') putInWrongOrder(server);
          else if (each.do === 'save') restore = server.backup();
          else {
            await world.clock.advance(1);
            restore();
            await world.clock.advance(300_000); // a restored server that overtakes what was seen cannot be told from one that went on
          }
        }
        await world.clock.advance(900_000);
        expect(world.held()).toEqual(server.contents());
        await world.end();
        expect(world.clock.pending).toBe(0);
      },
    ),
    { numRuns: 300 },
  );
});
