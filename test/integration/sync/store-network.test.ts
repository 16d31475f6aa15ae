/** The way from the shipped program to an object store: by TLS with an authority of one's own, and through a proxy. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuthority } from '../../../src/kit/certificates.ts';
import { openStore } from '../../../src/sync/store/open.ts';
import { type Azurite, startAzurite } from '../../harness/azurite.ts';
import { startFaultProxy } from '../../harness/fault-proxy.ts';
import { runHoldfastIn } from '../../harness/holdfast.ts';
import { serveHttp } from '../../harness/loopback.ts';
import { type S3Server, startS3Server } from '../../harness/s3-server.ts';

let directory: string;
let s3: S3Server;
let azurite: Azurite;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-network-'));
  s3 = await startS3Server();
  azurite = await startAzurite();
  await s3.request({ method: 'PUT', path: '/exports' });
  await azurite.makeContainer('exports');
});
afterAll(async () => {
  await azurite?.[Symbol.asyncDispose]();
  await s3?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** The store has answered: it is empty. */
const REACHED = { stdout: expect.stringContaining('there is no export of east') };

const verify = (provider: 's3' | 'azure', endpoint: string, more: Readonly<Record<string, string>> = {}) => {
  const { accessKey, secretKey, region } = s3.credentials;
  const of = {
    s3: {
      S3_ENDPOINT_URL: endpoint,
      OBJECT_STORAGE_ACCOUNT: accessKey,
      OBJECT_STORAGE_SECRET: secretKey,
      AWS_REGION: region,
    },
    azure: {
      AZURE_ENDPOINT_URL: `${endpoint}${azurite.url.pathname}`,
      OBJECT_STORAGE_ACCOUNT: azurite.account.name,
      OBJECT_STORAGE_SECRET: azurite.account.key,
    },
  };
  const env = { ...of[provider], OBJECT_STORAGE_BUCKET: 'exports', ...more };
  return runHoldfastIn(env, 'sync', 'verify', '--cluster', 'east', '--provider', provider);
};

it.each(['s3', 'azure'] as const)('by TLS only if the certificate is trusted (%s)', async (provider) => {
  const authority = createAuthority('stores');
  const NODE_EXTRA_CA_CERTS = join(directory, `${provider}.pem`);
  await writeFile(NODE_EXTRA_CA_CERTS, authority.certificate);
  const url = { s3: s3.url.origin, azure: azurite.url.origin }[provider];
  await using front = await startFaultProxy({ url, credentials: { authority } });
  const endpoint = front.url.replace('127.0.0.1', 'localhost');
  expect(await verify(provider, endpoint, { NODE_EXTRA_CA_CERTS })).toMatchObject(REACHED);
  const untrusted = await verify(provider, endpoint);
  expect(untrusted.code).toBe(1);
  expect(untrusted.stderr).toContain('its certificate is not trusted; NODE_EXTRA_CA_CERTS can name one that is');
});

/** A name that only the proxy knows. */
const endpoint = 'http://store.test:9000';

/** Hands on what it is asked for to the S3 server, and tells whom it was asked for. */
async function startProxy() {
  const asked = new Set<string>();
  const proxy = await serveHttp((request, response) => {
    const { host, pathname, search } = new URL(request.url ?? '');
    asked.add(host);
    const { method, headers } = request;
    const passed = httpRequest(new URL(`${pathname}${search}`, s3.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  });
  return Object.assign(proxy, { asked });
}

it('through the proxy that the environment names, unless it names the store as an exception', async () => {
  await using proxy = await startProxy();
  const HTTP_PROXY = proxy.url.href;
  expect(await verify('s3', endpoint, { HTTP_PROXY })).toMatchObject(REACHED);
  expect([...proxy.asked]).toEqual(['store.test:9000']);
  const direct = await verify('s3', endpoint, { HTTP_PROXY, NO_PROXY: '.test' });
  expect(direct).toMatchObject({ code: 1, stderr: expect.stringContaining('its name') });
});

it('through the proxy also with a large body, on a connection that is there already', async () => {
  await using proxy = await startProxy();
  const { accessKey, secretKey, region } = s3.credentials;
  const store = await openStore('s3', {
    S3_ENDPOINT_URL: endpoint,
    HTTP_PROXY: proxy.url.href,
    OBJECT_STORAGE_ACCOUNT: accessKey,
    OBJECT_STORAGE_SECRET: secretKey,
    OBJECT_STORAGE_BUCKET: 'exports',
    AWS_REGION: region,
  });
  const { signal } = new AbortController();
  const body = Buffer.alloc(5 * 1024 ** 2, 'x');
  await store.put('east/small', Buffer.from('x'), { signal });
  await store.put('east/large', body, { signal, condition: { absent: true } });
  expect(await store.head('east/large', { signal })).toMatchObject({ size: body.length });
  expect(proxy.requests.map(({ headers }) => headers.expect)).not.toContain('100-continue');
  expect(proxy.opened).toBe(1);
  await store.close();
});
