/**
 * A cluster with pools in it: a real control plane whose StatefulSets have real agents as pods, and the operator as a process of its own,
 * under exactly the rights and the policies that it is shipped with.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { type Condition, PV_POOLS, type PvPool, type PvPoolSpec, TOKEN_KEY } from '../../../src/pool/contract.ts';
import {
  claimNameOf,
  podNameOf,
  serviceNameOf,
  statefulSetNameOf,
  tokenSecretNameOf,
} from '../../../src/pool/names.ts';
import { type AgentStatus, type Peer, PoolClient } from '../../../src/pool-client/index.ts';
import type { AuditEvent } from '../../harness/audit.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { type Holdfast, kubeconfigFlag, runHoldfast, startHoldfast } from '../../harness/holdfast.ts';
import { holdfastImage, type Image, twoEndpointImage } from '../../harness/played-container.ts';
import { PlayedPods } from '../../harness/played-pods.ts';
import { createClass } from '../../harness/played-volumes.ts';
import type { RawClient, RawObject } from '../../harness/raw-client.ts';
import { createServiceAccount, type PolicyRule, type ServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';

/** Names of images. The second is ours in another version. */
export const OURS = 'holdfast:1';
export const OURS_LATER = 'holdfast:2';
export const TWO_ENDPOINTS = 'two-endpoints:1';
/** Nobody has it. */
export const NEVER = 'never:1';

const IMAGES: Readonly<Record<string, Image>> = {
  [OURS]: holdfastImage,
  [OURS_LATER]: holdfastImage,
  [TWO_ENDPOINTS]: twoEndpointImage,
};

/** Enough to decide, to write it down, to do it, and to see that it is done. */
const ROUNDS = 4;

/** An address at which nobody listens. */
const NOBODY = '127.255.255.254';

const NAMESPACE = 'holdfast';
const ACCOUNT = 'holdfast-pool';

