import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../kit/clock/clock.ts';
import { openConsole } from './console.ts';
import { DemoSite } from './site.ts';

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
