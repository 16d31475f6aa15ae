/** Where the shipped program finds credentials of S3 when its environment gives it no keys: wherever the SDK's users expect it to. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runHoldfastIn } from '../../harness/holdfast.ts';
import { type HttpLoopback, serveHttp } from '../../harness/loopback.ts';
import { type S3Server, startS3Server } from '../../harness/s3-server.ts';

let server: S3Server;
let directory: string;
/** What gives credentials to pods: by a token of theirs (as a security token service does), or just so. */
let giver: HttpLoopback;
const asked: string[] = [];
beforeAll(async () => {
  server = await startS3Server();
  await server.request({ method: 'PUT', path: '/exports' });
  directory = await mkdtemp(join(tmpdir(), 'holdfast-credentials-'));
  const { accessKey, secretKey } = server.credentials;
  const until = new Date(Date.now() + 3_600_000).toISOString();
  giver = await serveHttp(async (request, response) => {
    asked.push(`${request.method} ${request.url} ${new URLSearchParams(await text(request)).get('WebIdentityToken')}`);
    const json = { AccessKeyId: accessKey, SecretAccessKey: secretKey, Token: '', Expiration: until };
    const xml = Object.entries({ ...json, SessionToken: '' }).map(([name, value]) => `<${name}>${value}</${name}>`);
    const result = `<AssumeRoleWithWebIdentityResult><Credentials>${xml.join('')}</Credentials></AssumeRoleWithWebIdentityResult>`;
    const isPlain = request.url === '/credentials';
    response.setHeader('content-type', isPlain ? 'application/json' : 'text/xml');
    response.end(
      isPlain
        ? JSON.stringify(json)
        : `<AssumeRoleWithWebIdentityResponse>${result}</AssumeRoleWithWebIdentityResponse>`,
    );
  });
});
afterAll(async () => {
  await giver?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** The store has answered: it is empty. */
const REACHED = { stdout: expect.stringContaining('there is no export of east') };

const verify = (more: Readonly<Record<string, string>>) => {
  const env = {
    S3_ENDPOINT_URL: server.url.href,
    OBJECT_STORAGE_BUCKET: 'exports',
    AWS_REGION: server.credentials.region,
    AWS_EC2_METADATA_DISABLED: 'true',
    HOME: directory,
    ...more,
  };
  return runHoldfastIn(env, 'sync', 'verify', '--cluster', 'east');
};

it('in the variables of AWS', async () => {
  const { accessKey, secretKey } = server.credentials;
  const env = { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey };
  expect(await verify(env)).toMatchObject(REACHED);
});

it('in a file of AWS', async () => {
  const { accessKey, secretKey } = server.credentials;
  const file = join(directory, 'credentials');
  await writeFile(file, `[backups]\naws_access_key_id = ${accessKey}\naws_secret_access_key = ${secretKey}\n`);
  const env = { AWS_SHARED_CREDENTIALS_FILE: file, AWS_PROFILE: 'backups' };
  expect(await verify(env)).toMatchObject(REACHED);
});

it('by the identity of a pod', async () => {
  const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: new URL('/credentials', giver.url).href };
  expect(await verify(env)).toMatchObject(REACHED);
  expect(asked.at(-1)).toBe('GET /credentials null');
});

it('by the token of a service account', async () => {
  const file = join(directory, 'token');
  await writeFile(file, 'the-token-of-the-pod');
  const env = {
    AWS_WEB_IDENTITY_TOKEN_FILE: file,
    AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/backups',
    AWS_ENDPOINT_URL_STS: giver.url.href,
  };
  expect(await verify(env)).toMatchObject(REACHED);
  expect(asked.at(-1)).toBe('POST / the-token-of-the-pod');
});

it('nowhere, and then says which variables there are', async () => {
  const { code, stderr } = await verify({});
  expect(code).toBe(1);
  expect(stderr).toContain('OBJECT_STORAGE_ACCOUNT and OBJECT_STORAGE_SECRET are not set');
});
