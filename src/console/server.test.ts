/** The console over HTTP, on a cluster in this process. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { CONFIG_MAPS } from '../api/config-maps.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { PERSISTENT_VOLUME_SYNCS } from '../sync/contract.ts';
import { NO_KEYS } from '../sync/export/keys.ts';
import { Sent } from './feed.ts';
import type { Message, State } from './model.ts';
import { EVERYTHING } from './rights.ts';
import { type Following, SimulatedConsole } from './simulated-console.ts';

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 20 });

const aVolume = (name: string, labels: Record<string, string> = {}) => ({
  metadata: { name, labels },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    nfs: { server: 'nfs.example.com', path: `/${name}` },
    persistentVolumeReclaimPolicy: 'Retain',
  },
});

const stateIn = (message: Message | undefined): State => {
  if (message?.is !== 'state') throw new Error(`this is no state: ${message?.is}`);
  return message.state;
};

/** Those that a reader knows of after all that it was sent. */
function volumesSeenBy({ events }: Following): readonly string[] {
  let names = new Set<string>();
  for (const { message } of events) {
    if (message.is === 'state') names = new Set(Object.keys(message.state.volumes));
    if (message.is === 'change')
      for (const [name, row] of Object.entries(message.change.volumes ?? {}))
        if (row) names.add(name);
        else names.delete(name);
  }
  return [...names].toSorted();
}

async function heard(console: SimulatedConsole): Promise<void> {
  await eventually(() => expect(console.console.hearing.connection.isHeard).toBe(true));
}

