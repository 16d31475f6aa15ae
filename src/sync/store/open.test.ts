import { expect, test } from 'vitest';
import { failureOf } from '../../kit/failure-of.ts';
import { openStore } from './open.ts';

const KEYS = { OBJECT_STORAGE_ACCOUNT: 'backups', OBJECT_STORAGE_SECRET: 'c2VjcmV0', OBJECT_STORAGE_BUCKET: 'exports' };

const opened = async (provider: string, env: Record<string, string>): Promise<string> => {
  const store = await openStore(provider, env);
  await store.close();
  return store.description;
};
const refusal = async (provider: string, env: Record<string, string>): Promise<string | undefined> =>
  (await failureOf(() => openStore(provider, env)))?.message;

test.each([
  ['s3', KEYS, 's3 bucket exports at AWS in us-east-1'],
  ['S3', { ...KEYS, S3_ENDPOINT_URL: '' }, 's3 bucket exports at AWS in us-east-1'],
  ['s3', { ...KEYS, S3_ENDPOINT_URL: '', AWS_REGION: 'eu-central-1' }, 's3 bucket exports at AWS in eu-central-1'],
  ['s3', { ...KEYS, S3_ENDPOINT_URL: 'http://minio:9000/' }, 's3 bucket exports at http://minio:9000'],
  ['s3', { OBJECT_STORAGE_BUCKET: 'exports\n' }, 's3 bucket exports at AWS in us-east-1'],
  ['Azure', KEYS, 'azure container exports at https://backups.blob.core.windows.net'],
  [
    'AZURE',
    { ...KEYS, AZURE_ENDPOINT_URL: 'http://azurite:10000/backups' },
    'azure container exports at http://azurite:10000/backups',
  ],
  ['File', { OBJECT_STORAGE_PATH: '/backups' }, 'the directory /backups'],
])('%s with %j is %s', async (provider, env, description) => {
  expect(await opened(provider, env)).toBe(description);
});

test.each([
  ['s3', {}, 'OBJECT_STORAGE_BUCKET is not set, and cloudProvider s3 needs it'],
  ['s3', { ...KEYS, OBJECT_STORAGE_SECRET: '' }, 'OBJECT_STORAGE_SECRET is not set'],
  ['s3', { ...KEYS, OBJECT_STORAGE_ACCOUNT: '' }, 'OBJECT_STORAGE_ACCOUNT is not set'],
  ['azure', {}, 'OBJECT_STORAGE_ACCOUNT is not set, and cloudProvider azure needs it'],
  ['azure', { ...KEYS, OBJECT_STORAGE_SECRET: ' \n' }, 'OBJECT_STORAGE_SECRET is not set'],
  ['azure', { ...KEYS, OBJECT_STORAGE_BUCKET: '' }, 'OBJECT_STORAGE_BUCKET is not set'],
  ['azure', { ...KEYS, OBJECT_STORAGE_ACCOUNT: 'a.example/' }, 'accounts of Azure have 3 to 24 lower-case letters'],
  ['file', {}, 'OBJECT_STORAGE_PATH is not set, and cloudProvider file needs it'],
  ['file', { OBJECT_STORAGE_PATH: 'backups' }, 'the path must be absolute'],
  ['gcs', KEYS, '"gcs" is not a cloudProvider: it is one of azure, s3, file'],
  ['s3', { ...KEYS, S3_ENDPOINT_URL: 'minio:9000' }, 'S3_ENDPOINT_URL: it must begin with https:// or http://'],
  ['azure', { ...KEYS, AZURE_ENDPOINT_URL: 'azurite' }, 'AZURE_ENDPOINT_URL: it must begin with https:// or http://'],
])('%s with %j says what is wrong: %s', async (provider, env, message) => {
  expect(await refusal(provider, env)).toContain(message);
});

test.each(['https://user:hunter2@minio:9000', 'user:hunter2@minio:9000'])(
  'credentials in an endpoint (%s) are refused and not repeated',
  async (endpoint) => {
    const message = await refusal('s3', { ...KEYS, S3_ENDPOINT_URL: endpoint });
    expect(message).toContain('S3_ENDPOINT_URL');
    expect(message).not.toContain('hunter2');
  },
);

test('no description tells a secret', async () => {
  for (const provider of ['s3', 'azure'])
    expect(await opened(provider, KEYS)).not.toContain(KEYS.OBJECT_STORAGE_SECRET);
});
