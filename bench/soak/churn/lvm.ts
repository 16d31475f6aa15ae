/** Logical volumes of a node with a kernel of its own that are declared, grown and deleted, a few at a time. */
import type { ControlPlane } from '../../../test/harness/control-plane.ts';
import { admitNode, LvmNode, MIB } from '../../../test/lab/node/lvm-node.ts';
import type { Program } from '../../../test/lab/node/program.ts';
import { patiently } from '../patient-client.ts';
import { type Churn, unless } from './churn.ts';

const NODE = 'logical';
const AT_ONCE = 3;
const METRICS_PORT = 8080;

export class LvmChurn implements Churn, AsyncDisposable {
  readonly name = 'lvm';
  readonly pauseMs = 1_000;
  readonly agent: Program;
  /** Of its page of metrics. */
  readonly address: string;
  readonly #node: LvmNode;
  readonly #volumes: string[] = [];
  #made = 0;

  private constructor(node: LvmNode, agent: Program, address: string) {
    this.#node = node;
    this.agent = agent;
    this.address = address;
  }

  static async begin(plane: ControlPlane): Promise<LvmChurn> {
    await using undo = new AsyncDisposableStack();
    const agents = await admitNode(plane, NODE);
    const cluster = { plane, agents, [Symbol.asyncDispose]: () => agents[Symbol.asyncDispose]() };
    const node = undo.use(await LvmNode.join(cluster, [512 * MIB], NODE));
    const agent = await node.agent('--debug=false');
    const churn = new LvmChurn(node, agent, await node.guest.addressOf(METRICS_PORT));
    undo.move();
    return churn;
  }

  async round(): Promise<void> {
    const name = `logical-${this.#made++}`;
    await patiently(`${name} to be declared`, async () => {
      if (!(await this.#node.find(name))) await this.#node.declare(name, { storage: '16Mi' });
    });
    this.#volumes.push(name);
    await this.#node.says(name, 'status', 'Processed');
    await patiently(`${name} to be grown`, () => this.#node.grow(name, '24Mi'));
    if (this.#volumes.length > AT_ONCE) await this.#remove(this.#volumes.shift() ?? '');
  }

  async audit(): Promise<readonly string[]> {
    const ready = this.#volumes.map((name) => this.#node.says(name, 'status', 'Processed'));
    const logical = patiently('exactly the declared volumes to be there, as large as they should be', async () => {
      const found = await this.#node.guest.output('lvs', '--noheadings', '--units=m', '--options=lv_name,lv_size');
      const sizes = found.split('\n').map((line) => line.trim().replace(/\s+/g, ' '));
      const wanted = this.#volumes.map((name) => `${name} 24.00m`);
      if (sizes.toSorted().join() !== wanted.toSorted().join()) throw new Error(sizes.join(', '));
    });
    return (await Promise.all([...ready, logical].map(unless))).flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#node[Symbol.asyncDispose]();
  }

  async #remove(name: string): Promise<void> {
    await patiently(`${name} to be deleted`, async () => {
      if (await this.#node.find(name)) await this.#node.delete(name);
    });
    await this.#node.isGone(name);
  }
}
