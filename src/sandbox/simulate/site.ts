/** One cluster of a simulation with all that lives in it. Every change of an object there is noted. */
import type { Clock } from '../../kit/clock/clock.ts';
import { nameOf } from '../../kit/kube/resource.ts';
import { Cluster } from '../cluster.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../kinds/resources.ts';
import { textOf } from '../object-text.ts';
import { seeded } from '../seeded.ts';
import { World } from '../world/world.ts';
import type { History } from './history.ts';

export interface SiteOptions {
  /** Before what is noted; empty for a simulation's only cluster. */
  readonly name: string;
  readonly clock: Clock;
  readonly seed: number;
  readonly history: History;
}

export class Site {
  readonly name: string;
  readonly cluster: Cluster;
  readonly world: World;
  readonly #history: History;
  readonly #watched = new Set<string>();

  constructor({ name, clock, seed, history }: SiteOptions) {
    this.name = name;
    this.#history = history;
    this.cluster = new Cluster({ clock, random: seeded(seed) });
    this.#noteChanges();
    this.objects.onChange(CUSTOM_RESOURCE_DEFINITIONS, () => this.#noteChanges());
    this.world = new World({ cluster: this.cluster, clock, random: seeded(seed ^ 0x3071d) });
  }

  get objects() {
    return this.cluster.objects;
  }

  /** Of every kind; some come with CustomResourceDefinitions. */
  #noteChanges(): void {
    const where = this.name && `${this.name}: `;
    for (const { resource } of this.cluster.registry.all) {
      const name = nameOf(resource);
      if (this.#watched.has(name)) continue;
      this.#watched.add(name);
      this.objects.onChange(resource, ({ type, key, object }) =>
        this.#history.note(`${where}${type.toLowerCase()} ${name} ${key}`, textOf(object)),
      );
    }
  }
}
