/** What the commands for people of sync have in common: which resource they are about, and the store that it names. */
import { SECRETS } from '../../api/secrets.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import type { KubeClient } from '../../kit/kube/client.ts';
import { PERSISTENT_VOLUME_SYNCS, type PersistentVolumeSync } from '../../sync/contract.ts';
import { elderOf } from '../../sync/elder.ts';
import { keysFrom } from '../../sync/export/keys.ts';
import type { LookedAt } from '../../sync/recover/look-up.ts';
import { openStore } from '../../sync/store/open.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { flag } from '../flags/flag.ts';
import type { OptionsOf } from '../flags/options.ts';
import { text } from '../flags/text.ts';
import type { Terminal } from '../line/command.ts';
import { UsageError } from '../line/usage-error.ts';

export const storeFlags = {
  secret: flag(
    '--secret',
    'the Secret that the operator has its environment from, as NAMESPACE/NAME; otherwise the environment of this command counts',
    text('secret', 'pvsync-operator/pvsync'),
    { emptyIsUnset: true },
  ),
};

export const siteFlags = { ...clusterFlags, ...storeFlags };

type Environment = Readonly<Record<string, string | undefined>>;

export type SiteOfSync = LookedAt & AsyncDisposable;

/** The resource of this cluster, and its store, which is closed at the end. */
export async function siteOf(
  client: KubeClient,
  { secret }: Pick<OptionsOf<typeof storeFlags>, 'secret'>,
  { env }: Terminal,
  signal: AbortSignal,
): Promise<SiteOfSync> {
  const sync = await onlySync(client, signal);
  const variables = secret === undefined ? env : { ...env, ...(await environmentIn(client, secret, signal)) };
  const store = await openStore(sync.spec.cloudProvider, variables);
  return { sync, store, keys: keysFrom(variables), clock: systemClock, [Symbol.asyncDispose]: () => store.close() };
}

export async function onlySync(client: KubeClient, signal: AbortSignal): Promise<PersistentVolumeSync> {
  const { items } = await client.list(PERSISTENT_VOLUME_SYNCS, { signal });
  const sync = elderOf(items);
  if (!sync) throw new Error('there is no PersistentVolumeSync in this cluster: make one first, see docs/sync.md');
  return sync;
}

export async function environmentIn(client: KubeClient, named: string, signal: AbortSignal): Promise<Environment> {
  const [namespace = '', name = '', ...more] = named.split('/');
  if (!namespace || !name || more.length > 0)
    throw new UsageError(`--secret is NAMESPACE/NAME, such as pvsync-operator/pvsync, and not ${named}`);
  const { data = {} } = await client.get(SECRETS, { namespace, name }, { signal });
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}
