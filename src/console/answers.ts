/** How a console reads requests and sends answers. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Asked, Refusal } from './guard.ts';
import type { Problem } from './model.ts';
import type { PageFile } from './static.ts';

/** Aborted when nobody waits for the answer any more. */
export function whileAsked(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  if (response.destroyed) gone.abort();
  return gone.signal;
}

const LARGEST_BODY = 32 * 1024;

/** Nothing for what is too large. */
export async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > LARGEST_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Nothing for what is no text. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

export function answer(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

export function refuse(response: ServerResponse, { status, problem, retryAfterS }: Refusal): void {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('connection', 'close');
  if (retryAfterS !== undefined) response.setHeader('retry-after', String(retryAfterS));
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  answer(response, status, { problem } satisfies Problem);
}

export function sendFile(
  response: ServerResponse,
  { type, etag, body, gzipped }: PageFile,
  method: string,
  header: Asked['header'],
): void {
  response.setHeader('etag', etag);
  response.setHeader('cache-control', 'no-cache');
  response.setHeader('vary', 'accept-encoding');
  if (header('if-none-match') === etag) {
    response.writeHead(304).end();
    return;
  }
  const isGzipped = /\bgzip\b/.test(header('accept-encoding') ?? '');
  const bytes = isGzipped ? gzipped : body;
  response.writeHead(200, {
    'content-type': type,
    'content-length': bytes.length,
    ...(isGzipped && { 'content-encoding': 'gzip' }),
  });
  response.end(method === 'HEAD' ? undefined : bytes);
}
