import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ACTIONS, parseAction } from './actions.ts';

const strange = fc.oneof(fc.jsonValue(), fc.string({ maxLength: 2_000 }));
const almost = fc
  .record(
    {
      name: fc.oneof(fc.constantFrom(...ACTIONS), strange),
      to: fc.oneof(fc.dictionary(fc.string(), fc.string()), strange),
      label: strange,
      consequence: strange,
      confirmBy: strange,
      confirmed: fc.oneof(fc.boolean(), strange),
    },
    { requiredKeys: [] },
  )
  .map((action) => JSON.stringify(action));

test('whatever is sent is an action that is named and confirmed, or has a fault', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), almost), (text) => {
      const action = parseAction(text);
      if ('fault' in action) return;
      expect(ACTIONS).toContain(action.name);
      expect(action.confirmed === true || typeof action.confirmed === 'string').toBe(true);
      expect(Object.values(action.to).every((value) => typeof value === 'string')).toBe(true);
      expect(parseAction(JSON.stringify(action))).toEqual(action);
    }),
  );
});

test('an action as the page sends it is taken', () => {
  const sent = { name: 'cancel-drain', to: { pool: 'a/b' }, label: 'x', consequence: 'y', confirmed: true };
  expect(parseAction(JSON.stringify(sent))).toEqual(sent);
});
