/** The rows of all volumes. Only those that something has changed about are worked out anew: there may be ten thousand. */
import { isDeepStrictEqual } from 'node:util';
import type { DeviceStatus } from '../devices/status.ts';
import type { VolumeStatus as LogicalVolume } from '../lvm/status.ts';
import { DEFAULT_POLICY, ZONE } from '../topology/contract.ts';
import { volumeStatus } from '../topology/status.ts';
import { type AgentJob, type Agents, doubtInWords } from './agents.ts';
import { holds, type NewestExport } from './exports.ts';
import type { VolumeRow } from './model.ts';
import type { Shown } from './shown.ts';
import type { ConsoleViews, SeenVolume } from './views.ts';
import { syncOf, volumeShown } from './volumes.ts';

type Device = { readonly node: string; readonly status: DeviceStatus; readonly doubt?: string };
type Logical = { readonly node?: string | undefined; readonly status: LogicalVolume; readonly doubt?: string };

export class VolumeRows {
  readonly rows = new Map<string, Shown<VolumeRow>>();
  readonly #views: ConsoleViews;
  readonly #stale = new Set<string>();
  #devices: ReadonlyMap<string, Device> = new Map();
  #logical: ReadonlyMap<string, Logical> = new Map();
  #exports: readonly NewestExport[] = [];
  #isTopologyInUse = false;
  #couldPlace = false;
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

  /** What the agents say of the volumes that they look after. Of those of other nodes they have nothing to say. */
  tellOfNodes({ devices, lvm, doubts }: Agents): void {
    const { deviceVolumes } = this.#views;
    const doubtOn = (job: AgentJob, node: string) => {
      const doubt = doubts[job].get(node);
      return doubt && { doubt: doubtInWords(doubt, job) };
    };
    const ofDevices = new Map<string, Device>();
    for (const { node, devices: all } of devices.nodes)
      for (const status of all)
        if (deviceVolumes.get(status.volume)?.node === node)
          ofDevices.set(status.volume, { node, status, ...doubtOn('devices', node) });
    const ofLvm = new Map<string, Logical>();
    for (const { node, volumes } of lvm.nodes)
      for (const status of volumes) ofLvm.set(status.volume, { node, status, ...doubtOn('lvm', node) });
    for (const status of lvm.nowhere) ofLvm.set(status.volume, { status });
    this.#markDifferences(this.#devices, ofDevices);
    this.#markDifferences(this.#logical, ofLvm);
    this.#devices = ofDevices;
    this.#logical = ofLvm;
  }

  /** What is in the newest exports. */
  tellOfSyncs(exports: readonly NewestExport[]): void {
    if (isDeepStrictEqual(this.#exports, exports)) return;
    this.#exports = exports;
    for (const volume of this.#views.volumes.values())
      if (this.rows.get(volume.name)?.row.sync !== syncOf({ volume, isExported: this.#isExported(volume) }))
        this.#stale.add(volume.name);
  }

  /** Works out what is stale, and says which rows are other than before. */
  refresh(): ReadonlySet<string> {
    const isNew = !this.#isTopologyInUse && this.#labelledByUs();
    const canPlace = this.#canPlace();
    if (isNew || canPlace !== this.#couldPlace) for (const name of this.#views.volumes.keys()) this.#stale.add(name);
    this.#isTopologyInUse ||= isNew;
    this.#couldPlace = canPlace;
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
        this.#couldPlace && topology.volumes.has(name) ? volumeStatus(topology, name, DEFAULT_POLICY) : undefined,
      canBePlaced: this.#couldPlace,
      isTopologyInUse: this.#isTopologyInUse,
      device: this.#devices.get(name),
      logical: this.#logical.get(name),
      isOfPool: volume.claim !== undefined && claims.get(volume.claim)?.pool !== undefined,
      pods: using.map((pod) => ({ pod, node: pods.get(pod)?.node })),
      isExported: this.#isExported(volume),
    });
  }

  #isExported(volume: SeenVolume): boolean {
    return this.#exports.some((newest) => newest.mode === 'Protected' && holds(newest, volume));
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
