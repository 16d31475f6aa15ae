import { expect, test } from 'vitest';
import { EXPRESSIONS } from '../../../test/integration/sandbox/expressions.ts';
import { CelSyntaxError } from './cel-error.ts';
import { checkCel } from './check.ts';
import { DYN, typeOfSchema } from './static-types.ts';

const SELF = {
  type: 'object',
  properties: {
    size: { type: 'integer' },
    name: { type: 'string' },
    share: { type: 'number' },
    port: { intOrString: true },
    tags: { type: 'array', items: { type: 'string' } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    parts: { type: 'array', items: { type: 'object', properties: { key: { type: 'string' } } } },
    since: { type: 'string', format: 'date-time' },
  },
} as const;

function faults(text: string): readonly string[] {
  const self = typeOfSchema(SELF, 'self') ?? DYN;
  return checkCel(text, new Map([['self', self]])).faults.map(({ message }) => message.split('\n')[0] ?? '');
}

test('nothing is found in what a real server takes', () => {
  const names = new Map(
    ['object', 'oldObject', 'request', 'params', 'namespaceObject', 'variables', 'authorizer'].map((name) => [
      name,
      DYN,
    ]),
  );
  for (const expression of EXPRESSIONS) {
    try {
      expect(checkCel(expression, names).faults, expression).toEqual([]);
    } catch (error) {
      if (!(error instanceof CelSyntaxError)) throw error;
    }
  }
});

test.each([
  'self.size > 0 && self.share < 1.5 && self.size < self.share',
  "self.port == 5 || self.port == 'http'",
  'self.tags.all(tag, tag.startsWith("a")) && size(self.tags) > 0',
  'self.parts.exists(part, part.key == self.name)',
  "self.labels.all(key, key != '' && self.labels[key] != '')",
  "self.labels.exists(key, value, key == 'a' && value.size() > 1)",
  'has(self.name) ? self.name.matches("a+") : true',
  "self.since > timestamp('2020-01-01T00:00:00Z')",
  'self.parts.map(part, part.key).filter(key, key.size() > 3).size() == 0',
  'self == self && self.tags == self.tags',
])('%s is fine', (text) => expect(faults(text)).toEqual([]));

test.each([
  ['self.length > 0', "1:5: undefined field 'length'"],
  ['self.parts.all(part, part.kye == "a")', "1:26: undefined field 'kye'"],
  ['self.tags.first', "1:10: type 'list(string)' does not support field selection"],
  ['self.size == self.name', "1:11: found no matching overload for '_==_' applied to '(int, string)'"],
  ['self.size + self.share > 1.0', "1:11: found no matching overload for '_+_' applied to '(int, double)'"],
  ['self.size && true', "1:5: expected type 'bool' but found 'int'"],
  ['!self.size', "1:1: found no matching overload for '!_' applied to '(int)'"],
  ['self.size.startsWith("a")', "1:21: found no matching overload for 'startsWith' applied to 'int.(string)'"],
  ['other.size > 0', "1:1: undeclared reference to 'other' (in container '')"],
  ['unknown(self)', "1:8: undeclared reference to 'unknown' (in container '')"],
])('%s is not', (text, fault) => expect(faults(text)).toEqual([`ERROR: <input>:${fault}`]));

test('everything that is wrong is told', () => expect(faults('self.a == self.b')).toHaveLength(2));
