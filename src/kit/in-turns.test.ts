import { expect, test } from 'vitest';
import { atOnce, inTurns } from './in-turns.ts';

function* counting(to: number, seen: number[] = []): Generator<void, number> {
  for (let number = 1; number <= to; number++) {
    seen.push(number);
    yield;
  }
  return to;
}

const never = new AbortController().signal;

test('a computation comes to the same in turns as at once', async () => {
  expect(await inTurns(counting(1_000), never)).toBe(1_000);
  expect(atOnce(counting(1_000))).toBe(1_000);
});

test('others have their turn in between', async () => {
  const seen: number[] = [];
  const computation = inTurns(counting(10, seen), never, 4);
  const atTheirTurn = await new Promise<number>((resolve) => setImmediate(() => resolve(seen.length)));
  expect(atTheirTurn).toBeLessThan(10);
  expect(await computation).toBe(10);
});

test('it ends at the next turn when it is no longer wanted', async () => {
  const seen: number[] = [];
  const abort = new AbortController();
  const computation = inTurns(counting(1_000, seen), abort.signal, 4);
  abort.abort(new Error('no longer'));
  await expect(computation).rejects.toThrow('no longer');
  expect(seen).toHaveLength(4);
});
