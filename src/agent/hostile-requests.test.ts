/** Bytes of strangers on the agent's port: whatever they are, it goes on, and what it stores is as it was. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anyCharacter } from '../../test/arbitraries/any-character.ts';
import { mutated } from '../../test/arbitraries/mutation.ts';
import { RunningAgent } from './running-agent.ts';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start();
  await agent.ask('PUT', '/blobs/kept', { body: 'bytes' });
});
afterAll(() => agent[Symbol.asyncDispose]());

const METHODS = ['GET', 'PUT', 'HEAD', 'DELETE', 'POST', 'PATCH', 'OPTIONS', 'TRACE', 'CONNECT', 'get', ''];
const target = fc.oneof(
  fc.constantFrom(
    '/',
    '/status',
    '/blobs',
    '/blobs/',
    '/blobs/../../etc/passwd',
    '/blobs/%2e%2e%2f',
    '/blobs/%',
    '/manage-agent/nothing',
  ),
  fc.webPath(),
  fc.string({ maxLength: 300 }).map((path) => `/blobs/${encodeURIComponent(path.toWellFormed())}`),
);
const header = fc.tuple(
  fc.constantFrom(
    'Content-Length',
    'Transfer-Encoding',
    'Range',
    'If-Match',
    'If-None-Match',
    'Repr-Digest',
    'Expect',
    'Authorization',
    'X-Any',
  ),
  fc.oneof(
    fc.constantFrom('-1', '0', '99999999999999999999', 'chunked', 'bytes=5-1', 'bytes=0-', '*', '""', 'sha-256=:x:'),
    fc.string({ maxLength: 200 }),
  ),
);
const request = fc
  .record({
    method: fc.constantFrom(...METHODS),
    path: target,
    headers: fc.array(header, { maxLength: 4 }),
    body: fc.string(),
  })
  .map(({ method, path, headers, body }) => {
    const lines = headers.map(([name, value]) => `${name}: ${value.replace(/[\r\n]/g, ' ')}`);
    return [`${method} ${path} HTTP/1.1`, 'Host: agent', 'Connection: close', ...lines, '', body].join('\r\n');
  });

/** Until the other side has closed it, or has said all that it has to say. */
function sent(bytes: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = agent.connect();
  socket.on('error', () => {}).on('close', () => resolve());
  socket.on('data', () => socket.destroy());
  socket.end(bytes, 'latin1');
  return promise;
}

const isDestructive = (bytes: string): boolean => /^DELETE \/blobs\/(kept|%6b)/i.test(bytes);

test('requests that are nearly right, and bytes that are none', { timeout: 60_000 }, async () => {
  const bytes = fc.oneof(
    request,
    mutated(request, ' \r\n:/%\u0000\u00ffHTTP1.'),
    fc.string({ unit: anyCharacter, maxLength: 500 }),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (each) => {
      fc.pre(!isDestructive(each));
      await sent(each);
      expect((await agent.ask('GET', '/blobs/kept')).text).toBe('bytes');
    }),
    { numRuns: 300 },
  );
  expect(agent.log.at('error')).toEqual([]);
});
