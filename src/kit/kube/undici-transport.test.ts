import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { freePort, type HttpLoopback, serveHttp, serveTcp } from '../../../test/harness/loopback.ts';
import { eventually } from '../../../test/harness/wait.ts';
import { createAuthority } from '../certificates.ts';
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from './transport.ts';
import { type UndiciTransportOptions, undiciTransport } from './undici-transport.ts';

describe('a request', () => {
  test('arrives as it was asked for, below the path of the server', async () => {
    const bodies: string[] = [];
    await using server = await serveHttp(async (request, response) => {
      bodies.push((await request.toArray()).join(''));
      response.end('done');
    });
    await using transport = open(new URL('/clusters/one/', server.url));
    const path = '/api/v1/nodes/a%20b?limit=5';
    await (await transport.request(get({ method: 'PUT', path, headers: { 'x-one': '1' }, body: 'ä€' }))).text();
    expect(server.requests[0]).toMatchObject({ method: 'PUT', url: `/clusters/one${path}` });
    expect(server.requests[0]?.headers).toMatchObject({ 'x-one': '1', 'content-length': '5', host: server.url.host });
    expect(bodies).toEqual(['ä€']);
  });

  test('resolves with status and headers while the body is still to come', async () => {
    let finish: ServerResponse | undefined;
    await using server = await serveHttp((_, response) => {
      response.writeHead(201, { 'Retry-After': '7' }).write('first ');
      finish = response;
    });
    await using transport = open(server.url);
    const response = await transport.request(get());
    expect([response.status, response.header('Retry-After'), response.header('x-none')]).toEqual([201, '7', undefined]);
    finish?.end('last');
    expect(await response.text()).toBe('first last');
  });

  test('is answered by the final response, not by an early hint', async () => {
    await using server = await serveHttp((_, response) => {
      const hint = { link: '</style.css>; rel=preload' };
      response.writeEarlyHints(hint, () => void setTimeout(() => response.writeHead(202).end('final'), 50));
    });
    await using transport = open(server.url);
    const { status } = await transport.request(get());
    expect(status).toBe(202);
  });

  test('gives text whose characters were cut apart on the way', async () => {
    const bytes = Buffer.from('grün €uro 🐳');
    await using server = await serveHttp(async (_, response) => {
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      response.end();
    });
    await using transport = open(server.url);
    expect(await (await transport.request(get())).text()).toBe('grün €uro 🐳');
  });
});

describe('connections', () => {
  test('are kept: requests that follow one another share one', async () => {
    await using server = await serveHttp((_, response) => response.end('ok'));
    await using transport = open(server.url);
    for (let i = 0; i < 20; i++) await (await transport.request(get())).text();
    expect(server.opened).toBe(1);
  });

  test('that were opened for a burst are not all kept busy after it', async () => {
    await using server = await serveHttp((_, response) => void setImmediate(() => response.end('ok')));
    await using transport = open(server.url, { connections: 4 });
    const ask = async () => (await transport.request(get())).text();
    await Promise.all([ask(), ask(), ask(), ask()]);
    const before = server.requests.length;
    for (let i = 0; i < 8; i++) await ask();
    expect(new Set(server.requests.slice(before).map(({ socket }) => socket)).size).toBe(1);
  });

  test('are bounded, and everything is answered in the end', async () => {
    await using server = await serveHttp((_, response) => void setImmediate(() => response.end('ok')));
    await using transport = open(server.url, { connections: 4 });
    const answers = Array.from({ length: 50 }, async () => (await transport.request(get())).text());
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['ok']));
    expect(server.opened).toBe(4);
  });

  test('that are busy for long do not hold up requests that another could carry', async () => {
    const held: ServerResponse[] = [];
    await using server = await serveHttp((request, response) => {
      if (request.url === '/slow') held.push(response);
      else response.end('ok');
    });
    await using transport = open(server.url, { connections: 2 });
    const slow = transport.request(get({ path: '/slow' }));
    const quick = Array.from({ length: 9 }, async () => (await transport.request(get())).text());
    expect(await Promise.all(quick)).toHaveLength(9);
    held[0]?.end();
    await (await slow).text();
  });

  test('of watches are not taken from those of short requests', async () => {
    await using server = await serveHttp((request, response) => {
      if (request.url === '/watch') response.write('{}\n');
      else response.end('ok');
    });
    await using transport = open(server.url, { connections: 1 });
    const watches = await Promise.all([1, 2, 3].map(() => transport.request(get({ path: '/watch', longLived: true }))));
    expect(await (await transport.request(get())).text()).toBe('ok');
    expect(watches.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(server.opened).toBe(4);
  });

  test('that the server has closed meanwhile are replaced without a failure', async () => {
    await using server = await serveHttp((_, response) => response.end('ok'));
    await using transport = open(server.url);
    await (await transport.request(get())).text();
    server.cut();
    await eventually(() => server.open === 0);
    await new Promise(setImmediate);
    expect(await (await transport.request(get())).text()).toBe('ok');
    expect(server.opened).toBe(2);
  });
});

