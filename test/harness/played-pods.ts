/**
 * The kubelet of a cluster that has no node: each pod of the storage agents that the scheduler has placed is a real process on a loopback
 * address of its own, which the pod's status names. It starts what died, ends what was deleted, says what is ready by a connection to the
 * port, and gives claims their volumes. It can be told to misbehave.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from './control-plane.ts';
import { Keeper, type KeptProcess } from './keeper.ts';
import { type Container, commandLine, directoriesOf, type Image, type PodVolume } from './played-container.ts';
import { type Claim, PlayedVolumes } from './played-volumes.ts';
import type { RawClient, RawObject } from './raw-client.ts';
import { eventually } from './wait.ts';

const PORT = 8080;
/** Milliseconds between two looks at the cluster. */
const INTERVAL = 100;
/** Milliseconds that a program has to leave by itself, as a pod has by default. */
const GRACE = 30_000;
const CLAIMS = '/api/v1/persistentvolumeclaims';
const NODES = '/api/v1/nodes';

interface Pod extends RawObject {
  readonly metadata: RawObject['metadata'] & { readonly namespace: string; readonly deletionTimestamp?: string };
  readonly spec: {
    readonly nodeName?: string;
    readonly containers: readonly [Container];
    readonly volumes?: readonly PodVolume[];
  };
}

export interface PlayedPodsOptions {
  readonly plane: ControlPlane;
  /** By their names. One that is not there is never pulled. */
  readonly images: Readonly<Record<string, Image>>;
  /** Nodes to make, and their zones. */
  readonly nodes: Readonly<Record<string, string>>;
}

export class PlayedPods implements AsyncDisposable {
  readonly volumes: PlayedVolumes;
  /** What went wrong in a look at the cluster, and was tried again. */
  readonly troubles: string[] = [];
  readonly #admin: RawClient;
  readonly #keeper: Keeper;
  readonly #images: Readonly<Record<string, Image>>;
  readonly #nodes: ReadonlySet<string>;
  readonly #played = new Map<string, PlayedPod>();
  readonly #down = new Set<string>();
  readonly #impostors = new Map<string, Image>();
  readonly #network = `127.${octet()}.${octet()}`;
  #addresses = 0;
  #over = false;
  #rounds: Promise<void> = Promise.resolve();

  private constructor(keeper: Keeper, { plane, images, nodes }: PlayedPodsOptions) {
    this.#admin = plane.admin;
    this.#keeper = keeper;
    this.#images = images;
    this.#nodes = new Set(Object.keys(nodes));
    this.volumes = new PlayedVolumes(plane.admin, join(keeper.directory, 'volumes'));
  }

  static async start(options: PlayedPodsOptions): Promise<PlayedPods> {
    const pods = new PlayedPods(await Keeper.start(), options);
    for (const [name, zone] of Object.entries(options.nodes)) await createNode(options.plane.admin, name, zone);
    pods.#rounds = pods.#run();
    return pods;
  }

  /** SIGKILL; it is started again at once, as the same pod. */
  async kill(pod: string): Promise<void> {
    await this.#named(pod).signal('SIGKILL');
  }

  /** SIGSTOP: connections are still made, and nothing answers. */
  async pause(pod: string): Promise<void> {
    await this.#named(pod).signal('SIGSTOP');
  }

  async resume(pod: string): Promise<void> {
    await this.#named(pod).signal('SIGCONT');
  }

  /** SIGKILL, and it is not started again until it is told to, also when the pod is made anew. */
  async takeDown(pod: string): Promise<void> {
    this.#down.add(pod);
    await this.#named(pod).signal('SIGKILL');
  }

  letUp(pod: string): void {
    this.#down.delete(pod);
  }

  /** From now on the pod runs this instead of what its template says, as if somebody had got into its node. */
  async replace(pod: string, image: Image): Promise<void> {
    this.#impostors.set(pod, image);
    await this.#named(pod).signal('SIGKILL');
  }

  async putBack(pod: string): Promise<void> {
    this.#impostors.delete(pod);
    await this.#named(pod).signal('SIGKILL');
  }

