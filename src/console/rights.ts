/** What a caller may see of a cluster, and what is left of it then. Pure. */
import type { Known } from '../kit/known.ts';
import type { Need, PoolRow, VolumeRow } from './model.ts';
import type { Parts } from './overview.ts';
import type { Shown } from './shown.ts';

/** Of what is in namespaces: in all, or in these. */
export type Namespaces = 'all' | ReadonlySet<string>;

export interface Rights {
  readonly volumes: boolean;
  readonly nodes: boolean;
  readonly syncs: boolean;
  /** The reports of agents, in all namespaces that have any. */
  readonly reports: boolean;
  readonly pods: Namespaces;
  readonly pools: Namespaces;
}

export const EVERYTHING: Rights = {
  volumes: true,
  nodes: true,
  syncs: true,
  reports: true,
  pods: 'all',
  pools: 'all',
};

/** The same text for the same rights. */
export const keyOf = (rights: Rights): string =>
  JSON.stringify(Object.entries(rights).map(([what, may]) => [what, may instanceof Set ? [...may].toSorted() : may]));

const isIn = (namespaces: Namespaces, key: string): boolean =>
  namespaces === 'all' || namespaces.has(key.split('/')[0] ?? '');

export function visibleTo(rights: Rights, parts: Parts): Parts {
  if (rights === EVERYTHING) return parts;
  const { volumes, nodes, pools, syncs, others, isTopologyInUse } = parts;
  const visibleVolumes = ifAllowed(rights.volumes, 'persistentvolumes', volumes);
  return {
    volumes: visibleVolumes.known
      ? { known: true, value: withPods(visibleVolumes.value, rights.pods) }
      : visibleVolumes,
    nodes: nodesFor(rights, nodes),
    pools: pools.known ? { known: true, value: poolsFor(rights, pools.value) } : pools,
    syncs: ifAllowed(rights.syncs, 'persistentvolumesyncs', syncs),
    others: others.filter((need) => isAbout(need, rights)),
    blind: parts.blind,
    isTopologyInUse,
  };
}

const ifAllowed = <T>(isAllowed: boolean, what: string, part: Known<T>): Known<T> =>
  isAllowed ? part : { known: false, why: `you may not list ${what}` };

/** What is told of disks and volume groups comes from reports, and names volumes and claims. */
const nodesFor = (rights: Rights, nodes: Parts['nodes']): Parts['nodes'] => {
  if (!rights.nodes) return { known: false, why: 'you may not list nodes' };
  if (!rights.volumes) return { known: false, why: 'you may not list persistentvolumes' };
  return rights.reports ? nodes : { known: false, why: 'you may not list the configmaps of the agents' };
};

/** Where a pod runs, and on which claim, is of the pod. */
function poolsFor(
  { pools, pods }: Rights,
  all: ReadonlyMap<string, Shown<PoolRow>>,
): ReadonlyMap<string, Shown<PoolRow>> {
  const visible = [...all].filter(([key]) => isIn(pools, key));
  return new Map(
    visible.map(([key, shown]) => {
      if (isIn(pods, key)) return [key, shown];
      const agents = shown.row.agents.map(({ node: _, claim: __, capacityBytes: ___, ...agent }) => agent);
      return [key, { ...shown, row: { ...shown.row, agents } }];
    }),
  );
}

/** Pods are named `namespace/name` in the id. */
const isAbout = ({ id }: Need, { pods }: Rights): boolean => isIn(pods, id.slice(id.indexOf(':') + 1));

function withPods(volumes: ReadonlyMap<string, Shown<VolumeRow>>, namespaces: Namespaces) {
  if (namespaces === 'all') return volumes;
  return new Map([...volumes].map(([key, shown]) => [key, { ...shown, row: podsOf(shown.row, namespaces) }]));
}

function podsOf({ pods, ...row }: VolumeRow, namespaces: Namespaces): VolumeRow {
  const visible = pods?.filter((pod) => isIn(namespaces, pod)) ?? [];
  return visible.length > 0 ? { ...row, pods: visible } : row;
}
