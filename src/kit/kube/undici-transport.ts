/**
 * The transport over HTTP: undici with kept-alive connections, a bounded pool for short requests and one connection for each watch.
 * It speaks to undici's dispatcher directly because only there is it known whether a request has been handed to the kernel.
 */
import buildConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import { Connections } from './connections.ts';
import { Exchange } from './exchange.ts';
import { openTunnel } from './proxy-tunnel.ts';
import type { Transport } from './transport.ts';

export interface UndiciTransportOptions {
  readonly server: URL;
  /** Certificates for new connections; asked for again for each, so that a rotated one is picked up. The same object while they are the same. */
  readonly tls?: () => TlsOptions;
  /** A proxy to go through: http, https or socks5. */
  readonly proxy?: URL;
  /** How many connections short requests may use at the most. */
  readonly connections?: number;
}

export interface TlsOptions {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly rejectUnauthorized?: boolean;
  readonly servername?: string;
}

const DEFAULT_CONNECTIONS = 32;
/** Measured, and a half-open connection takes only one stream with it: see docs/adr/0003-http-1.1.md. */
const HTTP2 = false;
/** Below the 90 s after which an API server closes an idle connection, so that we never write into one that it is closing. */
const KEEP_ALIVE_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;

export function undiciTransport(options: UndiciTransportOptions): Transport {
  const origin = options.server.origin;
  const prefix = options.server.pathname.replace(/\/$/, '');
  const connect = connector(options);
  const open = () => new Client(origin, { ...SETTINGS, connect });
  const short = new Connections(open, options.connections ?? DEFAULT_CONNECTIONS);
  const long = new Connections(open, Number.POSITIVE_INFINITY);
  let isClosed = false;
  return {
    async request(request) {
      request.signal.throwIfAborted();
      if (isClosed) throw new Error(`${request.method} ${request.path}: the connection to ${origin} has been closed`);
      const { method, headers, body = null } = request;
      const exchange = new Exchange(request, origin);
      const leave = (request.longLived ? long : short).take((connection) => {
        connection.dispatch({ origin, path: prefix + request.path, method, headers: { ...headers }, body }, exchange);
      });
      exchange.whenEnded(leave);
      return exchange.response;
    },
    async close() {
      isClosed = true;
      await Promise.all([short.close(), long.close()]);
    },
  };
}

/** Deadlines come from the caller's signal, on the caller's clock: undici's own are off. */
const SETTINGS = {
  allowH2: HTTP2,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
};

const NO_CERTIFICATES: TlsOptions = {};
const SOCKET = { allowH2: HTTP2, timeout: CONNECT_TIMEOUT_MS, keepAlive: true, keepAliveInitialDelay: 15_000 };

/** Makes each connection with the certificates of that moment; TLS sessions are resumed as long as those stay the same. */
function connector({ tls = () => NO_CERTIFICATES, proxy }: UndiciTransportOptions): buildConnector.connector {
  let used: TlsOptions | undefined;
  let direct: buildConnector.connector;
  const connect: buildConnector.connector = (options, callback) => {
    const current = tls();
    if (current !== used) direct = buildConnector({ ...current, ...SOCKET });
    used = current;
    direct(options, callback);
  };
  return proxy ? through(proxy, connect) : connect;
}

/** By a tunnel also to a server without TLS, so that nothing on the way rewrites requests or keeps answers. */
function through(proxy: URL, connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    const { hostname, protocol } = options;
    const port = Number(options.port) || (protocol === 'https:' ? 443 : 80);
    openTunnel(proxy, { hostname, port }, CONNECT_TIMEOUT_MS).then(
      (httpSocket) =>
        protocol === 'https:' ? connect({ ...options, httpSocket }, callback) : callback(null, httpSocket),
      (error) => callback(error, null),
    );
  };
}
