/** A node of a real cluster that is a guest with a volume group, with the lvm agent in it under the rights and policies that it is shipped with. */
import { BUILT_IN_CHECKOUT } from '../../harness/built.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import type { RawObject } from '../../harness/raw-client.ts';
import { eventually } from '../../harness/wait.ts';
import { type Agents, NAMESPACE, VOLUMES } from '../../integration/agents.ts';
import { asShipped, deployAgents } from '../../integration/lvm/rights.ts';
import { LabNode } from './lab-node.ts';
import type { Program } from './program.ts';

export const MIB = 2 ** 20;
export const PREFIX = 'local-pv.k8s.portavita.net/';
const METRICS_PORT = 8080;
/** A program with some hundred files starts slowly in a guest. */
const START_MS = 480_000;
/** For whatever is to come about in a guest, on a machine that has other things to do. */
const PATIENCE_MS = 480_000;

export interface PersistentVolume extends RawObject {
  readonly metadata: RawObject['metadata'] & {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly status?: { readonly phase?: string };
}

export interface Declaration {
  readonly storage?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly spec?: object;
}

interface EventOf extends RawObject {
  readonly regarding: { readonly kind: string; readonly name: string };
  readonly reason: string;
  readonly note: string;
}

export class LvmNode implements AsyncDisposable {
  readonly guest: LabNode;
  readonly name: string;
  #cluster: LvmCluster;
  #agent: Program | undefined;
  #written: Promise<string> | undefined;

  private constructor(guest: LabNode, name: string, cluster: LvmCluster) {
    this.guest = guest;
    this.name = name;
    this.#cluster = cluster;
  }

  /** With the volume group `storage_bulk` on its first disk. */
  static async start(diskBytes: readonly number[], name = 'node7', { systemd = false } = {}): Promise<LvmNode> {
    await using undo = new AsyncDisposableStack();
    const cluster = undo.use(await aCluster(name));
    const node = await LvmNode.join(cluster, diskBytes, name, { systemd });
    undo.move();
    return node;
  }

  /** The same in a cluster that is there already, and ends with the node. */
  static async join(
    cluster: LvmCluster,
    diskBytes: readonly number[],
    name: string,
    { systemd = false } = {},
  ): Promise<LvmNode> {
    await using undo = new AsyncDisposableStack();
    const guest = undo.use(await LabNode.start({ diskBytes, systemd }));
    await guest.output('vgcreate', '--yes', 'storage_bulk', '/dev/ubda');
    undo.move();
    return new LvmNode(guest, name, cluster);
  }

  get plane(): ControlPlane {
    return this.#cluster.plane;
  }

  /** From now on it is a node of another cluster, in which there is nothing yet. The one before is gone for good. */
  async joinNewCluster(): Promise<void> {
    await this.#cluster[Symbol.asyncDispose]();
    this.#cluster = await aCluster(this.name);
    this.#written = undefined;
  }

  /** Resolves when it is ready. */
  agent(...flags: readonly string[]): Promise<Program> {
    return this.agentBy([], '--mount-namespace=own', ...flags);
  }

  /** Started by another program, which becomes it. */
  async agentBy(launcher: readonly string[], ...flags: readonly string[]): Promise<Program> {
    const agent = await this.launch(launcher, ...flags);
    const address = await this.guest.addressOf(METRICS_PORT);
    const isReady = async () => {
      const { status } = await fetch(`http://${address}/readyz`);
      if (status !== 200) throw new Error(`readyz says ${status}: ${agent.lines.join('\n')}`);
    };
    await eventually(isReady, { for: 'the agent to be ready', timeout: START_MS, interval: 250 });
    return agent;
  }

  /** Does not wait until it is ready. */
  async launch(launcher: readonly string[], ...flags: readonly string[]): Promise<Program> {
    const kubeconfig = await this.#kubeconfig();
    const agent = this.guest.start([
      ...launcher,
      ...[
        'node',
        BUILT_IN_CHECKOUT,
        'lvm',
        `--kubeconfig=${kubeconfig}`,
        `--metrics-bind-address=127.0.0.1:${METRICS_PORT}`,
      ],
      ...[`--node-name=${this.name}`, `--namespace=${NAMESPACE}`, '--debug', ...flags],
    ]);
    this.#agent = agent;
    return agent;
  }

  /** A command for people, run on the node with the rights of its agent. */
  async command(name: string, ...args: readonly string[]): Promise<string> {
    const where = [`--kubeconfig=${await this.#kubeconfig()}`, `--node-name=${this.name}`, '--mount-namespace=own'];
    return await this.guest.output('node', BUILT_IN_CHECKOUT, 'lvm', name, ...args, ...where);
  }

