/** Finds the cluster to talk to and who we are there: a kubeconfig when one is named, else the service account of the pod we run in. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { kubeconfigAccess } from './kubeconfig.ts';
import { type Environment, proxyFromEnvironment } from './proxy.ts';
import { TokenFile } from './token-file.ts';
import type { TlsOptions } from './undici-transport.ts';

export interface ClusterAccess {
  readonly server: URL;
  readonly tls: () => TlsOptions;
  readonly authorize: (refresh: boolean) => Promise<Readonly<Record<string, string>>>;
  readonly proxy?: URL;
  /** The namespace that goes with the identity: the pod's own, or the context's. */
  readonly namespace: string;
  /** Where this was found, for messages. */
  readonly from: string;
}

export interface ClusterAccessOptions {
  readonly clock: Clock;
  readonly env: Environment;
  /** As given by the user. Without it: `KUBECONFIG`, the pod's service account, `~/.kube/config`, in this order. */
  readonly kubeconfig?: string;
  /** Overrides the server of whatever was found. */
  readonly master?: string;
  readonly serviceAccountDirectory?: string;
}

export class NoCluster extends Error {
  override readonly name = 'NoCluster';
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export async function clusterAccess(options: ClusterAccessOptions): Promise<ClusterAccess> {
  const found = await find(options);
  const server = options.master ? parseServer(options.master) : found.server;
  const proxy = found.proxy ?? proxyFromEnvironment(server, options.env);
  return { ...found, server, ...(proxy && { proxy }) };
}

async function find(options: ClusterAccessOptions): Promise<ClusterAccess> {
  const { env, kubeconfig } = options;
  if (kubeconfig) return kubeconfigAccess(present([kubeconfig], '--kubeconfig'));
  if (env.KUBECONFIG) return kubeconfigAccess(present(env.KUBECONFIG.split(delimiter), 'KUBECONFIG'));
  if (env.KUBERNETES_SERVICE_HOST) return inCluster(options);
  const home = join(env.HOME ?? '', '.kube', 'config');
  if (existsSync(home)) return kubeconfigAccess([home]);
  throw new NoCluster(
    `no cluster to talk to: --kubeconfig is not given, KUBECONFIG is not set, this is not a pod and ${home} does not exist. ` +
      'Give --kubeconfig FILE.',
  );
}

/** Of the files named in `KUBECONFIG` some may be missing, but not all. */
function present(files: readonly string[], source: string): readonly string[] {
  const existing = files.filter((file) => file !== '' && existsSync(file));
  if (existing.length === 0) throw new NoCluster(`${source} names ${files.join(', ')}, but there is no such file`);
  return existing;
}

async function inCluster({ env, clock, serviceAccountDirectory }: ClusterAccessOptions): Promise<ClusterAccess> {
  const directory = serviceAccountDirectory ?? SERVICE_ACCOUNT;
  const host = env.KUBERNETES_SERVICE_HOST ?? '';
  const token = new TokenFile(join(directory, 'token'), clock);
  const tls = { ca: await fileOfPod(join(directory, 'ca.crt')) };
  return {
    server: new URL(`https://${host.includes(':') ? `[${host}]` : host}:${env.KUBERNETES_SERVICE_PORT ?? '443'}`),
    tls: () => tls,
    authorize: async (refresh) => ({ authorization: `Bearer ${await token.read(refresh)}` }),
    namespace: (await fileOfPod(join(directory, 'namespace'))).trim(),
    from: 'the service account of this pod',
  };
}

async function fileOfPod(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new NoCluster(
      `this looks like a pod (KUBERNETES_SERVICE_HOST is set), but ${path} cannot be read. ` +
        'Mount the service account token (automountServiceAccountToken), or give --kubeconfig FILE.',
      { cause },
    );
  }
}

function parseServer(master: string): URL {
  try {
    return new URL(master.includes('://') ? master : `https://${master}`);
  } catch (cause) {
    throw new NoCluster(`--master ${master} is not an address; give one like https://10.0.0.1:6443`, { cause });
  }
}
