/** Finds the cluster to talk to and who we are there: a kubeconfig when one is named, else the service account of the pod we run in. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import type { Identity } from './caller.ts';
import { NoCluster } from './no-cluster.ts';
import { podAccess } from './pod-access.ts';
import { type Environment, proxyFromEnvironment } from './proxy.ts';
import { serverUrl } from './server-url.ts';
import type { TlsOptions } from './undici-transport.ts';

export interface ClusterAccess {
  readonly server: URL;
  /** Certificates for new connections. The same object as long as they are the same. */
  readonly tls: () => TlsOptions;
  /** Who we are, as headers. `refresh` is set when the server did not accept what it was told last. */
  readonly authorize: (refresh: boolean) => Identity | Promise<Identity>;
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
  /** Of the kubeconfig, instead of its current one. */
  readonly context?: string;
  /** Overrides the server of whatever was found. Where nothing was, it is talked to without saying who we are. */
  readonly master?: string;
  readonly serviceAccountDirectory?: string;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export async function clusterAccess(options: ClusterAccessOptions): Promise<ClusterAccess> {
  const found = await find(options);
  const server = options.master ? serverUrl(options.master, '--master') : found.server;
  const proxy = found.proxy ?? proxyFromEnvironment(server, options.env);
  return { ...found, server, ...(proxy && { proxy }) };
}

async function find({ clock, env, kubeconfig, context, master, serviceAccountDirectory }: ClusterAccessOptions) {
  const files = kubeconfigFiles(env, kubeconfig);
  if (files) return await byKubeconfig(files, clock, context);
  if (env.KUBERNETES_SERVICE_HOST) return await podAccess(env, serviceAccountDirectory ?? SERVICE_ACCOUNT, clock);
  const home = env.HOME && join(env.HOME, '.kube', 'config');
  if (home && existsSync(home)) return await byKubeconfig([home], clock, context);
  if (master) return asNobody(serverUrl(master, '--master'));
  throw new NoCluster(
    'no cluster to talk to: --kubeconfig is not given, KUBECONFIG is not set, this is not a pod and ' +
      `${home ? `${home} does not exist` : 'there is no home directory'}. Give --kubeconfig FILE.`,
  );
}

/** The files that were named, by the flag or else by the variable. */
function kubeconfigFiles(env: Environment, flag: string | undefined): readonly string[] | undefined {
  if (flag) return present([flag], '--kubeconfig');
  return env.KUBECONFIG ? present(env.KUBECONFIG.split(delimiter), 'KUBECONFIG') : undefined;
}

/** Of the files named in `KUBECONFIG` some may be missing, but not all. */
function present(files: readonly string[], source: string): readonly string[] {
  const existing = files.filter((file) => file !== '' && existsSync(file));
  if (existing.length > 0) return existing;
  throw new NoCluster(`${source} names ${files.join(', ')}, but there is no such file; name one that exists`);
}

/** Most processes run in a pod and never need what this loads. */
async function byKubeconfig(files: readonly string[], clock: Clock, context?: string): Promise<ClusterAccess> {
  const { kubeconfigAccess } = await import('./kubeconfig.ts');
  return await kubeconfigAccess(files, clock, context);
}

function asNobody(server: URL): ClusterAccess {
  const tls = {};
  return { server, tls: () => tls, authorize: () => ({}), namespace: 'default', from: '--master' };
}
