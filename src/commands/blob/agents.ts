/** Which agents are asked: those of a pool in the cluster, or those that are named. */
import { SECRETS } from '../../api/secrets.ts';
import { InvalidValue } from '../../kit/invalid-value.ts';
import type { KubeClient } from '../../kit/kube/client.ts';
import { readToken } from '../../kit/kube/token-file.ts';
import { stopSignals } from '../../kit/manager/stop-signals.ts';
import { TOKEN_KEY } from '../../pool/contract.ts';
import { tokenSecretNameOf } from '../../pool/names.ts';
import { PoolClient } from '../../pool-client/client.ts';
import type { Peer } from '../../pool-client/protocol.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { flag, type Kind } from '../flags/flag.ts';
import { listOf } from '../flags/list.ts';
import type { OptionsOf } from '../flags/options.ts';
import { text } from '../flags/text.ts';
import type { Terminal } from '../line/command.ts';
import { UsageError } from '../line/usage-error.ts';
import { visit } from '../visit.ts';
import { type PoolName, poolAgents } from './pool-agents.ts';

const poolName: Kind<PoolName> = {
  placeholder: 'namespace/name',
  allowed: 'the namespace and the name of a PvPool',
  example: 'storage/photos',
  parse(given) {
    const [, namespace, name] = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(given) ?? [];
    if (!namespace || !name) throw new InvalidValue('pool', given, 'it is not NAMESPACE/NAME');
    return { namespace, name };
  },
};

const namedAgent: Kind<Peer> = {
  placeholder: 'name=url',
  allowed: 'the name of an agent and its URL',
  example: 'photos-sts-0=http://10.0.0.7:8080',
  parse(given) {
    const [, name, url = ''] = /^([^=]+)=(.+)$/.exec(given) ?? [];
    if (!name || URL.parse(url)?.protocol !== 'http:') {
      throw new InvalidValue('agent', given, 'it is not NAME=http://HOST:PORT');
    }
    return { name, url };
  },
};

export const poolFlags = {
  ...clusterFlags,
  pool: flag('--pool', 'the PvPool whose agents are asked, with the token from its Secret', poolName),
  agent: flag(
    '--agent',
    'an agent, by the name that it has in its pool; all of the pool must be given',
    listOf(namedAgent),
  ),
  tokenFile: flag('--token-file', 'the token of the pool, where agents are given by --agent', text('file', 'token'), {
    env: 'HOLDFAST_TOKEN_FILE',
    emptyIsUnset: true,
  }),
};

export type PoolOptions = OptionsOf<typeof poolFlags>;

/** Runs what a person has asked of a pool, and lets go of all connections after it. */
export async function withPool(
  options: PoolOptions,
  terminal: Terminal,
  work: (client: PoolClient, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { pool, agent, tokenFile } = options;
  if ((pool === undefined) === (agent === undefined)) {
    throw new UsageError('say which pool: either --pool NAMESPACE/NAME, or --agent NAME=URL for each of its agents');
  }
  if (pool)
    return await visit('blob', options, terminal, ({ client, signal }) => ofCluster(client, pool, signal, work));
  using stopping = stopSignals(process, () => {});
  using client = new PoolClient({
    agents: async () => agent ?? [],
    token: tokenFile === undefined ? undefined : await readToken(tokenFile),
  });
  await work(client, stopping.signal);
}

async function ofCluster(
  kube: KubeClient,
  pool: PoolName,
  signal: AbortSignal,
  work: (client: PoolClient, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const token = await tokenOf(kube, pool, signal);
  using client = new PoolClient({ agents: () => poolAgents(kube, pool, signal), token });
  await work(client, signal);
}

/** None for a pool whose agents are open. */
async function tokenOf(kube: KubeClient, { namespace, name }: PoolName, signal: AbortSignal) {
  const secret = await kube.find(SECRETS, { namespace, name: tokenSecretNameOf(name) }, { signal });
  const value = secret?.data?.[TOKEN_KEY];
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString().trim();
}
