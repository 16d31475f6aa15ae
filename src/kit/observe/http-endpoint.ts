/** A small HTTP server for probes and scrapes: GET and HEAD only, bounded in everything that a stranger could use up. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../clock/clock.ts';
import { type BindAddress, formatBindAddress } from './bind-address.ts';

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Nothing when the path is not its own. */
export type Route = (url: URL) => Promise<Answer | undefined>;

export interface HttpEndpointOptions {
  readonly clock: Clock;
  readonly address: BindAddress;
  /** What a person would change to have it listen elsewhere, such as `--metrics-bind-address`. */
  readonly flag: string;
  readonly routes: readonly Route[];
}

const LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
};
const MOST_CONNECTIONS = 64;
/** A client that reads nothing for this long is let go. */
const IDLE_SOCKET_MS = 90_000;
const GRACE_MS = 5_000;

export class HttpEndpoint {
  /** Where it listens, with the port that it was given if any was good. */
  readonly address: BindAddress;
  readonly #server: Server;
  readonly #clock: Clock;

  private constructor(server: Server, clock: Clock, address: BindAddress) {
    this.#server = server;
    this.#clock = clock;
    this.address = address;
  }

  /** Resolves when it listens. */
  static async open({ clock, address, flag, routes }: HttpEndpointOptions): Promise<HttpEndpoint> {
    const server = createServer(LIMITS, async (request, response) => {
      send(response, await answer(routes, request), server.listening);
    });
    server.maxConnections = MOST_CONNECTIONS;
    server.timeout = IDLE_SOCKET_MS;
    server.listen(address);
    await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
      throw new Error(`cannot listen on ${formatBindAddress(address)} (${flag}): ${why(cause)}`, { cause });
    });
    const bound = server.address();
    const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
    return new HttpEndpoint(server, clock, { ...address, port });
  }

  /** Takes no more requests, lets those under way finish for a while, and ends every connection. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    const cancel = this.#clock.after(GRACE_MS, () => this.#server.closeAllConnections());
    await closed;
    cancel();
  }
}

function why({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'something else listens there already; choose another port, or 0 in place of the address for none';
    case 'EACCES':
      return 'this user may not use ports that low; choose one above 1023';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this machine has no such address; leave the host out to listen on all that it has';
    default:
      return message;
  }
}

/** The connection is kept for the next request, unless there will be none. */
function send(response: ServerResponse, { status, contentType, body }: Answer, keep: boolean): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...(status === 405 && { allow: 'GET, HEAD' }),
    ...(!keep && { connection: 'close' }),
  });
  response.end(body);
}

async function answer(routes: readonly Route[], { method, url = '' }: IncomingMessage): Promise<Answer> {
  if (method !== 'GET' && method !== 'HEAD') return plain(405, 'only GET and HEAD are served here\n');
  const asked = URL.parse(url, 'http://endpoint');
  if (!asked) return plain(400, 'this is no path\n');
  try {
    for (const route of routes) {
      const found = await route(asked);
      if (found) return found;
    }
    return plain(404, 'there is nothing here\n');
  } catch (error) {
    return plain(500, `internal server error: ${error instanceof Error ? error.message : error}\n`);
  }
}

const plain = (status: number, body: string): Answer => ({ status, contentType: 'text/plain; charset=utf-8', body });
