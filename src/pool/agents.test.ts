import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../kit/clock/clock.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { HttpAgents } from './agents.ts';

const TO = { name: 'data-sts-0', podUid: 'uid-1', ip: '127.0.0.1' };
const NEVER = new AbortController().signal;
const STATUS = { name: TO.name, total: 100, used: 10, state: 'Ready', blobs: 3, bytes: 9, generation: 2, corrupt: 0 };

const opened: { close(): unknown }[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const each of opened.splice(0)) each.close();
  sockets.clear();
});

async function agentsAt(server: Server, clock = new VirtualClock()) {
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agents = new HttpAgents(clock, (server.address() as AddressInfo).port);
  opened.push(server, agents);
  return agents;
}

const answering = (listener: RequestListener) => agentsAt(createHttpServer(listener));
const saying = (body: string, status = 200, headers: Record<string, string> = {}) =>
  answering((_, response) => response.writeHead(status, headers).end(body));

describe('the status of an agent', () => {
  test('is known when it is as agreed', async () => {
    const agents = await saying(JSON.stringify(STATUS));
    expect(await agents.status(TO, 'secret', NEVER)).toEqual({ known: true, value: STATUS });
  });

  test('is asked for with the token of the pool', async () => {
    const asked: IncomingMessage[] = [];
    const agents = await answering((request, response) => {
      asked.push(request);
      response.end(JSON.stringify(STATUS));
    });
    await agents.status(TO, 'secret', NEVER);
    expect(asked.map(({ method, url, headers }) => [method, url, headers.authorization])).toEqual([
      ['GET', '/status', 'Bearer secret'],
    ]);
  });

  test.each([
    ['garbage', 'it is fine!', 'its answer is not JSON'],
    ['a list', '[]', 'its answer is not an object'],
    ['nothing', '', 'its answer is not JSON'],
    ['null', 'null', 'its answer is not an object'],
    ['no state', JSON.stringify({ ...STATUS, state: 'Fine' }), 'it tells no state that there is'],
    ['a count that cannot be', JSON.stringify({ ...STATUS, blobs: -1 }), 'its blobs is not a number that can be'],
    ['a count that is text', JSON.stringify({ ...STATUS, corrupt: '0' }), 'its corrupt is not a number that can be'],
    ['half a count', JSON.stringify({ ...STATUS, used: 1.5 }), 'its used is not a number that can be'],
    ['a generation without end', JSON.stringify({ ...STATUS, generation: 2 ** 52 }), 'its generation is not'],
    [
      'a drain without a beginning',
      JSON.stringify({ ...STATUS, drain: { since: 'once' } }),
      'its drain has no beginning',
    ],
    ['a drain that is text', JSON.stringify({ ...STATUS, drain: 'well' }), 'its drain is not an object'],
    ['the name of another', JSON.stringify({ ...STATUS, name: 'data-sts-1' }), 'data-sts-1 answers at its address'],
    ['no name', JSON.stringify({ ...STATUS, name: 7 }), 'it does not tell its name'],
  ])('is not known when it answers with %s', async (_, body, why) => {
    const agents = await saying(body);
    expect(await agents.status(TO, 'secret', NEVER)).toEqual({ known: false, why: expect.stringContaining(why) });
  });

  test.each([[302], [401], [404], [500], [503]])('is not known when it answers with %d', async (status) => {
    const agents = await saying(JSON.stringify(STATUS), status, { location: 'http://127.0.0.1:1/status' });
    expect(await agents.status(TO, 'secret', NEVER)).toEqual({
      known: false,
      why: `it answers GET /status with ${status}`,
    });
  });

  test('is not known when the header names another agent', async () => {
    const agents = await saying(JSON.stringify(STATUS), 200, { 'holdfast-agent': 'data-sts-1' });
    expect(await agents.status(TO, 'secret', NEVER)).toMatchObject({ known: false });
  });

  test('is not known when the answer is too long, and no more of it is read', async () => {
    let sent = 0;
    const agents = await answering((_, response: ServerResponse) => {
      const more = () => {
        while (sent < 10_000_000) {
          sent += 10_000;
          if (!response.write('x'.repeat(10_000))) return;
        }
        response.end();
      };
      response.on('drain', more);
      more();
    });
    expect(await agents.status(TO, 'secret', NEVER)).toMatchObject({
      known: false,
      why: expect.stringContaining('longer than'),
    });
    expect(sent).toBeLessThan(10_000_000);
  });

  test('is not known when the answer breaks off', async () => {
    const agents = await answering((_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"name"', () => response.destroy());
    });
    expect(await agents.status(TO, 'secret', NEVER)).toMatchObject({ known: false });
  });

  test('is not known when what answers does not speak HTTP', async () => {
    const agents = await agentsAt(createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')));
    expect(await agents.status(TO, 'secret', NEVER)).toMatchObject({ known: false });
  });

  test('is not known when nobody is there', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    expect(await new HttpAgents(systemClock, port).status(TO, 'secret', NEVER)).toMatchObject({ known: false });
  });

  test.each([
    ['nothing', () => {}],
    ['a beginning', (_: IncomingMessage, response: ServerResponse) => void response.write('{')],
  ])('is not known when %s comes in time', async (_, listener) => {
    const clock = new VirtualClock();
    const server = createHttpServer(listener);
    const agents = await agentsAt(server, clock);
    const asked = once(server, 'request');
    const answer = agents.status(TO, 'secret', NEVER);
    await asked;
    await clock.advance(2_000);
    expect(await answer).toEqual({ known: false, why: 'no answer within 2 s' });
  });

  test('of the original, which tells four things, is known', async () => {
    const original = { name: 'whoever', total: 100, used: 10, state: 'Decommissioned' };
    const agents = await saying(JSON.stringify(original));
    expect(await agents.status(TO, 'secret', NEVER)).toEqual({ known: true, value: original });
  });

  test('says why it does not go on in words that cannot steer a terminal, and no more than a few', async () => {
    const drain = { since: '2026-01-01T00:00:00Z', movedBlobs: 0, movedBytes: 0, leftBlobs: 1, leftBytes: 1 };
    const agents = await saying(
      JSON.stringify({ ...STATUS, drain: { ...drain, why: `\u001b[2J${'x'.repeat(5_000)}` } }),
    );
    const answer = await agents.status(TO, 'secret', NEVER);
    expect(answer.known && answer.value.drain?.why).toMatch(/^\\u001b\[2Jx{290,300}$/);
  });
});

describe('the listing of an agent', () => {
  test.each([
    ['empty', { items: [] }, { known: true, value: true }],
    ['not empty', { items: [{ key: 'a' }] }, { known: true, value: false }],
    ['empty, and goes on', { items: [], continue: 'x' }, { known: true, value: false }],
    ['without items', {}, { known: false, why: 'its listing has no items' }],
  ])('is %s', async (_, body, expected) => {
    const agents = await saying(JSON.stringify(body));
    expect(await agents.isEmpty(TO, 'secret', NEVER)).toEqual(expected);
  });

  test('is not known without the right token', async () => {
    const agents = await saying('{"reason":"Unauthorized"}', 401);
    expect(await agents.isEmpty(TO, 'wrong', NEVER)).toEqual({
      known: false,
      why: 'it answers GET /blobs?limit=1 with 401',
    });
  });
});

describe('an order', () => {
  test.each([
    [
      { kind: 'decommission', generation: 4, peers: [{ name: 'data-sts-1', url: 'http://10.0.0.1:8080' }] } as const,
      '/manage-agent/decommission',
    ],
    [{ kind: 'recommission', generation: 5 } as const, '/manage-agent/recommission'],
  ])('goes to its place with what it says', async (order, path) => {
    const asked: [string | undefined, string | undefined, unknown][] = [];
    const agents = await answering(async (request, response) => {
      const parts = await request.toArray();
      asked.push([request.method, request.url, JSON.parse(Buffer.concat(parts).toString())]);
      response.end('{}');
    });
    expect(await agents.order(TO, 'secret', order, NEVER)).toEqual({ known: true, value: 'taken' });
    const { kind: _, ...body } = order;
    expect(asked).toEqual([['PUT', path, body]]);
  });

  test('that is refused has not been taken', async () => {
    const agents = await saying('{"reason":"Stale"}', 409);
    const answer = await agents.order(TO, 'secret', { kind: 'recommission', generation: 1 }, NEVER);
    expect(answer).toEqual({ known: false, why: 'it answers PUT /manage-agent/recommission with 409' });
  });
});
