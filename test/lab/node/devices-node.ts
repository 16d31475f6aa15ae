/** A node of a real cluster that is a guest, with the devices agent in it under the rights that it is shipped with. */
import { BUILT_IN_CHECKOUT } from '../../harness/built.ts';
import { eventually } from '../../harness/wait.ts';
import { type DevicesCluster, NAMESPACE, NodeWorld } from '../../host/devices/world.ts';
import { LabNode } from './lab-node.ts';
import type { Program } from './program.ts';

const METRICS_PORT = 8080;
/** A program with some hundred files starts slowly in a guest. */
const START_MS = 480_000;

export class DevicesNode implements AsyncDisposable {
  readonly guest: LabNode;
  /** What the cluster knows of the node. Its device directory is in the guest. */
  readonly world: NodeWorld;
  readonly #cluster: DevicesCluster;

  private constructor(guest: LabNode, world: NodeWorld, cluster: DevicesCluster) {
    this.guest = guest;
    this.world = world;
    this.#cluster = cluster;
  }

  static async start(cluster: DevicesCluster, name: string, diskBytes: readonly number[]): Promise<DevicesNode> {
    await using undo = new AsyncDisposableStack();
    const guest = undo.use(await LabNode.start({ diskBytes }));
    const world = await NodeWorld.create(cluster, name);
    await guest.output('mkdir', '-p', world.devices);
    undo.move();
    return new DevicesNode(guest, world, cluster);
  }

  /** The device is found under this name. */
  async link(name: string, target: string): Promise<void> {
    await this.guest.output('ln', '-s', target, this.world.pathOf(name));
  }

  /** Resolves when it is ready. */
  async agent(...flags: readonly string[]): Promise<Program> {
    const { node: name } = this.world;
    const user = { token: await this.#cluster.agents.tokenOn(name), namespace: NAMESPACE };
    const kubeconfig = await this.guest.kubeconfig(name, user, this.#cluster.plane);
    const agent = this.guest.start([
      ...[
        'node',
        BUILT_IN_CHECKOUT,
        'devices',
        `--kubeconfig=${kubeconfig}`,
        `--metrics-addr=127.0.0.1:${METRICS_PORT}`,
      ],
      ...[`--node-name=${name}`, `--namespace-name=${NAMESPACE}`, '--log-level=debug', ...flags],
    ]);
    const address = await this.guest.addressOf(METRICS_PORT);
    const isReady = async () => {
      const { status } = await fetch(`http://${address}/readyz`);
      if (status !== 200) throw new Error(`readyz says ${status}: ${agent.lines.join('\n')}`);
    };
    await eventually(isReady, { for: 'the agent to be ready', timeout: START_MS, interval: 250 });
    return agent;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.guest[Symbol.asyncDispose]();
    await this.world[Symbol.asyncDispose]();
  }
}
