/** The console's HTTP server: the page, and the API that it reads. Bounded in everything that a stranger could use up. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../kit/clock/clock.ts';
import type { Log } from '../kit/observe/log.ts';
import type { ConsoleCluster } from './cluster.ts';
import type { Caller, Door } from './door.ts';
import { type Asked, type Refusal, refusalOf, SECURITY_HEADERS, wrongMethod } from './guard.ts';
import { stream } from './live.ts';
import type { ActionName, Hello, Problem } from './model.ts';
import type { PageFile, PageFiles } from './static.ts';

export interface ConsoleOptions {
  readonly version: string;
  readonly clusters: readonly ConsoleCluster[];
  readonly door: Door;
  readonly clock: Clock;
  readonly log: Log;
  readonly page: PageFiles;
  readonly actions: readonly ActionName[];
  /** Names besides loopback under which it may be reached, in lower case. */
  readonly hosts: ReadonlySet<string>;
}

const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
};
const MOST_CONNECTIONS = 256;
/** A client that neither reads nor sends for this long is let go. Streams have heartbeats. */
const IDLE_SOCKET_MS = 90_000;
const MOST_STREAMS = 100;

export class ConsoleServer implements AsyncDisposable {
  readonly #options: ConsoleOptions;
  readonly #server: Server;
  readonly #streams = new Set<() => void>();

  private constructor(options: ConsoleOptions) {
    this.#options = options;
    this.#server = createServer(LIMITS, (request, response) => {
      this.#respond(request, response).catch((error) => this.#failed(response, error));
    });
    this.#server.maxConnections = MOST_CONNECTIONS;
    this.#server.timeout = IDLE_SOCKET_MS;
  }

  /** Resolves when it listens. Port 0 is any that is free. */
  static async open(
    options: ConsoleOptions,
    address: { readonly host?: string; readonly port: number },
  ): Promise<ConsoleServer> {
    const server = new ConsoleServer(options);
    server.#server.listen(address);
    await once(server.#server, 'listening');
    return server;
  }

  get address(): AddressInfo {
    return this.#server.address() as AddressInfo;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const end of this.#streams) end();
    this.#server.closeAllConnections();
    await closed;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const { method = '', url = '/' } = request;
    const target = URL.parse(url, 'http://console');
    const header = (name: string) => [request.headers[name] ?? []].flat()[0];
    const path = target?.pathname ?? '/';
    const asked: Asked = { method, path, header };
    const refusal = refusalOf(asked, this.#options.hosts);
    if (refusal) return refuse(response, refusal);
    if (!path.startsWith('/api/')) return this.#page(path, method, header, response);
    response.setHeader('cache-control', 'no-store');
    await this.#api(asked, target?.searchParams ?? new URLSearchParams(), request, response);
  }

  async #page(path: string, method: string, header: Asked['header'], response: ServerResponse): Promise<void> {
    const file = await this.#options.page.find(path);
    if (file) return sendFile(response, file, method, header);
    refuse(response, { status: 404, problem: 'There is nothing here.' });
  }

  async #api(
    { method, path, header }: Asked,
    query: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const [, , what = '', name = '', part = ''] = path.split('/').map(decoded);
    if (what === 'hello' && name === '') {
      if (method !== 'GET') return refuse(response, wrongMethod(method));
      return answer(response, 200, await this.#hello(header('authorization')));
    }
    const cluster = what === 'clusters' ? this.#options.clusters.find((each) => each.name === name) : undefined;
    if (!cluster) return refuse(response, { status: 404, problem: 'There is no such cluster here.' });
    const caller = await this.#options.door.callerIn(cluster, header('authorization'));
    if ('problem' in caller) return refuse(response, caller);
    if (part === 'live' && method === 'GET') return this.#live(cluster, caller, header, query, response);
    void request;
    refuse(response, { status: 404, problem: 'There is nothing here.' });
  }

  async #hello(authorization: string | undefined): Promise<Hello> {
    const { version, clusters, actions, door } = this.#options;
    const [cluster] = clusters;
    const caller = cluster && (await door.callerIn(cluster, authorization));
    return {
      version,
      clusters: clusters.map(({ name, title }) => ({ name, title })),
      actions,
      wantsToken: door.wantsToken,
      ...(caller && 'user' in caller && { user: caller.user }),
    };
  }

  #live(
    cluster: ConsoleCluster,
    caller: Caller,
    header: Asked['header'],
    query: URLSearchParams,
    response: ServerResponse,
  ): void {
    if (this.#streams.size >= MOST_STREAMS) {
      refuse(response, { status: 503, problem: 'Too many people look at this console: close another one.' });
      return;
    }
    const feed = cluster.feedFor(caller.rights);
    const { connection } = cluster.hearing;
    const options = {
      clock: this.#options.clock,
      isGzipped: /\bgzip\b/.test(header('accept-encoding') ?? ''),
      lastId: header('last-event-id') ?? query.get('after') ?? undefined,
      first: connection.isHeard ? [] : [feed.connection(connection)],
    };
    const end = stream(feed, response, options, () => this.#streams.delete(end));
    this.#streams.add(end);
  }

  #failed(response: ServerResponse, err: unknown): void {
    this.#options.log.error({ err }, 'a request could not be answered');
    if (response.headersSent) response.destroy();
    else refuse(response, { status: 500, problem: 'This console could not answer. Its log tells why.' });
  }
}

/** Nothing for what is no text. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

function refuse(response: ServerResponse, { status, problem }: Refusal): void {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('connection', 'close');
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  answer(response, status, { problem } satisfies Problem);
}

function sendFile(
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
