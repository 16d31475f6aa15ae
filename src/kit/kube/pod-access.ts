/** Access to the cluster from inside, with the files that the kubelet puts into every pod. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { NoCluster } from './no-cluster.ts';
import type { Environment } from './proxy.ts';
import { Reread } from './reread.ts';
import { readToken } from './token-file.ts';
import type { TlsOptions } from './undici-transport.ts';

export async function podAccess(env: Environment, directory: string, clock: Clock): Promise<ClusterAccess> {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = env;
  const identity = new Reread(clock, async () => ({
    authorization: `Bearer ${await readToken(join(directory, 'token'))}`,
  }));
  const authority = join(directory, 'ca.crt');
  const [ca, namespace] = await Promise.all([
    readFile(authority, 'utf8'),
    readFile(join(directory, 'namespace'), 'utf8').catch(() => 'default'),
    identity.get(false),
  ]).catch((cause: unknown) => Promise.reject(incomplete(cause)));
  return {
    server: new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`),
    tls: certificates(authority, ca),
    authorize: (refresh) => identity.get(refresh),
    namespace: namespace.trim(),
    from: 'the service account of this pod',
  };
}

function incomplete(cause: unknown): NoCluster {
  return new NoCluster(
    'this looks like a pod (KUBERNETES_SERVICE_HOST is set), but its service account cannot be read: ' +
      `${cause instanceof Error ? cause.message : cause}. ` +
      'Mount its token (automountServiceAccountToken), or give --kubeconfig FILE.',
    { cause },
  );
}

/** The authority is looked at again for each new connection, which is seldom: one that was replaced is picked up. */
function certificates(path: string, first: string): () => TlsOptions {
  let current = { ca: first };
  return () => {
    const ca = readOr(path, current.ca);
    if (ca !== current.ca) current = { ca };
    return current;
  };
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8') || otherwise;
  } catch {
    return otherwise;
  }
}
