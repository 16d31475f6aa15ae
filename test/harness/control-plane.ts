/** A real, throw-away Kubernetes control plane on loopback, for tests. Nothing of it outlives the process that started it. */
import { join } from 'node:path';
import { type AuditEvent, type AuditRule, readAuditLog, WHO_DID_WHAT } from './audit.ts';
import { controlPlaneBinaries } from './binaries.ts';
import { Component } from './component.ts';
import {
  type Credentials,
  createCredentials,
  writeAuditPolicy,
  writeCredentials,
  writeFiles,
} from './control-plane-files.ts';
import {
  type ApiServerOptions,
  apiServerFlags,
  controllerManagerFlags,
  schedulerFlags,
} from './control-plane-flags.ts';
import { Etcd, type Snapshot } from './etcd.ts';
import { Keeper } from './keeper.ts';
import { kubeconfig } from './kubeconfig.ts';
import { RawClient } from './raw-client.ts';

export interface ControlPlaneOptions {
  /** Run kube-controller-manager and kube-scheduler, too. */
  readonly controllers?: boolean;
  /** Record requests for `auditLog`: `true` for the metadata of all, or chosen rules. */
  readonly audit?: boolean | readonly AuditRule[];
  /** More kube-apiserver flags, each as `--name=value`. */
  readonly apiServerFlags?: readonly string[];
  /** More etcd flags, each as `--name=value`. */
  readonly etcdFlags?: readonly string[];
  readonly controllerManagerFlags?: readonly string[];
  /** Of kube-apiserver. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Start with another control plane's data. Tokens of its service accounts are not valid here. */
  readonly dataFrom?: Snapshot;
  /** Chooses the API server's port. */
  readonly random?: () => number;
}

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const binaries = controlPlaneBinaries();
  const keeper = await Keeper.start();
  try {
    return await assemble(keeper, binaries, options);
  } catch (error) {
    await keeper[Symbol.asyncDispose]();
    throw error;
  }
}

async function assemble(keeper: Keeper, binaries: string, options: ControlPlaneOptions): Promise<ControlPlane> {
  const { directory } = keeper;
  const credentials = createCredentials();
  await writeCredentials(directory, credentials);
  if (options.audit) await writeAuditPolicy(directory, options.audit === true ? WHO_DID_WHAT : options.audit);

  const etcd = new Etcd(keeper, binaries, options.etcdFlags);
  if (options.dataFrom) await etcd.load(options.dataFrom);
  const [, api] = await Promise.all([etcd.start(), startApiServer(keeper, binaries, credentials, options)]);
  await writeFiles(directory, kubeconfigs(api.url, credentials));
  const controllers = options.controllers ? await startControllers(keeper, binaries, api.admin, options) : [];
  return new ControlPlane({ keeper, credentials, etcd, ...api, controllers });
}

/** Each controller has a name of its own in the audit log, and every right, as the admin has. */
function kubeconfigs(url: string, { authority, admin }: Credentials): Record<string, string> {
  const access = { url, ca: authority.certificate };
  const controller = (name: string) =>
    kubeconfig({
      ...access,
      certificate: authority.issueClient({ commonName: `system:${name}`, organizations: ['system:masters'] }),
    });
  return {
    kubeconfig: kubeconfig({ ...access, certificate: admin }),
    'kube-controller-manager.kubeconfig': controller('kube-controller-manager'),
    'kube-scheduler.kubeconfig': controller('kube-scheduler'),
  };
}

interface ApiServer {
  readonly url: string;
  readonly apiServer: Component;
  readonly admin: RawClient;
}

/** A port that somebody else takes before the server does is given up for another. */
async function startApiServer(
  keeper: Keeper,
  binaries: string,
  credentials: Credentials,
  options: ControlPlaneOptions,
): Promise<ApiServer> {
  for (let attempt = 1; ; attempt++) {
    const server = apiServerOn(randomPort(options.random), keeper, binaries, credentials, options);
    try {
      await server.apiServer.start();
      return server;
    } catch (error) {
      await server.admin[Symbol.asyncDispose]();
      const portTaken = error instanceof Error && error.message.includes('address already in use');
      if (!portTaken || attempt === 5) throw error;
    }
  }
}

