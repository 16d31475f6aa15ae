/** Readers who go away before they are told anything. */
import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { Actions } from './actions.ts';
import { whileAsked } from './answers.ts';
import { noParts } from './builders.ts';
import type { Door } from './door.ts';
import { Feed } from './feed.ts';
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
  await vi.waitFor(() => expect(asked).toBe(100));
  for (const each of all) each.destroy();
  const late = ask();
  await vi.waitFor(() => expect(asked).toBe(101));
  resolve();
  const [response] = await once(late, 'response');
  expect(response.statusCode).toBe(200);
  expect(console.feedFor(EVERYTHING).readers).toBe(1);
  late.destroy();
});
