import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { type HttpLoopback, serveHttp, serveTcp } from '../../../test/harness/loopback.ts';
import { startConnectProxy, startSocksProxy } from '../../../test/harness/proxies.ts';
import { eventually } from '../../../test/harness/wait.ts';
import { createAuthority } from '../certificates.ts';
import { openTunnel } from './proxy-tunnel.ts';
import { ConnectionError, type Transport } from './transport.ts';
import { type TlsOptions, type UndiciTransportOptions, undiciTransport } from './undici-transport.ts';

const authority = createAuthority('the cluster');
const identity = authority.issueServer({ commonName: 'server' }, ['127.0.0.1', 'localhost']);
const client = (commonName: string): TlsOptions => {
  const { certificate: cert, key } = authority.issueClient({ commonName });
  return { ca: authority.certificate, cert, key };
};

describe('over TLS', () => {
  test('the certificate of the server is checked, and nothing is sent to one that fails', async () => {
    await using server = await secure();
    const stranger = createAuthority('somebody else').certificate;
    await using transport = open(server.url, { tls: constant({ ca: stranger }) });
    const failure = await ask(transport).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).toMatchObject({ mayHaveHappened: false });
    expect(server.requests).toHaveLength(0);
  });

  test('a server under another name is refused, unless that name is expected', async () => {
    await using server = await secure(['kubernetes.default.svc']);
    await using strict = open(server.url, { tls: constant({ ca: authority.certificate }) });
    await expect(ask(strict)).rejects.toMatchObject({ mayHaveHappened: false });
    const named = { ca: authority.certificate, servername: 'kubernetes.default.svc' };
    await using expecting = open(server.url, { tls: constant(named) });
    expect(await ask(expecting)).toBe('nobody');
  });

  test('a check that was switched off is not made', async () => {
    await using server = await secure();
    await using transport = open(server.url, { tls: constant({ rejectUnauthorized: false }) });
    expect(await ask(transport)).toBe('nobody');
  });

  test('a new connection is made with the certificates of that moment, a kept one keeps its own', async () => {
    await using server = await secure();
    let current = client('before');
    await using transport = open(server.url, { tls: () => current });
    expect(await ask(transport)).toBe('before');
    current = client('after');
    expect(await ask(transport)).toBe('before');
    server.cut();
    await eventually(() => server.open === 0);
    await new Promise(setImmediate);
    expect(await ask(transport)).toBe('after');
  });
});

describe.each([
  ['a CONNECT proxy', () => startConnectProxy()],
  ['a SOCKS5 proxy', () => startSocksProxy()],
])('through %s', (_, startProxy) => {
  test.each(['127.0.0.1', 'localhost'])('a server with TLS at %s is reached by a tunnel that is kept', async (host) => {
    await using server = await secure();
    await using proxy = await startProxy();
    const url = new URL(`https://${host}:${server.port}`);
    await using transport = open(url, { proxy: proxy.url, tls: constant(client('me')) });
    for (let i = 0; i < 5; i++) expect(await ask(transport)).toBe('me');
    expect(proxy.tunnels).toEqual([url.host]);
  });

  test('the certificate of the server is checked', async () => {
    await using server = await secure();
    await using proxy = await startProxy();
    const stranger = createAuthority('somebody else').certificate;
    await using transport = open(server.url, { proxy: proxy.url, tls: constant({ ca: stranger }) });
    await expect(ask(transport)).rejects.toMatchObject({ mayHaveHappened: false });
    expect(server.requests).toHaveLength(0);
  });

  test('a server without TLS is reached by a tunnel as well', async () => {
    await using server = await serveHttp((_, response) => response.end('plain'));
    await using proxy = await startProxy();
    await using transport = open(server.url, { proxy: proxy.url });
    expect([await ask(transport), await ask(transport)]).toEqual(['plain', 'plain']);
    expect(proxy.tunnels).toEqual([server.url.host]);
  });

  test('connections are bounded', async () => {
    await using server = await secure();
    await using proxy = await startProxy();
    await using transport = open(server.url, { proxy: proxy.url, tls: constant(client('me')), connections: 2 });
    await Promise.all(Array.from({ length: 20 }, () => ask(transport)));
    expect(proxy.tunnels).toHaveLength(2);
  });

  test('a rotated certificate is picked up', async () => {
    await using server = await secure();
    await using proxy = await startProxy();
    let current = client('before');
    await using transport = open(server.url, { proxy: proxy.url, tls: () => current });
    expect(await ask(transport)).toBe('before');
    current = client('after');
    server.cut();
    await eventually(() => server.open === 0 && proxy.open === 0);
    await new Promise(setImmediate);
    expect(await ask(transport)).toBe('after');
  });
});

