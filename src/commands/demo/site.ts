/** One cluster of the demo: an API server with a world in it, served on loopback, and jobs that run in this process under their own rights. */
import { join } from 'node:path';
import { NAMESPACES } from '../../api/namespaces.ts';
import { STORAGE_CLASSES } from '../../api/storage-classes.ts';
import { customResources } from '../../custom-resources.ts';
import { createAuthority } from '../../kit/certificates.ts';
import type { Clock } from '../../kit/clock/clock.ts';
import { KubeClient } from '../../kit/kube/client.ts';
import type { Transport } from '../../kit/kube/transport.ts';
import { type ProgramParts, runConnected } from '../../kit/manager/program.ts';
import type { Runnable } from '../../kit/manager/stage.ts';
import type { ControllerSpec } from '../../kit/manifests/controller-spec.ts';
import { customResourceDefinition } from '../../kit/manifests/crd.ts';
import { silentLog } from '../../kit/observe/log.ts';
import { Metrics } from '../../kit/observe/metrics.ts';
import { Cluster } from '../../sandbox/cluster.ts';
import { type Listening, listen } from '../../sandbox/http.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, SERVICE_ACCOUNTS } from '../../sandbox/kinds/resources.ts';
import { kubeconfigFor } from '../../sandbox/kubeconfig.ts';
import { accountOf, grant } from '../../sandbox/rights.ts';
import { ADMIN } from '../../sandbox/server/target.ts';
import { PROVISIONER } from '../../sandbox/world/provisioner.ts';
import { World } from '../../sandbox/world/world.ts';
import { writeKubeconfig } from '../kubeconfig-file.ts';

export interface SiteOptions {
  readonly name: string;
  readonly clock: Clock;
  /** Port 0 is any that is free. */
  readonly port: number;
  /** Where the kubeconfig is written to. */
  readonly directory: string;
}

export interface SiteJob {
  readonly spec: ControllerSpec;
  /** For one that runs on a node: the name of that. */
  readonly node?: string;
  readonly setUp: (parts: ProgramParts) => readonly Runnable[];
}

export const CLASS = 'standard';

export class DemoSite implements AsyncDisposable {
  readonly name: string;
  readonly kubeconfig: string;
  /** Of its API server. */
  readonly url: string;
  readonly clock: Clock;
  readonly cluster: Cluster;
  readonly world: World;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  readonly #transports: Transport[] = [];
  readonly #listening: AsyncDisposable;
  #jobs = 0;
  #failure: Error | undefined;

  private constructor(options: SiteOptions, cluster: Cluster, world: World, listening: Listening) {
    this.name = options.name;
    this.clock = options.clock;
    this.kubeconfig = kubeconfigIn(options);
    this.cluster = cluster;
    this.world = world;
    this.#listening = listening;
    this.url = listening.url;
  }

  static async open(options: SiteOptions): Promise<DemoSite> {
    const { clock, port } = options;
    const random = Math.random;
    const authority = createAuthority(`holdfast-demo-${options.name}`);
    const certificate = authority.issueServer({ commonName: options.name }, ['127.0.0.1', 'localhost']);
    const cluster = new Cluster({ clock, random });
    const world = new World({ cluster, clock, random });
    const listening = await listenAt(cluster, certificate, port, clock);
    const { url } = listening;
    const token = cluster.access.tokens.give(ADMIN);
    const kubeconfig = kubeconfigFor({ url, ca: authority.certificate, token });
    await writeKubeconfig(kubeconfigIn(options), kubeconfig);
    for (const resource of customResources)
      cluster.objects.create(CUSTOM_RESOURCE_DEFINITIONS, customResourceDefinition(resource));
    cluster.objects.create(STORAGE_CLASSES, {
      metadata: { name: CLASS, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: PROVISIONER,
      volumeBindingMode: 'WaitForFirstConsumer',
      allowVolumeExpansion: true,
    });
    return new DemoSite(options, cluster, world, listening);
  }

  get objects() {
    return this.cluster.objects;
  }

  namespace(name: string): void {
    this.objects.create(NAMESPACES, { metadata: { name } });
  }

  /** For a person, who may do everything here. It hears nothing more when the cluster ends. */
  client(name: string): KubeClient {
    const transport = this.cluster.transport();
    this.#transports.push(transport);
    return new KubeClient({ transport, clock: this.clock, random: Math.random, userAgent: `holdfast-${name}/demo` });
  }

  /** Runs it until the cluster ends, as an account that may do what the job declares, and nothing else. */
  run({ spec, node, setUp }: SiteJob): void {
    const { clock } = this;
    const random = Math.random;
    const account = accountOf(spec.name);
    if (!this.objects.get(SERVICE_ACCOUNTS, `default/holdfast-${spec.name}`)) grant(this.objects, spec);
    const transport = this.cluster.transport(account);
    const client = new KubeClient({ transport, clock, random, userAgent: `holdfast-${spec.name}/demo` });
    const running = runConnected(
      {
        name: spec.name,
        version: 'demo',
        instance: `demo-${node ?? this.name}`,
        access: { server: NOWHERE, tls: () => ({}), authorize: () => ({}), namespace: 'default', from: 'the demo' },
        clock,
        random,
        log: silentLog,
        setUp,
      },
      { connection: { client, close: () => transport.close() }, metrics: new Metrics() },
      this.#stop.signal,
    );
    this.#running.push(running);
    this.#jobs += 1;
    running
      .catch((error) => {
        this.#failure ??= new Error(`${spec.name} has ended in the ${this.name} cluster`, { cause: error });
      })
      .finally(() => {
        this.#jobs -= 1;
      });
  }

  /** How many run now. */
  get jobs(): number {
    return this.#jobs;
  }

  /** What a job has ended of by itself. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** All of it at once, as when its building loses power. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    await this.#listening[Symbol.asyncDispose]();
    await Promise.all(this.#transports.map((transport) => transport.close()));
    await Promise.allSettled(this.#running);
    this.world.stop();
  }
}

const NOWHERE = new URL('https://demo.invalid');

const kubeconfigIn = ({ directory, name }: SiteOptions): string => join(directory, `${name}.yaml`);

/** Another port where this one is taken. */
async function listenAt(cluster: Cluster, certificate: Parameters<typeof listen>[1], port: number, clock: Clock) {
  try {
    return await listen(cluster.server, certificate, port, clock);
  } catch (error) {
    if (port === 0 || !isTaken(error)) throw error;
    return await listen(cluster.server, certificate, 0, clock);
  }
}

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
