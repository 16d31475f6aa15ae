/** All that is shown of a cluster, kept up to date with its caches: whoever looks is told which rows are other than before. */
import type { Coverage, View } from '../kit/cache/store.ts';
import type { Clock } from '../kit/clock/clock.ts';
import type { Known } from '../kit/known.ts';
import { withoutRequest } from '../kit/kube/api-error.ts';
import { unplaceable } from '../topology/placement.ts';
import { type Agents, agentsOf, identitiesIn } from './agents.ts';
import { changedKeys } from './change.ts';
import { newestExports } from './exports.ts';
import { History } from './history.ts';
import type { Need, NodeRow, PoolRow, SyncRow } from './model.ts';
import { nodeShown } from './nodes.ts';
import type { BlindSpot, Parts } from './overview.ts';
import { poolShown } from './pools.ts';
import type { Shown } from './shown.ts';
import type { StoredExport } from './stored-exports.ts';
import { syncShown } from './syncs.ts';
import type { ConsoleViews } from './views.ts';
import { VolumeRows } from './volume-rows.ts';

export interface Changed {
  readonly volumes: ReadonlySet<string>;
  readonly nodes: ReadonlySet<string>;
  readonly pools: ReadonlySet<string>;
  readonly syncs: ReadonlySet<string>;
}

export interface PictureOptions {
  readonly views: ConsoleViews;
  readonly clock: Clock;
  readonly canReadStore: boolean;
  /** Why a resource cannot be read, in words, if it cannot. */
  readonly whyNot: (resource: string) => string | undefined;
  readonly onChange: () => void;
}

export class Picture {
  readonly #options: PictureOptions;
  readonly #volumes: VolumeRows;
  readonly #history = new History();
  #nodes: ReadonlyMap<string, Shown<NodeRow>> = new Map();
  #pools: ReadonlyMap<string, Shown<PoolRow>> = new Map();
  #syncs: ReadonlyMap<string, Shown<SyncRow>> = new Map();
  #areNodesStale = true;
  /** What of that which nodes are shown by was read when they were worked out. */
  #readOfNodes = '';
  readonly #stops: readonly (() => void)[];