function apiServerOn(
  port: number,
  keeper: Keeper,
  binaries: string,
  { authority, adminToken }: Credentials,
  { controllers = false, audit = false, featureGates = {}, apiServerFlags: flags = [] }: ControlPlaneOptions,
): ApiServer {
  const url = `https://127.0.0.1:${port}`;
  const admin = new RawClient({ url, ca: authority.certificate, token: adminToken });
  const flagOptions: ApiServerOptions = { controllers, audit: audit !== false, featureGates, flags };
  const apiServer = new Component(keeper, {
    name: 'kube-apiserver',
    program: join(binaries, 'kube-apiserver'),
    args: apiServerFlags(port, flagOptions),
    ready: async () => (await admin.request('GET', '/readyz')).status === 200,
  });
  return { url, apiServer, admin };
}

/** Below the range that outgoing connections draw from, so that a server that is down keeps its port for the restart. */
function randomPort(random = Math.random): number {
  return 20_000 + Math.floor(random() * 12_000);
}

/** Pods are refused until their namespace has its service account, so the controllers are ready when it is there. */
async function startControllers(
  keeper: Keeper,
  binaries: string,
  admin: RawClient,
  options: ControlPlaneOptions,
): Promise<readonly Component[]> {
  const serviceAccount = '/api/v1/namespaces/default/serviceaccounts/default';
  const component = (name: string, args: readonly string[], ready: () => Promise<boolean>) =>
    new Component(keeper, { name, program: join(binaries, name), args, ready });
  const controllers = [
    component('kube-controller-manager', controllerManagerFlags(options.controllerManagerFlags ?? []), async () => {
      return (await admin.request('GET', serviceAccount)).status === 200;
    }),
    component('kube-scheduler', schedulerFlags(), async () => true),
  ];
  await Promise.all(controllers.map((controller) => controller.start()));
  return controllers;
}

interface Parts extends ApiServer {
  readonly keeper: Keeper;
  readonly credentials: Credentials;
  readonly etcd: Etcd;
  readonly controllers: readonly Component[];
}

export class ControlPlane implements AsyncDisposable {
  readonly url: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly ca: string;
  readonly credentials: Credentials;
  /** Path of a kubeconfig for the admin, by client certificate. */
  readonly kubeconfig: string;
  /** Where the components run and log; removed at the end. */
  readonly directory: string;
  /** A client with every right. */
  readonly admin: RawClient;
  readonly etcd: Etcd;
  readonly apiServer: Component;
  readonly #controllers: readonly Component[];
  readonly #keeper: Keeper;

  constructor({ keeper, credentials, etcd, url, apiServer, admin, controllers }: Parts) {
    this.url = url;
    this.ca = credentials.authority.certificate;
    this.credentials = credentials;
    this.directory = keeper.directory;
    this.kubeconfig = join(keeper.directory, 'kubeconfig');
    this.admin = admin;
    this.etcd = etcd;
    this.apiServer = apiServer;
    this.#controllers = controllers;
    this.#keeper = keeper;
  }

  get adminToken(): string {
    return this.credentials.adminToken;
  }

  get controllerManager(): Component {
    return this.#controller('kube-controller-manager');
  }

  get scheduler(): Component {
    return this.#controller('kube-scheduler');
  }

  /** The data at this instant, without an interruption. */
  snapshot(): Promise<Snapshot> {
    return this.etcd.snapshot();
  }

  /**
   * Brings the API server back on the same port with the snapshot's data, so that resource versions go back. It makes a
   * few writes of its own as it starts: only after more writes than those is the past really behind the present.
   */
  async restore(snapshot: Snapshot): Promise<void> {
    await this.apiServer.kill();
    await this.etcd.kill();
    await this.etcd.load(snapshot);
    await Promise.all([this.etcd.start(), this.apiServer.start()]);
  }

  /**
   * Forgets all history in etcd, physically; gives the revision that is left. The API server's own watch cache still
   * knows the recent past: restart it, or start with `--watch-cache=false`, for watches to be told 410.
   */
  compact(): Promise<number> {
    return this.etcd.compact();
  }

  /** Requests since the start, oldest first. Written as each is done, so poll for the one you wait for. */
  auditLog(): Promise<readonly AuditEvent[]> {
    return readAuditLog(join(this.directory, 'audit.log'));
  }

  /** Ends every component and removes the directory. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.admin[Symbol.asyncDispose]();
    await this.#keeper[Symbol.asyncDispose]();
  }

  #controller(name: string): Component {
    const found = this.#controllers.find((controller) => controller.name === name);
    if (!found) throw new Error(`${name} is not there: start the control plane with { controllers: true }`);
    return found;
  }
}
