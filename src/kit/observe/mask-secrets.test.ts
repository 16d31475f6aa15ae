import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskSecrets } from './mask-secrets.ts';

const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';

describe('what is masked in a line', () => {
  it.each([
    ['a field that holds one', { headers: { Authorization: 'whatever it is' } }, 'whatever it is'],
    ['a password with a quote in it', { password: 'a"b\\c' }, 'a\\"b'],
    ['a header in a list', { authorization: ['Bearer aaaabbbbcccc'] }, 'aaaabbbbcccc'],
    ['a bearer token in a sentence', { msg: 'sent Bearer aaaabbbbcccc== on' }, 'aaaabbbbcccc'],
    ['a service account token anywhere', { msg: `it was ${JWT}.` }, JWT],
    ['a password in an address', { proxy: 'http://me:hunter2@proxy:3128/' }, 'hunter2'],
    ['the signature of a signed address', { url: 'https://h/b?sv=1&sig=aaa%2Fbbb&x=1' }, 'aaa%2Fbbb'],
    ['a private key', { pem: '-----BEGIN EC PRIVATE KEY-----\nMHcC"AQ\n-----END' }, 'MHcC'],
    ['JSON inside of a text', { body: '{"token":"abcdef"}' }, 'abcdef'],
  ])('%s', (_what, fields, secret) => {
    const line = JSON.stringify(fields);
    expect(line).toContain(secret);
    expect(maskSecrets(line)).not.toContain(secret);
    expect(() => JSON.parse(maskSecrets(line))).not.toThrow();
  });

  it('is nothing else: names, keys and ordinary addresses stay as they are', () => {
    const line = JSON.stringify({
      key: 'ns/name',
      secretName: 'pool-credentials',
      tokenFile: '/var/run/token',
      url: 'https://10.0.0.1:443/api/v1?limit=1',
      msg: 'the Bearer of the news',
    });
    expect(maskSecrets(line)).toBe(line);
  });
});

it('a masked line is still JSON with the same fields, whatever is in it', () => {
  const spice = fc.constantFrom(
    'Bearer aaaabbbbcccc',
    '"token":"',
    '\\',
    '://a:b@',
    '?sig=x"',
    '-----BEGIN PRIVATE KEY-----',
  );
  const text = fc.array(fc.oneof(fc.string(), spice), { maxLength: 5 }).map((parts) => parts.join(''));
  const name = fc.oneof(fc.constantFrom('token', 'Cookie', 'password'), fc.string());
  fc.assert(
    fc.property(fc.dictionary(name, fc.oneof(text, fc.record({ password: text }))), (fields) => {
      const masked = JSON.parse(maskSecrets(JSON.stringify(fields)));
      expect(Object.keys(masked)).toHaveLength(Object.keys(fields).length);
    }),
  );
});

it('no string in a field called password survives', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (password) => {
      expect(JSON.parse(maskSecrets(JSON.stringify({ a: [{ password }] })))).toEqual({ a: [{ password: '[masked]' }] });
    }),
  );
});
