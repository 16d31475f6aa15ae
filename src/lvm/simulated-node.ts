/** For tests: a node with a volume group, the cluster that it is of, and the people who use both. */
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import { SimulatedCluster, VOLUMES } from '../api/simulated-cluster.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import {
  DEFAULT_MOUNT_BASE,
  DEFAULT_THIN_LIMITS,
  type LvmSettings,
  NODE_ID_LABEL,
  type OptionKey,
  PREFIX,
  PROTECTION_FINALIZER,
  STORAGE_CLASS,
} from './contract.ts';
import { SYSTEMD, WANTED } from './mount-units.ts';
import { SimulatedAgent } from './simulated-agent.ts';
import type { Content } from './simulated-devices.ts';
import { SimulatedFileSystems } from './simulated-filesystems.ts';
import { SimulatedLvm } from './simulated-lvm.ts';
import { Oracle } from './simulated-node-oracle.ts';
import { EXTENT, freeIn, type SimulatedGroup, type SimulatedVolume } from './simulated-volumes.ts';

const MINUTES = 60_000;
const NODE = 'node7';
const NAMESPACE = 'holdfast';
export const GROUP = 'storage_bulk';
/** What has not moved for this long waits for somebody: longer than a refusal takes to be looked at again. */
const QUIET_MS = 75_000;
/** The same where commands hang: longer than any of them is waited for. */
export const QUIET_AFTER_HANGING_MS = 11 * MINUTES;
const STEP_MS = 1_000;
const MOST_MS = 120 * MINUTES;

const FILLER = 'filler';

const SETTINGS: LvmSettings = {
  node: NODE,
  namespace: NAMESPACE,
  mountBase: DEFAULT_MOUNT_BASE,
  storageClasses: [STORAGE_CLASS],
  secretNamespaces: [NAMESPACE],
  autoRelease: false,
  thinLimits: DEFAULT_THIN_LIMITS,
  resyncMs: 10 * MINUTES,
  trashTtlMs: 72 * 60 * MINUTES,
  sanityChecks: false,
};

export interface Declaration {
  /** In extents. */
  readonly size?: bigint;
  readonly options?: Partial<Record<OptionKey, string>>;
}

export const pathOf = (volume: string): string => `${DEFAULT_MOUNT_BASE}/${volume}`;

export class SimulatedNode {
  readonly clock = new VirtualClock();
  readonly machine = new SimulatedMachine(this.clock);
  readonly cluster = new SimulatedCluster(this.clock);
  readonly lvm = new SimulatedLvm(this.machine);
  readonly fileSystems = new SimulatedFileSystems(this.lvm);
  readonly group: SimulatedGroup;
  readonly #oracle = new Oracle(this.lvm, this.fileSystems, this.cluster);
  readonly #settings: LvmSettings;
  readonly #hasSystemd: boolean;
  #agent: SimulatedAgent | undefined;

  constructor({
    extents = 64n,
    autoRelease = false,
    hasSystemd = false,
  }: { readonly extents?: bigint; readonly autoRelease?: boolean; readonly hasSystemd?: boolean } = {}) {
    this.#hasSystemd = hasSystemd;
    if (hasSystemd) for (const directory of [SYSTEMD, WANTED]) this.machine.tree.mkdir(directory);
    this.#settings = { ...SETTINGS, autoRelease };
    this.group = this.lvm.addGroup(GROUP, extents);
    for (const directory of [DEFAULT_MOUNT_BASE, '/run', '/proc']) this.machine.tree.mkdir(directory);
    this.cluster.put('namespaces', { metadata: { name: 'kube-system', uid: 'cluster-1' } });
    this.cluster.put('nodes', { metadata: { name: NODE, labels: { [NODE_ID_LABEL]: NODE } } });
    const data = { key: Buffer.from('secret').toString('base64') };
    const secret: { metadata: object; data: object } = { metadata: { name: 'key', namespace: NAMESPACE }, data };
    this.cluster.put('secrets', secret);
  }

