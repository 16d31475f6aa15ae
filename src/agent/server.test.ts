import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reprDigest } from './digest.ts';
import { hashOf } from './keys.ts';
import { type Asked, RunningAgent } from './running-agent.ts';
import { PIECE_BYTES } from './trailer.ts';

let agent: RunningAgent;
beforeEach(async () => {
  agent = await RunningAgent.start();
});
afterEach(() => agent[Symbol.asyncDispose]());

/** However it ends. */
const closed = (socket: Socket) =>
  new Promise((resolve) =>
    socket
      .on('error', () => {})
      .resume()
      .once('close', resolve),
  );
const sha256Of = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const tagOf = (bytes: Buffer | string) => `"${sha256Of(bytes)}"`;
const put = (key: string, body: Buffer | string, headers: Asked['headers'] = {}) =>
  agent.ask('PUT', `/blobs/${key}`, { body, headers });
const get = (key: string, headers: Asked['headers'] = {}) => agent.ask('GET', `/blobs/${key}`, { headers });
const status = async () => JSON.parse((await agent.ask('GET', '/status')).text);
const reasonOf = ({ text }: { text: string }) => JSON.parse(text).reason;

async function flipped(key: string, at: number): Promise<void> {
  await using file = await open(agent.layout.blob(hashOf(key)), 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  await file.write(Buffer.from([(byte[0] ?? 0) ^ 1]), 0, 1, at);
}

test('every answer says whose it is', async () => {
  for (const path of ['/status', '/blobs/none', '/healthz', '/nowhere']) {
    expect((await agent.ask('GET', path)).headers['holdfast-agent']).toBe('agent-0');
  }
});

describe('PUT', () => {
  test('stores, and says what: made, the same, or other bytes', async () => {
    expect(await put('k', 'bytes')).toMatchObject({
      status: 201,
      headers: { etag: tagOf('bytes'), 'repr-digest': reprDigest(sha256Of('bytes')) },
    });
    expect(await put('k', 'bytes')).toMatchObject({ status: 200, headers: { etag: tagOf('bytes') } });
    const other = await put('k', 'other');
    expect([other.status, reasonOf(other)]).toEqual([409, 'Conflict']);
    expect((await get('k')).text).toBe('bytes');
  });

  test('of two at the same time with other bytes exactly one wins', async () => {
    const bodies = [randomBytes(300_000), randomBytes(300_000)];
    const answers = await Promise.all(bodies.map((body) => put('k', body)));
    expect(answers.map((each) => each.status).toSorted()).toEqual([201, 409]);
    const winner = bodies[answers.findIndex((each) => each.status === 201)];
    expect((await get('k')).bytes.equals(winner ?? Buffer.of())).toBe(true);
  });

  test('with If-None-Match: * stores only what is not there, also the same bytes', async () => {
    const only = { 'if-none-match': '*' };
    expect(await put('k', 'bytes', only)).toMatchObject({ status: 201 });
    const again = await put('k', 'bytes', only);
    expect([again.status, reasonOf(again)]).toEqual([412, 'Exists']);
  });

  test('with If-None-Match: * one of many at the same time stores', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => put('k', 'bytes', { 'if-none-match': '*' })));
    expect(answers.map((each) => each.status).toSorted()).toEqual([201, 412, 412, 412, 412, 412, 412, 412]);
  });

  test('stores nothing that does not fit its digest', async () => {
    expect(await put('good', 'bytes', { 'repr-digest': reprDigest(sha256Of('bytes')) })).toMatchObject({ status: 201 });
    const bad = await put('k', 'bites', { 'repr-digest': reprDigest(sha256Of('bytes')) });
    expect([bad.status, reasonOf(bad)]).toEqual([422, 'DigestMismatch']);
    expect((await get('k')).status).toBe(404);
    const broken = await put('k', 'x', { 'repr-digest': 'sha-256=:short:' });
    expect([broken.status, reasonOf(broken)]).toEqual([400, 'BadRequest']);
  });

  test('stores nothing larger than a blob may be, whether or not its size was said', async () => {
    await using small = await RunningAgent.start({ mostBytes: 1000 });
    expect(await small.ask('PUT', '/blobs/k', { body: randomBytes(1000) })).toMatchObject({ status: 201 });
    expect(await small.ask('PUT', '/blobs/l', { body: randomBytes(1001) })).toMatchObject({ status: 413 });
    const chunked = { 'transfer-encoding': 'chunked' };
    expect(await small.ask('PUT', '/blobs/m', { body: randomBytes(1001), headers: chunked })).toMatchObject({
      status: 413,
    });
    expect(JSON.parse((await small.ask('GET', '/blobs')).text).items).toHaveLength(1);
  });

  test('refuses what is not the whole of a blob as it is', async () => {
    expect(await put('k', 'x', { 'content-range': 'bytes 0-0/2' })).toMatchObject({ status: 400 });
    expect(await put('k', 'x', { 'content-encoding': 'gzip' })).toMatchObject({ status: 400 });
    expect((await get('k')).status).toBe(404);
  });

  test('that breaks off leaves nothing', async () => {
    const socket = agent.connect();
    socket.write('PUT /blobs/k HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\nhalf');
    await expect.poll(async () => (await readdir(agent.layout.uploads)).length).toBe(1);
    socket.resetAndDestroy();
    await expect.poll(async () => (await readdir(agent.layout.uploads)).length).toBe(0);
    expect((await get('k')).status).toBe(404);
  });

  test('that is refused is told so while it still sends, and the connection is let go', async () => {
    await put('k', 'bytes');
    const socket = agent.connect();
    socket.on('error', () => {});
    socket.write('PUT /blobs/k HTTP/1.1\r\nhost: a\r\nif-none-match: *\r\ncontent-length: 60000000\r\n\r\nhalf');
    const [first] = await once(socket, 'data');
    expect(String(first)).toMatch(/^HTTP\/1.1 412 /);
    const over = closed(socket);
    await agent.clock.advance(5_000);
    await over;
  });
});

