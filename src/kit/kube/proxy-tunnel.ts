/** Opens a connection to a server through a proxy: by CONNECT where the proxy speaks HTTP, or by SOCKS5. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, isIPv6, type Socket } from 'node:net';
import { askSocks5, type Credentials } from './socks5.ts';

export interface Target {
  readonly hostname: string;
  readonly port: number;
}

type Opener = (proxy: URL, target: Target, timeoutMs: number) => Promise<Socket>;

const OPENERS: Readonly<Record<string, Opener>> = {
  'http:': tunnelByConnect,
  'https:': tunnelByConnect,
  'socks5:': tunnelBySocks,
  'socks5h:': tunnelBySocks,
};

export const isUsableProxy = ({ protocol }: URL): boolean => protocol in OPENERS;

/** Rejects, and leaves nothing open, when the proxy is silent for `timeoutMs`. */
export async function openTunnel(proxy: URL, target: Target, timeoutMs: number): Promise<Socket> {
  try {
    const open = OPENERS[proxy.protocol];
    if (!open) throw new Error('only http, https and socks5 are known');
    return await open(proxy, target, timeoutMs);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the proxy ${proxy.protocol}//${proxy.host} gave no tunnel: ${why}`, { cause });
  }
}

async function tunnelByConnect(proxy: URL, { hostname, port }: Target, timeout: number): Promise<Socket> {
  const path = `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`;
  const { username, password } = credentialsOf(proxy);
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const headers = { host: path, ...(username && { 'proxy-authorization': basic }) };
  const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = send({ ...addressOf(proxy), method: 'CONNECT', path, headers, agent: false, timeout });
  const onTimeout = () => request.destroy(silent(timeout));
  request.once('timeout', onTimeout).end();
  const [response, socket] = (await once(request, 'connect')) as [IncomingMessage, Socket];
  request.off('timeout', onTimeout);
  if (response.statusCode === 200) return socket;
  socket.destroy();
  throw new Error(`it answered ${response.statusCode} ${response.statusMessage}`);
}

async function tunnelBySocks(proxy: URL, { hostname, port }: Target, timeout: number): Promise<Socket> {
  const socket = connect({ ...addressOf(proxy), timeout });
  const onTimeout = () => socket.destroy(silent(timeout));
  socket.once('timeout', onTimeout);
  try {
    await once(socket, 'connect');
    await askSocks5(socket, hostname, port, credentialsOf(proxy));
    return socket.off('timeout', onTimeout);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

const silent = (ms: number): Error => new Error(`no answer within ${ms / 1000} s`);

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

const addressOf = ({ hostname, port, protocol }: URL) => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: Number(port) || (DEFAULT_PORTS[protocol] ?? 1080),
});

const credentialsOf = ({ username, password }: URL): Credentials => ({
  username: decodeURIComponent(username),
  password: decodeURIComponent(password),
});
