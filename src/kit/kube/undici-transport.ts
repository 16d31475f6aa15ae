/**
 * The transport over HTTP: undici with kept-alive connections, a bounded pool for short requests and one connection for each watch.
 * It speaks to undici's dispatcher directly because only there is it known whether a request has been handed to the kernel.
 */
import { buildConnector, Client, type Dispatcher, ProxyAgent } from 'undici';
import { Connections } from './connections.ts';
import { Exchange } from './exchange.ts';
import type { Transport } from './transport.ts';

export interface UndiciTransportOptions {
  readonly server: URL;
  /** Certificates for new connections; read again for each, so that a rotated client certificate is picked up. */
  readonly tls?: () => TlsOptions;
  /** An HTTP proxy to go through. */
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
  const connect = connectionMaker(options);
  const short = new Connections(connect, options.connections ?? DEFAULT_CONNECTIONS);
  const long = new Connections(connect, Number.POSITIVE_INFINITY);
  return {
    request(request) {
      const { method, headers, body } = request;
      const connection = (request.longLived ? long : short).take();
      const exchange = new Exchange(request, origin, connection.release);
      const path = prefix + request.path;
      connection.dispatcher.dispatch({ origin, path, method, headers: { ...headers }, body: body ?? null }, exchange);
      return exchange.response;
    },
    async close() {
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

function connectionMaker({ server, proxy, tls = () => ({}) }: UndiciTransportOptions): () => Dispatcher {
  if (!proxy) {
    const connect = connector(tls);
    return () => new Client(server.origin, { ...SETTINGS, connect });
  }
  return () =>
    new ProxyAgent({ ...SETTINGS, connections: 1, uri: proxy.href, requestTls: { ...tls(), allowH2: HTTP2 } });
}

/** Makes each connection with the certificates of that moment; TLS sessions are resumed as long as those stay the same. */
function connector(tls: () => TlsOptions): buildConnector.connector {
  let used: TlsOptions | undefined;
  let connect: buildConnector.connector;
  return (options, callback) => {
    const current = tls();
    if (current !== used) {
      connect = buildConnector({
        ...current,
        allowH2: HTTP2,
        timeout: CONNECT_TIMEOUT_MS,
        keepAlive: true,
        keepAliveInitialDelay: 15_000,
      });
      used = current;
    }
    connect(options, callback);
  };
}