  constructor(options: PictureOptions) {
    this.#options = options;
    const { views, onChange } = options;
    const ofNodes = () => {
      this.#areNodesStale = true;
      onChange();
    };
    this.#volumes = new VolumeRows(views, onChange);
    this.#stops = [
      ...[views.deviceVolumes, views.lvmVolumes, views.nodes, views.reports].map((view: Subscribable) =>
        view.subscribe(ofNodes),
      ),
      views.topology.waiting.subscribe(onChange),
      views.topology.placeable.subscribe(onChange),
      views.agentPods.subscribe(onChange),
      views.pools.subscribe(({ key, after }) => {
        if (after) this.#history.noteOfPool(key, after, options.clock.now());
        else this.#history.forget('pool', key);
        onChange();
      }),
      views.syncs.subscribe(({ key, before, after }) => {
        if (after) this.#history.noteOfSync(key, before, after);
        else this.#history.forget('sync', key);
        onChange();
      }),
    ];
  }

  close(): void {
    this.#volumes.close();
    for (const stop of this.#stops) stop();
  }

  /** Those that the object store has of a sync. */
  tellOfExports(sync: string, exports: readonly StoredExport[]): void {
    this.#history.noteOfExports(sync, exports);
    this.#options.onChange();
  }

  /** Agents that fall silent change nothing: this is how that is noticed. */
  lookAgain(): void {
    this.#areNodesStale = true;
    this.#options.onChange();
  }

  /** Works out what has changed, and says what that is. */
  refresh(): Changed {
    const { views, clock, canReadStore } = this.#options;
    const now = clock.now();
    const read = [views.reports, views.nodes, views.volumes].map(isRead).join();
    const nodes = this.#areNodesStale || read !== this.#readOfNodes ? this.#refreshNodes(now) : new Set<string>();
    this.#readOfNodes = read;
    const syncs = new Map(
      [...views.syncs.keys()].toSorted().flatMap((key) => {
        const sync = views.syncs.get(key);
        return sync ? [[key, syncShown({ sync, timeline: this.#history.momentsOf(key), canReadStore }, now)]] : [];
      }),
    );
    this.#volumes.tellOfSyncs(newestExports(views.syncs.values()));
    const volumes = this.#volumes.refresh();
    const pools = this.#poolsShown();
    const changed = { volumes, nodes, pools: changedKeys(this.#pools, pools), syncs: changedKeys(this.#syncs, syncs) };
    this.#pools = pools;
    this.#syncs = syncs;
    return changed;
  }

  /** As it was at the last refresh. */
  get parts(): Parts {
    const { views } = this.#options;
    return {
      volumes: this.#known(views.volumes, 'persistentvolumes', this.#volumes.rows),
      nodes: this.#known(views.nodes, 'nodes', this.#nodes),
      pools: this.#known(views.pools, 'pvpools.pvpool.noobaa.com', this.#pools),
      syncs: this.#known(views.syncs, 'persistentvolumesyncs.storage.cndev.nl', this.#syncs),
      others: [...this.#unplaceable(), ...this.#lost(), ...this.#unreadable()],
      blind: this.#blind(),
      isTopologyInUse: this.#volumes.isTopologyInUse,
    };
  }

  /** What is shown as part of something else, and cannot be read. */
  #blind(): readonly BlindSpot[] {
    const { claims, agentPods, reports } = this.#options.views;
    const spot = (what: BlindSpot['what'], part: Known<unknown>) => (part.known ? [] : [{ what, why: part.why }]);
    return [
      ...spot('claims', this.#known(claims, 'persistentvolumeclaims', undefined)),
      ...spot('pods', this.#known(agentPods, 'pods', undefined)),
      ...spot('reports', this.#known(reports, 'configmaps', undefined)),
    ];
  }

  #known<T>(view: Coverage, resource: string, value: T): Known<T> {
    if (isRead(view)) return { known: true, value };
    const why = this.#options.whyNot(resource);
    return { known: false, why: why === undefined ? `${resource} have not been read yet` : withoutRequest(why) };
  }

  #refreshNodes(now: Date): ReadonlySet<string> {
    this.#areNodesStale = false;
    const agents = this.#agents(now);
    this.#volumes.tellOfNodes(agents);
    const nodes = this.#nodesShown(agents);
    const changed = changedKeys(this.#nodes, nodes);
    this.#nodes = nodes;
    return changed;
  }

  #nodesShown({ devices, lvm, doubts }: Agents): ReadonlyMap<string, Shown<NodeRow>> {
    const { views } = this.#options;
    const byName = <T extends { readonly node: string }>(all: readonly T[]) =>
      new Map(all.map((each) => [each.node, each]));
    const [ofDevices, ofLvm] = [byName(devices.nodes), byName(lvm.nodes)];
    const identities = new Map(
      [...views.reports.values()].flatMap((each) =>
        each.job === 'devices' ? [[each.report.node, identitiesIn(each)] as const] : [],
      ),
    );
    const known = [ofDevices, ofLvm, doubts.devices, doubts.lvm].flatMap((each) => [...each.keys()]);
    return new Map(
      [...new Set([...views.nodes.keys(), ...known])].toSorted().map((name) => [
        name,
        nodeShown({
          name,
          node: views.nodes.get(name),
          devices: ofDevices.get(name),
          lvm: ofLvm.get(name),
          doubts: { devices: doubts.devices.get(name), lvm: doubts.lvm.get(name) },
          identities: identities.get(name),
        }),
      ]),
    );
  }

  #agents(now: Date): Agents {
    const { views } = this.#options;
    const ifReadable = <T>(view: View<T, never>) => (views.volumes.available ? [...view.values()] : undefined);
    return agentsOf(
      {
        reports: this.#known(views.reports, 'configmaps', [...views.reports.values()]),
        nodes: views.nodes.available ? [...views.nodes.values()] : undefined,
        deviceVolumes: ifReadable(views.deviceVolumes),
        lvmVolumes: ifReadable(views.lvmVolumes),
      },
      now,
    );
  }

  #poolsShown(): ReadonlyMap<string, Shown<PoolRow>> {
    const { views } = this.#options;
    const capacityOf = (claim: string) => views.volumes.get(views.topology.claims.get(claim) ?? '')?.capacityBytes;
    return new Map(
      [...views.pools.keys()].toSorted().flatMap((key) => {
        const pool = views.pools.get(key);
        if (!pool) return [];
        const pods = new Map(views.agentPods.by('pool', key).map((pod) => [pod.name, pod]));
        return [
          [
            key,
            poolShown({
              pool,
              pods,
              capacityOf,
              history: this.#history.samplesOf(key),
              now: this.#options.clock.now(),
            }),
          ],
        ];
      }),
    );
  }

  #unplaceable(): readonly Need[] {
    const { topology } = this.#options.views;
    const { waiting, placeable, placed, claims } = topology;
    if (waiting.size === 0) return [];
    const nodes = [...placeable.values()];
    return [...waiting.values()].flatMap((pod) => {
      const volumes = pod.claims.flatMap((claim) => placed.get(claims.get(claim) ?? '') ?? []);
      const found = unplaceable(pod, volumes, nodes);
      if (!found) return [];
      return [
        {
          id: `pod:${found.pod}`,
          job: 'topology' as const,
          severity: 'urgent' as const,
          what: `The pod ${found.pod} cannot be placed where its volumes are.`,
          remedy: `${found.why}.`,
          command: 'holdfast status topology',
          ...(found.volumes[0] !== undefined && { link: `#/volumes/${encodeURIComponent(found.volumes[0])}` }),
        },
      ];
    });
  }

  /** An agent that is newer than the console, or somebody who has written something else there. */
  #unreadable(): readonly Need[] {
    return [...this.#options.views.reports.values()].flatMap((report) =>
      report.job === 'unreadable'
        ? [
            {
              id: `unreadable:${report.name}`,
              job: report.of,
              severity: 'soon' as const,
              what: `The ConfigMap ${report.name} is no report that this console can read.`,
              remedy: 'Use a console of the version of the agents, or remove it.',
            },
          ]
        : [],
    );
  }

  #lost(): readonly Need[] {
    const { claims } = this.#options.views;
    return [...claims.keys()].flatMap((key) =>
      claims.get(key)?.isLost
        ? [
            {
              id: `lost:${key}`,
              job: 'topology' as const,
              severity: 'urgent' as const,
              what: `The claim ${key} has lost its volume.`,
              remedy: 'The volume was deleted while it was bound. Bring it back, or restore its data from a copy.',
              command: `kubectl -n ${key.split('/')[0]} describe pvc ${key.split('/')[1]}`,
            },
          ]
        : [],
    );
  }
}

type Subscribable = { subscribe(listener: () => void): () => void };

const isRead = ({ available, synced }: Coverage): boolean => available && synced;
