import { expect, test } from 'vitest';
import { checkCel } from './check.ts';
import { costOf } from './cost.ts';
import { mostTimes, sizesOf } from './sizes.ts';
import { DYN, typeOfSchema } from './static-types.ts';

const SELF = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 20 },
    long: { type: 'string' },
    mode: { type: 'string', enum: ['a', 'bcd'] },
    tags: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 10 } },
    free: { type: 'array', items: { type: 'string' } },
  },
} as const;

function most(text: string): number {
  const names = new Map([['self', typeOfSchema(SELF, 'self') ?? DYN]]);
  return costOf(checkCel(text, names), sizesOf(SELF) ?? { most: 0, least: 2 }).max;
}

test.each([
  ['true', 0],
  ["self.name == 'a'", 3],
  ['self.name == self.name', 2 + 2 + 8],
  ["self.mode.contains('abc')", 2 + 1],
  ["self.name.contains('abc')", 2 + 8],
  ["self.tags.all(tag, tag == 'a')", 2 + 10 * (2 + 1 + 1 + 1) + 1],
])('%s costs %i at most', (text, cost) => expect(most(text)).toBe(cost));

test('what has no limit is limited by how much can be sent', () => {
  expect(most('self.long == self.long')).toBe(4 + 314_573);
  expect(most("self.free.all(text, text.contains('abc'))")).toBeGreaterThan(1e11);
  expect(mostTimes({ most: 0, least: 2 })).toBe(1_048_576);
});
