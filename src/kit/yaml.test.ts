import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { anyCharacter } from '../../test/arbitraries/any-character.ts';
import { toYaml, toYamlDocuments } from './yaml.ts';

/** What an API server could have sent, which is never a negative zero. */
const values = fc.json({ stringUnit: anyCharacter }).map((text): unknown => JSON.parse(text));

test.each(['1.1', '1.2'] as const)('what is written is read back the same by a reader of YAML %s', (version) => {
  fc.assert(
    fc.property(values, (value) => {
      expect(parse(toYaml(value), { version })).toEqual(value);
    }),
    { numRuns: 1000 },
  );
});

test.each(['yes', 'off', 'y', 'null', '~', '1e3', '0x1f', '012', '1:30', '2026-01-01', '1.0', ' '])(
  'the text %j stays a text for every reader',
  (text) => {
    for (const version of ['1.1', '1.2'] as const) expect(parse(toYaml({ text }), { version })).toEqual({ text });
  },
);

test('a long line is not folded', () => {
  expect(
    toYaml({ text: 'word '.repeat(100) })
      .trim()
      .split('\n'),
  ).toHaveLength(1);
});

test('several objects are several documents', () => {
  const objects = [{ a: 1 }, { b: 'x\n---\ny' }];
  expect(parseAllDocuments(toYamlDocuments(objects)).map((document) => document.toJS())).toEqual(objects);
});
