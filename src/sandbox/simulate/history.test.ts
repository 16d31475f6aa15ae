import { expect, test } from 'vitest';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { History } from './history.ts';

test('of a long history the end is kept, and all of it counts for the hash', () => {
  const [history, other] = [new History(new VirtualClock(), 3), new History(new VirtualClock(), 3)];
  for (let line = 0; line < 20; line++) {
    history.note(`line ${line}`);
    other.note(line === 0 ? 'another beginning' : `line ${line}`);
    expect(history.lines.at(-1)).toContain(`line ${line}`);
  }
  expect(history.lines.map((line) => line.trim().split('s  ')[1])).toEqual(['line 17', 'line 18', 'line 19']);
  expect(other.lines).toEqual(history.lines);
  expect(other.hash).not.toBe(history.hash);
});

test('the hash is that of everything so far, however often it was asked for and however long the lines are', () => {
  const [history, other] = [new History(new VirtualClock()), new History(new VirtualClock())];
  const hashes = new Set<string>();
  for (let line = 0; line < 5; line++) {
    for (const each of [history, other]) each.note(`line ${line}`, 'x'.repeat(20_000));
    hashes.add(history.hash);
    expect(history.hash).toBe(history.hash);
  }
  expect(hashes.size).toBe(5);
  expect(other.hash).toBe(history.hash);
});