  /** With a token that names the node, and is written once for a cluster: it is good for longer than any test. */
  async #kubeconfig(): Promise<string> {
    this.#written ??= (async () => {
      const user = { token: await this.#cluster.agents.tokenOn(this.name), namespace: NAMESPACE };
      return await this.guest.kubeconfig(this.name, user, this.plane);
    })();
    return await this.#written;
  }

  /** As `kubectl apply` does with something new. */
  async apply(manifest: object): Promise<void> {
    await this.plane.admin.post(VOLUMES, manifest);
  }

  async metrics(): Promise<string> {
    return await (await fetch(`http://${await this.guest.addressOf(METRICS_PORT)}/metrics`)).text();
  }

  get lines(): readonly string[] {
    return this.#agent?.lines ?? [];
  }

  async declare(name: string, { storage = '64Mi', annotations = {}, path, spec }: Declaration = {}): Promise<void> {
    const values = [this.name];
    const matchExpressions = [{ key: 'node-id.k8s.portavita.net/nodeid', operator: 'In', values }];
    await this.plane.admin.post(VOLUMES, {
      metadata: {
        name,
        annotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`${PREFIX}${key}`, value])),
      },
      spec: {
        capacity: { storage },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'k8s-local-pv',
        local: { path: path ?? `/mnt/pv/${name}` },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
        ...spec,
      },
    });
  }

  volume(name: string): Promise<PersistentVolume> {
    return this.plane.admin.get<PersistentVolume>(`${VOLUMES}/${name}`);
  }

  async delete(name: string): Promise<void> {
    await this.plane.admin.delete(`${VOLUMES}/${name}`);
  }

  async grow(name: string, storage: string): Promise<void> {
    await this.plane.admin.patch(`${VOLUMES}/${name}`, { spec: { capacity: { storage } } });
  }

  async annotate(name: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
    const prefixed = Object.entries(annotations).map(([key, value]) => [`${PREFIX}${key}`, value]);
    await this.plane.admin.patch(`${VOLUMES}/${name}`, { metadata: { annotations: Object.fromEntries(prefixed) } });
  }

  /** Waits for an Event about this, and gives what it says. */
  async isTold(about: 'PersistentVolume' | 'Node', name: string, reason: string): Promise<string> {
    return await this.eventually(`an Event ${reason} of ${name}`, async () => {
      const { items } = await this.plane.admin.list<EventOf>('/apis/events.k8s.io/v1/events');
      const ofIt = items.filter(({ regarding }) => regarding.kind === about && regarding.name === name);
      const found = ofIt.findLast((event) => event.reason === reason);
      if (!found) throw new Error(`there are only ${ofIt.map((event) => event.reason).join(', ') || 'none'}`);
      return found.note;
    });
  }

  /** Waits until the agent has written this of the volume. */
  async says(name: string, key: string, value: string): Promise<PersistentVolume> {
    return await this.eventually(`${key} of ${name} to be ${value}`, async () => {
      const volume = await this.volume(name);
      const found = volume.metadata.annotations?.[`${PREFIX}${key}`];
      if (found !== value && !(key === 'message' && found?.includes(value)))
        throw new Error(`${key} of ${name} is ${found}: ${JSON.stringify(volume.metadata.annotations)}`);
      return volume;
    });
  }

  async isGone(name: string): Promise<void> {
    await this.eventually(`${name} to be gone`, async () => {
      const volume = await this.find(name);
      if (volume) throw new Error(`it is there: ${JSON.stringify(volume.metadata)}`);
    });
  }

  async find(name: string): Promise<PersistentVolume | undefined> {
    const { items } = await this.plane.admin.get<RawObject & { readonly items: readonly PersistentVolume[] }>(
      `${VOLUMES}?fieldSelector=metadata.name=${name}`,
    );
    return items[0];
  }

  eventually<T>(what: string, holds: () => Promise<T>): Promise<T> {
    const told = async () => {
      try {
        return await holds();
      } catch (error) {
        throw new Error(`${error instanceof Error ? error.message : error}\n${this.lines.slice(-30).join('\n')}`);
      }
    };
    return eventually(told, { for: what, timeout: PATIENCE_MS, interval: 250 });
  }

  /** The names of all logical volumes. */
  async lvs(): Promise<readonly string[]> {
    const found = await this.guest.output('lvs', '--noheadings', '--options', 'lv_full_name');
    return found
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.guest[Symbol.asyncDispose]();
    await this.#cluster[Symbol.asyncDispose]();
  }
}

export interface LvmCluster extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly agents: Agents;
}

/** With this node, and what the agent needs there. */
async function aCluster(name: string): Promise<LvmCluster> {
  await using undo = new AsyncDisposableStack();
  const plane = undo.use(await startControlPlane({ controllers: true }));
  const agents = undo.use(await admitNode(plane, name));
  const kept = undo.move();
  return { plane, agents, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Makes the node, and the account of the agents with its rights and policies. */
export async function admitNode(plane: ControlPlane, name: string): Promise<Agents> {
  const labels = { 'kubernetes.io/hostname': name, 'node-id.k8s.portavita.net/nodeid': name };
  await plane.admin.post('/api/v1/nodes', { metadata: { name, labels } });
  return await deployAgents(plane, asShipped(NAMESPACE));
}