  /** What must never happen, and has. */
  get violations(): readonly string[] {
    return [...this.#oracle.violations, ...this.#oracle.sealed, ...this.#oracle.losses];
  }

  /** What is left of volumes that are gone. */
  get leaks(): readonly string[] {
    return this.#oracle.leaks;
  }

  declare(name: string, { size = 8n, options = {} }: Declaration = {}): void {
    const annotations = Object.fromEntries(Object.entries(options).map(([key, value]) => [`${PREFIX}${key}`, value]));
    const matchExpressions = [{ key: NODE_ID_LABEL, operator: 'In' as const, values: [NODE] }];
    const volume: PersistentVolume = {
      metadata: { name, annotations, finalizers: [PROTECTION_FINALIZER] },
      spec: {
        capacity: { storage: `${size * EXTENT}` },
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: STORAGE_CLASS,
        local: { path: pathOf(name) },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
      },
      status: { phase: 'Available' },
    };
    this.cluster.put(VOLUMES, volume);
  }

  grow(name: string, size: bigint): void {
    this.cluster.change(name, ({ spec, ...rest }) => ({
      ...rest,
      spec: { ...spec, capacity: { storage: `${size * EXTENT}` } },
    }));
  }

  annotate(name: string, options: Partial<Record<OptionKey, string>>): void {
    this.cluster.change(name, ({ metadata, ...rest }) => {
      const changed = Object.fromEntries(Object.entries(options).map(([key, value]) => [`${PREFIX}${key}`, value]));
      return { ...rest, metadata: { ...metadata, annotations: { ...metadata.annotations, ...changed } } };
    });
  }

  delete(name: string): void {
    const volume = this.cluster.volume(name);
    if (!volume) return;
    this.#oracle.deletes(volume);
    this.cluster.remove(name);
  }

  /** With force, whatever holds it. */
  vanish(name: string): void {
    const volume = this.cluster.volume(name);
    if (volume) this.#oracle.abandons(volume);
    this.cluster.vanish(name);
  }

  /** Somebody writes to the volume, if it is ready, and needs what he has written. */
  write(name: string): void {
    const isLeaving = this.cluster.volume(name)?.metadata.deletionTimestamp !== undefined;
    const isReady = this.says(name, 'status') === 'Processed' && this.contentOf(name)?.isWhole;
    if (isReady && !isLeaving) this.#oracle.write(pathOf(name));
  }

  says(name: string, key: string): string | undefined {
    return this.cluster.volume(name)?.metadata.annotations?.[`${PREFIX}${key}`];
  }

  /** What is mounted where the volume belongs. */
  contentOf(name: string): Content | undefined {
    return this.fileSystems.contentAt(pathOf(name));
  }

  lv(name: string): SimulatedVolume | undefined {
    return this.group.volumes.get(name);
  }

  /** A logical volume that somebody has made for himself, with what he needs. */
  makeForeign(name: string): void {
    if (this.lv(name) || freeIn(this.group) < 1n) return;
    const volume = this.lvm.create(this.group, {
      name,
      kind: 'plain',
      extents: 1n,
      tags: new Set(),
      isReadOnly: false,
    });
    volume.content.become('ext4', true);
    volume.content.data = 'of somebody else';
    this.lvm.devices.show(volume.content);
  }

  /** Somebody else takes all that is left of the group. */
  fill(): void {
    const extents = freeIn(this.group);
    const filler = { name: FILLER, kind: 'plain', extents, tags: new Set<string>(), isReadOnly: false } as const;
    if (extents > 0n && !this.lv(FILLER)) this.lvm.create(this.group, filler);
  }

  makeRoom(): void {
    const filler = this.lv(FILLER);
    if (filler) this.lvm.remove(filler);
  }

  /** By hand, as a person does it who has looked that nobody uses it. */
  removeByHand(name: string): void {
    const volume = this.lv(name);
    if (!volume || (volume.mapped && this.lvm.devices.isBusy(volume.mapped))) return;
    this.#oracle.forget(volume);
    this.lvm.remove(volume);
  }

  renameByHand(name: string, to: string): void {
    const volume = this.lv(name);
    if (volume && !this.lv(to)) this.lvm.rename(volume, to);
  }

  /** A new process, if there is none. */
  start(): SimulatedAgent {
    if (this.#agent?.isAlive) return this.#agent;
    this.#agent = new SimulatedAgent({ ...this, settings: this.#settings, makesUnits: this.#hasSystemd });
    this.#agent.host.process.onDeath(() => this.lvm.programs.endBound());
    return this.#agent;
  }

  /** The agent is gone. What it has started goes on, unless it lives in the same container. */
  kill({ withPrograms = false } = {}): void {
    this.#agent?.kill();
    if (withPrograms) this.lvm.programs.end();
  }

  reboot(): void {
    this.machine.losePower();
    this.lvm.reboot();
  }

  /** Lets the agent work until nothing is changed any more; one that has ended is started again. Gives back whether it came to that. */
  async rest(wantedMs = QUIET_MS): Promise<boolean> {
    let quietMs = 0;
    for (let ms = 0; ms < MOST_MS && quietMs < wantedMs; ms += STEP_MS) {
      this.start();
      const before = this.machine.journal.length;
      await this.clock.advance(STEP_MS);
      const isQuiet = this.machine.journal.length === before && this.machine.running.size === 0;
      quietMs = isQuiet && this.#agent?.isAlive ? quietMs + STEP_MS : 0;
    }
    return quietMs >= wantedMs;
  }

  /** Lets time pass, whether there is an agent or not. */
  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  /** What was run since the call of this number. */
  commandsSince(call: number): readonly (readonly string[])[] {
    return this.machine.calls
      .slice(call)
      .filter(({ verb, target }) => verb === 'exec' && target !== 'api')
      .map(({ argv = [] }) => argv);
  }

  /** What was written to the API, as `METHOD path`. */
  get apiWrites(): readonly string[] {
    return this.machine.journal.filter(({ target }) => target === 'api').map(({ argv = [] }) => argv.join(' '));
  }
}
