/** The rows of all volumes. Only those that something has changed about are worked out anew: there may be ten thousand. */
import { isDeepStrictEqual } from 'node:util';
import type { DeviceStatus, DevicesStatus } from '../devices/status.ts';
import type { VolumeStatus as LogicalVolume, LvmStatus } from '../lvm/status.ts';
import { DEFAULT_POLICY, ZONE } from '../topology/contract.ts';
import { volumeStatus } from '../topology/status.ts';
import type { VolumeRow } from './model.ts';
import type { Shown } from './shown.ts';
import type { ConsoleViews } from './views.ts';
import { volumeShown } from './volumes.ts';

type Device = { readonly node: string; readonly status: DeviceStatus };
type Logical = { readonly node?: string | undefined; readonly status: LogicalVolume };

export class VolumeRows {
  readonly rows = new Map<string, Shown<VolumeRow>>();
  readonly #views: ConsoleViews;
  readonly #stale = new Set<string>();
  #devices: ReadonlyMap<string, Device> = new Map();
  #logical: ReadonlyMap<string, Logical> = new Map();
  #managed: ReadonlySet<string> = new Set();
  #isTopologyInUse = false;
  readonly #stops: readonly (() => void)[];

  constructor(views: ConsoleViews, onChange: () => void) {
    this.#views = views;
    const { topology, volumes, claims } = views;
    const mark = (volume: string | undefined) => {
      if (volume) this.#stale.add(volume);
      onChange();
    };
    const ofClaim = (claim: string) => mark(topology.claims.get(claim));
    this.#stops = [
      volumes.subscribe(({ key }) => mark(key)),
      topology.volumes.subscribe(({ key }) => mark(key)),
      topology.claims.subscribe(({ before, after }) => {
        mark(before);
        mark(after);
      }),
      claims.subscribe(({ key }) => ofClaim(key)),
      topology.pods.subscribe(({ before, after }) => {
        for (const claim of new Set([...(before?.claims ?? []), ...(after?.claims ?? [])])) ofClaim(claim);
      }),
      topology.nodes.subscribe(({ key }) => {
        for (const { claims: used } of topology.pods.by('node', key)) for (const claim of used) ofClaim(claim);
      }),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  get isTopologyInUse(): boolean {
    return this.#isTopologyInUse;
  }

  /** What the agents say of the volumes that they look after. */
  tellOfNodes(devices: DevicesStatus, lvm: LvmStatus): void {
    const ofDevices = new Map<string, Device>();
    for (const { node, devices: all } of devices.nodes)
      for (const status of all) ofDevices.set(status.volume, { node, status });
    const ofLvm = new Map<string, Logical>();
    for (const { node, volumes } of lvm.nodes) for (const status of volumes) ofLvm.set(status.volume, { node, status });
    for (const status of lvm.nowhere) ofLvm.set(status.volume, { status });
    this.#markDifferences(this.#devices, ofDevices);
    this.#markDifferences(this.#logical, ofLvm);
    this.#devices = ofDevices;
    this.#logical = ofLvm;
  }

  /** Which of them a sync says that it looks after. */
  tellOfSyncs(managed: ReadonlySet<string>): void {
    for (const name of this.#managed.symmetricDifference(managed)) this.#stale.add(name);
    this.#managed = managed;
  }

  /** Works out what is stale, and says which rows are other than before. */
  refresh(): ReadonlySet<string> {
    if (!this.#isTopologyInUse && this.#labelledByUs()) {
      this.#isTopologyInUse = true;
      for (const name of this.#views.volumes.keys()) this.#stale.add(name);
    }
    const changed = new Set<string>();
    for (const name of this.#stale) if (this.#renew(name)) changed.add(name);
    this.#stale.clear();
    return changed;
  }

  #renew(name: string): boolean {
    const before = this.rows.get(name);
    const after = this.#shown(name);
    if (!after) return this.rows.delete(name);
    if (before && isDeepStrictEqual(before, after)) return false;
    this.rows.set(name, after);
    return true;
  }

  #shown(name: string): Shown<VolumeRow> | undefined {
    const { volumes, topology, claims } = this.#views;
    const volume = volumes.get(name);
    if (!volume) return undefined;
    const { pods } = topology;
    const isBound = volume.claim !== undefined && topology.claims.get(volume.claim) === name;
    const using = isBound ? pods.keysBy('claim', volume.claim ?? '').toSorted() : [];
    return volumeShown({
      volume,
      placement:
        this.#canPlace() && topology.volumes.has(name) ? volumeStatus(topology, name, DEFAULT_POLICY) : undefined,
      isTopologyInUse: this.#isTopologyInUse,
      device: this.#devices.get(name),
      logical: this.#logical.get(name),
      isOfPool: volume.claim !== undefined && claims.get(volume.claim)?.pool !== undefined,
      pods: using.map((pod) => ({ pod, node: pods.get(pod)?.node })),
      isManagedBySync: this.#managed.has(name),
    });
  }

  /** Without all of these, that no pod is seen would be taken for that there is none. */
  #canPlace(): boolean {
    const { claims, pods, nodes } = this.#views.topology;
    return [claims, pods, nodes].every((view) => view.available && view.synced);
  }

  /** A zone that we have written is one that nobody else has. */
  #labelledByUs(): boolean {
    for (const { labels, writers } of this.#views.topology.volumes.values())
      if (labels[ZONE] !== undefined && writers[ZONE] === undefined) return true;
    return false;
  }

  #markDifferences<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): void {
    for (const [name, value] of after) if (!isDeepStrictEqual(before.get(name), value)) this.#stale.add(name);
    for (const name of before.keys()) if (!after.has(name)) this.#stale.add(name);
  }
}
