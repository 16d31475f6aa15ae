/**
 * A protected cluster, a recovery cluster and an object store between them: two real control planes with their binders, a real S3
 * server, and an operator for each as a process of its own, under exactly the rights and the policy that it is shipped with.
 */
import { parseAllDocuments } from 'yaml';
import {
  type Condition,
  type ConditionType,
  ENV,
  type PersistentVolumeSync,
  type SyncSpec,
  type SyncStatus,
} from '../../../src/sync/contract.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import {
  type Ended,
  type Environment,
  type Holdfast,
  kubeconfigFlag,
  runHoldfast,
  runHoldfastIn,
  startHoldfastIn,
} from '../../harness/holdfast.ts';
import type { RawClient, RawObject } from '../../harness/raw-client.ts';
import { type S3Server, startS3Server } from '../../harness/s3-server.ts';
import { createServiceAccount, type PolicyRule, type ServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';
import { aSync, type RawSync, SYNCS } from './shipped.ts';

export const BUCKET = 'exports';
export const VOLUMES = '/api/v1/persistentvolumes';
export const claimsIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
export const IN_SCOPE = { 'volumesyncs.storage.cndev.nl/sync': 'enabled' };
const NAMESPACE = 'pvsync-operator';
const ACCOUNT = 'holdfast-sync';

export interface Volume extends RawObject {
  readonly metadata: RawObject['metadata'] & { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly claimRef?: { readonly namespace: string; readonly name: string; readonly uid?: string };
    readonly nfs?: { readonly server: string; readonly path: string };
    readonly persistentVolumeReclaimPolicy: string;
    readonly capacity: { readonly storage: string };
  };
  readonly status: { readonly phase: string };
}

export interface Claim extends RawObject {
  readonly metadata: RawObject['metadata'] & { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: { readonly volumeName?: string; readonly storageClassName?: string };
  readonly status: { readonly phase: string };
}

/** Where an operator finds the store, as the original is told. */
export const environmentOf = (server: S3Server, endpoint = server.url.href): Environment => ({
  [ENV.account]: server.credentials.accessKey,
  [ENV.secret]: server.credentials.secretKey,
  [ENV.bucket]: BUCKET,
  [ENV.s3Endpoint]: endpoint,
  [ENV.region]: server.credentials.region,
});

/** One cluster with the operator in it. */
export class Site implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly account: ServiceAccount;
  environment: Environment;
  #operator: Holdfast | undefined;

  private constructor(plane: ControlPlane, account: ServiceAccount, environment: Environment) {
    this.plane = plane;
    this.account = account;
    this.environment = environment;
  }

  static async start(environment: Environment): Promise<Site> {
    const plane = await startControlPlane({ controllers: true, audit: true });
    return new Site(plane, await install(plane), environment);
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
    this.#operator = await startHoldfastIn(
      this.environment,
      'sync',
      kubeconfig,
      '--health-probe-bind-address=0',
      ...flags,
    );
  }

  /** SIGKILL. */
  async killOperator(): Promise<void> {
    await this.#operator?.[Symbol.asyncDispose]();
    this.#operator = undefined;
  }

  /** A command of a person who may do everything here. */
  command(...args: readonly string[]): Promise<Ended> {
    return runHoldfastIn(this.environment, 'sync', ...args, `--kubeconfig=${this.plane.kubeconfig}`);
  }

  async sync(name: string, spec: Partial<SyncSpec>): Promise<void> {
    await this.admin.post(SYNCS, aSync(name, spec));
  }

  look(name: string): Promise<RawSync> {
    return this.admin.get<RawSync>(`${SYNCS}/${name}`);
  }

  async change(name: string, spec: Partial<SyncSpec>): Promise<void> {
    await this.admin.patch(`${SYNCS}/${name}`, { spec });
  }

  /** Waits until a condition says so of the present spec. */
  async says(name: string, type: ConditionType, status: Condition['status'], reason = /.*/): Promise<SyncStatus> {
    return await eventually(
      async () => {
        const { metadata, status: told = {} } = await this.look(name);
        const found = told.conditions?.find((each) => each.type === type);
        const isOfPresent = found?.observedGeneration === metadata.generation;
        if (found?.status === status && isOfPresent && reason.test(`${found.reason}: ${found.message}`)) return told;
        throw new Error(JSON.stringify(told));
      },
      { timeout: 60_000, for: `${name} to say ${type}=${status}, ${reason}` },
    );
  }

  /** Waits until it has finished a run that began after now. */
  async runsAgain(name: string): Promise<PersistentVolumeSync> {
    const reconciles = () => this.operator.metric('controller_runtime_reconcile_total');
    const before = await reconciles();
    let touched = 0;
    await eventually(
      async () => {
        touched += 1;
        await this.admin.patch(`${SYNCS}/${name}`, {
          metadata: { annotations: { 'test.example.com/touched': `${touched}` } },
        });
        return (await reconciles()) >= before + 3;
      },
      { interval: 250, timeout: 60_000, for: `${name} to run again` },
    );
    return this.look(name);
  }

  async namespace(name: string): Promise<void> {
    await this.admin.request('POST', '/api/v1/namespaces', { metadata: { name } });
  }

  /** An NFS volume in scope, with its claim, bound by the real binder. */
  async pair(
    name: string,
    namespace: string,
    more: { readonly volume?: object; readonly claim?: object } = {},
  ): Promise<void> {
    await this.namespace(namespace);
    await this.admin.post(VOLUMES, aVolume(name, { claimRef: { namespace, name }, ...more.volume }));
    await this.admin.post(claimsIn(namespace), aClaim(name, { volumeName: name, ...more.claim }));
    await this.isBound(namespace, name, name);
  }

  async isBound(namespace: string, claim: string, volume: string): Promise<void> {
    await eventually(
      async () => {
        const { spec, status } = await this.admin.get<Claim>(`${claimsIn(namespace)}/${claim}`);
        if (status.phase === 'Bound' && spec.volumeName === volume) return;
        throw new Error(JSON.stringify({ spec, status }));
      },
      { timeout: 60_000, for: `${namespace}/${claim} to be bound to ${volume}` },
    );
  }

  async volumes(): Promise<readonly Volume[]> {
    return (await this.admin.list<Volume>(VOLUMES)).items;
  }

  async claims(): Promise<readonly Claim[]> {
    return (await this.admin.list<Claim>('/api/v1/persistentvolumeclaims')).items;
  }

  /** What the operator wrote to volumes, claims and namespaces, as `verb name`. */
  async writes(): Promise<readonly string[]> {
    const kinds = ['persistentvolumes', 'persistentvolumeclaims', 'namespaces'];
    const written = (await this.plane.auditLog()).filter(
      ({ user, verb, objectRef }) =>
        user.username === this.account.username &&
        !['get', 'list', 'watch'].includes(verb) &&
        kinds.includes(objectRef?.resource ?? ''),
    );
    return written.map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}/${objectRef?.name ?? ''}`);
  }

  /** What the operator asked for and was not allowed. */
  async refusals(): Promise<readonly string[]> {
    const mine = (await this.plane.auditLog()).filter(({ user }) => user.username === this.account.username);
    const refused = mine.filter(({ responseStatus }) => responseStatus?.code === 403);
    return refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.killOperator();
    await this.account[Symbol.asyncDispose]();
    await this.plane[Symbol.asyncDispose]();
  }
}

/** The endpoints of the store, as each site sees it. */
export interface Ways {
  readonly here: string;
  readonly there: string;
}

const straight = async ({ url }: S3Server): Promise<Ways> => ({ here: url.href, there: url.href });

/** Starts the store and both sites, without operators. */
export class SyncWorld implements AsyncDisposable {
  readonly store: S3Server;
  readonly here: Site;
  readonly there: Site;

  private constructor(store: S3Server, here: Site, there: Site) {
    this.store = store;
    this.here = here;
    this.there = there;
  }

  /** `ways` lead to the store, one for each site, where it is not a straight one. */
  static async start(ways: (store: S3Server) => Promise<Ways> = straight): Promise<SyncWorld> {
    const store = await startS3Server();
    await store.request({ method: 'PUT', path: `/${BUCKET}` });
    const { here, there } = await ways(store);
    const sites = [here, there].map((endpoint) => Site.start(environmentOf(store, endpoint)));
    const [first, second] = await Promise.all(sites);
    if (!first || !second) throw new Error('there are two sites');
    return new SyncWorld(store, first, second);
  }

  /** The keys of all objects in the store. */
  async keys(): Promise<readonly string[]> {
    const { text } = await this.store.request({ method: 'GET', path: `/${BUCKET}`, query: { 'list-type': '2' } });
    return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
  }

  async object(key: string): Promise<string> {
    return (await this.store.request({ method: 'GET', path: `/${BUCKET}/${key}` })).text;
  }

  async put(key: string, body: string): Promise<void> {
    const { status } = await this.store.request({ method: 'PUT', path: `/${BUCKET}/${key}`, body });
    if (status !== 200) throw new Error(`PUT ${key} answered ${status}`);
  }

  async remove(key: string): Promise<void> {
    await this.store.request({ method: 'DELETE', path: `/${BUCKET}/${key}` });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.here[Symbol.asyncDispose]();
    await this.there[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
  }
}

export const aVolume = (name: string, spec: object = {}, labels: object = IN_SCOPE) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, labels },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteMany'],
    persistentVolumeReclaimPolicy: 'Delete',
    storageClassName: 'shared',
    nfs: { server: '10.1.2.3', path: `/exports/${name}` },
    ...spec,
  },
});

export const aClaim = (name: string, spec: object = {}, labels: object = IN_SCOPE) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, labels },
  spec: {
    accessModes: ['ReadWriteMany'],
    storageClassName: 'shared',
    resources: { requests: { storage: '1Gi' } },
    ...spec,
  },
});

type Role = RawObject & { readonly rules: readonly PolicyRule[] };

/** What a person puts into the cluster beforehand: the kind, the policy, and an account with the rights. */
async function install(plane: ControlPlane): Promise<ServiceAccount> {
  const { stdout } = await runHoldfast('manifests', 'all');
  const objects: readonly RawObject[] = parseAllDocuments(stdout).map((document) => document.toJS());
  const named = objects.filter(({ metadata }) => /^holdfast-sync|^persistentvolumesyncs\./.test(metadata.name));
  await plane.admin.post('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  for (const object of named)
    if (!object.apiVersion.startsWith('rbac.')) await plane.admin.post(pathOf(object), object);
  const events = objects.filter(({ metadata }) => metadata.name === 'holdfast-events');
  const roles = [...named, ...events].filter((object): object is Role => object.kind === 'ClusterRole');
  const account = await createServiceAccount(plane, {
    name: ACCOUNT,
    namespace: NAMESPACE,
    clusterRules: roles.flatMap(({ rules }) => rules),
  });
  // The policy has to find the kind that it takes as its parameters, which it looks for once in a while.
  await eventually(() => plane.admin.post(`${SYNCS}?dryRun=All`, aSync('ready')));
  return account;
}

const pathOf = ({ apiVersion, kind }: RawObject): string =>
  `/apis/${apiVersion}/${kind.toLowerCase().replace(/y$/, 'ie')}s`;