describe('what is asked before a request is sent', () => {
  test('is asked when a connection has become free, and not before', async () => {
    const { transport, first, server } = await oneBusyConnection();
    await using _server = server;
    await using _transport = transport;
    const beforeSend = vi.fn();
    const second = transport.request(get({ path: '/second', beforeSend }));
    await new Promise(setImmediate);
    expect(beforeSend).not.toHaveBeenCalled();
    await first.finish();
    await (await second).text();
    expect(beforeSend).toHaveBeenCalledTimes(1);
  });

  test('is asked when the connection has been made, and not before', async () => {
    const states: string[] = [];
    await using server = await serveTcp((socket) => {
      states.push('connected');
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    });
    await using transport = open(new URL(`http://127.0.0.1:${server.port}`));
    await transport.request(get({ beforeSend: () => void states.push('asked') }));
    await eventually(() => states.length === 2);
    expect(server.opened).toBe(1);
    const refused = vi.fn();
    await using nowhere = open(new URL(`http://127.0.0.1:${await freePort()}`));
    await expect(nowhere.request(get({ beforeSend: refused }))).rejects.toThrow(ConnectionError);
    expect(refused).not.toHaveBeenCalled();
  });

  test('may refuse: nothing is sent, the refusal is the error, and the connection serves the next', async () => {
    const { transport, first, server } = await oneBusyConnection();
    await using _server = server;
    await using _transport = transport;
    const refusal = new Error('not leading any more');
    const beforeSend = () => {
      throw refusal;
    };
    const refused = transport.request(get({ path: '/refused', beforeSend }));
    const next = transport.request(get({ path: '/next' }));
    await first.finish();
    await expect(refused).rejects.toBe(refusal);
    await (await next).text();
    expect(server.requests.map(({ url }) => url)).toEqual(['/first', '/next']);
    expect(server.opened).toBe(1);
  });
});

