import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventReader } from './events.ts';

const read = (...pieces: string[]) => {
  const reader = eventReader();
  return pieces.flatMap((piece) => [...reader(piece)]);
};

test('an event has the data of its lines and the id that was told last', () => {
  expect(read('id: 7\ndata: a\ndata: b\n\ndata:c\n\n')).toEqual([
    { id: '7', data: 'a\nb' },
    { id: '7', data: 'c' },
  ]);
});

test('comments, unknown fields and blank lines are no events', () => {
  expect(read(': still here\n\nretry: 10\n\n\nevent: x\n\n')).toEqual([]);
});

test('an event that has not ended yet is not told', () => {
  expect(read('data: a\n')).toEqual([]);
  expect(read('data: a\n', '\n')).toEqual([{ id: '', data: 'a' }]);
});

test('lines may end with CR, LF or both', () => {
  expect(read('data: a\r\n\r\ndata: b\r\rdata: c\n\n').map(({ data }) => data)).toEqual(['a', 'b', 'c']);
});

test('it does not matter where the text is cut', () => {
  const line = fc.constantFrom('data: one', 'data: two', 'id: 5', 'id', ': comment', '', '', 'event: x');
  const text = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 20 })
    .map((lines) => lines.flat().join(''));
  fc.assert(
    fc.property(text, fc.array(fc.nat(200)), (whole, cuts) => {
      const at = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
      const pieces = [...at, whole.length].map((end, index) => whole.slice(at[index - 1] ?? 0, end));
      expect(read(...pieces)).toEqual(read(whole));
    }),
  );
});
