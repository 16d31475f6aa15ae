import { describe, expect, test } from 'vitest';
import { type Environment, proxyFromEnvironment, proxyUrl } from './proxy.ts';

const proxyFor = (server: string, env: Environment) => proxyFromEnvironment(new URL(server), env)?.href;
const PROXY = { HTTPS_PROXY: 'http://proxy:3128', HTTP_PROXY: 'http://plain:3128' };

describe('the proxy of the environment', () => {
  test.each<[string, Environment, string | undefined]>([
    ['https://api.example.com', {}, undefined],
    ['https://api.example.com', PROXY, 'http://proxy:3128/'],
    ['http://api.example.com', PROXY, 'http://plain:3128/'],
    ['https://api.example.com', { https_proxy: 'proxy:3128' }, 'http://proxy:3128/'],
    ['https://api.example.com', { HTTPS_PROXY: '', https_proxy: 'http://lower' }, 'http://lower/'],
    ['https://api.example.com', { HTTP_PROXY: 'http://plain' }, undefined],
    ['https://api.example.com', { HTTPS_PROXY: 'socks5://a:b@proxy' }, 'socks5://a:b@proxy'],
  ])('to %s with %o is %s', (server, env, expected) => {
    expect(proxyFor(server, env)).toBe(expected);
  });

  test.each(['https://localhost:6443', 'https://127.0.0.1', 'https://127.9.9.9', 'https://[::1]:6443'])(
    'is not taken to %s, which is this machine',
    (server) => {
      expect(proxyFor(server, PROXY)).toBeUndefined();
    },
  );

  test.each<[string, string, boolean]>([
    ['*', 'https://anything', true],
    ['example.com', 'https://example.com', true],
    ['example.com', 'https://api.example.com', true],
    ['example.com', 'https://badexample.com', false],
    ['.example.com', 'https://api.example.com', true],
    ['.example.com', 'https://example.com', false],
    ['*.example.com', 'https://api.example.com', true],
    ['*.example.com', 'https://example.com', false],
    ['EXAMPLE.com', 'https://API.example.COM', true],
    ['example.com:6443', 'https://example.com:6443', true],
    ['example.com:6443', 'https://example.com', false],
    ['example.com:443', 'https://example.com', true],
    ['10.0.0.1', 'https://10.0.0.1:6443', true],
    ['10.0.0.1:6443', 'https://10.0.0.1:6443', true],
    ['10.0.0.1:443', 'https://10.0.0.1:6443', false],
    ['0.0.1', 'https://10.0.0.1', true],
    ['10.0.0.0/8', 'https://10.255.0.1', true],
    ['10.0.0.0/8', 'https://11.0.0.1', false],
    ['10.0.0.0/8', 'https://fd00.example', false],
    ['10.0.0.0/33', 'https://10.0.0.0', false],
    ['10.0.0.0/', 'https://10.0.0.0', false],
    ['fd00::/8', 'https://[fd12::1]', true],
    ['fd00::/8', 'https://[fe00::1]', false],
    ['fd00:0:0::1', 'https://[fd00::1]:6443', true],
    ['[fd00::1]:6443', 'https://[fd00::1]:6443', true],
    ['[fd00::1]:6444', 'https://[fd00::1]:6443', false],
    [' a.com , ,10.96.0.1 ', 'https://10.96.0.1', true],
    ['', 'https://api.example.com', false],
  ])('is kept by NO_PROXY=%j from %s: %s', (rules, server, isExempt) => {
    expect(proxyFor(server, { ...PROXY, NO_PROXY: rules }) === undefined).toBe(isExempt);
    expect(proxyFor(server, { ...PROXY, NO_PROXY: '', no_proxy: rules }) === undefined).toBe(isExempt);
  });

  test('that is no address is an error that does not tell the password', () => {
    const wrong = { HTTPS_PROXY: 'ftp://me:secret@proxy' };
    expect(() => proxyFor('https://api.example.com', wrong)).toThrow(/^HTTPS_PROXY is not the address of an http/);
    expect(() => proxyFor('https://api.example.com', wrong)).not.toThrow('secret');
    expect(() => proxyUrl('http://', 'the proxy-url of cluster "a"')).toThrow('the proxy-url of cluster "a" is not');
  });
});
