/** Asks a SOCKS5 proxy for a tunnel (RFC 1928), with name and password where there are some (RFC 1929). The proxy looks names up. */
import { once } from 'node:events';
import { isIPv4, type Socket } from 'node:net';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

const VERSION = 5;
const CONNECT = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;
const NO_CREDENTIALS = 0;
const NAME_AND_PASSWORD = 2;

/** Speaks on a socket that is connected to the proxy. When it resolves, the next bytes are those of the server. */
export async function askSocks5(socket: Socket, hostname: string, port: number, who: Credentials): Promise<void> {
  await greet(socket, who);
  socket.write(Buffer.concat([Buffer.of(VERSION, CONNECT, 0), address(hostname), Buffer.of(port >> 8, port & 0xff)]));
  const [, refusal, , kind, first = 0] = await take(socket, 5);
  if (refusal !== 0) throw new Error(refusal === 2 ? 'its rules forbid it' : `it answered with error ${refusal}`);
  const addressLength = kind === IPV4 ? 4 : kind === IPV6 ? 16 : first + 1;
  await take(socket, addressLength - 1 + 2);
}

async function greet(socket: Socket, { username, password }: Credentials): Promise<void> {
  const methods = username === '' ? [NO_CREDENTIALS] : [NO_CREDENTIALS, NAME_AND_PASSWORD];
  socket.write(Buffer.of(VERSION, methods.length, ...methods));
  const [version, method = -1] = await take(socket, 2);
  if (version !== VERSION) throw new Error('it does not speak SOCKS5');
  if (!methods.includes(method)) throw new Error('it wants a name and password: put them into its URL');
  if (method === NO_CREDENTIALS) return;
  socket.write(Buffer.concat([Buffer.of(1), counted(username), counted(password)]));
  const [, refusal] = await take(socket, 2);
  if (refusal !== 0) throw new Error('it did not accept the name and password');
}

const address = (hostname: string): Buffer =>
  isIPv4(hostname)
    ? Buffer.of(IPV4, ...hostname.split('.').map(Number))
    : Buffer.concat([Buffer.of(NAME), counted(hostname)]);

/** Text after its length, for which there is one byte. */
function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw new Error('a name or password is longer than 255 bytes');
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

/** Exactly the next `length` bytes. */
async function take(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const bytes: Buffer | null = socket.read(length);
    if (bytes?.length === length) return bytes;
    if (socket.readableEnded || socket.destroyed) throw new Error('it closed the connection');
    await moreOf(socket);
  }
}

/** Leaves no listener behind on a socket that others will use. */
async function moreOf(socket: Socket): Promise<void> {
  const happened = new AbortController();
  const { signal } = happened;
  try {
    await Promise.race([once(socket, 'readable', { signal }), once(socket, 'close', { signal })]);
  } finally {
    happened.abort();
  }
}
