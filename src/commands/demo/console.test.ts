import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { VolumeStory } from '../../console/model.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { MortalClock } from '../../kit/clock/mortal.ts';
import { scaledClock } from '../../kit/clock/scaled.ts';
import { openConsole } from './console.ts';
import { DemoSite } from './site.ts';
import { DemoWorld } from './world.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-demo-test-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const audited: string[] = [];
const at = (port: number) => ({ store: directory, port, audit: (line: string) => audited.push(line) });
const open = (name: string) => DemoSite.open({ name, clock: systemClock, port: 0, directory });

/** What a stream has brought so far, until it is enough. */
async function streamed(url: string, isEnough: (text: string) => boolean): Promise<void> {
  const { body } = await fetch(url);
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (isEnough(text)) return;
  }
  throw new Error(`the stream ended: ${text}`);
}

test('the console of the demo shows both clusters, and says when one of them has died', async () => {
  await using protectedSite = await open('protected');
  await using recoverySite = await open('recovery');
  await using console = await openConsole([protectedSite, recoverySite], at(0));
  const hello = await (await fetch(`${console.url}api/hello`)).json();
  expect(hello).toMatchObject({
    clusters: [{ name: 'protected' }, { name: 'recovery' }],
    actions: ['approve-wipe', 'start-drill', 'cancel-drain'],
  });
  const live = (name: string) => `${console.url}api/clusters/${name}/live`;
  for (const name of ['protected', 'recovery'])
    await streamed(live(name), (text) => text.includes('"There are no volumes yet."'));
  await protectedSite[Symbol.asyncDispose]();
  await streamed(live('protected'), (text) => text.includes('"isHeard":false'));
  await vi.waitFor(() =>
    streamed(live('recovery'), (text) => text.includes('"is":"state"') && !text.includes('"isHeard":false')),
  );
});

test('a taken port is no error', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  await using site = await open('protected');
  await using console = await openConsole([site], at(port));
  expect(console.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(console.url).not.toContain(`:${port}/`);
  taken.close();
});

test('what people do there, or try to, is told', async () => {
  await using site = await open('protected');
  await using console = await openConsole([site], at(0));
  audited.length = 0;
  const action = { name: 'start-drill', to: { sync: 'si\u001bte' }, label: '', consequence: '', confirmed: 'drill' };
  const answer = await fetch(`${console.url}api/clusters/protected/actions`, {
    method: 'POST',
    headers: { 'x-holdfast': '1', 'content-type': 'application/json' },
    body: JSON.stringify(action),
  });
  expect(await answer.json()).toMatchObject({ succeeded: false });
  expect(audited).toEqual([
    expect.stringMatching(/^audit: you, in the demo protected start-drill .*: Nothing was done: .*\n$/),
  ]);
  expect(audited[0]).not.toContain('\u001b');
});

test('the story of a volume tells which disk or which logical volume it is', async () => {
  const clock = new MortalClock(scaledClock(systemClock, 8));
  using _end = { [Symbol.dispose]: () => clock.die() };
  await using world = await DemoWorld.open({ clock, directory, kubeconfigs: directory, port: 0 });
  await using console = await openConsole([world.protectedSite], at(0));
  const facts = async (name: string) => {
    const response = await fetch(`${console.url}api/clusters/protected/volumes/${name}`);
    const { facts: all } = (await response.json()) as VolumeStory;
    return Object.fromEntries(all.map(({ name: what, value }) => [what, value]));
  };
  const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 15_000, interval: 100 });
  await eventually(async () =>
    expect(await facts('local-node-c1-fast-1')).toMatchObject({ Node: 'node-c1', Disk: 'naa.node-c1-fast-1' }),
  );
  await eventually(async () =>
    expect(await facts('traces')).toMatchObject({
      'Logical volume': 'storage_bulk/traces',
      'Volume group': expect.stringMatching(/^storage_bulk, .* of 4Gi free$/),
      'Thin pool': 'thin',
      Encrypted: 'no',
      'UUID of the logical volume': expect.any(String),
    }),
  );
});
