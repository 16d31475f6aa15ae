/** Which proxy to take to a server, by the environment variables that all programs share. Pure. */
import { BlockList, isIP } from 'node:net';
import { NoCluster } from './no-cluster.ts';
import { isUsableProxy } from './proxy-tunnel.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export function proxyFromEnvironment(server: URL, env: Environment): URL | undefined {
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = env[name] || env[name.toLowerCase()];
  if (!proxy || isExempt(server, env.NO_PROXY || env.no_proxy || '')) return undefined;
  return proxyUrl(proxy, name);
}

/** Without a scheme it is http. `where` says who wrote it; what was written is not told, since it may hold a password. */
export function proxyUrl(text: string, where: string): URL {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (url && isUsableProxy(url)) return url;
  throw new NoCluster(
    `${where} is not the address of an http, https or socks5 proxy; give one like http://10.0.0.1:3128`,
  );
}

function isExempt(server: URL, exemptions: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))) return true;
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  return exemptions
    .split(',')
    .map((rule) => rule.trim().toLowerCase())
    .some((rule) => rule !== '' && covers(rule, host, port));
}

/** A rule is `*`, an address, a network, or a domain with everything below it, or with a dot before it only what is below; a port may follow. */
function covers(rule: string, host: string, port: string): boolean {
  if (rule === '*') return true;
  const [, name = rule, rulePort = port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(rule) ?? [];
  if (rulePort !== port) return false;
  const [address = '', bits] = name.replace(/^\[|\]$/g, '').split('/');
  if (isIP(address) !== 0) return isInNetwork(host, address, bits);
  return name.startsWith('.') || name.startsWith('*.')
    ? host.endsWith(name.replace('*', ''))
    : host === name || host.endsWith(`.${name}`);
}

/** Without a number of bits the network is the one address. */
function isInNetwork(host: string, address: string, bits: string | undefined): boolean {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  const all = family === 'ipv4' ? 32 : 128;
  const prefix = bits === undefined ? all : Number(bits || Number.NaN);
  if (isIP(host) !== isIP(address) || !Number.isInteger(prefix) || prefix < 0 || prefix > all) return false;
  const network = new BlockList();
  network.addSubnet(address, prefix, family);
  return network.check(host, family);
}
