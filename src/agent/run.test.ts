import { stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createListener } from 'node:net';
import { expect, test } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { silentLog } from '../kit/observe/log.ts';
import { runAgent } from './run.ts';
import { RunningAgent } from './running-agent.ts';
import { aVolume, dropVolume } from './test-volume.ts';

test('an agent that cannot listen does not go on with the drain that it has begun', async () => {
  await using stack = new AsyncDisposableStack();
  const layout = aVolume();
  const path = layout.root;
  stack.defer(() => dropVolume(layout));
  const full = createServer((_request, response) => void response.writeHead(507).end());
  const taken = createListener();
  for (const server of [full, taken]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stack.defer(() => void server.close());
  }
  const portOf = (server: typeof taken) => (server.address() as AddressInfo).port;
  const before = await RunningAgent.start({ path });
  await before.ask('PUT', '/blobs/k', { body: 'bytes' });
  await before.stop();
  const peers = [{ name: 'full', url: `http://127.0.0.1:${portOf(full)}` }];
  await writeFile(layout.state, JSON.stringify({ version: 1, state: 'Decommissioning', peers }));

  const clock = new VirtualClock();
  const running = runAgent(
    {
      name: 'agent-0',
      path,
      address: { host: '127.0.0.1', port: portOf(taken) },
      clock,
      random: Math.random,
      log: silentLog,
      openStatus: false,
      mostConnections: 64,
      mostBytes: 1_000,
    },
    new AbortController().signal,
  );
  await expect(running).rejects.toThrow('something else listens there already');
  let waits = 0; // whoever drains waits for a peer, or to ask it again
  for (let looks = 0; looks < 200; looks++) {
    await stat(path);
    waits = Math.max(waits, clock.pending);
  }
  expect(waits).toBe(0);
});
