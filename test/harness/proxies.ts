/** Proxies on loopback for tests: one that tunnels by CONNECT, and one that speaks SOCKS5. Each notes where it was asked to go. */
import { once } from 'node:events';

import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';

export interface Proxy extends AsyncDisposable {
  readonly url: URL;
  /** `host:port` of each tunnel that was asked for. */
  readonly tunnels: readonly string[];
  /** The credentials that came with each. */
  readonly credentials: readonly (string | undefined)[];
  /** How many connections to it are open now. */
  readonly open: number;
}

/** Refuses with `status` when one is given. */
export async function startConnectProxy(status?: number): Promise<Proxy> {
  const tunnels: string[] = [];
  const credentials: (string | undefined)[] = [];
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on('connect', (request, socket: Socket) => {
    tunnels.push(request.url ?? '');
    credentials.push(request.headers['proxy-authorization']);
    if (status !== undefined) socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    else tunnel(socket, new URL(`http://${request.url}`), 'HTTP/1.1 200 OK\r\n\r\n');
  });
  return await proxying(server, 'http', tunnels, credentials);
}

/** Wants a name and password when they are given here. */
export async function startSocksProxy(wanted?: string): Promise<Proxy> {
  const tunnels: string[] = [];
  const credentials: (string | undefined)[] = [];
  const server = createTcpServer(async (socket) => {
    const said = async (): Promise<Buffer> => (await once(socket, 'data'))[0];
    const methods = (await said()).subarray(2);
    if (wanted !== undefined && !methods.includes(2)) {
      socket.end(Buffer.of(5, 0xff));
      return;
    }
    socket.write(Buffer.of(5, wanted === undefined ? 0 : 2));
    if (wanted !== undefined) {
      credentials.push(nameAndPassword(await said()));
      socket.write(Buffer.of(1, credentials.at(-1) === wanted ? 0 : 1));
    }
    const target = targetOf(await said());
    tunnels.push(target.host);
    tunnel(socket, target, Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
  });
  return await proxying(server, 'socks5', tunnels, credentials);
}

function nameAndPassword(request: Buffer): string {
  const length = request[1] ?? 0;
  return `${request.subarray(2, 2 + length)}:${request.subarray(3 + length)}`;
}

function targetOf(request: Buffer): URL {
  const length = request[4] ?? 0;
  const isName = request[3] === 3;
  const host = isName ? request.subarray(5, 5 + length).toString() : [...request.subarray(4, 8)].join('.');
  return new URL(`http://${host}:${request.readUInt16BE(isName ? 5 + length : 8)}`);
}

function tunnel(socket: Socket, { hostname, port }: URL, greeting: string | Buffer): void {
  const upstream = connect(Number(port), hostname, () => {
    socket.write(greeting);
    socket.pipe(upstream).pipe(socket);
  });
  upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  socket.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
}

async function proxying(
  server: Server,
  scheme: string,
  tunnels: readonly string[],
  credentials: readonly (string | undefined)[],
): Promise<Proxy> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`${scheme}://127.0.0.1:${port}`),
    tunnels,
    credentials,
    get open() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
