import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { mutated } from '../../../test/arbitraries/mutation.ts';
import { InvalidValue } from '../invalid-value.ts';
import { formatBindAddress, parseBindAddress } from './bind-address.ts';

it.each([
  [':8080', { port: 8080 }],
  ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
  ['localhost:80', { host: 'localhost', port: 80 }],
  ['[::1]:0', { host: '::1', port: 0 }],
])('reads %s as Go does, and writes it back', (text, address) => {
  expect(parseBindAddress(text)).toEqual(address);
  expect(formatBindAddress(address)).toBe(text);
});

it.each(['', '0'])('takes "%s" for: listen nowhere', (text) => {
  expect(parseBindAddress(text)).toBeUndefined();
});

it.each([
  ['8080', 'must end in a colon and a port'],
  ['localhost', 'must end in a colon and a port'],
  ['::1:8080', 'IPv6 address in brackets'],
  [':65536', 'no ports above 65535'],
  [':-1', 'must end in a colon and a port'],
  ['[localhost]:80', 'only an IPv6 address may be in brackets'],
  ['http://localhost:80', 'must end in a colon and a port'],
])('does not take %s, and says why', (text, why) => {
  expect(() => parseBindAddress(text)).toThrow(why);
});

it('takes no address that it could not write back, and refuses all others in its own words', () => {
  const texts = fc.oneof(fc.string(), mutated(fc.constantFrom(':8080', '127.0.0.1:80', '[::1]:0'), ':[]0123456789.a%'));
  fc.assert(
    fc.property(texts, (text) => {
      try {
        const address = parseBindAddress(text);
        if (address) expect(parseBindAddress(formatBindAddress(address))).toEqual(address);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidValue);
      }
    }),
  );
});
