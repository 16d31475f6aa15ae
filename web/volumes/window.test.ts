import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawnNext, placeOf, rowAfter, rowsSeen, rowToReach, scrolledTo } from './window.ts';

test('every row that is seen is drawn, and never many more', () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.nat(500_000), fc.integer({ min: 100, max: 2000 }), (rows, scrolled, height) => {
      const { first, end } = rowsSeen(rows, 36, scrolled, height);
      const top = Math.floor(scrolled / 36);
      for (let row = top; row * 36 < scrolled + height && row < rows; row += 1) {
        expect(row).toBeGreaterThanOrEqual(first);
        expect(row).toBeLessThan(end);
      }
      expect(end - first).toBeLessThanOrEqual(Math.ceil(height / 36) + 5);
      expect(end).toBeLessThanOrEqual(rows);
    }),
  );
});

test('rows that stay drawn keep their places, and where none does the places stay the same', () => {
  const windows = fc.array(fc.tuple(fc.nat(1000), fc.integer({ min: 1, max: 40 })), { minLength: 2 });
  fc.assert(
    fc.property(windows, (drawn) => {
      let before = { first: 0, end: 0, origin: 0 };
      for (const [first, count] of drawn) {
        const next = drawnNext(before, { first, end: first + count });
        const [from, to] = [Math.max(first, before.first), Math.min(next.end, before.end)];
        if (from < to) expect(placeOf(from, next)).toBe(placeOf(from, before));
        else expect(placeOf(first, next)).toBe(placeOf(before.first, before));
        before = next;
      }
    }),
  );
});

test('one scrolls only to what is not seen', () => {
  expect(scrolledTo(5, 36, 100, 400)).toBe(100);
  expect(scrolledTo(1, 36, 100, 400)).toBe(36);
  expect(scrolledTo(20, 36, 100, 400)).toBe(21 * 36 - 400);
});

test('keys lead through the list and stop at its ends', () => {
  const keys = ['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End', 'x'];
  expect(keys.map((key) => rowAfter(key, 2, 10, 5))).toEqual([3, 1, 7, 0, 0, 9, undefined]);
});

test('one row can be reached, wherever one has scrolled to', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), fc.nat(10_000), fc.nat(400_000), (rows, row, scrolled) => {
      const window = rowsSeen(rows, 36, Math.min(scrolled, rows * 36), 400);
      const reached = rowToReach(row, window, 36, Math.min(scrolled, rows * 36));
      expect(reached).toBeGreaterThanOrEqual(window.first);
      expect(reached).toBeLessThan(window.end);
    }),
  );
  expect(rowToReach(3, { first: 0, end: 20 }, 36, 0)).toBe(3);
  expect(rowToReach(3, { first: 96, end: 120 }, 36, 3600)).toBe(100);
});
