/** A console that speaks HTTPS, with a certificate that is renewed while it runs. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { connect as connectPlainly } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Certificate, createAuthority } from '../kit/certificates.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { SimulatedConsole } from './simulated-console.ts';
import { readTlsPair } from './tls.ts';

const authority = createAuthority('tests');
const ca = authority.certificate;
const aCertificate = (commonName: string) => authority.issueServer({ commonName }, ['localhost']);

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-tls-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const files = () => ({ certFile: join(directory, 'tls.crt'), keyFile: join(directory, 'tls.key') });
async function put({ certificate, key }: Certificate): Promise<void> {
  await writeFile(files().certFile, certificate);
  await writeFile(files().keyFile, key);
}

/** The name in the certificate that a new connection is shown. */
async function shownAt(port: number): Promise<string | undefined> {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca });
  await once(socket, 'secureConnect');
  const name = socket.getPeerCertificate().subject.CN;
  socket.destroy();
  return [name].flat()[0];
}

const statusOf = (port: number, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const where = { port, host: '127.0.0.1', servername: 'localhost', ca, path: '/api/hello', agent: false };
    request({ ...where, headers: { host: 'localhost', ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });

test('a renewed certificate is shown, and one that is of no use changes nothing', async () => {
  await put(aCertificate('first'));
  const clock = new VirtualClock();
  await using console = await SimulatedConsole.open({ clock, tls: files() });
  expect(await shownAt(console.port)).toBe('first');
  await put(aCertificate('second'));
  await clock.advance(30_000);
  await vi.waitFor(async () => expect(await shownAt(console.port)).toBe('second'));
  await writeFile(files().keyFile, aCertificate('third').key);
  await clock.advance(30_000);
  await vi.waitFor(() =>
    expect(console.log.at('error').map(({ message }) => message)).toEqual([
      'the certificate cannot be read again: the one from before is used',
    ]),
  );
  expect(await shownAt(console.port)).toBe('second');
});

test('requests are answered by TLS only, and those of the same name without it are of another site', async () => {
  await put(aCertificate('console'));
  await using console = await SimulatedConsole.open({ tls: files() });
  expect(await statusOf(console.port, { origin: 'https://localhost' })).toBe(200);
  expect(await statusOf(console.port, { origin: 'http://localhost' })).toBe(403);
  const plain = connectPlainly(console.port, '127.0.0.1');
  plain.write('GET /api/hello HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const answer = (await Array.fromAsync(plain as AsyncIterable<Buffer>)).join('');
  expect(answer).not.toContain('clusters');
});

test('what is no pair is said to be none', async () => {
  await put({ certificate: aCertificate('a').certificate, key: aCertificate('b').key });
  await expect(readTlsPair(files())).rejects.toThrow('are not a certificate and its key');
});

test('a file that cannot be read is named, with its flag', async () => {
  await expect(readTlsPair(files())).rejects.toThrow(`${files().certFile} (--tls-cert-file) cannot be read: ENOENT`);
  await writeFile(files().certFile, '');
  await expect(readTlsPair(files())).rejects.toThrow(`${files().keyFile} (--tls-key-file) cannot be read: ENOENT`);
});
