/** Which proxy to take to a server, by the environment variables that all programs share. Pure. */
import { BlockList, isIP } from 'node:net';

export type Environment = Readonly<Record<string, string | undefined>>;

export function proxyFromEnvironment(server: URL, env: Environment): URL | undefined {
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = env[name] || env[name.toLowerCase()];
  if (!proxy || isExempt(server, env.NO_PROXY ?? env.no_proxy ?? '')) return undefined;
  return new URL(proxy.includes('://') ? proxy : `http://${proxy}`);
}

function isExempt(server: URL, exemptions: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))) return true;
  return exemptions
    .split(',')
    .map((rule) => rule.trim().toLowerCase())
    .some((rule) => rule !== '' && covers(rule, host, server.port));
}

/** A rule is `*`, an address, a network, or a domain with everything below it; a port may follow. */
function covers(rule: string, host: string, port: string): boolean {
  if (rule === '*') return true;
  if (rule.includes('/')) return isInNetwork(host, rule);
  const [, name = rule, rulePort] = /^([^:]+):(\d+)$/.exec(rule) ?? [];
  if (rulePort !== undefined && rulePort !== port) return false;
  const domain = name.replace(/^\*?\./, '');
  return host === domain || host.endsWith(`.${domain}`);
}

function isInNetwork(host: string, network: string): boolean {
  const [address = '', bits] = network.split('/');
  const family = isIP(address);
  if (family === 0 || family !== isIP(host)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