describe('a proxy', () => {
  test('is given the name and password of its URL by CONNECT, and nobody else is', async () => {
    await using server = await secure();
    await using proxy = await startConnectProxy();
    await using transport = open(server.url, { proxy: withPassword(proxy.url), tls: constant(client('me')) });
    await ask(transport);
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from('me:p@ss').toString('base64')}`]);
    expect(server.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  test('is given the name and password of its URL by SOCKS5', async () => {
    await using server = await secure();
    await using proxy = await startSocksProxy('me:p@ss');
    await using transport = open(server.url, { proxy: withPassword(proxy.url), tls: constant(client('me')) });
    expect(await ask(transport)).toBe('me');
    expect(proxy.credentials).toEqual(['me:p@ss']);
  });

  test.each([
    ['refuses', () => startConnectProxy(403), 'it answered 403'],
    ['wants a password', () => startSocksProxy('a:b'), 'it wants a name and password: put them into its URL'],
  ])('that %s is named in the error, and nothing can have happened', async (_, startProxy, why) => {
    await using server = await secure();
    await using proxy = await startProxy();
    await using transport = open(server.url, { proxy: proxy.url, tls: constant(client('me')) });
    const failure = await ask(transport).catch((error: unknown) => error);
    const message = expect.stringContaining(
      `the proxy ${proxy.url.protocol}//${proxy.url.host} gave no tunnel: ${why}`,
    );
    expect(failure).toMatchObject({ mayHaveHappened: false, message });
  });

  test('that does not accept the password is named in the error', async () => {
    await using proxy = await startSocksProxy('me:other');
    await using transport = open(new URL('https://127.0.0.1'), { proxy: withPassword(proxy.url) });
    await expect(ask(transport)).rejects.toThrow('it did not accept the name and password');
  });

  test.each(['http', 'socks5'])('by %s that closes at once is named in the error', async (scheme) => {
    await using server = await serveTcp((socket) => void socket.end());
    const proxy = new URL(`${scheme}://127.0.0.1:${server.port}`);
    await using transport = open(new URL('https://127.0.0.1'), { proxy });
    await expect(ask(transport)).rejects.toThrow(`the proxy ${scheme}://127.0.0.1:${server.port} gave no tunnel`);
  });

  test.each([
    ['CONNECT', () => startConnectProxy()],
    ['SOCKS5', () => startSocksProxy()],
  ])('by %s may be silent for as long as it likes once there is a tunnel', async (_, startProxy) => {
    await using server = await serveTcp(() => undefined);
    await using proxy = await startProxy();
    const socket = await openTunnel(proxy.url, { hostname: '127.0.0.1', port: server.port }, 500);
    await once(socket, 'timeout');
    expect(socket.destroyed).toBe(false);
    socket.destroy();
  });

  test.each(['http', 'socks5'])('by %s that does not answer is given up, and nothing stays open', async (scheme) => {
    await using server = await serveTcp((socket) => void socket.resume());
    const proxy = new URL(`${scheme}://127.0.0.1:${server.port}`);
    await expect(openTunnel(proxy, { hostname: '127.0.0.1', port: 443 }, 20)).rejects.toThrow(
      'no answer within 0.02 s',
    );
    await eventually(() => server.open === 0);
  });
});

const withPassword = (proxy: URL): URL => Object.assign(new URL(proxy), { username: 'me', password: 'p%40ss' });

/** Says by whose certificate it was asked. */
const secure = (names?: readonly string[]): Promise<HttpLoopback> => {
  const { certificate: cert, key } = names ? authority.issueServer({ commonName: 'server' }, names) : identity;
  const tls = { cert, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: false };
  return serveHttp((request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    response.end(subject?.CN ?? 'nobody');
  }, tls);
};

const constant = (tls: TlsOptions) => () => tls;

function open(server: URL, options: Partial<UndiciTransportOptions>): Transport & AsyncDisposable {
  const transport = undiciTransport({ server, ...options });
  return { ...transport, [Symbol.asyncDispose]: () => transport.close() };
}

async function ask(transport: Transport): Promise<string> {
  const { signal } = new AbortController();
  return (await transport.request({ method: 'GET', path: '/', headers: {}, signal })).text();
}
