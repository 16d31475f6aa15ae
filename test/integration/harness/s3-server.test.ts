/** What an object store has to do for the jobs that write to one, seen at the server that their tests run against. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type S3Answer, type S3Request, type S3Server, startS3Server } from '../../harness/s3-server.ts';

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server();
  expect(await status({ method: 'PUT', path: '/exports' })).toBe(200);
});
afterAll(() => server?.[Symbol.asyncDispose]());

const send = (request: S3Request): Promise<S3Answer> => server.request(request);
const status = async (request: S3Request): Promise<number> => (await send(request)).status;
const put = (path: string, body: string, headers = {}) => send({ method: 'PUT', path, body, headers });
const get = (path: string, headers = {}) => send({ method: 'GET', path, headers });

describe('an object', () => {
  it.each(['plain', 'zone/eu-1/volume.json', "a key with spaces & marks: +$=@,;!'()*~", 'ключ/中文/🗝'])(
    'is written, read and deleted under the key %s',
    async (key) => {
      const path = `/exports/${key}`;
      expect(await put(path, 'content')).toMatchObject({
        status: 200,
        headers: { etag: expect.stringMatching(/^".+"$/) },
      });
      expect(await get(path)).toMatchObject({ status: 200, text: 'content' });
      expect(await status({ method: 'DELETE', path })).toBe(204);
      expect(await get(path)).toMatchObject({ status: 404, text: expect.stringContaining('<Code>NoSuchKey</Code>') });
    },
  );

  it('that must not be there is created once only', async () => {
    const created = { 'if-none-match': '*' };
    expect(await put('/exports/once', 'first', created)).toMatchObject({ status: 200 });
    const second = await put('/exports/once', 'second', created);
    expect(second).toMatchObject({ status: 412, text: expect.stringContaining('<Code>PreconditionFailed</Code>') });
    expect((await get('/exports/once')).text).toBe('first');
  });

  it('is created by one of many who try at the same time', async () => {
    const writers = Array.from({ length: 20 }, (_, n) => put('/exports/race', `${n}`, { 'if-none-match': '*' }));
    const answers = await Promise.all(writers);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await get('/exports/race')).text).toBe(`${winner}`);
  });

  it('is replaced only by who knows what is there', async () => {
    const { headers } = await put('/exports/replaced', 'first');
    const matches = { 'if-match': `${headers.etag}` };
    expect(await put('/exports/replaced', 'second', matches)).toMatchObject({ status: 200 });
    const late = await put('/exports/replaced', 'third', matches);
    expect(late).toMatchObject({ status: 412, text: expect.stringContaining('<Code>PreconditionFailed</Code>') });
    expect((await get('/exports/replaced')).text).toBe('second');
  });

  it('is not sent again to who has it', async () => {
    const { headers } = await put('/exports/known', 'content');
    const unchanged = await get('/exports/known', { 'if-none-match': `${headers.etag}` });
    expect(unchanged).toMatchObject({ status: 304, text: '' });
    await put('/exports/known', 'changed');
    expect(await get('/exports/known', { 'if-none-match': `${headers.etag}` })).toMatchObject({ status: 200 });
  });
});

describe('a list', () => {
  const list = (query: Record<string, string>) =>
    send({ method: 'GET', path: '/exports', query: { 'list-type': '2', ...query } });

  it('comes in pages that leave nothing out', async () => {
    const keys = Array.from({ length: 7 }, (_, n) => `listed/volume ${n}`);
    for (const key of [...keys, 'other/volume']) await put(`/exports/${key}`, '');
    const pages: string[][] = [];
    for (let token: string | undefined = ''; token !== undefined; ) {
      const query = { prefix: 'listed/', 'max-keys': '3', ...(token && { 'continuation-token': token }) };
      const { text } = await list(query);
      pages.push(elements(text, 'Key'));
      [token] = elements(text, 'NextContinuationToken');
    }
    expect(pages).toEqual([keys.slice(0, 3), keys.slice(3, 6), keys.slice(6)]);
  });
});

describe('who signs', () => {
  it.each([
    ['with another secret', { secretKey: 'a guess' }, 'SignatureDoesNotMatch'],
    ['as somebody unknown', { accessKey: 'nobody' }, 'InvalidAccessKeyId'],
  ])('%s is refused', async (_, wrong, code) => {
    const credentials = { ...server.credentials, ...wrong };
    const refused = await send({ method: 'GET', path: '/exports/plain', credentials });
    expect(refused).toMatchObject({ status: 403, text: expect.stringContaining(`<Code>${code}</Code>`) });
  });
});

describe('a server', () => {
  it('has what was acknowledged after it was killed and started again', async () => {
    await put('/exports/durable', 'content');
    await server.kill();
    await server.start();
    expect((await get('/exports/durable')).text).toBe('content');
  });

  it('is started with given credentials on a given directory, where the objects stay', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-objects-'));
    const credentials = { accessKey: 'mine', secretKey: 'my own', region: 'somewhere-1' };
    {
      await using mine = await startS3Server({ credentials, directory });
      await mine.request({ method: 'PUT', path: '/exports' });
      await mine.request({ method: 'PUT', path: '/exports/kept', body: 'content' });
      const others = { ...server.credentials, region: credentials.region };
      expect(await mine.request({ method: 'GET', path: '/', credentials: others })).toMatchObject({ status: 403 });
    }
    expect(await readFile(join(directory, 'exports/kept'), 'utf8')).toBe('content');
    await rm(directory, { recursive: true });
  });

  it('has ended when it is disposed of', async () => {
    const other = await startS3Server();
    const { pid } = other;
    await other[Symbol.asyncDispose]();
    expect(pid).toBeDefined();
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    await expect(other.request({ method: 'GET', path: '/' })).rejects.toThrow();
  });
});

const elements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, content = '']) => content);
