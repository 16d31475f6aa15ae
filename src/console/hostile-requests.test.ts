/** Bytes of strangers on the console's port: whatever they are, it goes on, shows nothing without a token, and does nothing. */
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mutated } from '../../test/arbitraries/mutation.ts';
import { SimulatedConsole } from './simulated-console.ts';

let console: SimulatedConsole;
beforeAll(async () => {
  console = await SimulatedConsole.open({ withTokens: true });
});
afterAll(() => console[Symbol.asyncDispose]());

const PATHS = [
  '/',
  '/api/clusters',
  '/api/clusters/here/live',
  '/api/clusters/here/volumes/..%2f..',
  '/api/clusters/%',
  '/api/clusters/constructor/live',
  '/api/clusters/here/actions',
  '/../../etc/passwd',
  '/%2e%2e/%2e%2e/etc/passwd',
];
const header = fc.tuple(
  fc.constantFrom(
    'Host',
    'Origin',
    'Authorization',
    'Cookie',
    'Content-Length',
    'Content-Type',
    'Last-Event-ID',
    'Range',
  ),
  fc.oneof(
    fc.constantFrom(
      'localhost',
      'evil.example',
      'null',
      'Bearer x',
      'Bearer ',
      '-1',
      '99999999999',
      'application/json',
    ),
    fc.string({ maxLength: 200 }),
  ),
);
const request = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', ''),
    path: fc.oneof(fc.constantFrom(...PATHS), fc.webPath()),
    headers: fc.array(header, { maxLength: 4 }),
    body: fc.oneof(fc.string(), fc.json()),
  })
  .map(({ method, path, headers, body }) => {
    const lines = headers.map(([name, value]) => `${name}: ${value.replace(/[\r\n]/g, ' ')}`);
    return [`${method} ${path} HTTP/1.1`, 'Connection: close', ...lines, '', body].join('\r\n');
  });

/** The status of the answer, or nothing when the connection was closed without one. */
function sent(bytes: string): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const socket = connect(console.port, '127.0.0.1');
  socket.on('error', () => {}).on('close', () => resolve(undefined));
  socket.on('data', (data) => {
    resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1]));
    socket.destroy();
  });
  socket.end(bytes, 'latin1');
  return promise;
}

test('requests that are nearly right, and bytes that are none', { timeout: 60_000 }, async () => {
  const strange = fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
  const bytes = fc.oneof(request, mutated(request, ' \r\n:/%\u0000\u00ffHTTP1.'), strange);
  await fc.assert(
    fc.asyncProperty(bytes, async (each) => {
      const status = (await sent(each)) ?? 400;
      expect(status).toBeLessThan(500);
    }),
    { numRuns: 200 },
  );
  expect((await console.ask('/api/clusters/here/live')).status).toBe(401);
  expect(console.log.at('error')).toEqual([]);
});