describe('a request that fails', () => {
  test('cannot have happened when no connection was made', async () => {
    const port = await freePort();
    await using transport = open(new URL(`http://127.0.0.1:${port}`));
    const failure = await failureOf(transport.request(get({ method: 'POST', path: '/x', body: '{}' })));
    expect(failure).toMatchObject({ mayHaveHappened: false });
    expect(failure.message).toMatch(/^POST \/x: no connection could be made \(http:.*ECONNREFUSED/);
  });

  test('fails alone: those that wait for its connection fail each with an error of its own', async () => {
    await using transport = open(new URL(`http://127.0.0.1:${await freePort()}`), { connections: 1 });
    const failures = await Promise.all(
      Array.from({ length: 5 }, (_, index) => failureOf(transport.request(get({ path: `/${index}` })))),
    );
    for (const [index, failure] of failures.entries()) {
      expect(failure).toMatchObject({
        mayHaveHappened: false,
        message: expect.stringMatching(`^GET /${index}: no conn`),
      });
    }
  });

  test('may have happened when the connection broke after the request was written', async () => {
    await using server = await serveHttp((request) => void request.socket.resetAndDestroy());
    await using transport = open(server.url);
    const failure = await failureOf(transport.request(get({ method: 'POST', path: '/x', body: '{}' })));
    expect(failure).toMatchObject({ mayHaveHappened: true });
    expect(failure.message).toMatch(/^POST \/x: the connection broke/);
    expect(server.requests).toHaveLength(1);
  });

  test('may have happened when the answer broke off, and is never taken for whole', async () => {
    await using server = await serveHttp((request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half', () => request.socket.destroy());
    });
    await using transport = open(server.url);
    const response = await transport.request(get());
    const failure = await failureOf(response.text());
    expect(failure).toMatchObject({ mayHaveHappened: true });
  });

  test.each(['content-length', 'chunked'])('is noticed in a stream (%s), after what had arrived', async (framing) => {
    await using server = await serveHttp((_, response) => {
      if (framing === 'content-length') response.setHeader('content-length', 100);
      response.write('{"first":1}\n');
    });
    await using transport = open(server.url);
    const { body } = await transport.request(get({ longLived: true }));
    const seen: string[] = [];
    const reading = (async () => {
      for await (const chunk of body) {
        seen.push(Buffer.from(chunk).toString());
        server.cut();
      }
    })();
    expect(await failureOf(reading)).toMatchObject({ mayHaveHappened: true });
    expect(seen).toEqual(['{"first":1}\n']);
  });
});

describe('an abort', () => {
  test('before the request means that nothing is opened and nothing is sent', async () => {
    await using server = await serveHttp((_, response) => response.end());
    await using transport = open(server.url);
    const reason = new Error('changed my mind');
    await expect(transport.request(get({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    expect(server.opened).toBe(0);
  });

  test('while the request waits for a connection means that it is never sent', async () => {
    const { transport, first, server } = await oneBusyConnection();
    await using _server = server;
    await using _transport = transport;
    const stop = new AbortController();
    const waiting = transport.request(get({ path: '/waiting', signal: stop.signal }));
    const next = transport.request(get({ path: '/next' }));
    stop.abort(new Error('changed my mind'));
    await expect(waiting).rejects.toThrow('changed my mind');
    await first.finish();
    await (await next).text();
    expect(server.requests.map(({ url }) => url)).toEqual(['/first', '/next']);
    expect(server.opened).toBe(1);
  });

  test('while the connection is being made does not wait for it, and frees the place', async () => {
    const silent = await serveTcp(() => undefined);
    await using _silent = silent;
    await using transport = open(new URL(`https://127.0.0.1:${silent.port}`), { connections: 1 });
    for (let i = 0; i < 2; i++) {
      const stop = new AbortController();
      const request = transport.request(get({ signal: stop.signal }));
      await eventually(() => silent.opened > 0);
      stop.abort(new Error('changed my mind'));
      await expect(request).rejects.toThrow('changed my mind');
    }
  });

  test('while the connection is being made means that it is never sent, and the connection serves the next', async () => {
    const authority = createAuthority('the cluster');
    const { certificate: cert, key } = authority.issueServer({ commonName: 'server' }, ['127.0.0.1']);
    await using server = await serveHttp((_, response) => response.end('ok'), { cert, key });
    const held: Socket[] = [];
    await using door = await serveTcp((socket) => void held.push(socket.pause()));
    const tls = { ca: authority.certificate };
    await using transport = open(new URL(`https://127.0.0.1:${door.port}`), { connections: 1, tls: () => tls });
    const stop = new AbortController();
    const request = transport.request(get({ path: '/aborted', signal: stop.signal }));
    const next = transport.request(get({ path: '/next' }));
    await eventually(() => held.length === 1);
    stop.abort(new Error('changed my mind'));
    await expect(request).rejects.toThrow('changed my mind');
    for (const socket of held) socket.pipe(connect(server.port, '127.0.0.1')).pipe(socket);
    await (await next).text();
    expect(server.requests.map(({ url }) => url)).toEqual(['/next']);
    expect(door.opened).toBe(1);
  });

  test('while the answer is awaited closes the connection, and the next request gets another', async () => {
    const { transport, first, server } = await oneBusyConnection();
    await using _server = server;
    await using _transport = transport;
    first.stop.abort(new Error('changed my mind'));
    await expect(first.answer).rejects.toThrow('changed my mind');
    await eventually(() => server.open === 0);
    await (await transport.request(get({ path: '/next' }))).text();
    expect(server.opened).toBe(2);
  });

  test('while the body is read ends the reading with its reason', async () => {
    await using server = await serveHttp((_, response) => void response.write('part'));
    await using transport = open(server.url);
    const stop = new AbortController();
    const { body } = await transport.request(get({ signal: stop.signal, longLived: true }));
    const reading = (async () => {
      for await (const _ of body) stop.abort(new Error('enough'));
    })();
    await expect(reading).rejects.toThrow('enough');
    await eventually(() => server.open === 0);
  });

  test('after the end means nothing', async () => {
    await using server = await serveHttp((_, response) => response.end('ok'));
    await using transport = open(server.url);
    const stop = new AbortController();
    const response = await transport.request(get({ signal: stop.signal }));
    const text = await response.text();
    stop.abort();
    await (await transport.request(get())).text();
    expect([text, server.opened]).toEqual(['ok', 1]);
  });
});

describe('a reader', () => {
  test('that is slow holds the server back, and misses nothing', async () => {
    const chunk = Buffer.alloc(256 * 1024, 'x');
    const total = 256 * chunk.length;
    let sent = 0;
    await using server = await serveHttp(async (_, response) => {
      for (; sent < total; sent += chunk.length) if (!response.write(chunk)) await once(response, 'drain');
      response.end();
    });
    await using transport = open(server.url);
    const { body } = await transport.request(get());
    let received = 0;
    for await (const part of body) {
      if (received === 0) await steady(() => sent);
      if (received === 0) expect(sent).toBeLessThan(total / 2);
      received += part.length;
    }
    expect(received).toBe(total);
  });

  test('that leaves early frees the connection', async () => {
    await using server = await serveHttp((_, response) => void response.write('endless '));
    await using transport = open(server.url, { connections: 1 });
    for (let i = 0; i < 3; i++) {
      const { body } = await transport.request(get());
      for await (const _ of body) break;
    }
    await eventually(() => server.open === 0);
    expect(server.requests).toHaveLength(3);
  });
});

describe('closing', () => {
  test('ends what is under way, what waits and what is streamed, and every connection', async () => {
    await using server = await serveHttp((request, response) => {
      if (request.url === '/watch') response.write('{}\n');
    });
    const transport = open(server.url, { connections: 1 });
    const watch = await transport.request(get({ path: '/watch', longLived: true }));
    const streamed = failureOf(watch.text());
    const underWay = failureOf(transport.request(get({ path: '/hang' })));
    const waiting = failureOf(transport.request(get({ path: '/waits' })));
    await eventually(() => server.requests.length === 2);
    await transport.close();
    expect(await underWay).toMatchObject({ mayHaveHappened: true });
    expect(await waiting).toMatchObject({ mayHaveHappened: false });
    expect(await streamed).toBeInstanceOf(ConnectionError);
    await eventually(() => server.open === 0);
    expect(server.requests).toHaveLength(2);
  });

  test('is final: a later request fails with an error that is not worth a retry, and closing again is harmless', async () => {
    await using server = await serveHttp((_, response) => response.end());
    const transport = open(server.url);
    await transport.close();
    const failure = await failureOf(transport.request(get()));
    expect(failure).not.toBeInstanceOf(ConnectionError);
    expect(failure.message).toMatch(/has been closed/);
    await transport.close();
    expect(server.opened).toBe(0);
  });
});

const get = (request: Partial<TransportRequest> = {}): TransportRequest => ({
  method: 'GET',
  path: '/',
  headers: {},
  signal: new AbortController().signal,
  ...request,
});

function open(server: URL, options: Partial<UndiciTransportOptions> = {}): Transport & AsyncDisposable {
  const transport = undiciTransport({ server, ...options });
  return { ...transport, [Symbol.asyncDispose]: () => transport.close() };
}

const failureOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.unreachable('it succeeded'),
    (error: Error) => error,
  );

/** A transport with one connection, on which the request `/first` is under way. All others are answered at once. */
async function oneBusyConnection() {
  let held: ServerResponse | undefined;
  const server: HttpLoopback = await serveHttp((request, response) => {
    if (request.url === '/first') held = response;
    else response.end('ok');
  });
  const transport = open(server.url, { connections: 1 });
  const stop = new AbortController();
  const answer: Promise<TransportResponse> = transport.request(get({ path: '/first', signal: stop.signal }));
  answer.catch(() => undefined);
  await eventually(() => held !== undefined);
  const finish = async () => {
    held?.end('first');
    await (await answer).text();
  };
  return { server, transport, first: { answer, stop, finish } };
}

/** Waits until a figure has stopped to change. */
async function steady(figure: () => number): Promise<void> {
  for (let last = Number.NaN; last !== figure(); ) {
    last = figure();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
