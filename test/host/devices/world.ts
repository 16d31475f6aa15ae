/**
 * A node of a real cluster with real block devices: a directory of links to loop devices, a Node, a ConfigMap, and the agent as people
 * run it. There is no kubelet: the test mounts what a pod would mount.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { realHost } from '../../../src/kit/host/host.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../../harness/control-plane.ts';
import { type Ended, type Holdfast, kubeconfigFlag, runHoldfast, startHoldfast } from '../../harness/holdfast.ts';
import type { RawObject } from '../../harness/raw-client.ts';
import { eventually } from '../../harness/wait.ts';
import { type Agents, NAMESPACE } from '../../integration/agents.ts';
import { deployAgents } from '../../integration/devices/rights.ts';
import { aLoopDevice, type LoopDevice } from '../loop-device.ts';

export { NAMESPACE };

export const MIB = 2 ** 20;

export interface Volume extends RawObject {
  readonly metadata: RawObject['metadata'] & {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly Readonly<Record<string, unknown>>[];
  };
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly claimRef?: { readonly name: string };
    readonly local?: { readonly path: string };
  };
  readonly status: { readonly phase: string };
}

interface EventOf {
  readonly reason: string;
  readonly note: string;
  readonly type: string;
}

export type Config = Readonly<Record<string, string>>;

/** The API server has other things to do. */
const POLL_MS = 150;

const VOLUMES = '/api/v1/persistentvolumes';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const host = realHost({ clock: systemClock });

export const run = (...argv: readonly string[]) => host.exec(argv, { timeoutMs: 60_000 });

/** A control plane with the rights and the policies that agents are shipped with. */
export class DevicesCluster implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly agents: Agents;

  private constructor(plane: ControlPlane, agents: Agents) {
    this.plane = plane;
    this.agents = agents;
  }

  static async start(options: ControlPlaneOptions = {}): Promise<DevicesCluster> {
    const plane = await startControlPlane({ controllers: true, ...options });
    return new DevicesCluster(plane, await deployAgents(plane));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.agents[Symbol.asyncDispose]();
    await this.plane[Symbol.asyncDispose]();
  }
}

export class NodeWorld implements AsyncDisposable {
  readonly node: string;
  readonly directory: string;
  /** Where the links to devices are. */
  readonly devices: string;
  readonly stateDir: string;
  readonly undo = new AsyncDisposableStack();
  readonly #plane: ControlPlane;
  readonly #token: string;
  #agent: Holdfast | undefined;
  #claims = 0;

  private constructor(plane: ControlPlane, node: string, directory: string, token: string) {
    this.#plane = plane;
    this.#token = token;
    this.node = node;
    this.directory = directory;
    this.devices = join(directory, 'by-path');
    this.stateDir = join(directory, 'state');
  }

  static async create({ plane, agents }: DevicesCluster, node: string): Promise<NodeWorld> {
    const labels = { 'kubernetes.io/hostname': node };
    await plane.admin.post('/api/v1/nodes', { metadata: { name: node, labels } });
    const world = new NodeWorld(plane, node, await mkdtemp(join(tmpdir(), 'node-')), await agents.tokenOn(node));
    world.undo.defer(() => rm(world.directory, { recursive: true }));
    await mkdir(world.devices);
    return world;
  }

  get storageClass(): string {
    return `class-${this.node}`;
  }

