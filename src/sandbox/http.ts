/** The API server on a loopback port, for kubectl and whoever else speaks HTTPS. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from '../kit/certificates.ts';
import type { Clock } from '../kit/clock/clock.ts';
import { textOf } from './object-text.ts';
import { type Answer, answerTo } from './server/answer.ts';
import { linesOf } from './server/answer-text.ts';
import { jsonOf, PROTOBUF } from './server/protobuf.ts';
import { tooLargeBody } from './server/refusals.ts';
import type { Server, ServerRequest } from './server/server.ts';

export interface Listening extends AsyncDisposable {
  readonly url: string;
}

const LOOPBACK = '127.0.0.1';
/** As much as a real server takes. */
const LARGEST_BODY = 3 * 1024 * 1024;
const JSON_TYPE = 'application/json';

/** Port 0 is any that is free. */
export async function listen(
  server: Server,
  { certificate, key }: Certificate,
  port: number,
  clock: Pick<Clock, 'now'>,
): Promise<Listening> {
  const http = createServer({ cert: certificate, key, keepAliveTimeout: 90_000 }, (request, response) => {
    response.setHeader('date', clock.now().toUTCString());
    respond(server, request, response).catch(() => response.destroy());
  });
  http.listen(port, LOOPBACK);
  await once(http, 'listening');
  const { port: actual } = http.address() as AddressInfo;
  return {
    url: `https://${LOOPBACK}:${actual}`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}

async function respond(server: Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const bytes = await bodyOf(request);
  if (bytes === undefined) {
    return write(answerTo(tooLargeBody(LARGEST_BODY)), response);
  }
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const header = (name: string) => [request.headers[name] ?? []].flat()[0];
  const { method = '', url = '/' } = request;
  const asked = { method, path: url, header, signal: gone.signal };
  await write(answerOf(server, asked, bytes), response);
}

function answerOf(server: Server, asked: Omit<ServerRequest, 'body'>, bytes: Buffer): Answer {
  try {
    const isProtobuf = asked.header('content-type') === PROTOBUF && bytes.length > 0;
    return server.answer({ ...asked, body: isProtobuf ? jsonOf(bytes) : bytes.toString('utf8') });
  } catch (error) {
    return answerTo(error);
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > LARGEST_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function write(answer: Answer, response: ServerResponse): Promise<void> {
  if ('events' in answer) return stream(answer.events, response);
  const { status, body, contentType = JSON_TYPE, warnings = [] } = answer;
  const warned = warnings.map((warning) => `299 - ${JSON.stringify(warning)}`);
  if (warned.length > 0) response.setHeader('warning', warned);
  response.writeHead(status, { 'content-type': contentType });
  response.end(typeof body === 'string' ? body : `${textOf(body)}\n`);
}

/** No further than the reader reads: what is not read waits in the history that all watches share. */
async function stream(events: Parameters<typeof linesOf>[0], response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': JSON_TYPE });
  response.flushHeaders();
  for await (const lines of linesOf(events)) {
    if (response.destroyed) return;
    if (!response.write(lines)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}
