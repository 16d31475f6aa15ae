import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type HttpLoopback, serveHttp, serveTcp } from '../../test/harness/loopback.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { AgentClient } from './agent-client.ts';
import { PoolClient } from './client.ts';
import { Connections } from './connections.ts';
import { Conflict, Corrupt, NotTaken, Refused, Unknown, Unreachable, Untrue } from './errors.ts';
import { AGENT_HEADER, type Peer, REASON_HEADER } from './protocol.ts';
import { bytesSource } from './source.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const answer = (response: ServerResponse, status: number, headers: Record<string, string | number>, body = '') => {
  response.writeHead(status, { ...(status !== 204 && { 'content-length': Buffer.byteLength(body) }), ...headers });
  response.end(body);
};
const notFound: Handler = (request, response) => {
  request.resume();
  answer(response, 404, {}, JSON.stringify({ reason: 'NotFound', message: 'none' }));
};
const refuses =
  (status: number, reason: string): Handler =>
  (request, response) => {
    request.resume();
    answer(response, status, {}, JSON.stringify({ reason, message: `it is ${reason}` }));
  };
const holds =
  (text: string): Handler =>
  (_, response) =>
    answer(response, 200, { etag: `"${sha256(text)}"`, 'content-length': text.length }, text);

/** Whose answers say whose they are, unless they say otherwise. */
async function anAgent(handler: Handler, name = 'a'): Promise<{ readonly peer: Peer; readonly server: HttpLoopback }> {
  const server = await serveHttp((request, response) => {
    response.setHeader(AGENT_HEADER, name);
    handler(request, response);
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { peer: { name, url: server.url.origin }, server };
}

/** Gives up at once. */
function aPool(...peers: readonly Peer[]): PoolClient {
  const client = new PoolClient({ agents: async () => peers, token: 'secret', random: () => 0, patienceMs: 0 });
  onTestFinished(() => client[Symbol.dispose]());
  return client;
}

function calls(clock = new VirtualClock()): AgentClient {
  const connections = new Connections({ clock, silenceMs: 1_000, connectMs: 500 });
  onTestFinished(() => connections[Symbol.dispose]());
  return new AgentClient(connections);
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const piece of body) text += piece;
  return text;
}

test('bytes are not stored beside others of the same key that move while agents are asked', async () => {
  let asked = 0;
  const arriving = await anAgent((request, response) => {
    asked += 1;
    (asked === 1 ? notFound : holds('old'))(request, response);
  }, 'arriving');
  const drained = await anAgent(notFound, 'drained');
  const source = bytesSource(Buffer.from('new'));
  await expect(aPool(arriving.peer, drained.peer).put('k', source)).rejects.toThrow(Conflict);
});

describe('an agent that cannot be believed', () => {
  const blob = { key: 'k', size: 4, sha256: sha256('abcd') };
  const put = async (handler: Handler) => {
    const { peer } = await anAgent(handler);
    return calls().put(peer, blob, bytesSource(Buffer.from('abcd')).open());
  };

  test.each([
    ['of other bytes', { etag: `"${sha256('other')}"` }],
    ['of none', {}],
    ['that is no digest', { etag: '"abcd"' }],
    ['of another agent', { [AGENT_HEADER]: 'b', etag: `"${blob.sha256}"` }],
  ])('a 201 with the tag %s is no acknowledgement', async (_, headers) => {
    const stored = put((request, response) => {
      request.resume().on('end', () => answer(response, 201, headers));
    });
    await expect(stored).rejects.toBeInstanceOf(Untrue);
  });

  test('a 404 of a stranger, or of another agent, is not "not found"', async () => {
    const stranger = await anAgent((_, response) => {
      response.removeHeader(AGENT_HEADER);
      response.writeHead(404).end('nginx');
    });
    const other = await anAgent((_, response) => answer(response, 404, { [AGENT_HEADER]: 'b' }));
    for (const { peer } of [stranger, other]) {
      await expect(aPool(peer).head('k')).rejects.toThrow(
        /cannot tell whether the blob "k" is there: .*at this address/,
      );
      await expect(aPool(peer).remove('k')).rejects.toBeInstanceOf(Unknown);
    }
  });

  test('bytes that are not those of the digest are an error at the end', async () => {
    const { peer } = await anAgent((_, response) =>
      answer(response, 200, { etag: `"${sha256('abcd')}"`, 'content-length': 4 }, 'abcx'),
    );
    const found = await aPool(peer).get('k');
    await expect(textOf(found?.body ?? never())).rejects.toBeInstanceOf(Corrupt);
  });

  test('a status that is none is refused', async () => {
    const { peer } = await anAgent((_, response) => response.end('{"name": "a", "state": "Happy"}'));
    await expect(calls().status(peer)).rejects.toBeInstanceOf(Untrue);
  });
});

describe('a PUT', () => {
  test('sends no byte of the body before the agent asks for it', async () => {
    let heard = '';
    await using server = await serveTcp((socket) => {
      socket.on('data', (bytes) => {
        heard += bytes;
        if (heard.includes('\r\n\r\n')) socket.destroy();
      });
    });
    const peer = { name: 'a', url: `http://127.0.0.1:${server.port}` };
    for (const text of ['abc', '']) {
      const { size, sha256: digest, open } = bytesSource(Buffer.from(text));
      const stored = calls().put(peer, { key: 'k', size, sha256: digest }, open());
      await expect(stored).rejects.toBeInstanceOf(Unreachable);
    }
    expect(heard).toMatch(/^PUT \/blobs\/k HTTP.*expect: 100-continue.*\r\n\r\nPUT .*\r\n\r\n$/is);
  });

  test('goes on to the next agent when one drains, is full or is dead, and says why when none takes it', async () => {
    const draining = await anAgent((request, response) =>
      (request.method === 'HEAD' ? notFound : refuses(503, 'Draining'))(request, response),
    );
    const taking = await anAgent((request, response) => {
      if (request.method === 'HEAD') return notFound(request, response);
      request.resume().on('end', () => answer(response, 201, { etag: `"${sha256('x')}"` }));
    }, 'b');
    const source = bytesSource(Buffer.from('x'));
    expect(await aPool(draining.peer, taking.peer).put('k', source)).toEqual({ made: true, agent: 'b' });
    await expect(aPool(draining.peer).put('k', source)).rejects.toThrow(
      /no agent takes the blob "k": .*it is Draining/,
    );
    await expect(aPool(draining.peer).put('k', source)).rejects.toBeInstanceOf(NotTaken);
  });

  test('of other bytes than any agent holds is a conflict that names it, and nothing is sent', async () => {
    const { peer, server } = await anAgent(holds('theirs'));
    await expect(aPool(peer).put('k', bytesSource(Buffer.from('ours')))).rejects.toThrow(Conflict);
    expect(server.requests.map(({ method }) => method)).toEqual(['HEAD']);
  });

  test('of the same bytes is done when an agent holds them', async () => {
    const { peer } = await anAgent(holds('same'));
    expect(await aPool(peer).put('k', bytesSource(Buffer.from('same')))).toEqual({ made: false, agent: 'a' });
  });

  test('fails when one agent of the pool does not say whether it holds the key', async () => {
    const { peer } = await anAgent(notFound);
    const dead = { name: 'dead', url: 'http://127.0.0.1:1' };
    const stored = aPool(peer, dead).put('k', bytesSource(Buffer.from('x')));
    await expect(stored).rejects.toMatchObject({ name: 'Unknown', agents: ['dead'] });
  });
});

describe('a GET', () => {
  test('that breaks off goes on from the byte that it has come to, of the same bytes', async () => {
    const text = 'abcdefghij';
    const ranges: (string | undefined)[] = [];
    const { peer } = await anAgent((request, response) => {
      ranges.push(request.headers.range);
      const start = Number(/\d+/.exec(request.headers.range ?? '0')?.[0]);
      const range = { 'content-range': `bytes ${start}-${text.length - 1}/${text.length}` };
      const headers = { etag: `"${sha256(text)}"`, 'content-length': text.length - start, ...(start > 0 && range) };
      response.writeHead(start > 0 ? 206 : 200, headers);
      if (ranges.length < 3) response.write(text.slice(start, start + 3), () => response.socket?.destroy());
      else response.end(text.slice(start));
    });
    const client = new PoolClient({ agents: async () => [peer], random: () => 0 });
    onTestFinished(() => client[Symbol.dispose]());
    const found = await client.get('k');
    expect(await textOf(found?.body ?? never())).toBe(text);
    expect(ranges).toEqual([undefined, 'bytes=3-', 'bytes=6-']);
  });

  test('of a key that nobody has asks everybody twice', async () => {
    const { peer, server } = await anAgent(notFound);
    expect(await aPool(peer).get('k')).toBeUndefined();
    expect(server.requests).toHaveLength(2);
  });

  test('that an agent refuses for the token is not tried again', async () => {
    const { peer, server } = await anAgent(refuses(401, 'Unauthorized'));
    await expect(aPool(peer).get('k')).rejects.toBeInstanceOf(Refused);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers.authorization).toBe('Bearer secret');
  });

  test('of a damaged blob says so', async () => {
    const { peer } = await anAgent(refuses(500, 'Corrupt'));
    await expect(aPool(peer).get('k')).rejects.toBeInstanceOf(Corrupt);
  });
});

