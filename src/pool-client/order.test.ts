import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderOf } from './order.ts';

const agents = (...names: readonly string[]) => names.map((name) => ({ name }));
const namesOf = (key: string, ...names: readonly string[]) => orderOf(key, agents(...names)).map(({ name }) => name);
const manyNames = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/), { minLength: 1, maxLength: 12 });

test('the order is the same for ever: blobs that are stored are found by it', () => {
  const pool = ['pool-sts-0', 'pool-sts-1', 'pool-sts-2'];
  expect(['a', 'photos/1.jpg', 'ключ'].map((key) => namesOf(key, ...pool).join(' '))).toMatchInlineSnapshot(`
    [
      "pool-sts-2 pool-sts-1 pool-sts-0",
      "pool-sts-2 pool-sts-1 pool-sts-0",
      "pool-sts-0 pool-sts-2 pool-sts-1",
    ]
  `);
});

test('it does not depend on the order in which the agents are known', () => {
  fc.assert(
    fc.property(fc.string(), manyNames, (key, names) => {
      expect(namesOf(key, ...names.toReversed())).toEqual(namesOf(key, ...names));
    }),
  );
});

test('an agent that leaves changes the places of no two others', () => {
  fc.assert(
    fc.property(fc.string(), manyNames, (key, names) => {
      const [gone, ...left] = names;
      expect(namesOf(key, ...names).filter((name) => name !== gone)).toEqual(namesOf(key, ...left));
    }),
  );
});

test('each agent is the first for its share of the keys', () => {
  const pool = ['p-0', 'p-1', 'p-2', 'p-3'];
  const firsts = Map.groupBy(
    Array.from({ length: 4_000 }, (_, index) => namesOf(`key-${index}`, ...pool)[0]),
    (name) => name,
  );
  expect(firsts.size).toBe(4);
  for (const keys of firsts.values()) expect(keys.length).toBeGreaterThan(850);
});
