/** The stores of sync on real servers, by the suite that every store has to pass. */
import { storeConformance } from '../../../src/sync/store/conformance.ts';
import { openStore } from '../../../src/sync/store/open.ts';
import { startAzurite } from '../../harness/azurite.ts';
import { freePort } from '../../harness/loopback.ts';
import { startS3Server } from '../../harness/s3-server.ts';

storeConformance('an S3 server', async () => {
  const server = await startS3Server();
  await server.request({ method: 'PUT', path: '/exports' });
  const env = {
    S3_ENDPOINT_URL: server.url.href,
    OBJECT_STORAGE_ACCOUNT: server.credentials.accessKey,
    OBJECT_STORAGE_SECRET: server.credentials.secretKey,
    OBJECT_STORAGE_BUCKET: 'exports',
    AWS_REGION: server.credentials.region,
  };
  const open = (changed: Partial<typeof env> = {}) => openStore('s3', { ...env, ...changed });
  return {
    store: await open(),
    other: await open(),
    broken: {
      denied: await open({ OBJECT_STORAGE_SECRET: 'wrong' }),
      noBucket: await open({ OBJECT_STORAGE_BUCKET: 'none' }),
      unavailable: await open({ S3_ENDPOINT_URL: `http://127.0.0.1:${await freePort()}` }),
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
});

storeConformance('a server of Azure Blob Storage', async () => {
  const server = await startAzurite();
  await server.makeContainer('exports');
  const env = {
    AZURE_ENDPOINT_URL: server.url.href,
    OBJECT_STORAGE_ACCOUNT: server.account.name,
    OBJECT_STORAGE_SECRET: server.account.key,
    OBJECT_STORAGE_BUCKET: 'exports',
  };
  const open = (changed: Partial<typeof env> = {}) => openStore('azure', { ...env, ...changed });
  return {
    store: await open(),
    other: await open(),
    broken: {
      denied: await open({ OBJECT_STORAGE_SECRET: 'd3Jvbmc=' }),
      noBucket: await open({ OBJECT_STORAGE_BUCKET: 'none' }),
      unavailable: await open({ AZURE_ENDPOINT_URL: `http://127.0.0.1:${await freePort()}/${server.account.name}` }),
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
});