describe('time', () => {
  test('an agent that says nothing is given up by the clock', async () => {
    const clock = new VirtualClock();
    const { peer, server } = await anAgent(() => {});
    const asked = calls(clock).head(peer, 'k');
    const failed = expect(asked).rejects.toThrow(
      /the agent a .* did not answer HEAD \/blobs\/k: nothing happened for 1 s/,
    );
    await expect.poll(() => server.requests.length).toBe(1);
    await clock.advance(1_000);
    await failed;
  });
});

test('connections are kept, and one that was closed meanwhile does no harm', async () => {
  const { peer, server } = await anAgent(notFound);
  const agent = calls();
  for (let count = 0; count < 3; count++) expect(await agent.head(peer, 'k')).toBeUndefined();
  expect(server.opened).toBe(1);
  server.cut();
  expect(await agent.head(peer, 'k')).toBeUndefined();
});

test('a blob of which an agent gives no more bytes, and says so of none, is given up', async () => {
  const { peer } = await anAgent((request, response) => {
    const isFirst = request.headers.range === undefined;
    const tag = { etag: `"${sha256('bytes')}"` };
    if (!isFirst) return answer(response, 206, { ...tag, 'content-length': 0, 'content-range': 'bytes 2-4/5' });
    response.writeHead(200, { ...tag, 'content-length': 5 });
    response.write('by', () => response.destroy());
  });
  using client = new PoolClient({ agents: async () => [peer], random: () => 0, patienceMs: 20 });
  const blob = await client.get('k');
  await expect(textOf(blob?.body ?? never())).rejects.toThrow('"k" ended after 2 of 5 bytes');
});

