/**
 * Access to a cluster by kubeconfig files. Certificates, tokens, exec plugins and the other ways to say who one is are the
 * published client's to understand, which is loaded here and nowhere else, because that takes half a second and 100 MB.
 */
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { Clock } from '../clock/clock.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { type CurrentContext, currentContext, type Exec } from './kubeconfig-files.ts';
import { proxyUrl } from './proxy.ts';
import { Reread } from './reread.ts';
import { serverUrl } from './server-url.ts';
import { readToken } from './token-file.ts';
import type { TlsOptions } from './undici-transport.ts';

/** `named` is the context that counts, instead of the current one. */
export async function kubeconfigAccess(files: readonly string[], clock: Clock, named?: string): Promise<ClusterAccess> {
  const from = files.join(', ');
  let context = await currentContext(files, named);
  let config = await load(context);
  let tls: TlsOptions = {};
  const identity = new Reread(clock, async (refresh) => {
    // Loading anew forgets what the exec plugin said before, and picks up a file that was rewritten.
    if (refresh) context = await currentContext(files, named);
    if (refresh) config = await load(context);
    const found = await identityOf(config, context);
    tls = sameTls(tls, found.tls) ? tls : found.tls;
    return found.headers;
  });
  await identity.get(false);
  const proxy = context.cluster['proxy-url'];
  return {
    server: serverUrl(context.cluster.server, `the server of cluster "${context.clusterName}" in ${from}`),
    tls: () => tls,
    authorize: (refresh) => identity.get(refresh),
    ...(proxy && { proxy: proxyUrl(proxy, `the proxy-url of cluster "${context.clusterName}" in ${from}`) }),
    namespace: context.namespace,
    from,
  };
}

interface Identity {
  readonly tls: TlsOptions;
  readonly headers: Readonly<Record<string, string>>;
}

/** Only the current context is given to the published client, and only what it is asked for: proxies are ours. */
async function load({ clusterName, cluster, userName, user }: CurrentContext): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const { 'proxy-url': _, ...rest } = cluster;
  // It refuses a server without TLS whose certificate is to be checked. There is none to check.
  const plain = cluster.server.startsWith('http:') ? { 'insecure-skip-tls-verify': true } : {};
  const exec = user.exec && { ...user.exec, env: [...(user.exec.env ?? []), execInfo(user.exec, cluster)] };
  const name = userName || 'nobody';
  const config = new KubeConfig();
  config.loadFromString(
    JSON.stringify({
      clusters: [{ name: clusterName, cluster: { ...rest, ...plain } }],
      users: [{ name, user: { ...user, exec } }],
      contexts: [{ name: 'current', context: { cluster: clusterName, user: name } }],
      'current-context': 'current',
    }),
  );
  return config;
}

/** What a plugin may want to know, in the variable that kubectl tells it in. */
function execInfo({ apiVersion, provideClusterInfo }: Exec, cluster: CurrentContext['cluster']) {
  const { server } = cluster;
  const told = { server, 'certificate-authority-data': cluster['certificate-authority-data'] };
  const spec = { interactive: false, ...(provideClusterInfo && { cluster: told }) };
  return { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify({ apiVersion, kind: 'ExecCredential', spec }) };
}

/** Runs the exec plugin when there is one and its last answer has expired. */
async function identityOf(config: KubeConfig, { userName, user }: CurrentContext): Promise<Identity> {
  const options: Parameters<KubeConfig['applyToHTTPSOptions']>[0] = { headers: {} };
  try {
    await config.applyToHTTPSOptions(options);
  } catch (cause) {
    throw user.exec ? pluginFailed(user.exec, userName, cause) : cause;
  }
  const { ca, cert, key, servername, rejectUnauthorized } = options as TlsOptions;
  const basic = options.auth ? { authorization: `Basic ${Buffer.from(options.auth).toString('base64')}` } : {};
  const bearer = user.tokenFile ? { authorization: `Bearer ${await readToken(user.tokenFile)}` } : {};
  return {
    tls: {
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
      ...(servername !== undefined && { servername }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
    },
    headers: { ...basic, ...lowerCaseKeys(options.headers), ...bearer },
  };
}

function pluginFailed({ command, installHint }: Exec, userName: string, cause: unknown): Error {
  const why = cause instanceof Error ? cause.message.trim() : String(cause);
  const hint = installHint ? ` ${installHint.trim()}` : '';
  return new Error(`the exec plugin ${command} of user "${userName}" failed: ${why}.${hint}`, { cause });
}

/** Connections are made anew only for new certificates: as long as nothing has changed, the object stays the same. */
const sameTls = (before: TlsOptions, now: TlsOptions): boolean => JSON.stringify(before) === JSON.stringify(now);

const lowerCaseKeys = (headers: object | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]));
