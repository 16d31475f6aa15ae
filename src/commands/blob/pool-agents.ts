/** Who belongs to a pool in the cluster, as its readers and writers have to know it: all who may hold blobs, whether they run or not. */
import { PODS, type Pod } from '../../api/pods.ts';
import { STATEFUL_SETS } from '../../api/stateful-sets.ts';
import type { KubeClient } from '../../kit/kube/client.ts';
import { POOL_LABEL } from '../../pool/contract.ts';
import { podNameOf, statefulSetNameOf } from '../../pool/names.ts';
import { DEFAULT_PORT, type Peer } from '../../pool-client/protocol.ts';

export interface PoolName {
  readonly namespace: string;
  readonly name: string;
}

export async function poolAgents(
  kube: KubeClient,
  { namespace, name }: PoolName,
  signal: AbortSignal,
): Promise<readonly Peer[]> {
  const set = await kube.find(STATEFUL_SETS, { namespace, name: statefulSetNameOf(name) }, { signal });
  if (!set) throw new Error(`there is no StatefulSet of a pool ${name} in the namespace ${namespace}`);
  const pods: Pod[] = [];
  for await (const page of kube.pages(PODS, { namespace, labelSelector: `${POOL_LABEL}=${name}`, signal })) {
    pods.push(...page);
  }
  return agentsOf(name, set.spec?.replicas ?? 1, pods);
}

/**
 * An agent whose pod has no address, or is not there since it is just replaced, cannot be asked and may hold blobs: it is one that does
 * not answer. Left out, it would make "not found" of what it holds.
 */
export function agentsOf(pool: string, replicas: number, pods: readonly Pod[]): readonly Peer[] {
  const prefix = podNameOf(pool, 0).slice(0, -1);
  const found = new Map(pods.map(({ metadata, status }) => [metadata.name ?? '', status?.podIP]));
  const ordinals = [...found.keys()]
    .filter((pod) => pod.startsWith(prefix) && /^(0|[1-9]\d{0,8})$/.test(pod.slice(prefix.length)))
    .map((pod) => Number(pod.slice(prefix.length)));
  const all = new Set([...Array.from({ length: replicas }, (_, ordinal) => ordinal), ...ordinals]);
  return [...all]
    .toSorted((a, b) => a - b)
    .map((ordinal) => podNameOf(pool, ordinal))
    .map((name) => ({ name, url: urlOf(found.get(name)) }));
}

function urlOf(ip: string | undefined): string {
  if (ip === undefined) return 'nowhere: it has no pod, or its pod has no address';
  return `http://${ip.includes(':') ? `[${ip}]` : ip}:${DEFAULT_PORT}`;
}