describe('a damaged blob', () => {
  const refused = (status: number, reason: string) => (_: unknown, response: Parameters<Handler>[1]) =>
    answer(response, status, { [REASON_HEADER]: reason });

  test('is said to be damaged at once, also to who only asks for its size', async () => {
    const { peer } = await anAgent(refused(500, 'Corrupt'));
    await expect(aPool(peer).head('k')).rejects.toBeInstanceOf(Corrupt);
  });

  test('is mended where it is, and by the bytes that were stored', async () => {
    const taken: string[] = [];
    const peers = ['a', 'b', 'c'].map((name) =>
      anAgent((request, response) => {
        if (request.method === 'HEAD')
          return name === 'b' ? refused(500, 'Corrupt')(request, response) : notFound(request, response);
        taken.push(name);
        request.resume().on('end', () => answer(response, 201, { etag: `"${sha256('bytes')}"` }));
      }, name),
    );
    const agents = (await Promise.all(peers)).map(({ peer }) => peer);
    const stored = await aPool(...agents).put('k', bytesSource(Buffer.from('bytes')));
    expect([stored, taken]).toEqual([{ made: true, agent: 'b' }, ['b']]);
  });

  test('does not hide that another agent has not answered', async () => {
    const [bad, gone] = await Promise.all([anAgent(refused(500, 'Corrupt')), anAgent(refused(503, 'Internal'), 'b')]);
    const put = aPool(bad.peer, gone.peer).put('k', bytesSource(Buffer.from('bytes')));
    await expect(put).rejects.toBeInstanceOf(Unknown);
  });
});

test('a removal of certain bytes says so, and that other bytes are there is no harm', async () => {
  const asked: (string | undefined)[] = [];
  const { peer } = await anAgent((request, response) => {
    asked.push(request.headers['if-match']);
    answer(response, 412, {});
  });
  expect(await calls().remove(peer, 'k', undefined, '"ab"')).toBe(false);
  await expect(calls().remove(peer, 'k')).rejects.toBeInstanceOf(Refused);
  expect(asked).toEqual(['"ab"', undefined]);
});

test('a removal whose answer was lost is not said to have found nothing', async () => {
  let deletes = 0;
  const { peer } = await anAgent((request, response) => {
    deletes += 1;
    if (deletes === 1)
      request.socket.destroy(); // it is removed, and nobody is told
    else notFound(request, response);
  });
  using client = new PoolClient({ agents: async () => [peer], random: () => 0 });
  expect(await client.remove('k')).toBe(true);
  expect(deletes).toBe(3);
});

test('a removal asks again until everybody says that there is none', async () => {
  let deletes = 0;
  const { peer } = await anAgent((request, response) => {
    deletes += 1;
    if (deletes < 3) answer(response, 204, {});
    else notFound(request, response);
  });
  expect(await aPool(peer).remove('k')).toBe(true);
  expect(deletes).toBe(3);
});

const never = (): never => {
  throw new Error('nothing was found');
};