describe('what a console says to browsers', () => {
  test.each([
    [
      'content-security-policy',
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    ],
    ['x-frame-options', 'DENY'],
    ['x-content-type-options', 'nosniff'],
    ['referrer-policy', 'no-referrer'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
  ])('is %s, with whatever it answers', async (name, value) => {
    await using console = await SimulatedConsole.open();
    for (const path of ['/', '/api/hello', '/nothing', '/api/nothing'])
      expect((await console.ask(path)).header(name)).toBe(value);
    expect((await console.ask('/', { headers: { host: 'evil.example' } })).header(name)).toBe(value);
  });

  test('is that nothing of the API is kept', async () => {
    await using console = await SimulatedConsole.open();
    expect((await console.ask('/api/hello')).header('cache-control')).toBe('no-store');
    using following = await console.follow();
    expect(following.response.headers['cache-control']).toBe('no-store');
  });
});

describe('a console does not answer', () => {
  test.each([
    'evil.example',
    'evil.example:80',
    'localhost.evil.example',
    '127.0.0.1.nip.io',
    'localhost@evil.example',
  ])('under the name %s, which somebody else may have made lead to it', async (host) => {
    await using console = await SimulatedConsole.open();
    for (const path of ['/', '/api/hello', '/api/clusters/here/live'])
      expect((await console.ask(path, { headers: { host } })).status).toBeOneOf([421, 400]);
  });

  test.each([
    'localhost',
    'localhost:9000',
    '127.0.0.1:1',
    '[::1]:8765',
    'console.example.com',
    'CONSOLE.example.com:443',
  ])('but it does under %s', async (host) => {
    await using console = await SimulatedConsole.open();
    expect((await console.ask('/api/hello', { headers: { host } })).status).toBe(200);
  });

  test.each<[string, Record<string, string>]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another port of this machine', { origin: 'http://localhost:3000' }],
    ['a page that has no origin', { origin: 'null' }],
    ['another site, as its browser says', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour of its site', { 'sec-fetch-site': 'same-site' }],
  ])('the API for %s', async (_who, headers) => {
    await using console = await SimulatedConsole.open();
    for (const path of ['/api/hello', '/api/clusters/here/live', '/api/clusters/here/volumes/a'])
      expect((await console.ask(path, { headers })).status).toBe(403);
    const posted = { 'x-holdfast': '1', 'content-type': 'application/json', ...headers };
    const answer = await console.ask('/api/clusters/here/actions', { method: 'POST', headers: posted, body: '{}' });
    expect(answer.status).toBe(403);
  });

  test('but it does for its own page', async () => {
    await using console = await SimulatedConsole.open();
    const own = {
      host: `localhost:${console.port}`,
      origin: `http://localhost:${console.port}`,
      'sec-fetch-site': 'same-origin',
    };
    expect((await console.ask('/api/hello', { headers: own })).status).toBe(200);
  });

  test.each<[string, Record<string, string>, number]>([
    ['without the header that no form can set', { 'content-type': 'application/json' }, 403],
    ['that says to be a form', { 'x-holdfast': '1', 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['that says to be text', { 'x-holdfast': '1', 'content-type': 'text/plain' }, 415],
    ['that does not say what it is', { 'x-holdfast': '1' }, 415],
    ['that is no action', { 'x-holdfast': '1', 'content-type': 'application/json; charset=utf-8' }, 400],
  ])('what is sent %s', async (_how, headers, status) => {
    await using console = await SimulatedConsole.open();
    const answer = await console.ask('/api/clusters/here/actions', { method: 'POST', headers, body: '{}' });
    expect(answer.status).toBe(status);
    expect(answer.json()).toEqual({ problem: expect.stringMatching(/^[A-Z].*\.$/) });
  });

  test('more than an action can be', async () => {
    await using console = await SimulatedConsole.open();
    const headers = { 'x-holdfast': '1', 'content-type': 'application/json' };
    const body = JSON.stringify({ x: 'x'.repeat(100_000) });
    expect((await console.ask('/api/clusters/here/actions', { method: 'POST', headers, body })).status).toBe(413);
  });

  test.each([
    '/api/clusters/elsewhere/live',
    '/api/clusters/here',
    '/api/clusters/here/nothing',
    '/api/clusters/%E0/live',
    '/../etc/passwd',
    '/%2e%2e/package.json',
    '/api',
  ])('for %s, where there is nothing', async (path) => {
    await using console = await SimulatedConsole.open();
    expect((await console.ask(path)).status).toBe(404);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('a %s of the page', async (method) => {
    await using console = await SimulatedConsole.open();
    expect((await console.ask('/', { method })).status).toBe(405);
  });

  test('somebody who says nothing for long after they have come', async () => {
    await using console = await SimulatedConsole.open({ patienceMs: 200 });
    const socket = connect(console.port, '127.0.0.1');
    socket.resume();
    socket.write('GET /api/hello HTTP/1.1\r\nHost: loc');
    await new Promise((resolve) => socket.on('close', resolve));
    socket.destroy();
  });
});

describe('the page', () => {
  test('that is not built is a page that says how to build it', async () => {
    await using console = await SimulatedConsole.open();
    const { status, text, header } = await console.ask('/');
    expect([status, header('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('make console-page');
  });

  test('is served as it was built, compressed, and not again if it is the same', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-page-'));
    try {
      await writeFile(join(directory, 'index.html'), '<p>first');
      await writeFile(join(directory, 'console.js'), 'x'.repeat(10_000));
      await using console = await SimulatedConsole.open({ pageDirectories: [directory] });
      expect((await console.ask('/')).text).toBe('<p>first');
      const script = await console.ask('/console.js', { headers: { 'accept-encoding': 'gzip, br' } });
      expect(script.header('content-encoding')).toBe('gzip');
      expect(script.header('content-type')).toBe('text/javascript; charset=utf-8');
      expect(Number(script.header('content-length'))).toBeLessThan(1_000);
      const again = await console.ask('/console.js', { headers: { 'if-none-match': script.header('etag') ?? '' } });
      expect(again.status).toBe(304);
      await writeFile(join(directory, 'index.html'), '<p>second!');
      expect((await console.ask('/')).text).toBe('<p>second!');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe('a stream', () => {
  test('begins with all of it, and goes on with what changes', async () => {
    await using console = await SimulatedConsole.open();
    await heard(console);
    console.objects.create(PERSISTENT_VOLUMES, aVolume('a'));
    await eventually(() => expect(console.console.parts.volumes).toMatchObject({ value: { size: 1 } }));
    using following = await console.follow();
    await eventually(() => expect(following.events).not.toEqual([]));
    expect(stateIn(following.events[0]?.message).volumes).toMatchObject({ a: { name: 'a', capacityBytes: 2 ** 30 } });
    console.objects.create(PERSISTENT_VOLUMES, aVolume('b'));
    await eventually(() => expect(volumesSeenBy(following)).toEqual(['a', 'b']));
    const [, ...others] = following.events.map(({ message }) => message.is);
    expect(others.slice(0, 2)).toEqual(['connection', 'time']);
    expect(others.slice(2).every((is) => is === 'change')).toBe(true);
    console.objects.remove(PERSISTENT_VOLUMES, 'a');
    const removed = console.objects.get(PERSISTENT_VOLUMES, 'a');
    if (removed)
      console.objects.update(PERSISTENT_VOLUMES, { ...removed, metadata: { ...removed.metadata, finalizers: [] } });
    await eventually(() => expect(volumesSeenBy(following)).toEqual(['b']));
  });

  test('is compressed, and each event comes at once', async () => {
    await using console = await SimulatedConsole.open();
    await heard(console);
    using following = await console.follow(undefined, { 'accept-encoding': 'gzip' });
    expect(following.response.headers['content-encoding']).toBe('gzip');
    console.objects.create(PERSISTENT_VOLUMES, aVolume('a'));
    await eventually(() => expect(volumesSeenBy(following)).toEqual(['a']));
  });

  test.each(['last-event-id', 'after'])('goes on where it was, by %s', async (how) => {
    await using console = await SimulatedConsole.open();
    await heard(console);
    const first = await console.follow();
    console.objects.create(PERSISTENT_VOLUMES, aVolume('a'));
    await eventually(() => expect(volumesSeenBy(first)).toEqual(['a']));
    const id = first.last?.id ?? '';
    first[Symbol.dispose]();
    console.objects.create(PERSISTENT_VOLUMES, aVolume('b'));
    await eventually(() => expect(console.console.parts.volumes).toMatchObject({ value: { size: 2 } }));
    const path = '/api/clusters/here/live';
    using second = await (how === 'after'
      ? console.follow(`${path}?after=${encodeURIComponent(id)}`)
      : console.follow(path, { 'last-event-id': id }));
    await eventually(() => expect(volumesSeenBy(second)).toEqual(['b']));
    expect(second.events.some(({ message }) => message.is === 'state')).toBe(false);
  });

  test.each(['another:7', 'nonsense', ''])('begins anew for somebody who comes with %s', async (id) => {
    await using console = await SimulatedConsole.open();
    await heard(console);
    using following = await console.follow(undefined, { 'last-event-id': id });
    await eventually(() => expect(following.events[0]?.message.is).toBe('state'));
  });

  test('says every 15 s that it is still there, and what time it is in the cluster', async () => {
    const clock = new VirtualClock();
    await using console = await SimulatedConsole.open({ clock });
    using following = await console.follow();
    await eventually(() => expect(following.events).not.toEqual([]));
    await clock.advance(15_000);
    const times = () => following.events.flatMap(({ message }) => (message.is === 'time' ? [message.at] : []));
    await eventually(() => expect(times()).toHaveLength(2));
    const [first = '', second = ''] = times();
    expect(Date.parse(second)).toBeGreaterThan(Date.parse(first));
    expect(Math.abs(Date.parse(second) - Date.now())).toBeLessThan(60_000);
  });

  test('of somebody who does not read is not kept for them: they get all of it when they do', {
    timeout: 60_000,
  }, async () => {
    await using console = await SimulatedConsole.open();
    await heard(console);
    using following = await console.follow();
    await eventually(() => expect(following.events).not.toEqual([]));
    following.response.pause();
    const feed = console.console.feedFor(EVERYTHING);
    const padding = 'x'.repeat(100_000);
    for (let round = 0; round < 300; round++)
      feed?.tell(new Sent(`${round}`, JSON.stringify({ is: 'change', change: {}, padding })));
    console.objects.create(PERSISTENT_VOLUMES, aVolume('a'));
    await eventually(() => expect(console.console.parts.volumes).toMatchObject({ value: { size: 1 } }));
    following.response.resume();
    await eventually(() => expect(volumesSeenBy(following)).toEqual(['a']));
    expect(following.events.filter(({ message }) => message.is === 'state').length).toBeGreaterThan(1);
    expect(following.events.length).toBeLessThan(100);
  });

  test('of somebody who did not read tells them with all of it that the cluster is silent', {
    timeout: 60_000,
  }, async () => {
    await using console = await SimulatedConsole.open();
    await heard(console);
    using following = await console.follow();
    await eventually(() => expect(following.events).not.toEqual([]));
    await console.transport.close();
    await eventually(() => expect(console.console.hearing.connection.isHeard).toBe(false));
    following.response.pause();
    const feed = console.console.feedFor(EVERYTHING);
    const padding = 'x'.repeat(100_000);
    for (let round = 0; round < 300; round++)
      feed?.tell(new Sent(`${round}`, JSON.stringify({ is: 'change', change: {}, padding })));
    following.response.resume();
    const told = () => following.events.map(({ message }) => message);
    await eventually(() => expect(told().filter(({ is }) => is === 'state').length).toBeGreaterThan(1));
    const after = () => told().slice(told().findLastIndex(({ is }) => is === 'state'));
    await eventually(() =>
      expect(after().slice(0, 3)).toMatchObject([
        {},
        { is: 'connection', connection: { isHeard: false } },
        { is: 'time' },
      ]),
    );
  });

  test.each([true, false])('that goes on says whether the cluster is heard: %s', async (isHeard) => {
    await using console = await SimulatedConsole.open();
    await heard(console);
    const first = await console.follow();
    await eventually(() => expect(first.last?.message.is).toBe('time'));
    const id = first.last?.id ?? '';
    first[Symbol.dispose]();
    if (!isHeard) await console.transport.close();
    await eventually(() => expect(console.console.hearing.connection.isHeard).toBe(isHeard));
    using second = await console.follow(undefined, { 'last-event-id': id });
    await eventually(() =>
      expect(second.events.map(({ message }) => message).filter(({ is }) => is !== 'change')).toMatchObject([
        { is: 'connection', connection: { isHeard } },
        { is: 'time' },
      ]),
    );
  });

  test('says when the cluster is not heard any more, and that to those who come then', async () => {
    await using console = await SimulatedConsole.open();
    await heard(console);
    using following = await console.follow();
    await console.transport.close();
    await eventually(() =>
      expect(following.last?.message).toMatchObject({ is: 'connection', connection: { isHeard: false } }),
    );
    using late = await console.follow();
    await eventually(() =>
      expect(late.events.map(({ message }) => message.is)).toEqual(['state', 'connection', 'time']),
    );
  });

  test('is one of a hundred at most', async () => {
    await using console = await SimulatedConsole.open();
    const all = await Promise.all(Array.from({ length: 100 }, () => console.follow()));
    const { status, text } = await console.ask('/api/clusters/here/live');
    expect([status, text]).toEqual([503, '{"problem":"Too many people look at this console: close another one."}']);
    all[0]?.[Symbol.dispose]();
    await vi.waitFor(async () => {
      using again = await console.follow();
      expect(again.response.statusCode).toBe(200);
    });
    for (const each of all) each[Symbol.dispose]();
  });
});

describe('what cannot be read', () => {
  test('is unknown, with the reason, and not well', async () => {
    const user = { name: 'nobody', groups: ['system:authenticated'] };
    await using console = await SimulatedConsole.open({ user });
    await eventually(() => expect(console.console.hearing.connection.isHeard).toBe(true));
    using following = await console.follow();
    await eventually(() => expect(following.events).not.toEqual([]));
    await eventually(() => {
      const overviews = following.events.flatMap(({ message }) =>
        message.is === 'state'
          ? [message.state.overview]
          : message.is === 'change'
            ? (message.change.overview ?? [])
            : [],
      );
      const { verdict, jobs } = overviews.at(-1) ?? {};
      expect(verdict).toMatchObject({
        health: 'unknown',
        sentence: expect.stringContaining('persistentvolumes is forbidden'),
      });
      expect(jobs?.map(({ health }) => health)).toEqual(['unknown', 'unknown', 'unknown', 'unknown', 'unknown']);
    });
  });

  test('because the kinds are not there is unknown, and all else is shown', async () => {
    await using console = await SimulatedConsole.open({ withoutKinds: true });
    await heard(console);
    console.objects.create(PERSISTENT_VOLUMES, aVolume('a'));
    using following = await console.follow();
    await eventually(() => expect(volumesSeenBy(following)).toEqual(['a']));
    expect(console.console.parts.pools).toMatchObject({ known: false });
    expect(console.console.parts.volumes).toMatchObject({ known: true });
  });
});

test('a ConfigMap that says to be a report and is none is told', async () => {
  await using console = await SimulatedConsole.open();
  console.objects.create(CONFIG_MAPS, {
    metadata: { name: 'holdfast-lvm-x', namespace: 'default', labels: { 'holdfast.dev/report': 'lvm' } },
    data: { 'report.json': '{}' },
  });
  await eventually(() =>
    expect(console.console.parts.others).toMatchObject([
      { job: 'lvm', what: 'The ConfigMap default/holdfast-lvm-x is no report that this console can read.' },
    ]),
  );
});

test('four plans are made at a time, and no more', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  await using console = await SimulatedConsole.open({ store: { open: () => promise, keys: () => NO_KEYS } });
  console.objects.create(PERSISTENT_VOLUME_SYNCS, {
    metadata: { name: 'site' },
    spec: { protectedCluster: 'site', mode: 'Recovery', cloudProvider: 'file', retention: 1 },
  });
  await eventually(() => expect(console.console.views.syncs.size).toBe(1));
  const plan = () => console.ask('/api/clusters/here/syncs/site/plan');
  const answers = [plan(), plan(), plan(), plan(), plan()];
  expect((await Promise.race(answers)).status).toBe(503);
  reject(new Error('the store is away'));
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 503]);
  expect((await plan()).json()).toMatchObject({ problem: 'The store is away.' });
});
