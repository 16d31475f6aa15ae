/** A whole cluster: the control plane, one real node with disks, and the chart, installed by helm. */
import { type ControlPlane, startControlPlane } from '../harness/control-plane.ts';
import type { RawClient, RawObject } from '../harness/raw-client.ts';
import { eventually } from '../harness/wait.ts';
import { aLoopDevice, type LoopDevice } from '../host/loop-device.ts';
import { CHART, helm, type Values } from '../integration/chart/helm.ts';
import { type ClusterNode, startNode } from './node.ts';

export const NODE = 'worker';
export const ZONE = { 'topology.kubernetes.io/zone': 'zone-a', 'topology.kubernetes.io/region': 'region-1' };
export const BY_PATH = '/dev/disk/by-path';
/** Where the kubelet has to do something, on a machine that does other things beside. */
const PATIENCE = { timeout: 240_000, interval: 200 };

export interface Pod extends RawObject {
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly { readonly restartCount: number; readonly image: string }[];
  };
}

interface Told extends RawObject {
  readonly reason?: string;
  readonly message?: string;
}

export class Cluster implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly node: ClusterNode;
  readonly #stack: AsyncDisposableStack;

  private constructor(plane: ControlPlane, node: ClusterNode, stack: AsyncDisposableStack) {
    this.plane = plane;
    this.node = node;
    this.#stack = stack;
  }

  /** With the images that `make image` has built on its node, or without. */
  static async start(images: 'built' | 'none' = 'built'): Promise<Cluster> {
    await using stack = new AsyncDisposableStack();
    const plane = stack.use(await startControlPlane({ controllers: true }));
    const node = stack.use(await startNode(plane, { name: NODE, labels: ZONE, images }));
    return new Cluster(plane, node, stack.move());
  }

  get admin(): RawClient {
    return this.plane.admin;
  }

  /** Detached when the cluster is gone. */
  async disk(name: string, sizeBytes: number): Promise<LoopDevice> {
    const device = this.#stack.adopt(await aLoopDevice(sizeBytes), (each) => each[Symbol.asyncDispose]());
    this.node.addDisk(name, device.path);
    return device;
  }

  async namespace(name: string): Promise<void> {
    await this.admin.post('/api/v1/namespaces', { metadata: { name } });
    await this.hasDefaultAccount(name);
  }

  /** Pods are refused until then. */
  async hasDefaultAccount(namespace: string): Promise<void> {
    const account = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
    await eventually(async () => (await this.admin.request('GET', account)).status === 200);
  }

  async install(release: string, namespace: string, values: Values): Promise<void> {
    await this.#helm(['install', release, CHART, '--namespace', namespace, '-f', '-'], values);
  }

  /** Runs what the chart has for helm test, and gives what it said. */
  async test(release: string, namespace: string): Promise<string> {
    return await this.#helm(['test', release, '--namespace', namespace, '--logs', '--timeout', '4m']);
  }

  async #helm(args: readonly string[], values: Values = {}): Promise<string> {
    const { code, stdout, stderr } = await helm([...args, '--kubeconfig', this.plane.kubeconfig], values);
    if (code !== 0) throw new Error(`${stdout}\n${stderr}`);
    return stdout;
  }

  /** Makes it, of whatever kind, or changes it. */
  async apply(object: Readonly<Record<string, unknown>>, path: string): Promise<void> {
    await this.admin.patch(`${path}?fieldManager=e2e&force=true`, object, 'apply');
  }

  pods(namespace: string, labels = ''): Promise<readonly Pod[]> {
    const query = labels === '' ? '' : `?labelSelector=${encodeURIComponent(labels)}`;
    return this.admin.list<Pod>(`/api/v1/namespaces/${namespace}/pods${query}`).then(({ items }) => items);
  }

  /** As many as are wanted, all of them ready; a failure tells what they say. */
  async readyPods(namespace: string, labels: string, count = 1): Promise<readonly Pod[]> {
    return await this.eventually(`${count} pods with ${labels} to be ready`, async () => {
      const pods = await this.pods(namespace, labels);
      const ready = pods.filter(isReady);
      if (pods.length !== count || ready.length !== count)
        throw new Error(`${ready.length} of ${pods.length} are ready`);
      return ready;
    });
  }

  /** Runs a pod to its end, and gives what it said. */
  async output(namespace: string, pod: Readonly<Record<string, unknown>>, name: string): Promise<string> {
    await this.admin.post(`/api/v1/namespaces/${namespace}/pods`, pod);
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    await this.eventually(`pod ${name} to end`, async () => {
      const { status } = await this.admin.get<Pod>(path);
      if (status.phase !== 'Succeeded') throw new Error(`it is ${status.phase}`);
    });
    const said = await this.log(namespace, name);
    await this.removePod(namespace, name);
    return said;
  }

  async removePod(namespace: string, name: string): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    await this.admin.delete(path, { gracePeriodSeconds: 1 });
    await eventually(async () => (await this.admin.request('GET', path)).status === 404, {
      ...PATIENCE,
      for: `${name} to go`,
    });
  }

  async log(namespace: string, pod: string): Promise<string> {
    const { body } = await this.admin.request<unknown>(
      'GET',
      `/api/v1/namespaces/${namespace}/pods/${pod}/log?tailLines=30`,
    );
    return typeof body === 'string' ? body : JSON.stringify(body);
  }

  /** A failure tells what has happened in the cluster. */
  async eventually<T>(what: string, look: () => Promise<T>): Promise<T> {
    try {
      return await eventually(look, { ...PATIENCE, for: what });
    } catch (error) {
      throw new Error(`${error}\n${await this.#story()}`, { cause: error });
    }
  }

  async #story(): Promise<string> {
    const { items: events } = await this.admin.list<Told>('/api/v1/events');
    const told = events.map(({ metadata, reason, message }) => `${metadata.name.split('.')[0]}: ${reason}: ${message}`);
    const { items: pods } = await this.admin.list<Pod>('/api/v1/pods');
    const logs = pods.map(async ({ metadata: { namespace = '', name }, status }) => {
      return `${namespace}/${name} (${status.phase}):\n${await this.log(namespace, name)}`;
    });
    return [...told, ...(await Promise.all(logs))].join('\n');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

export const isReady = ({ status }: Pod): boolean =>
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
