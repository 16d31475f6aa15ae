/** Looks at a cluster for the doctor: reads, asks, and changes nothing. What may not be read is told, and does not stop the rest. */
import { CONFIG_MAPS } from '../api/config-maps.ts';
import { NODES } from '../api/nodes.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import { customResources } from '../custom-resources.ts';
import type { Heartbeat } from '../kit/clock/skew.ts';
import type { Known } from '../kit/known.ts';
import { ApiError, hasReason } from '../kit/kube/api-error.ts';
import type { KubeClient, Selection } from '../kit/kube/client.ts';
import { type KubeObject, nameOf, type Resource } from '../kit/kube/resource.ts';
import { LEASES } from '../kit/lead/lease.ts';
import { REPORT_LABEL, type ReportMap, reportHead } from '../kit/reports/node-reports.ts';
import { PERSISTENT_VOLUME_SYNCS } from '../sync/contract.ts';
import { DEFINITIONS } from './checks/kinds.ts';
import { BINDINGS, POLICIES } from './checks/policies.ts';
import type { Cluster, Definition, Report } from './cluster.ts';
import { rightsOf } from './reviews.ts';
import { consoleOf, type Installed, keyOf, type Workload, type Writer, writersOf } from './writers.ts';

const workloads = (kind: 'Deployment' | 'DaemonSet'): Resource<Workload> => ({
  group: 'apps',
  version: 'v1',
  plural: `${kind.toLowerCase()}s`,
  kind,
  namespaced: true,
});

export interface Looking {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  readonly version: string;
  readonly now: () => Date;
  /** The answer of the server that was the least time under way. */
  readonly heartbeat: () => Heartbeat | undefined;
}

/** Rejects when the API server cannot be reached at all. */
export async function lookAtCluster(looking: Looking): Promise<Cluster> {
  const { client, signal, version, now, heartbeat } = looking;
  const server = await known(client.raw('GET', '/version', undefined, { signal }), looking);
  const all = <T extends KubeObject>(resource: Resource<T>, selection: Selection = {}) =>
    known(readAll(looking, resource, selection), looking);
  const [nodes, volumes, maps, leases, deployments, daemonSets, policies, bindings, syncs, kinds] = await Promise.all([
    all(NODES),
    all(PERSISTENT_VOLUMES),
    all(CONFIG_MAPS, { labelSelector: REPORT_LABEL }),
    all(LEASES),
    all(workloads('Deployment')),
    all(workloads('DaemonSet')),
    all(POLICIES),
    all(BINDINGS),
    known(noneWithoutItsKind(readAll(looking, PERSISTENT_VOLUME_SYNCS, {})), looking),
    known(readKinds(looking), looking),
  ]);
  const writers = both(deployments, daemonSets, writersIn);
  const consoles = map(deployments, (found) => found.flatMap((each) => consoleOf('Deployment', each) ?? []));
  const beat = heartbeat();
  return {
    now: now(),
    version,
    server: map(server, (said) => String(Object(said).gitVersion ?? '')),
    clock: beat
      ? { known: true, value: beat }
      : { known: false, why: 'no answer of the API server said what time it is' },
    nodes,
    volumes,
    reports: map(maps, (found) => found.flatMap(reportIn)),
    leases,
    writers,
    consoles,
    kinds,
    policies,
    bindings,
    rights: await rightsOfAll(looking, [...ours(writers), ...(consoles.known ? consoles.value : [])]),
    syncs: map(syncs, (found) => found.map(({ metadata }) => metadata.name ?? '')),
  };
}

/** What was refused, or is not there, is not known; when the server cannot be reached, nothing is, and it is no use to go on. */
async function known<T>(read: Promise<T>, { signal }: Looking): Promise<Known<T>> {
  try {
    return { known: true, value: await read };
  } catch (error) {
    if (signal.aborted || !(error instanceof ApiError)) throw error;
    // Who may not is told what, by the server; of what else went wrong only the request tells what it was about.
    const { reason, request, detail } = error;
    return { known: false, why: reason === 'Forbidden' ? detail : `${request.replace(/\?.*/, '')}: ${detail}` };
  }
}

async function readAll<T extends KubeObject>(
  { client, signal }: Looking,
  resource: Resource<T>,
  selection: Selection,
): Promise<readonly T[]> {
  return (await Array.fromAsync(client.pages(resource, { ...selection, signal }))).flat();
}

const noneWithoutItsKind = <T>(read: Promise<readonly T[]>): Promise<readonly T[]> =>
  read.catch((error: unknown) => {
    if (hasReason(error, 'NotFound')) return [];
    throw error;
  });

async function readKinds({ client, signal }: Looking): Promise<ReadonlyMap<string, Definition>> {
  const found = await Promise.all(
    customResources.map(({ resource }) => client.find(DEFINITIONS, { name: nameOf(resource) }, { signal })),
  );
  return new Map(found.flatMap((each) => (each ? [[each.metadata.name ?? '', each] as const] : [])));
}

function reportIn(found: ReportMap): readonly Report[] {
  const head = reportHead(found);
  if (!head) return [];
  const { metadata } = found;
  const {
    job,
    node = (metadata.name ?? '').replace(`holdfast-${job}-`, ''),
    at,
    version = 'that cannot be read',
  } = head;
  return [{ metadata, job, node, at: at ?? metadata.creationTimestamp ?? '', version }];
}

const writersIn = (deployments: readonly Workload[], daemonSets: readonly Workload[]): readonly Writer[] => [
  ...deployments.flatMap((each) => writersOf('Deployment', each)),
  ...daemonSets.flatMap((each) => writersOf('DaemonSet', each)),
];

const ours = (writers: Known<readonly Writer[]>): readonly Writer[] =>
  writers.known ? writers.value.filter(({ who }) => who === 'holdfast') : [];

async function rightsOfAll(looking: Looking, installed: readonly Installed[]): Promise<Cluster['rights']> {
  const asked = await Promise.all(
    installed.map(async (each) => [keyOf(each), await known(rightsOf(looking, each), looking)] as const),
  );
  return new Map(asked);
}

const map = <T, R>(from: Known<T>, to: (value: T) => R): Known<R> =>
  from.known ? { known: true, value: to(from.value) } : from;

const both = <A, B, R>(one: Known<A>, other: Known<B>, to: (one: A, other: B) => R): Known<R> => {
  if (!one.known) return one;
  return other.known ? { known: true, value: to(one.value, other.value) } : other;
};