export class PoolWorld implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly pods: PlayedPods;
  readonly account: ServiceAccount;
  #operator: Holdfast | undefined;

  private constructor(plane: ControlPlane, pods: PlayedPods, account: ServiceAccount) {
    this.plane = plane;
    this.pods = pods;
    this.account = account;
  }

  static async start(): Promise<PoolWorld> {
    const plane = await startControlPlane({ controllers: true, audit: true });
    const { admin } = plane;
    await createClass(admin, 'disk', { isDefault: true });
    await createClass(admin, 'rigid', { expands: false });
    const account = await install(plane);
    const pods = await PlayedPods.start({ plane, images: IMAGES, nodes: { a: 'zone-a', b: 'zone-b', c: 'zone-c' } });
    const world = new PoolWorld(plane, pods, account);
    await world.startOperator();
    return world;
  }

  get admin(): RawClient {
    return this.plane.admin;
  }

  get operator(): Holdfast {
    if (!this.#operator) throw new Error('the operator does not run');
    return this.#operator;
  }

  async startOperator(...flags: readonly string[]): Promise<void> {
    const kubeconfig = await kubeconfigFlag(this.plane.directory, this.account, this.plane);
    this.#operator = await startHoldfast('pool', kubeconfig, '--health-probe-bind-address=0', ...flags);
  }

  /** SIGKILL. */
  async killOperator(): Promise<void> {
    await this.#operator?.[Symbol.asyncDispose]();
    this.#operator = undefined;
  }

  async namespace(name: string): Promise<void> {
    await this.admin.post('/api/v1/namespaces', { metadata: { name } });
    const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
    await eventually(async () => (await this.admin.request('GET', account)).status === 200);
  }

  /** Of our agents, in a namespace of its own that is named like it, unless another is given. */
  async pool(name: string, spec: Partial<PvPoolSpec> = {}, namespace?: string): Promise<Pool> {
    if (namespace === undefined) await this.namespace(name);
    const pool = new Pool(this, namespace ?? name, name);
    await pool.create({ image: OURS, args: ['storage-agent'], numPVs: 1, pvSizeGB: 1, ...spec });
    return pool;
  }

  /** Without making it. */
  poolNamed(name: string, namespace = name): Pool {
    return new Pool(this, namespace, name);
  }

  /** Whatever was to be done about what there is has been done, or refused, when the operator has looked at it again. */
  async looksAgain(pool: Pool): Promise<void> {
    const before = await this.#reconciles();
    await eventually(
      async () => {
        await pool.annotate({ 'test.example.com/looked': `${performance.now()}` });
        return (await this.#reconciles()) >= before + ROUNDS;
      },
      { interval: 250, for: 'the operator to look again' },
    );
  }

  #reconciles(): Promise<number> {
    return this.operator.metric('controller_runtime_reconcile_total');
  }

  /** What the operator asked for and was not allowed. */
  async refusals(): Promise<readonly string[]> {
    const refused = (await this.#requests()).filter(({ responseStatus }) => responseStatus?.code === 403);
    return refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`);
  }

  /** How often the operator has written a pool's status. */
  async statusWrites({ namespace, name }: Pool): Promise<number> {
    const writes = (await this.#requests()).filter(({ verb, objectRef }) => {
      const { resource, subresource } = objectRef ?? {};
      const isStatus = resource === PV_POOLS.plural && subresource === 'status' && verb !== 'get';
      return isStatus && objectRef?.namespace === namespace && objectRef.name === name;
    });
    return writes.length;
  }

  async #requests(): Promise<readonly AuditEvent[]> {
    return (await this.plane.auditLog()).filter(({ user }) => user.username === this.account.username);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.killOperator();
    await this.pods[Symbol.asyncDispose]();
    await this.account[Symbol.asyncDispose]();
    await this.plane[Symbol.asyncDispose]();
  }
}

/** What a person puts into the cluster beforehand: the kind, the policies, and an account with the rights. */
async function install(plane: ControlPlane): Promise<ServiceAccount> {
  const { stdout } = await runHoldfast('manifests', 'all');
  const objects: readonly RawObject[] = parseAllDocuments(stdout).map((document) => document.toJS());
  const named = objects.filter(({ metadata }) => /^holdfast-pool|pvpools\./.test(metadata.name));
  await plane.admin.post('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  for (const object of named) if (!isRole(object)) await plane.admin.post(pathOf(object), object);
  const events = objects.filter(({ metadata }) => metadata.name === 'holdfast-events');
  const roles = [...named, ...events].filter((object): object is Role => object.kind === 'ClusterRole');
  const account = await createServiceAccount(plane, {
    name: ACCOUNT,
    namespace: NAMESPACE,
    clusterRules: roles.flatMap(({ rules }) => rules),
  });
  await eventually(() => plane.admin.list(`/apis/${PV_POOLS.group}/${PV_POOLS.version}/${PV_POOLS.plural}`));
  return account;
}

type Role = RawObject & { readonly rules: readonly PolicyRule[] };

const isRole = ({ apiVersion }: RawObject): boolean => apiVersion.startsWith('rbac.');
const pathOf = ({ apiVersion, kind }: RawObject): string =>
  `/apis/${apiVersion}/${kind.toLowerCase().replace(/y$/, 'ie')}s`;

export interface StatefulSet extends RawObject {
  readonly spec: {
    readonly replicas: number;
    readonly serviceName: string;
    readonly updateStrategy: { readonly rollingUpdate?: { readonly partition?: number } };
    readonly template: { readonly spec: { readonly containers: readonly [{ readonly image: string }] } };
  };
}

export interface Pod extends RawObject {
  readonly spec: { readonly containers: readonly [{ readonly image: string }] };
  readonly status: {
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly { readonly restartCount: number }[];
  };
}

export interface Claim extends RawObject {
  readonly spec: { readonly resources: { readonly requests: { readonly storage: string } } };
  readonly status: { readonly capacity?: { readonly storage: string } };
}

/** What a pool needs of the cluster that it is in. */
export interface PoolPlace {
  readonly admin: RawClient;
  readonly pods: PlayedPods;
}

export class Pool {
  readonly namespace: string;
  readonly name: string;
  readonly #world: PoolPlace;

  constructor(world: PoolPlace, namespace: string, name: string) {
    this.#world = world;
    this.namespace = namespace;
    this.name = name;
  }

  get path(): string {
    const { group, version, plural } = PV_POOLS;
    return `/apis/${group}/${version}/namespaces/${this.namespace}/${plural}/${this.name}`;
  }

  async create(spec: PvPoolSpec): Promise<void> {
    const { group, version, kind } = PV_POOLS;
    const metadata = { name: this.name };
    const object = { apiVersion: `${group}/${version}`, kind, metadata, spec };
    await this.#admin.post(this.path.replace(/\/[^/]*$/, ''), object);
  }

  look(): Promise<PvPool & RawObject> {
    return this.#admin.get(this.path);
  }

  async change(spec: Partial<PvPoolSpec>): Promise<void> {
    await this.#admin.patch(this.path, { spec });
  }

  async annotate(annotations: Readonly<Record<string, string | null>>): Promise<void> {
    await this.#admin.patch(this.path, { metadata: { annotations } });
  }

  async remove(): Promise<void> {
    await this.#admin.delete(this.path);
  }

  /** Waits until the pool says of the present spec that it is ready, with so many agents. */
  async isReady(agents: number, timeout = 60_000): Promise<void> {
    await eventually(
      async () => {
        const { metadata, status } = await this.look();
        const ready = status?.conditions?.find(({ type }) => type === 'Ready');
        const count = { phase: status?.phase, ready: ready?.status, of: ready?.observedGeneration };
        const wanted = { phase: 'Ready', ready: 'True', of: metadata.generation };
        if (JSON.stringify(count) === JSON.stringify(wanted) && status?.readyReplicas === agents) return;
        throw new Error(JSON.stringify(status));
      },
      { timeout, for: `${this.name} to be ready with ${agents} agents` },
    );
  }

  /** Waits until a condition says so. */
  async says(type: Condition['type'], status: Condition['status'], message: RegExp): Promise<Condition> {
    return await eventually(
      async () => {
        const { conditions = [] } = (await this.look()).status ?? {};
        const found = conditions.find((each) => each.type === type);
        if (found?.status === status && message.test(`${found.reason}: ${found.message}`)) return found;
        throw new Error(JSON.stringify(conditions));
      },
      { for: `${this.name} to say ${type}=${status}, ${message}` },
    );
  }

  set(): Promise<StatefulSet> {
    return this.#admin.get(`/apis/apps/v1/namespaces/${this.namespace}/statefulsets/${statefulSetNameOf(this.name)}`);
  }

  async replicas(): Promise<number> {
    return (await this.set()).spec.replicas;
  }

  service(): Promise<RawObject> {
    return this.#admin.get(`/api/v1/namespaces/${this.namespace}/services/${serviceNameOf(this.name)}`);
  }

  podName(ordinal: number): string {
    return podNameOf(this.name, ordinal);
  }

  pod(ordinal: number): Promise<Pod> {
    return this.#admin.get(`/api/v1/namespaces/${this.namespace}/pods/${this.podName(ordinal)}`);
  }

  async pods(): Promise<readonly Pod[]> {
    const path = `/api/v1/namespaces/${this.namespace}/pods?labelSelector=pv-pool%3D${this.name}`;
    return (await this.#admin.list<Pod>(path)).items;
  }

  /** Whether every pod that there is is said to be ready, and its agent, which may just have died, answers. */
  async isServed(): Promise<boolean> {
    const pods = await this.pods();
    await Promise.all(pods.map((pod) => this.#statusOf(pod)));
    const conditions = pods.map(({ status }) => status.conditions ?? []);
    return conditions.every((each) => each.some(({ type, status }) => type === 'Ready' && status === 'True'));
  }

  claimPath(ordinal: number): string {
    return `/api/v1/namespaces/${this.namespace}/persistentvolumeclaims/${claimNameOf(this.name, ordinal)}`;
  }

  claim(ordinal: number): Promise<Claim> {
    return this.#admin.get(this.claimPath(ordinal));
  }

  /** Where the volume of an agent is. */
  volume(ordinal: number): Promise<string> {
    return this.#world.pods.volumeOf(this.namespace, claimNameOf(this.name, ordinal));
  }

  /** Files of blobs on the volume of an agent, also of those that it has put aside: what is really there, whatever anybody says. */
  async blobsOnDisk(ordinal: number): Promise<readonly string[]> {
    const volume = await this.volume(ordinal);
    const below = async (directory: string) => {
      const entries = await readdir(join(volume, directory), { recursive: true, withFileTypes: true }).catch(() => []);
      return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    };
    return [...(await below('blobs')), ...(await below('quarantine'))];
  }

  async token(): Promise<string> {
    const path = `/api/v1/namespaces/${this.namespace}/secrets/${tokenSecretNameOf(this.name)}`;
    const { data } = await this.#admin.get<RawObject & { data: Readonly<Record<string, string>> }>(path);
    return Buffer.from(data[TOKEN_KEY] ?? '', 'base64').toString();
  }

  /**
   * Who belongs to the pool, as whoever uses it has to find out: also agents whose pod has no address yet, or is not there at the moment.
   * They may hold what is looked for, so that without them nobody can say that it is not there.
   */
  async agents(): Promise<readonly Peer[]> {
    const [replicas, pods] = await Promise.all([this.replicas(), this.pods()]);
    const addresses = new Map(pods.map(({ metadata, status }) => [metadata.name, status.podIP]));
    const members = Array.from({ length: replicas }, (_, ordinal) => this.podName(ordinal));
    const names = new Set([...members, ...addresses.keys()]);
    return [...names].map((name) => ({ name, url: `http://${addresses.get(name) ?? NOBODY}:8080` }));
  }

  async client(): Promise<PoolClient> {
    return new PoolClient({ agents: () => this.agents(), token: await this.token() });
  }

  /** What an agent says of itself. */
  async agentStatus(ordinal: number): Promise<AgentStatus> {
    return await this.#statusOf(await this.pod(ordinal));
  }

  async #statusOf({ status }: Pod): Promise<AgentStatus> {
    const headers = { authorization: `Bearer ${await this.token()}` };
    const answer = await fetch(`http://${status.podIP}:8080/status`, { headers });
    return (await answer.json()) as AgentStatus;
  }

  get #admin(): RawClient {
    return this.#world.admin;
  }
}
