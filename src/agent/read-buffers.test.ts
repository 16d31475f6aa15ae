import { expect, test } from 'vitest';
import { ReadBuffers } from './read-buffers.ts';

const LARGE = 256 * 1024;

test('what one reads into is nobody else’s until that one is done', () => {
  const [one, other] = [new ReadBuffers(), new ReadBuffers()];
  const mine = [one.next(LARGE), one.next(LARGE)];
  const theirs = [other.next(LARGE), other.next(LARGE)];
  expect(new Set([...mine, ...theirs].map(({ buffer }) => buffer)).size).toBe(4);
  one[Symbol.dispose]();
  const next = new ReadBuffers();
  const again = [next.next(LARGE), next.next(LARGE)];
  expect(new Set(again.map(({ buffer }) => buffer))).toEqual(new Set(mine.map(({ buffer }) => buffer)));
  one[Symbol.dispose]();
  expect(theirs.map(({ buffer }) => buffer)).not.toContain(new ReadBuffers().next(LARGE).buffer);
});

test('two take turns, so that one is filled while the other is used', () => {
  const buffers = new ReadBuffers();
  const [first, second, third] = [buffers.next(LARGE), buffers.next(LARGE), buffers.next(100)];
  expect(second.buffer).not.toBe(first.buffer);
  expect([third.buffer, third.length]).toEqual([first.buffer, 100]);
});

test('who reads less has no large one', () => {
  using buffers = new ReadBuffers();
  expect(buffers.next(LARGE / 2).buffer.byteLength).toBe(LARGE / 2);
});
