/** What a caller may see of a cluster, and what is left of it then. Pure. */
import type { Known } from '../kit/known.ts';
import type { Need, PoolRow, VolumeRow } from './model.ts';
import type { Parts } from './overview.ts';
import { type Shown, sentence } from './shown.ts';

/** Of what is in namespaces: in all, or in these. */
export type Namespaces = 'all' | ReadonlySet<string>;

export interface Rights {
  readonly volumes: boolean;
  readonly nodes: boolean;
  readonly syncs: boolean;
  /** ConfigMaps, among them the reports of agents. */
  readonly reports: Namespaces;
  readonly pods: Namespaces;
  readonly pools: Namespaces;
}

export const EVERYTHING: Rights = {
  volumes: true,
  nodes: true,
  syncs: true,
  reports: 'all',
  pods: 'all',
  pools: 'all',
};

/** What there is, and where the agents report now. */
export interface Seen extends Parts {
  readonly reportsIn: Known<ReadonlySet<string>>;
}

/** The same text for the same rights. */
export const keyOf = (rights: Rights): string =>
  JSON.stringify(Object.entries(rights).map(([what, may]) => [what, may instanceof Set ? [...may].toSorted() : may]));

const isIn = (namespaces: Namespaces, key: string): boolean =>
  namespaces === 'all' || namespaces.has(key.split('/')[0] ?? '');

export function visibleTo(rights: Rights, seen: Seen): Parts {
  if (rights === EVERYTHING) return seen;
  const { volumes, nodes, pools, syncs, others, isTopologyInUse } = seen;
  const visibleVolumes = ifAllowed(rights.volumes, 'persistentvolumes', volumes);
  return {
    volumes: visibleVolumes.known
      ? { known: true, value: withPods(visibleVolumes.value, rights.pods) }
      : visibleVolumes,
    nodes: nodesFor(rights, nodes, seen.reportsIn),
    pools: poolsFor(rights, pools),
    syncs: ifAllowed(rights.syncs, 'persistentvolumesyncs', syncs),
    others: others.filter((need) => isAbout(need, rights)),
    blind: seen.blind,
    isTopologyInUse,
  };
}

/** Whether one may know which pods use a volume, and where: they are in the namespace of its claim. */
export const maySeePodsOf = ({ pods }: Rights, { claim }: VolumeRow): boolean =>
  claim === undefined || isIn(pods, claim);

const ifAllowed = <T>(isAllowed: boolean, what: string, part: Known<T>): Known<T> =>
  isAllowed ? part : { known: false, why: `you may not list ${what}` };

/** What is told of disks and volume groups comes from reports, and names volumes and claims. */
const nodesFor = (rights: Rights, nodes: Parts['nodes'], reportsIn: Seen['reportsIn']): Parts['nodes'] => {
  if (!rights.nodes) return { known: false, why: 'you may not list nodes' };
  if (!rights.volumes) return { known: false, why: 'you may not list persistentvolumes' };
  return mayReadReports(rights, reportsIn)
    ? nodes
    : { known: false, why: 'you may not list the configmaps of the agents' };
};

/** All that there are now. Of none it cannot be said: one may come in a moment, and from where nobody was asked about. */
const mayReadReports = ({ reports }: Rights, reportsIn: Seen['reportsIn']): boolean =>
  reports === 'all' || (reportsIn.known && reportsIn.value.size > 0 && reportsIn.value.isSubsetOf(reports));

const NO_POOLS = 'you may not list pvpools, neither in all namespaces nor in one that has any';

function poolsFor(rights: Rights, pools: Parts['pools']): Parts['pools'] {
  if (!pools.known) return pools;
  if (rights.pools !== 'all' && rights.pools.size === 0) return { known: false, why: NO_POOLS };
  return { known: true, value: poolRowsFor(rights, pools.value) };
}

/** Where a pod runs, and on which claim, is of the pod. */
function poolRowsFor(
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

/** Pods, claims and ConfigMaps are named `namespace/name` in the id. */
const isAbout = ({ id }: Need, { pods, reports }: Rights): boolean => {
  const colon = id.indexOf(':');
  return isIn(id.slice(0, colon) === 'unreadable' ? reports : pods, id.slice(colon + 1));
};

function withPods(volumes: ReadonlyMap<string, Shown<VolumeRow>>, namespaces: Namespaces) {
  if (namespaces === 'all') return volumes;
  return new Map([...volumes].map(([key, shown]) => [key, podsOf(shown, namespaces)]));
}

const UNTOLD = 'it does not carry its zone: why is told to those who may list pods where its claim is';

/** Without what is known because of pods: their names, where they run, and what that means for the zone. */
function podsOf(shown: Shown<VolumeRow>, namespaces: Namespaces): Shown<VolumeRow> {
  const { pods: _, note, node, ...row } = shown.row;
  if (row.claim === undefined || isIn(namespaces, row.claim)) return shown;
  const placement = shown.needs.find(({ id }) => id === `topology:${row.name}`);
  const isOfPlacement = note !== undefined && placement?.remedy === sentence(note);
  const isOfAgent = row.source === 'device' || row.source === 'lvm';
  return {
    ...shown,
    row: {
      ...row,
      ...(note !== undefined && { note: isOfPlacement ? UNTOLD : note }),
      ...(node !== undefined && isOfAgent && { node }),
    },
    needs: shown.needs.map((need) => (need === placement ? { ...need, remedy: sentence(UNTOLD) } : need)),
  };
}
