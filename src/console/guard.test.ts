import { expect, test } from 'vitest';
import { nameIn, refusalOf } from './guard.ts';

const asked = (headers: Record<string, string>, method = 'GET', path = '/api/hello') =>
  refusalOf({ method, path, header: (name) => headers[name] }, new Set(['console.example.com']))?.status;

test.each([
  undefined,
  '',
  ' ',
  'localhost:',
  'localhost:999999',
  'local host',
  'a/b',
  '[::1',
  '::1',
  'xn--',
  'localhost.',
])('a request for the host %s is refused', (host) => {
  expect(asked(host === undefined ? {} : { host })).toBe(421);
});

test.each([
  ['console.example.com:8443', 'console.example.com'],
  ['Console.example.com', 'console.example.com'],
  ['[fd00::1]:8443', '[fd00::1]'],
  ['[fd00::1]', '[fd00::1]'],
])('%s is allowed under the name %s, at any port', (given, name) => {
  expect(nameIn(given)).toBe(name);
  expect(refusalOf({ method: 'GET', path: '/', header: () => given }, new Set([nameIn(given)]))).toBeUndefined();
});

test('a page may be linked to from anywhere, and its API may not be asked from there', () => {
  const headers = { host: 'localhost', 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
  expect(asked(headers, 'GET', '/')).toBeUndefined();
  expect(asked(headers, 'GET', '/api/hello')).toBe(403);
});

test.each(['http://localhost:8765', 'https://localhost:8765'])(
  '%s is its own origin, whoever ends TLS before it',
  (origin) => {
    expect(asked({ host: 'localhost:8765', origin })).toBeUndefined();
  },
);

test('an origin of the same name and another port is another one', () => {
  expect(asked({ host: 'localhost:8765', origin: 'http://localhost:8766' })).toBe(403);
});

test.each(['null', 'file://', 'chrome-extension://localhost:8765', 'localhost:8765'])(
  '%s is no origin of ours',
  (origin) => {
    expect(asked({ host: 'localhost:8765', origin })).toBe(403);
  },
);
