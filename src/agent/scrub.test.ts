import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../kit/clock/clock.ts';
import { silentLog } from '../kit/observe/log.ts';
import { Layout } from './layout.ts';
import { scrub } from './scrub.ts';

let layout: Layout;

beforeEach(async () => {
  layout = new Layout(await mkdtemp(join(tmpdir(), 'scrub-')));
  await layout.make();
});
afterEach(() => rm(layout.root, { recursive: true }));

test('a directory that cannot be read keeps nothing else from being looked at, again and again', async () => {
  const [first = '', away = '', last = ''] = ['00', '7f', 'ff'].map((shelf) => shelf.padEnd(64, '0'));
  for (const hash of [first, away, last]) await writeFile(layout.blob(hash), '');
  await rename(layout.shelf(away), join(layout.root, 'away'));
  const looked: string[] = [];
  const ended: Date[] = [];
  const stop = new AbortController();
  const verify = async (hash: string) => {
    if (looked.push(hash) === 4) stop.abort();
  };
  const metrics = { scrubbed() {}, scrubEnded: (at: Date) => void ended.push(at) };
  const parts = { layout, store: { verify }, metrics, clock: systemClock, random: () => 0, log: silentLog };
  await scrub({ ...parts, bandwidth: 1, pauseMs: 1 }, stop.signal);
  expect(looked).toEqual([first, last, first, last]);
  expect(ended, 'not everything was looked at').toEqual([]);
});
