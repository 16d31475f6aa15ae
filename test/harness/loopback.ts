/** Servers on loopback for tests of what speaks HTTP: any handler, with a count of the connections that were made. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as NetServer, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';

export interface Loopback extends AsyncDisposable {
  readonly url: URL;
  readonly port: number;
  /** How many connections were made so far. */
  readonly opened: number;
  /** How many of them are open now. */
  readonly open: number;
  /** Cuts every connection that is open. */
  cut(): void;
}

export interface HttpLoopback extends Loopback {
  /** Every request whose headers have arrived, oldest first. */
  readonly requests: readonly IncomingMessage[];
}

export async function serveHttp(handler: RequestListener, tls?: TlsOptions): Promise<HttpLoopback> {
  const requests: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    requests.push(request);
    handler(request, response);
  };
  const server: Server = tls ? createTlsServer(tls, listener) : createServer(listener);
  return Object.assign(await serving(server, tls ? 'https' : 'http'), { requests });
}

export const serveTcp = (onConnection: (socket: Socket) => void): Promise<Loopback> =>
  serving(createTcpServer(onConnection), 'tcp');

async function serving(server: NetServer, scheme: string): Promise<Loopback> {
  const sockets = new Set<Socket>();
  let opened = 0;
  server.on('connection', (socket: Socket) => {
    opened += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cut = () => sockets.forEach((socket) => void socket.resetAndDestroy());
  return {
    url: new URL(`${scheme}://127.0.0.1:${port}`),
    port,
    get opened() {
      return opened;
    },
    get open() {
      return sockets.size;
    },
    cut,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}

/** A port of loopback at which nobody listens. */
export async function freePort(): Promise<number> {
  await using server = await serveTcp(() => undefined);
  return server.port;
}
