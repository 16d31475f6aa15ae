/** What the store of Azure has to do for the jobs that write to one, seen at the server that their tests run against. */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AzureRequest, type Azurite, startAzurite } from '../../harness/azurite.ts';

let server: Azurite;
beforeAll(async () => {
  server = await startAzurite();
  await server.makeContainer('exports');
});
afterAll(() => server?.[Symbol.asyncDispose]());

const BLOCK_BLOB = { 'x-ms-blob-type': 'BlockBlob' };
const put = (key: string, body: string, headers = {}) =>
  server.request({ method: 'PUT', path: `/exports/${key}`, body, headers: { ...BLOCK_BLOB, ...headers } });
const send = (method: AzureRequest['method'], key: string, headers = {}) =>
  server.request({ method, path: `/exports/${key}`, headers });

it.each(['plain', 'a key with spaces & marks: +$=@,;', 'ключ/中文/🗝'])(
  'an object is written, read and deleted under the key %s',
  async (key) => {
    expect(await put(key, 'content')).toMatchObject({ status: 201 });
    expect(await send('GET', key)).toMatchObject({ status: 200, text: 'content' });
    expect(await send('DELETE', key)).toMatchObject({ status: 202 });
    expect(await send('GET', key)).toMatchObject({ status: 404, headers: { 'x-ms-error-code': 'BlobNotFound' } });
  },
);

it('an object that must not be there is created once only', async () => {
  expect(await put('once', 'first', { 'if-none-match': '*' })).toMatchObject({ status: 201 });
  expect(await put('once', 'second', { 'if-none-match': '*' })).toMatchObject({ status: 409 });
  expect((await send('GET', 'once')).text).toBe('first');
});

it('an object is replaced only by who knows what is there, and is not sent again to who has it', async () => {
  const { headers } = await put('replaced', 'first');
  const etag = `${headers.etag}`;
  expect(await send('GET', 'replaced', { 'if-none-match': etag })).toMatchObject({ status: 304 });
  expect(await put('replaced', 'second', { 'if-match': etag })).toMatchObject({ status: 201 });
  expect(await put('replaced', 'third', { 'if-match': etag })).toMatchObject({ status: 412 });
  expect((await send('GET', 'replaced')).text).toBe('second');
});

it('it is stopped and started again with what it had', async () => {
  await put('kept', 'content');
  await server.stop();
  await server.start();
  expect(await send('GET', 'kept')).toMatchObject({ status: 200, text: 'content' });
});

it('nothing of it is left when it is disposed of', async () => {
  const other = await startAzurite();
  const { pid } = other;
  await other[Symbol.asyncDispose]();
  expect(pid).toBeDefined();
  expect(existsSync(`/proc/${pid}`)).toBe(false);
  await expect(other.request({ method: 'GET', path: '/' })).rejects.toThrow();
});
