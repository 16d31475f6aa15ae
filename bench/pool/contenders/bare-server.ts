/**
 * The least that a file server can do and still keep its word: what is acknowledged is on the disk. PUT writes a file beside its place,
 * fsyncs it, renames it and fsyncs the directory; GET pipes the file. No checksums, no checks, no tokens.
 * `node bare-server.ts DIRECTORY`; it says on which port it listens.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, stat, unlink } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const [directory = '.'] = process.argv.slice(2);

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = join(directory, basename(request.url ?? ''));
  if (request.method === 'PUT') return put(path, request, response);
  if (request.method === 'DELETE') return remove(path, response);
  return get(path, response);
}

async function put(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const fresh = join(directory, randomUUID());
  await pipeline(request, createWriteStream(fresh, { flush: true }));
  await rename(fresh, path);
  await using place = await open(directory);
  await place.sync();
  response.writeHead(201, { 'content-length': 0 }).end();
}

async function get(path: string, response: ServerResponse): Promise<void> {
  const { size } = await stat(path);
  response.writeHead(200, { 'content-length': size });
  await pipeline(createReadStream(path), response);
}

async function remove(path: string, response: ServerResponse): Promise<void> {
  await unlink(path);
  response.writeHead(204).end();
}
