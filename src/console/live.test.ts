/** Readers who go away before they are told anything. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { Actions } from './actions.ts';
import { whileAsked } from './answers.ts';
import { noParts } from './builders.ts';
import type { Door } from './door.ts';
import { Feed, Sent } from './feed.ts';
import { stream } from './live.ts';
import { EVERYTHING } from './rights.ts';
import { ConsoleServer } from './server.ts';
import { SimulatedConsole } from './simulated-console.ts';
import { PageFiles } from './static.ts';

/** An answer to somebody who has gone. */
async function tooLate(check: (response: ServerResponse) => Promise<void> | void): Promise<void> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asking = request({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  asking.on('error', () => {});
  asking.end();
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  const gone = once(response, 'close');
  asking.destroy();
  await gone;
  try {
    await check(response);
  } finally {
    server.close();
  }
}

test.each([true, false])('a stream for somebody who has gone ends at once, compressed: %s', async (isGzipped) => {
  await tooLate(async (response) => {
    const clock = new VirtualClock();
    const feed = new Feed('i', EVERYTHING, noParts(), clock.now());
    const onEnd = vi.fn();
    const options = { clock, isGzipped, lastId: undefined, standing: () => [], beat: () => feed.time(clock.now()) };
    stream(feed, response, options, onEnd);
    expect(onEnd).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(onEnd).toHaveBeenCalledTimes(1));
    expect([feed.readers, clock.pending]).toEqual([0, 0]);
  });
});

/** An answer to somebody who reads nothing of it until they are told to. */
async function unread(check: (response: ServerResponse, read: () => void) => Promise<void>): Promise<void> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asking = request({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  asking.on('error', () => {});
  asking.on('response', (answer) => answer.on('error', () => {}));
  asking.end();
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  const answered = once(asking, 'response');
  try {
    await check(response, () => void answered.then(([answer]) => answer.resume()));
  } finally {
    asking.destroy();
    server.close();
  }
}

const LARGE = 'x'.repeat(20_000_000);

test.each([true, false])(
  'who does not read the beginning is let go, whatever happens, compressed: %s',
  async (isGzipped) => {
    await unread(async (response) => {
      const clock = new VirtualClock();
      const feed = new Feed('i', EVERYTHING, noParts(), clock.now());
      const onEnd = vi.fn();
      const noise = isGzipped ? randomBytes(16_000_000).toString('base64') : LARGE;
      const standing = () => [new Sent('i:0', noise)];
      stream(
        feed,
        response,
        { clock, isGzipped, lastId: undefined, standing, beat: () => feed.time(clock.now()) },
        onEnd,
      );
      await clock.advance(59_000);
      expect(onEnd).not.toHaveBeenCalled();
      await clock.advance(2_000);
      expect(onEnd).toHaveBeenCalledTimes(1);
    });
  },
);

test.each([
  ['is sent what happened meanwhile, and not all of it again', 1, 1],
  ['is sent all of it again where too much has happened meanwhile', 40, 2],
])('who reads a large beginning late %s', async (_, changes, beginnings) => {
  await unread(async (response, read) => {
    const clock = new VirtualClock();
    const feed = new Feed('i', EVERYTHING, noParts(), clock.now());
    let begun = 0;
    const standing = () => {
      begun += 1;
      return begun === 1 ? [new Sent('i:0', LARGE)] : [];
    };
    const options = { clock, isGzipped: false, lastId: undefined, standing, beat: () => feed.time(clock.now()) };
    const end = stream(feed, response, options, () => {});
    for (let count = 0; count < changes; count++) feed.tell(new Sent('i:1', 'x'.repeat(100_000)));
    read();
    await expect.poll(() => [begun, response.writableLength]).toEqual([beginnings, 0]);
    await clock.advance(120_000);
    expect(response.destroyed).toBe(false);
    end();
  });
});

test('all readers are sent the same bytes, and not each a copy', () => {
  const feed = new Feed('i', EVERYTHING, noParts(), new Date());
  expect(feed.state.bytes).toBe(feed.state.bytes);
  expect(feed.state.bytes.toString()).toBe(`id: ${feed.state.id}\ndata: ${feed.state.text}\n\n`);
});

test('nothing is worked out for somebody who has gone', async () => {
  await tooLate((response) => expect(whileAsked(response).aborted).toBe(true));
});

test('a hundred who went while it was asked who they are keep nobody out', async () => {
  await using simulated = await SimulatedConsole.open();
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  const door: Door = {
    wantsToken: false,
    callerIn: async ({ client }) => {
      asked += 1;
      await promise;
      return { user: 'somebody', rights: EVERYTHING, client };
    },
  };
  const { log, console } = simulated;
  await using actions = new Actions({ log, id: () => 'id' });
  const options = { version: '', clusters: [console], door, clock: console.clock, log, actions, allowed: [] };
  await using server = await ConsoleServer.open(
    { ...options, page: new PageFiles([]), hosts: new Set<string>() },
    { host: '127.0.0.1', port: 0 },
  );
  const ask = () => {
    const asking = request({ host: '127.0.0.1', port: server.address.port, path: '/api/clusters/here/live' });
    asking.on('error', () => {});
    asking.end();
    return asking;
  };
  const all = Array.from({ length: 100 }, ask);
  await expect.poll(() => asked).toBe(100);
  for (const each of all) each.destroy();
  const late = ask();
  await expect.poll(() => asked).toBe(101);
  resolve();
  const [response] = await once(late, 'response');
  expect(response.statusCode).toBe(200);
  expect(console.feedFor(EVERYTHING)?.readers).toBe(1);
  late.destroy();
});
