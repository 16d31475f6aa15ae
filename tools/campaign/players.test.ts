import { expect, test } from 'vitest';
import type { Case } from './cases.ts';
import { playAll } from './players.ts';

/** A worker that does what the story is called. */
const worker = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ play }) => {
      if (play.story === 'rejects') Promise.reject(new Error('nobody has caught this'));
      else if (play.story === 'loops') for (;;);
      else if (play.story === 'exits') process.exit(3);
      else parentPort.postMessage({ wrong: [], struck: play.faults, replay: '' });
    });
  `)}`,
);

const named = (story: string): Case => ({ part: 'calls', story, seed: 7, world: [], faults: [] });

test('a case that ends its worker, or never ends, fails alone, and is told with how to see it again', async () => {
  const told = new Map<string, readonly [string, string]>();
  const cases = ['ends', 'rejects', 'loops', 'exits', 'also ends'].map(named);
  await playAll(cases, {
    worker,
    mostMs: 2_000,
    told: ({ story }, { wrong, replay }) => told.set(story, [wrong.join(), replay]),
  });
  expect(told.get('ends')).toEqual(['', '']);
  expect(told.get('also ends')).toEqual(['', '']);
  expect(told.get('rejects')).toEqual([
    expect.stringContaining('nobody has caught this'),
    'holdfast simulate --story rejects --seed 7 --faults 0',
  ]);
  expect(told.get('loops')?.[0]).toBe('it does not end within 2 s');
  expect(told.get('exits')?.[0]).toBe('the simulator ends');
});