  /** An ordinary configuration, with what the test changes; `null` leaves a key out. */
  configOf(changes: Readonly<Record<string, string | null>> = {}): Config {
    const ordinary = {
      deviceDir: this.devices,
      deviceNameFilter: '.*',
      volumeMode: 'Block',
      storageClassName: this.storageClass,
    };
    const all = Object.entries({ ...ordinary, ...changes }).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    );
    return Object.fromEntries(all);
  }

  /** Writes the ConfigMap and names it on the Node. */
  async configure(data: Config = this.configOf(), name = `config-${this.node}`): Promise<void> {
    const { admin } = this.#plane;
    const maps = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
    await admin.delete(`${maps}/${name}`).catch(() => {});
    await admin.post(maps, map);
    await this.annotate({ 'local-pv-provisioner.cybozu.io/pv-spec-configmap': name });
  }

  async annotate(annotations: Readonly<Record<string, string | null>>): Promise<void> {
    await this.#plane.admin.patch(`/api/v1/nodes/${this.node}`, { metadata: { annotations } });
  }

  /** A disk, found under this name in the device directory. */
  async disk(name: string, sizeBytes = 16 * MIB): Promise<LoopDevice> {
    const loop = this.undo.use(await aLoopDevice(sizeBytes));
    await this.link(name, loop.path);
    return loop;
  }

  async link(name: string, target: string): Promise<void> {
    await symlink(target, join(this.devices, name));
  }

  /** In one step, as udev does it: it leads to one device until it leads to the other. */
  async relink(name: string, target: string): Promise<void> {
    const aside = join(this.directory, `${name}.new`);
    await symlink(target, aside);
    await rename(aside, join(this.devices, name));
  }

  async unlink(name: string): Promise<void> {
    await unlink(join(this.devices, name));
  }

  pathOf(name: string): string {
    return join(this.devices, name);
  }

  volumeOf(name: string): string {
    return `local-${this.node}-${name}`.replace(/[^A-Za-z0-9.]+/g, '-').toLowerCase();
  }

  agent(...flags: readonly string[]): Promise<Holdfast> {
    return this.agentBy(this.#plane, ...flags);
  }

  /** By way of a proxy. */
  async agentBy(server: { readonly url: string; readonly ca: string }, ...flags: readonly string[]): Promise<Holdfast> {
    const agent = await startHoldfast(
      'devices',
      await this.#asTheAgent(server),
      ...this.hereFlags,
      '--log-level=debug',
      ...flags,
    );
    this.#agent = agent;
    this.undo.use(agent);
    await agent.ready();
    return agent;
  }

  /** By what an agent knows where it is. */
  get hereFlags(): readonly string[] {
    return [
      `--node-name=${this.node}`,
      `--namespace-name=${NAMESPACE}`,
      `--state-dir=${this.stateDir}`,
      '--trust-init',
    ];
  }

  /** With the rights of the agent of this node, and no more. */
  #asTheAgent(server: { readonly url: string; readonly ca: string }): Promise<string> {
    return kubeconfigFlag(
      this.directory,
      { token: this.#token, identity: { namespace: NAMESPACE, name: this.node } },
      server,
    );
  }

  get logged() {
    return this.#agent?.logged ?? [];
  }

  /** Without a moment for last words. */
  async kill(): Promise<void> {
    await this.#agent?.[Symbol.asyncDispose]();
  }

  /** As a person with every right runs it. */
  command(...args: readonly string[]): Promise<Ended> {
    return runHoldfast(...args, `--kubeconfig=${this.#plane.kubeconfig}`);
  }

  /** On this machine, as it would be run in the pod of the agent. */
  async planHere(...flags: readonly string[]): Promise<Ended> {
    return runHoldfast('devices', 'plan', '--here', ...this.hereFlags, await this.#asTheAgent(this.#plane), ...flags);
  }

  async find(name: string): Promise<Volume | undefined> {
    const { items } = await this.#plane.admin.get<{ items: readonly Volume[] } & RawObject>(
      `${VOLUMES}?fieldSelector=metadata.name=${this.volumeOf(name)}`,
    );
    return items[0];
  }

  async volume(name: string): Promise<Volume> {
    const volume = await this.find(name);
    if (!volume) throw new Error(`there is no volume ${this.volumeOf(name)}`);
    return volume;
  }

  /** The volume of the device, once it is there in this phase; another one than `not`. */
  becomes(name: string, phase: string, not?: Volume): Promise<Volume> {
    return eventually(
      async () => {
        const volume = await this.volume(name);
        if (volume.status.phase !== phase) throw new Error(`it is ${volume.status.phase}`);
        if (volume.metadata.uid === not?.metadata.uid) throw new Error('it is still the former volume');
        return volume;
      },
      { interval: POLL_MS, for: `${this.volumeOf(name)} to be ${phase}` },
    );
  }

  async patch(name: string, body: object): Promise<void> {
    await this.#plane.admin.patch(`${VOLUMES}/${this.volumeOf(name)}`, body);
  }

  async create(volume: object): Promise<Volume> {
    return (await this.#plane.admin.post(VOLUMES, volume)) as Volume;
  }

  /** A claim that is bound to the volume of the device. */
  async claim(name: string): Promise<string> {
    const { metadata, spec } = await this.volume(name);
    const claim = `claim-${this.node}-${this.#claims++}`;
    await this.#plane.admin.post(CLAIMS, {
      metadata: { name: claim },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1' } },
        storageClassName: spec.storageClassName,
        volumeMode: spec.volumeMode,
        volumeName: metadata.name,
      },
    });
    await this.becomes(name, 'Bound');
    return claim;
  }

  async unclaim(claim: string): Promise<void> {
    await this.#plane.admin.delete(`${CLAIMS}/${claim}`);
  }

  async remove(name: string): Promise<void> {
    await this.#plane.admin.delete(`${VOLUMES}/${this.volumeOf(name)}`);
  }

  async eventsAbout(kind: 'Node' | 'PersistentVolume', name: string): Promise<readonly EventOf[]> {
    const { items } = await this.#plane.admin.get<{ items: readonly (EventOf & Regarding)[] } & RawObject>(
      '/apis/events.k8s.io/v1/events',
    );
    return items.filter(({ regarding }) => regarding.kind === kind && regarding.name === name);
  }

  /** Waits for an Event of this reason. */
  told(kind: 'Node' | 'PersistentVolume', name: string, reason: string): Promise<EventOf> {
    return eventually(
      async () => {
        const events = await this.eventsAbout(kind, name);
        const found = events.find((event) => event.reason === reason);
        if (!found) throw new Error(`there are only ${events.map((event) => event.reason).join(', ') || 'none'}`);
        return found;
      },
      { interval: POLL_MS, for: `an Event ${reason} about ${kind} ${name}` },
    );
  }

  /** When nothing more is to come: the agent has looked at everything after this. */
  async settled(agent: Holdfast): Promise<void> {
    const done = () => agent.metric('controller_runtime_reconcile_total', /controller="devices"/);
    let before = -1;
    await eventually(
      async () => {
        const now = await done();
        const isQuiet = now === before && (await agent.metric('workqueue_depth')) === 0;
        before = now;
        return isQuiet;
      },
      { interval: 1_500, for: 'the agent to come to rest' },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.undo.disposeAsync();
  }
}

interface Regarding {
  readonly regarding: { readonly kind: string; readonly name: string };
}

/** What is on a device, or in a file, from its first to its last byte, or from a later one on. */
export async function hashOf(path: string, start = 0): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { start, highWaterMark: MIB })) hash.update(chunk);
  return hash.digest('hex');
}

/** Fills a device with bytes that are not zero. */
export async function fill(path: string, sizeBytes: number, byte = 0xa5): Promise<void> {
  await writeFile(path, Buffer.alloc(sizeBytes, byte), { flag: 'r+', flush: true });
}

export async function isZero(path: string, from: number, to: number): Promise<boolean> {
  for await (const chunk of createReadStream(path, { start: from, end: to - 1, highWaterMark: MIB })) {
    if ((chunk as Buffer).some((byte) => byte !== 0)) return false;
  }
  return true;
}
