/** All that lives in a cluster besides the API server: the controllers of Kubernetes, the scheduler and the nodes. */
import type { Random } from '../../kit/backoff.ts';
import type { Clock } from '../../kit/clock/clock.ts';
import type { Cluster } from '../cluster.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../kinds/resources.ts';
import { Binder } from './binder.ts';
import { compactNowAndThen } from './compaction.ts';
import { Disruptions } from './disruptions.ts';
import { forgetEvents } from './event-expiry.ts';
import { Expansion } from './expansion.ts';
import { GarbageCollector } from './garbage.ts';
import { Kubelets } from './kubelets.ts';
import { Namespaces } from './namespaces.ts';
import { Protection } from './protection.ts';
import { Provisioner } from './provisioner.ts';
import { NODES } from './resources.ts';
import { Scheduler } from './scheduler.ts';
import { StatefulSets } from './stateful-sets.ts';

export interface WorldOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Decides how long each of them takes. */
  readonly random: Random;
  /** What pods trust the API server by. */
  readonly certificate?: string;
}

export class World {
  readonly kubelets: Kubelets;
  readonly #cluster: Cluster;
  readonly #garbage: GarbageCollector;
  readonly #sets: StatefulSets;
  readonly #stops: (() => void)[];

  constructor({ cluster, clock, random, certificate }: WorldOptions) {
    const { objects, registry } = cluster;
    const parts = { objects, clock, random };
    this.#garbage = new GarbageCollector({ ...parts, registry });
    this.#cluster = cluster;
    this.#sets = new StatefulSets(parts);
    this.kubelets = new Kubelets(parts);
    const controllers = [
      this.kubelets,
      this.#garbage,
      new Namespaces({ ...parts, registry, ...(certificate && { certificate }) }),
      new Protection(parts),
      new Binder(parts),
      new Provisioner(parts),
      new Expansion(parts),
      new Scheduler(parts),
      new Disruptions(parts),
      this.#sets,
    ];
    this.#stops = controllers.map((each) => () => each.stop());
    this.#stops.push(forgetEvents(parts), compactNowAndThen(cluster.store, clock));
    this.#stops.push(objects.onChange(CUSTOM_RESOURCE_DEFINITIONS, () => this.#garbage.watchAll()));
  }

  /** A machine joins the cluster. */
  addNode(name: string, labels: Readonly<Record<string, string>> = {}): void {
    this.#cluster.objects.create(NODES, {
      metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', ...labels } },
    });
  }

  /** How much its controllers keep of what is or was there, besides the objects themselves. */
  get remembered(): number {
    return this.#garbage.remembered + this.#sets.remembered + this.kubelets.remembered;
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }
}