  /** Pods whose programs run, by name. */
  running(): readonly string[] {
    return [...this.#played.values()].filter(({ isRunning }) => isRunning).map(({ name }) => name);
  }

  /** Where the pod's claim is kept. */
  async volumeOf(namespace: string, claim: string): Promise<string> {
    const { metadata } = await this.#admin.get(`/api/v1/namespaces/${namespace}/persistentvolumeclaims/${claim}`);
    return this.volumes.directoryOf(metadata.uid);
  }

  /** All that the programs of pods of this name have written. */
  logOf(pod: string): Promise<string> {
    return readFile(join(this.#keeper.directory, `${pod}.log`), 'utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over = true;
    await this.#rounds;
    await this.#keeper[Symbol.asyncDispose]();
  }

  /** What fails is tried again in the next round: the API server may be away, and objects change meanwhile. */
  async #run(): Promise<void> {
    while (!this.#over) {
      await this.#round().catch((error) => this.troubles.push(String(error)));
      await sleep(INTERVAL);
    }
  }

  async #round(): Promise<void> {
    const [pods, claims] = await Promise.all([this.#admin.list<Pod>('/api/v1/pods'), this.#admin.list<Claim>(CLAIMS)]);
    await this.volumes.round(claims.items);
    const ours = pods.items.filter(({ spec }) => this.#nodes.has(spec.nodeName ?? ''));
    for (const pod of ours) this.#follow(pod, claims.items);
    await this.#forget(new Set(ours.map(({ metadata }) => metadata.uid)));
  }

  /** Each pod by itself: one that takes its time to leave keeps nobody waiting. */
  #follow(pod: Pod, claims: readonly Claim[]): void {
    const played = this.#played.get(pod.metadata.uid) ?? this.#welcome(pod);
    const { name } = pod.metadata;
    const image = this.#impostors.get(name) ?? this.#images[pod.spec.containers[0].image];
    void played
      .follow(pod, { image, claims, isDown: this.#down.has(name) })
      .catch((error) => this.troubles.push(`${name}: ${error}`));
  }

  #welcome({ metadata: { name, uid } }: Pod): PlayedPod {
    this.#addresses += 1;
    const address = `${this.#network}.${this.#addresses}`;
    const played = new PlayedPod({ name, address, admin: this.#admin, keeper: this.#keeper, volumes: this.volumes });
    this.#played.set(uid, played);
    return played;
  }

  /** Pods that somebody removed by force end, too. */
  async #forget(known: ReadonlySet<string>): Promise<void> {
    for (const [uid, played] of this.#played) {
      if (known.has(uid)) continue;
      this.#played.delete(uid);
      await played.signal('SIGKILL');
    }
  }

  #named(name: string): PlayedPod {
    const found = [...this.#played.values()].findLast((played) => played.name === name);
    if (!found) throw new Error(`no pod ${name} is there`);
    return found;
  }
}

interface Situation {
  readonly image: Image | undefined;
  readonly claims: readonly Claim[];
  readonly isDown: boolean;
}

interface Surroundings {
  readonly name: string;
  readonly address: string;
  readonly admin: RawClient;
  readonly keeper: Keeper;
  readonly volumes: PlayedVolumes;
}

/** One life of a pod. */
class PlayedPod {
  readonly name: string;
  readonly #around: Surroundings;
  #process: KeptProcess | undefined;
  #starts = 0;
  #said = '';
  #busy = false;

  constructor(around: Surroundings) {
    this.name = around.name;
    this.#around = around;
  }

  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    await this.#process?.signal(signal);
  }

  async follow(pod: Pod, situation: Situation): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      if (pod.metadata.deletionTimestamp) await this.#leave(pod);
      else await this.#live(pod, situation);
    } finally {
      this.#busy = false;
    }
  }

  async #live(pod: Pod, { image, claims, isDown }: Situation): Promise<void> {
    if (!image) return await this.#say(pod, { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } });
    if (isDown && !this.#process) return await this.#say(pod, { waiting: { reason: 'CrashLoopBackOff' } });
    if (!this.#process) await this.#start(pod, image, claims);
    const isReady = await answers(this.#around.address);
    await this.#say(pod, { running: {} }, isReady);
  }

  async #start(pod: Pod, image: Image, claims: readonly Claim[]): Promise<void> {
    const { keeper, address } = this.#around;
    const [container] = pod.spec.containers;
    const { namespace, name, uid } = pod.metadata;
    const directories = await this.#directories(pod, claims);
    const fields = { 'metadata.name': name, 'metadata.namespace': namespace, 'metadata.uid': uid };
    const args = commandLine(container, { image, address, directories, fields });
    const started = await keeper.run({ program: 'env', args, log: `${name}.log` });
    this.#starts += 1;
    this.#process = started;
    void started.exited.then(() => {
      this.#process = undefined;
    });
  }

  async #directories({ metadata, spec }: Pod, claims: readonly Claim[]) {
    const { admin, keeper, volumes } = this.#around;
    const { namespace, uid } = metadata;
    const directory = join(keeper.directory, 'pods', uid);
    await mkdir(directory, { recursive: true });
    const directoryOfClaim = (name: string): string => {
      const claim = claims.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
      if (claim?.status.phase !== 'Bound') throw new Error(`the claim ${name} is not bound`);
      return volumes.directoryOf(claim.metadata.uid);
    };
    return await directoriesOf(spec.volumes ?? [], { admin, namespace, directory, directoryOfClaim });
  }

  async #say({ metadata: { namespace, name, uid }, spec }: Pod, state: object, isReady = false): Promise<void> {
    const { address, admin } = this.#around;
    const [{ name: container, image }] = spec.containers;
    const restartCount = Math.max(0, this.#starts - 1);
    const said = JSON.stringify([state, isReady, restartCount]);
    if (said === this.#said) return;
    const condition = (type: string, status: boolean) => ({ type, status: status ? 'True' : 'False' });
    const conditions = [
      condition('Initialized', true),
      condition('ContainersReady', isReady),
      condition('Ready', isReady),
    ];
    const containerStatuses = [
      { name: container, image, imageID: image, ready: isReady, started: isReady, restartCount, state },
    ];
    const phase = this.#starts > 0 ? 'Running' : 'Pending';
    const ips = this.#starts > 0 ? { podIP: address, podIPs: [{ ip: address }] } : {};
    await admin.patch(
      `/api/v1/namespaces/${namespace}/pods/${name}/status`,
      { metadata: { uid }, status: { phase, ...ips, conditions, containerStatuses } },
      'strategic-merge',
    );
    this.#said = said;
  }

  /** As a kubelet does: the program may leave by itself, and only when it has left is the pod gone. */
  async #leave({ metadata: { namespace, name, uid } }: Pod): Promise<void> {
    const { admin, keeper } = this.#around;
    await this.#end();
    await rm(join(keeper.directory, 'pods', uid), { recursive: true, force: true });
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    await admin.request('DELETE', path, { gracePeriodSeconds: 0, preconditions: { uid } });
  }

  async #end(): Promise<void> {
    const running = this.#process;
    if (!running) return;
    await running.signal('SIGTERM');
    await eventually(() => !this.isRunning, { timeout: GRACE }).catch(() => running.signal('SIGKILL'));
    await running.exited;
  }
}

const answers = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: address, port: PORT });
    const settle = (isUp: boolean) => {
      socket.destroy();
      resolve(isUp);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });

/** A node that counts as ready, though no kubelet is there: otherwise its pods would be taken for not ready. */
export async function createNode(admin: RawClient, name: string, zone: string): Promise<void> {
  const labels = { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zone };
  await admin.post(NODES, { metadata: { name, labels } });
  const resources = { cpu: '64', memory: '256Gi', pods: '250' };
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Test', lastHeartbeatTime: new Date() }];
  await admin.patch(`${NODES}/${name}/status`, {
    status: { capacity: resources, allocatable: resources, conditions },
  });
  await admin.patch(`${NODES}/${name}`, { spec: { taints: null } });
}

const octet = (): number => 1 + Math.floor(Math.random() * 254);
