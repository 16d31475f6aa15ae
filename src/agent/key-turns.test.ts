import { expect, test } from 'vitest';
import { KeyTurns } from './key-turns.ts';

test('a watch sees a turn that was under way when it was made, and one that began and ended since, of its key only', async () => {
  const turns = new KeyTurns();
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const underWay = turns.run('busy', () => over);
  using busy = turns.watch('busy');
  using quiet = turns.watch('quiet');
  using other = turns.watch('other');
  await turns.run('quiet', async () => {});
  expect([busy.hasSeenTurn, quiet.hasSeenTurn, other.hasSeenTurn]).toEqual([true, true, false]);
  end();
  await underWay;
});

test('one watch that ends does not blind another', async () => {
  const turns = new KeyTurns();
  using lasting = turns.watch('k');
  turns.watch('k')[Symbol.dispose]();
  await turns.run('k', async () => {});
  expect(lasting.hasSeenTurn).toBe(true);
});
