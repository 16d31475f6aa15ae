import { expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { disturbed } from './faulty-stream.ts';

/** Says something every ten seconds, ten times. */
async function* ticking(clock: VirtualClock): AsyncGenerator<Uint8Array> {
  for (let count = 1; count <= 10; count++) {
    yield Buffer.from(`${count}\n`);
    await new Promise<void>((resolve) => clock.after(10_000, resolve));
  }
}

async function heard(fault: Parameters<typeof disturbed>[1]): Promise<readonly string[]> {
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  const said: string[] = [];
  void (async () => {
    for await (const chunk of disturbed(ticking(clock), fault, clock, signal))
      said.push(`${clock.monotonic() / 1000} s: ${Buffer.from(chunk).toString().trim()}`);
  })();
  await clock.advance(1_000_000);
  return said;
}

test('what is hidden is never told, and after it the server has forgotten', async () => {
  const [first, second, ...rest] = await heard('hide');
  expect(first).toBe('0 s: 1');
  expect(second).toMatch(/^70 s: .*"code":410/);
  expect(rest).toEqual([]);
});

test('what is cut off ends in the middle of a word', async () => {
  expect(await heard('cut')).toEqual(['0 s: 1', '10 s: 2']);
});

test('what is repeated is told twice, what lags comes later, what stalls never comes', async () => {
  expect((await heard('repeat')).slice(0, 3)).toEqual(['0 s: 1', '0 s: 1', '10 s: 2']);
  expect((await heard('lag')).slice(0, 2)).toEqual(['2 s: 1', '14 s: 2']);
  expect((await heard('stale')).slice(0, 2)).toEqual(['45 s: 1', '100 s: 2']);
  expect(await heard('stall')).toEqual(['0 s: 1']);
});