describe('Expect: 100-continue', () => {
  const ask = (head: string, length = 5) => {
    const socket = agent.connect();
    const first = `PUT /blobs/k HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: ${length}\r\n`;
    socket.write(`${first}${head}\r\n`);
    return socket;
  };

  test('has the body sent when it is wanted', async () => {
    const socket = ask('');
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 100 Continue/);
    socket.write('bytes');
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 201 /);
    socket.destroy();
  });

  test.each([
    ['If-None-Match: *', 'if-none-match: *\r\n', 412],
    ['a digest of other bytes', `repr-digest: ${reprDigest(sha256Of('other'))}\r\n`, 409],
  ])('spares it to be sent when %s refuses it, and ends the connection', async (_, head, code) => {
    await put('k', 'bytes');
    const answer = await text(ask(head, 8 * 1024 * 1024));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${code} `));
    expect(answer).toMatch(/connection: close/i);
  });
});

describe('GET', () => {
  const bytes = randomBytes(9 * PIECE_BYTES + 10);
  beforeEach(() => put('k', bytes));

  test('gives all of it, with its digest', async () => {
    const answer = await get('k');
    expect(answer).toMatchObject({
      status: 200,
      headers: { etag: tagOf(bytes), 'content-length': `${bytes.length}`, 'accept-ranges': 'bytes' },
    });
    expect(answer.bytes.equals(bytes)).toBe(true);
  });

  test('waits for who reads slowly, and gives what was stored all the same', async () => {
    const large = randomBytes(20_000_000); // more than fits between the two
    await put('large', large);
    const socket = agent.connect();
    socket.write('GET /blobs/large HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    await once(socket, 'readable');
    expect((await get('k')).bytes.equals(bytes)).toBe(true);
    const answer = await buffer(socket);
    expect(answer.subarray(-large.length).equals(large)).toBe(true);
  });

  test('of a blob of no bytes gives none', async () => {
    await put('empty', '');
    expect(await get('empty')).toMatchObject({ status: 200, text: '', headers: { 'content-length': '0' } });
    expect(await get('empty', { range: 'bytes=0-' })).toMatchObject({ status: 416 });
  });

  const size = bytes.length;
  test.each([
    ['bytes=0-0', 0, 1],
    ['bytes=100-', 100, size],
    ['bytes=-7', size - 7, size],
    ['bytes=65535-65536', 65_535, 65_537],
    [`bytes=${size - 1}-${size + 50}`, size - 1, size],
    [`bytes=-${size + 5}`, 0, size],
  ])('gives the range %s', async (range, start, end) => {
    const answer = await get('k', { range });
    expect(answer.status).toBe(206);
    expect(answer.headers).toMatchObject({
      'content-range': `bytes ${start}-${end - 1}/${size}`,
      'content-length': `${end - start}`,
      etag: tagOf(bytes),
    });
    expect(answer.bytes.equals(bytes.subarray(start, end))).toBe(true);
  });

  test.each([`bytes=${size}-`, 'bytes=-0'])('has nothing for the range %s', async (range) => {
    expect(await get('k', { range })).toMatchObject({ status: 416, headers: { 'content-range': `bytes */${size}` } });
  });

  test.each(['bytes=5-2', 'bytes=0-1,5-6', 'lines=1-2', 'bytes=a-b', 'bytes=-'])(
    'gives all of it for %s',
    async (range) => {
      expect((await get('k', { range })).status).toBe(200);
    },
  );

  test('gives a range only of the bytes that If-Range means', async () => {
    expect(await get('k', { range: 'bytes=0-1', 'if-range': tagOf(bytes) })).toMatchObject({ status: 206 });
    expect(await get('k', { range: 'bytes=0-1', 'if-range': tagOf('other') })).toMatchObject({ status: 200 });
  });

  test('gives nothing that the client has', async () => {
    for (const tag of [tagOf(bytes), `"x", W/${tagOf(bytes)}`, '*']) {
      expect(await get('k', { 'if-none-match': tag })).toMatchObject({ status: 304, headers: { etag: tagOf(bytes) } });
    }
    expect((await get('k', { 'if-none-match': tagOf('other') })).status).toBe(200);
    expect((await get('k', { 'if-match': tagOf('other') })).status).toBe(412);
  });

  test('and HEAD gives only what is known of it', async () => {
    const answer = await agent.ask('HEAD', '/blobs/k', { headers: { range: 'bytes=0-1' } });
    expect(answer).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': `${size}`, etag: tagOf(bytes) },
    });
    expect((await agent.ask('HEAD', '/blobs/none')).status).toBe(404);
  });

  test('of a blob that has gone bad gives an error and no byte of it', async () => {
    await flipped('k', 5);
    const answer = await get('k');
    expect([answer.status, reasonOf(answer)]).toEqual([500, 'Corrupt']);
    expect(await status()).toMatchObject({ corrupt: 1, blobs: 0 });
    expect((await agent.ask('GET', '/metrics')).text).toContain('holdfast_agent_corrupt_found_total 1');
    expect((await get('k')).status).toBe(500);
    expect((await agent.ask('HEAD', '/blobs/k')).status).toBe(500);
  });

  test('of a blob that has gone bad further on is cut off before that', async () => {
    await flipped('k', 8 * PIECE_BYTES + 5);
    expect((await agent.ask('HEAD', '/blobs/k')).status).toBe(200);
    expect((await get('k', { range: `bytes=0-${PIECE_BYTES}` })).status).toBe(206);
    await expect(get('k')).rejects.toThrow();
    expect(await status()).toMatchObject({ corrupt: 1, blobs: 0 });
  });

  test('of a range in a piece that has gone bad gives an error', async () => {
    await flipped('k', 8 * PIECE_BYTES + 5);
    expect(await get('k', { range: `bytes=${8 * PIECE_BYTES + 100}-` })).toMatchObject({ status: 500 });
  });
});

describe('what was put aside', () => {
  const asked = async (query = '') => JSON.parse((await agent.ask('GET', `/quarantine${query}`)).text);
  const bytes = Buffer.from('some bytes');

  test('is listed by key, as far as that can still be read', async () => {
    for (const key of ['a', 'b', 'c']) await put(key, bytes);
    await flipped('a', 0);
    await flipped('b', bytes.length + 20); // in what is said of it
    for (const key of ['a', 'b']) expect((await get(key)).status).toBe(500);
    const sha256 = sha256Of(bytes);
    const both = [{ hash: hashOf('a'), key: 'a', size: bytes.length, sha256 }, { hash: hashOf('b') }];
    const inOrder = both.toSorted((one, other) => (one.hash < other.hash ? -1 : 1));
    expect(await asked()).toEqual({ items: inOrder });
    const first = await asked('?limit=1');
    expect(first).toEqual({ items: inOrder.slice(0, 1), continue: inOrder[0]?.hash });
    expect(await asked(`?continue=${first.continue}`)).toEqual({ items: inOrder.slice(1) });
  });

  test('can be given up, and nothing else by that', async () => {
    await put('k', bytes);
    const path = `/quarantine/${hashOf('k')}`;
    expect((await agent.ask('DELETE', path)).status).toBe(404);
    expect((await agent.ask('DELETE', '/quarantine/../state.json')).status).toBe(404);
    expect((await get('k')).status).toBe(200);
    await flipped('k', 0);
    expect((await get('k')).status).toBe(500);
    expect((await agent.ask('DELETE', path)).status).toBe(204);
    expect(await asked()).toEqual({ items: [] });
    expect(await status()).toMatchObject({ corrupt: 0, state: 'Ready' });
    expect((await get('k')).status).toBe(404);
  });
});

describe('DELETE', () => {
  test('removes it, once', async () => {
    await put('k', 'bytes');
    expect((await agent.ask('DELETE', '/blobs/k')).status).toBe(204);
    expect((await agent.ask('DELETE', '/blobs/k')).status).toBe(404);
    expect((await get('k')).status).toBe(404);
  });

  test('removes nothing but what If-Match means', async () => {
    await put('k', 'bytes');
    expect((await agent.ask('DELETE', '/blobs/k', { headers: { 'if-match': tagOf('other') } })).status).toBe(412);
    expect((await agent.ask('DELETE', '/blobs/k', { headers: { 'if-match': tagOf('bytes') } })).status).toBe(204);
  });
});

describe('a key', () => {
  const good: readonly (readonly [string, string])[] = [
    ['..', '..'],
    ['%2e%2e%2f%2e%2e%2fetc%2fpasswd', '../../etc/passwd'],
    ['../../etc/passwd', '../../etc/passwd'],
    ['a//b/./c/', 'a//b/./c/'],
    ['%D0%BA%D0%BB%D1%8E%D1%87', 'ключ'],
    ['%F0%9F%93%B7', '📷'],
    ['%0A%0D%7F', '\n\r\u007f'],
    ['a%3Fb%23c', 'a?b#c'],
    [`${'x'.repeat(1024)}`, 'x'.repeat(1024)],
    ['state.json', 'state.json'],
  ];
  test.each(good)('may be %s', async (path, key) => {
    expect((await put(path, 'bytes')).status).toBe(201);
    expect(JSON.parse((await agent.ask('GET', '/blobs')).text).items).toMatchObject([{ key }]);
    expect((await get(path)).text).toBe('bytes');
    expect(await readdir(agent.layout.shelf(hashOf(key)))).toEqual([hashOf(key)]);
  });

  test.each([
    ['empty', ''],
    ['with a NUL', 'a%00b'],
    ['of 1025 bytes', 'x'.repeat(1025)],
    ['of 1025 bytes in UTF-8', `${'%D0%BA'.repeat(512)}x`],
    ['that is not UTF-8', '%ff%fe'],
    ['of half a surrogate', '%ED%A0%80'],
    ['with a broken escape', 'a%2'],
    ['with another', '%zz'],
  ])('may not be one %s', async (_, path) => {
    for (const method of ['PUT', 'GET', 'DELETE']) {
      const answer = await agent.ask(method, `/blobs/${path}`, method === 'PUT' ? { body: 'x' } : {});
      expect([answer.status, reasonOf(answer)]).toEqual([400, 'BadKey']);
    }
  });

  test('is one whatever way it is written', async () => {
    await put('a%2Fb', 'bytes');
    expect((await get('a/b')).text).toBe('bytes');
    expect((await get('%61/%62')).text).toBe('bytes');
  });
});

describe('a listing', () => {
  test('comes in pages', async () => {
    for (let index = 0; index < 5; index++) await put(`p/${index}`, 'x');
    await put('other', 'x');
    const first = JSON.parse((await agent.ask('GET', '/blobs?limit=4&prefix=p%2F')).text);
    expect(first.items).toHaveLength(4);
    const second = JSON.parse((await agent.ask('GET', `/blobs?limit=4&prefix=p%2F&continue=${first.continue}`)).text);
    expect(second.items).toHaveLength(1);
    expect(second.continue).toBeUndefined();
  });

  test.each(['limit=0', 'limit=-1', 'limit=x', 'continue=..'])('is refused with %s', async (query) => {
    expect((await agent.ask('GET', `/blobs?${query}`)).status).toBe(400);
  });
});

describe('what nobody knows', () => {
  test('is not there', async () => {
    expect((await agent.ask('GET', '/nowhere')).status).toBe(404);
  });
  test('is not allowed', async () => {
    expect(await agent.ask('POST', '/blobs/k', { body: 'x' })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, PUT, DELETE' },
    });
    expect((await agent.ask('GET', '/manage-agent/decommission')).status).toBe(405);
  });
  test('is refused when its headers are too large', async () => {
    expect((await agent.ask('GET', '/status', { headers: { x: 'y'.repeat(17 * 1024) } })).status).toBe(431);
  });
});

describe('a slow client is cut off', () => {
  test('after 30 s without all of its headers', async () => {
    const socket = agent.connect();
    const over = closed(socket);
    socket.write('GET /status HTTP/1.1\r\nhost: a\r\n');
    await expect.poll(() => agent.clock.pending).toBeGreaterThan(0);
    await agent.clock.advance(29_000);
    expect((await status()).name).toBe('agent-0');
    expect(socket.closed).toBe(false);
    socket.write('x: y\r\n'); // a header now and then helps nobody
    await agent.clock.advance(1_000);
    await over;
  });

  test('after 60 s without a byte of its body, and nothing is left of it', async () => {
    const socket = agent.connect();
    const over = closed(socket);
    socket.write('PUT /blobs/k HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n');
    await expect.poll(async () => (await readdir(agent.layout.uploads)).length).toBe(1);
    await agent.clock.advance(59_000);
    expect(await readdir(agent.layout.uploads)).toHaveLength(1);
    await agent.clock.advance(1_000);
    await over;
    await expect.poll(() => readdir(agent.layout.uploads)).toEqual([]);
  });

  test('after 60 s in which it has read nothing of the answer', async () => {
    await put('k', randomBytes(32 * 1024 * 1024));
    const socket = agent.connect();
    socket.on('error', () => {});
    socket.pause().write('GET /blobs/k HTTP/1.1\r\nhost: a\r\n\r\n');
    const slow = async () => (await agent.ask('GET', '/metrics')).text.match(/slow_clients_total (\d+)/)?.[1];
    await expect
      .poll(async () => {
        await agent.clock.advance(10_000); // it has come to a stand by and by
        return slow();
      })
      .toBe('1');
    socket.destroy();
  });

  test('but not who waits for our disk, or sends a little all the time', async () => {
    const socket = agent.connect();
    socket.on('error', () => {});
    socket.write('PUT /blobs/k HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n');
    await expect.poll(async () => (await readdir(agent.layout.uploads)).length).toBe(1);
    for (const byte of 'byte') {
      await agent.clock.advance(50_000);
      const before = agent.clock.pending;
      socket.write(byte);
      await expect.poll(async () => (await agent.ask('GET', '/healthz')).status).toBe(200);
      expect(agent.clock.pending).toBe(before);
    }
    socket.write('s');
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 201 /);
    socket.destroy();
  });

  test('after 75 s without another request', async () => {
    const socket = agent.connect();
    socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n');
    await once(socket, 'data');
    const over = closed(socket);
    await agent.clock.advance(75_000);
    await over;
  });
});

describe('with a token', () => {
  let directory: string;
  let tokenFile: string;
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'token-'));
    tokenFile = join(directory, 'token');
    await writeFile(tokenFile, 'first\n');
    await agent[Symbol.asyncDispose]();
    agent = await RunningAgent.start({ tokenFile });
  });
  afterEach(() => rm(directory, { recursive: true }));

  const paths = ['/blobs', '/blobs/k', '/status', '/metrics', '/nowhere'];
  test.each(paths)('%s is for those who know it', async (path) => {
    for (const asked of [{}, bearer('wrong'), bearer('firs'), { headers: { authorization: 'first' } }]) {
      const answer = await agent.ask('GET', path, asked);
      expect([answer.status, reasonOf(answer), answer.headers['www-authenticate']]).toEqual([
        401,
        'Unauthorized',
        'Bearer',
      ]);
    }
    expect((await agent.ask('GET', path, bearer('first'))).status).not.toBe(401);
  });

  test('orders and blobs are taken from nobody else', async () => {
    for (const path of ['/blobs/k', '/manage-agent/decommission', '/manage-agent/recommission']) {
      expect((await agent.ask('PUT', path, { body: '' })).status).toBe(401);
    }
    expect((await agent.ask('DELETE', '/blobs/k')).status).toBe(401);
    expect(JSON.parse((await agent.ask('GET', '/status', bearer('first'))).text).state).toBe('Ready');
  });

  test('probes need none, and by option whoever looks', async () => {
    for (const path of ['/healthz', '/readyz']) expect((await agent.ask('GET', path)).status).toBe(200);
    await using open = await RunningAgent.start({ tokenFile, openStatus: true });
    for (const path of ['/status', '/metrics']) expect((await open.ask('GET', path)).status).toBe(200);
    expect((await open.ask('GET', '/blobs')).status).toBe(401);
  });

  test('another one is taken as soon as it is there, and the one before for a minute', async () => {
    await writeFile(tokenFile, 'second');
    await agent.clock.advance(1_000);
    expect((await agent.ask('GET', '/status', bearer('second'))).status).toBe(200);
    expect((await agent.ask('GET', '/status', bearer('first'))).status).toBe(200);
    await agent.clock.advance(59_000);
    expect((await agent.ask('GET', '/status', bearer('first'))).status).toBe(200);
    await agent.clock.advance(1_000);
    expect((await agent.ask('GET', '/status', bearer('first'))).status).toBe(401);
    expect((await agent.ask('GET', '/status', bearer('second'))).status).toBe(200);
  });

  test('a file that is empty for a moment locks nobody out and lets nobody in', async () => {
    await writeFile(tokenFile, '');
    await agent.clock.advance(20_000);
    expect((await agent.ask('GET', '/status', bearer('first'))).status).toBe(200);
    expect((await agent.ask('GET', '/status', bearer(''))).status).toBe(401);
  });

  test('that cannot be had it does not start', async () => {
    await expect(RunningAgent.start({ tokenFile: join(directory, 'none') })).rejects.toThrow('cannot be read');
  });
});

describe('orders', () => {
  const peers = [{ name: 'agent-1', url: 'http://127.0.0.1:9' }];
  const order = (what: string, body?: object) =>
    agent.ask('PUT', `/manage-agent/${what}`, { body: body ? JSON.stringify(body) : '' });

  test('to decommission is followed: no blobs are taken, and who asks is told where to go', async () => {
    await put('k', 'bytes');
    expect((await order('decommission', { generation: 3, peers })).status).toBe(200);
    expect(await status()).toMatchObject({
      state: 'Decommissioning',
      generation: 3,
      blobs: 1,
      drain: { leftBlobs: 1 },
    });
    const refused = await put('l', 'bytes');
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([503, { reason: 'Draining', peers }]);
    expect(refused.headers['retry-after']).toBeDefined();
    expect((await get('k')).text).toBe('bytes');
  });

  test('are remembered by the next process', async () => {
    await put('k', 'bytes');
    await order('decommission', { generation: 3, peers });
    await agent.stop();
    agent = await RunningAgent.start({ path: agent.layout.root });
    expect(await status()).toMatchObject({ state: 'Decommissioning', generation: 3 });
    expect((await order('recommission', { generation: 4 })).status).toBe(200);
    await agent.stop();
    agent = await RunningAgent.start({ path: agent.layout.root });
    await expect.poll(status).toMatchObject({ state: 'Ready', generation: 4, blobs: 1 });
    expect((await put('l', 'bytes')).status).toBe(201);
  });

  test('of an earlier time are refused', async () => {
    await order('recommission', { generation: 7 });
    for (const what of ['decommission', 'recommission']) {
      const answer = await order(what, { generation: 6, peers });
      expect([answer.status, reasonOf(answer)]).toEqual([409, 'Stale']);
    }
    expect(await status()).toMatchObject({ state: 'Ready', generation: 7 });
  });

  test('of the original have no body: without blobs it is done', async () => {
    expect((await order('decommission')).status).toBe(200);
    await expect.poll(status).toMatchObject({ state: 'Decommissioned', blobs: 0 });
  });

  test('of the original have no body: with blobs there is nowhere to go', async () => {
    await put('k', 'bytes');
    await order('decommission');
    await expect.poll(async () => (await status()).drain.why).toMatch(/nowhere/);
    expect(await status()).toMatchObject({ state: 'Decommissioning', blobs: 1 });
  });

  test.each([
    '{"generation": -1, "peers": []}',
    '{"generation": 1.5, "peers": []}',
    '{"generation": "1", "peers": []}',
    '{"generation": 1}',
    '{"generation": 1, "peers": [{"name": "a"}]}',
    '{"generation": 1, "peers": [{"name": "a", "url": "file:///etc/passwd"}]}',
    '[]',
    'null',
    'nonsense',
  ])('that cannot be understood change nothing: %s', async (body) => {
    expect((await agent.ask('PUT', '/manage-agent/decommission', { body })).status).toBe(400);
    expect((await status()).state).toBe('Ready');
  });

  test('whose state cannot be read any more are not guessed: it does not start', async () => {
    await order('recommission', { generation: 7 });
    await agent.stop();
    const text = await readFile(agent.layout.state, 'utf8');
    for (const broken of [
      '',
      text.slice(0, -10),
      text.replace('Ready', 'Redy'),
      text.replace('7', '"7"'),
      '{}',
      'null',
    ]) {
      await writeFile(agent.layout.state, broken);
      await expect(RunningAgent.start({ path: agent.layout.root })).rejects.toThrow('cannot be understood');
    }
  });
});

test('a second agent on the same directory does not start, and the first goes on', async () => {
  await put('k', 'bytes');
  await expect(RunningAgent.start({ path: agent.layout.root })).rejects.toThrow('another storage agent uses');
  expect((await get('k')).text).toBe('bytes');
});

test('of several that start at the same time on a directory that was left behind one gets it', async () => {
  await agent.stop();
  await writeFile(join(agent.layout.root, 'lock.7'), ''); // nobody listens on it
  const path = agent.layout.root;
  const started = await Promise.allSettled(Array.from({ length: 5 }, () => RunningAgent.start({ path })));
  const running = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  expect(running).toHaveLength(1);
  agent = running[0] ?? agent;
});

test('a scrub finds what has gone bad without anybody asking for it', async () => {
  await put('good', randomBytes(18 * PIECE_BYTES));
  await put('bad', randomBytes(18 * PIECE_BYTES));
  await agent.stop();
  await flipped('bad', 15 * PIECE_BYTES);
  agent = await RunningAgent.start({ path: agent.layout.root, scrub: { bandwidth: 1024 * 1024, pauseMs: 1_000 } });
  await expect
    .poll(async () => {
      await agent.clock.advance(10_000);
      return status();
    })
    .toMatchObject({ blobs: 1, corrupt: 1 });
  expect(agent.log.at('error').map(({ message }) => message)).toEqual([expect.stringContaining('gone bad')]);
});

test('who does not wait for an answer gets that one and no other: nobody has more than one thing done at once by one connection', async () => {
  await put('k', 'bytes');
  const socket = agent.connect();
  socket.write('GET /blobs/k HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(500));
  const [answer] = await Promise.all([text(socket), once(socket, 'close')]);
  expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
  expect(answer).toMatch(/bytes$/);
});

test('connections beyond the most that it takes are not served', async () => {
  await using few = await RunningAgent.start({ mostConnections: 1 });
  const first = few.connect();
  await once(first, 'connect');
  await expect(few.ask('GET', '/healthz')).rejects.toThrow();
  first.destroy();
  await expect.poll(async () => (await few.ask('GET', '/healthz').catch(() => ({ status: 0 }))).status).toBe(200);
});
