/** The kit, connected to a control plane or to the fault proxy in front of it. */
import { Caches } from '../../../src/kit/cache/caches.ts';
import type { ReflectorTiming } from '../../../src/kit/cache/reflector.ts';
import type { View } from '../../../src/kit/cache/store.ts';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import type { KubeClient } from '../../../src/kit/kube/client.ts';
import { connect } from '../../../src/kit/kube/connect.ts';
import type { KubeObject, Resource } from '../../../src/kit/kube/resource.ts';
import { RecordingLog } from '../../../src/kit/observe/recording-log.ts';
import type { ControlPlane } from '../../harness/control-plane.ts';

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const CONFIG_MAPS: Resource<ConfigMap> = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

export const aConfigMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  metadata: { namespace: 'default', name },
  data,
});

export interface Connected extends AsyncDisposable {
  readonly client: KubeClient;
}

/** With the administrator's token, or another; `to` is where the requests go. */
export function connected(
  to: { readonly url: string; readonly ca: string },
  token: string | (() => string),
): Connected {
  const tls = { ca: to.ca };
  const { client, close } = connect(
    {
      server: new URL(to.url),
      tls: () => tls,
      authorize: async () => ({ authorization: `Bearer ${typeof token === 'string' ? token : token()}` }),
      namespace: 'default',
      from: 'a test',
    },
    { clock: systemClock, random: Math.random },
  );
  return { client, [Symbol.asyncDispose]: close };
}

export interface Mirror extends AsyncDisposable {
  readonly view: View<string>;
  readonly log: RecordingLog;
}

/** A cache of the config maps of the default namespace, each as JSON of its data; running until it is disposed of. */
export function mirror(client: KubeClient, timing: Partial<ReflectorTiming> = {}): Mirror {
  const log = new RecordingLog();
  const backoff = { baseMs: 5, maxMs: 200 };
  const caches = new Caches({ client, clock: systemClock, random: Math.random, log, timing: { backoff, ...timing } });
  const view = caches.view(CONFIG_MAPS, { project: dataOf, namespace: 'default' });
  const stop = new AbortController();
  const ended = caches.run(stop.signal);
  return {
    view,
    log,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

const dataOf = ({ data }: ConfigMap): string => JSON.stringify(data ?? {});

export const contentsOf = (view: View<string>): Record<string, string | undefined> =>
  Object.fromEntries([...view.keys()].sort().map((key) => [key, view.get(key)]));

/** What the API server itself says, read without the kit. */
export async function contentsOnServer(plane: ControlPlane): Promise<Record<string, string | undefined>> {
  const { items } = await plane.admin.list<ConfigMap & { metadata: { name: string } }>(
    '/api/v1/namespaces/default/configmaps',
  );
  const entries = items.map((each) => [`default/${each.metadata.name}`, dataOf(each)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
