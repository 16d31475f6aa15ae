/** The agent's HTTP server: bounded in everything that a stranger could use up, and timed by the clock that it is given. */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../kit/clock/clock.ts';
import { type BindAddress, formatBindAddress } from '../kit/observe/bind-address.ts';
import type { Log } from '../kit/observe/log.ts';
import { AGENT_HEADER } from '../pool-client/protocol.ts';
import type { Tokens } from './auth.ts';
import { Connection } from './connection.ts';
import { Exchange } from './exchange.ts';
import type { AgentMetrics } from './metrics.ts';
import { createServer } from './node-http.ts';
import { MethodNotAllowed } from './refusals.ts';
import type { Resource, Route } from './routes/route.ts';
import { StoreError } from './store.ts';

export interface AgentServerOptions {
  readonly name: string;
  readonly address: BindAddress;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: AgentMetrics;
  readonly resources: readonly Resource[];
  readonly mostConnections: number;
  /** Without it anybody may ask. */
  readonly tokens?: Tokens | undefined;
  /** Whether what is open by option is. */
  readonly openStatus: boolean;
}

/** Connections are timed by ours: Node's own timers would not know of the clock. */
const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 0,
  requestTimeout: 0,
  keepAliveTimeout: 0,
  connectionsCheckingInterval: 2 ** 31 - 1,
};
const GRACE_MS = 10_000;

export class AgentServer {
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
  static async open(options: AgentServerOptions): Promise<AgentServer> {
    const { address, clock } = options;
    const server = serverOf(options);
    server.listen(address);
    await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
      throw new Error(`cannot listen on ${formatBindAddress(address)} (--listen): ${why(cause)}`, { cause });
    });
    const bound = server.address();
    const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
    return new AgentServer(server, clock, { ...address, port });
  }

  /** Takes no more requests, lets those under way finish for a while, and ends every connection. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    const cancel = this.#clock.after(GRACE_MS, () => this.#server.closeAllConnections());
    await closed;
    cancel();
  }
}

function serverOf(options: AgentServerOptions): Server {
  const { clock, metrics, mostConnections, name } = options;
  const connections = new WeakMap<Socket, Connection>();
  const connectionOf = (socket: Socket): Connection => {
    const known = connections.get(socket) ?? new Connection(socket, clock, metrics.slow);
    connections.set(socket, known);
    return known;
  };
  const answer = (waitsToContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    const connection = connectionOf(request.socket);
    if (!connection.takes(response)) return;
    connection.waitsForUs();
    response.setHeader(AGENT_HEADER, encodeURIComponent(name));
    if (!server.listening) response.setHeader('connection', 'close');
    response.once('finish', () => request.complete && connection.waitsForNextRequest());
    void serve(options, new Exchange(request, response, connection, waitsToContinue));
  };
  const server = createServer(LIMITS, answer(false)).on('checkContinue', answer(true)).on('connection', connectionOf);
  server.maxConnections = mostConnections;
  return server;
}

/** Never rejects. */
async function serve(options: AgentServerOptions, exchange: Exchange): Promise<void> {
  const { clock, log, metrics } = options;
  const { request, path } = exchange;
  const begun = clock.monotonic();
  try {
    await (await routeFor(options, exchange))(exchange);
  } catch (error) {
    const isOurs = error instanceof StoreError;
    const isAccident = !isOurs && !request.socket.destroyed;
    if (isAccident) log.error({ err: error, method: request.method, path }, 'a request could not be served');
    if (!exchange.hasAnswered && !request.socket.destroyed) exchange.refuse(error);
    else exchange.reset();
  } finally {
    metrics.served(request.method ?? '', exchange, (clock.monotonic() - begun) / 1000);
  }
}

async function routeFor(options: AgentServerOptions, { request, path }: Exchange): Promise<Route> {
  const resource = options.resources.find(({ owns }) => owns(path));
  if (!isOpen(options, resource) && !(await options.tokens?.allows(request.headers.authorization))) {
    throw new StoreError(
      'Unauthorized',
      'this agent serves those who send the token of its pool: Authorization: Bearer …',
    );
  }
  if (!resource) throw new StoreError('NotFound', 'there is nothing here');
  const route = Object.hasOwn(resource.methods, request.method ?? '') && resource.methods[request.method ?? ''];
  if (!route) throw new MethodNotAllowed(Object.keys(resource.methods));
  return route;
}

function isOpen({ tokens, openStatus }: AgentServerOptions, resource: Resource | undefined): boolean {
  if (!tokens || resource?.open === 'always') return true;
  return openStatus && resource?.open === 'by-option';
}

function why({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'something else listens there already; choose another port';
    case 'EACCES':
      return 'this user may not use ports that low; choose one above 1023';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this machine has no such address; leave the host out to listen on all that it has';
    default:
      return message;
  }
}
