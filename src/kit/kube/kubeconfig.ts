/**
 * Reads kubeconfig files by means of the published client, which knows client certificates, tokens, exec plugins and the rest.
 * Only its configuration module is loaded, and only when a kubeconfig is used: the whole client takes most of a second to load.
 */
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { type ClusterAccess, NoCluster } from './cluster-access.ts';
import type { TlsOptions } from './undici-transport.ts';

export async function kubeconfigAccess(files: readonly string[]): Promise<ClusterAccess> {
  const from = files.join(', ');
  let config = await load(files);
  const cluster = config.getCurrentCluster();
  if (!cluster) {
    throw new NoCluster(`${from} has no usable current context; choose one with: kubectl config use-context NAME`);
  }
  let identity = await identityOf(config);
  return {
    server: new URL(cluster.server),
    tls: () => identity.tls,
    async authorize(refresh) {
      // Loading anew forgets what the exec plugin said before, and picks up a file that was rewritten.
      if (refresh) config = await load(files);
      identity = sameTls(identity, await identityOf(config));
      return identity.headers;
    },
    ...(cluster.proxyUrl && { proxy: new URL(cluster.proxyUrl) }),
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? 'default',
    from,
  };
}

interface Identity {
  readonly tls: TlsOptions;
  readonly headers: Readonly<Record<string, string>>;
}

async function load(files: readonly string[]): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const [first, ...others] = files.map((file) => parse(() => new KubeConfig(), file));
  if (!first) throw new NoCluster('no kubeconfig file was given');
  for (const other of others) first.mergeConfig(other, true);
  return first;
}

function parse(empty: () => KubeConfig, file: string): KubeConfig {
  const config = empty();
  try {
    config.loadFromFile(file);
  } catch (cause) {
    throw new NoCluster(`${file} is not a kubeconfig: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  return config;
}

/** Runs the exec plugin when there is one and its last answer has expired. */
async function identityOf(config: KubeConfig): Promise<Identity> {
  const options: Parameters<KubeConfig['applyToHTTPSOptions']>[0] = { headers: {} };
  await config.applyToHTTPSOptions(options);
  const { ca, cert, key, servername, rejectUnauthorized } = options as TlsOptions;
  const basic = options.auth ? { authorization: `Basic ${Buffer.from(options.auth).toString('base64')}` } : {};
  return {
    tls: {
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
      ...(servername !== undefined && { servername }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
    },
    headers: { ...basic, ...lowerCaseKeys(options.headers) },
  };
}

/** Keeps the object of the TLS options when nothing in it has changed: connections are made anew only for new certificates. */
function sameTls(before: Identity, now: Identity): Identity {
  const same = String(before.tls.cert) === String(now.tls.cert) && String(before.tls.key) === String(now.tls.key);
  return same ? { ...now, tls: before.tls } : now;
}

const lowerCaseKeys = (headers: object | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]));
