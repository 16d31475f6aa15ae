/**
 * A whole cluster on virtual time: API server, world and the processes of our jobs, with what goes wrong put where it was asked for.
 * Everything follows from the seed, so that a run can be had again.
 */
import type { Random } from '../../kit/backoff.ts';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { nameOf } from '../../kit/kube/resource.ts';
import type { Log } from '../../kit/observe/log.ts';
import { Cluster } from '../cluster.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../kinds/resources.ts';
import { seeded } from '../seeded.ts';
import type { User } from '../server/target.ts';
import { World } from '../world/world.ts';
import { Calls, type Fault } from './fault.ts';
import { History } from './history.ts';
import { type SimulatedJob, SimulatedProcess } from './process.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** Each with how many processes it has. */
  readonly jobs: readonly { readonly job: SimulatedJob; readonly processes?: number; readonly user?: User }[];
  readonly log?: Log;
}

/** How soon a process that has ended is started again, at first and at last; as a kubelet does it, only sooner. */
const RESTART_MS = { first: 1_000, last: 30_000 };

export class Simulation {
  readonly clock = new VirtualClock();
  readonly history = new History(this.clock);
  readonly cluster: Cluster;
  readonly world: World;
  /** For what people do. */
  readonly random: Random;
  /** What must never happen, and did. */
  readonly violations: string[] = [];
  readonly writes = new Map<string, number>();
  /** What the processes of each job asked for. */
  readonly calls = new Calls();
  readonly watches = new Calls();
  readonly #options: SimulationOptions;
  readonly #processes = new Map<string, SimulatedProcess>();
  readonly #watched = new Set<string>();
  #lives = 0;
  #isOver = false;

  constructor(options: SimulationOptions) {
    const { seed } = options;
    this.#options = options;
    this.random = seeded(seed ^ 0x5eed);
    this.cluster = new Cluster({ clock: this.clock, random: seeded(seed) });
    this.#noteChanges();
    this.objects.onChange(CUSTOM_RESOURCE_DEFINITIONS, () => this.#noteChanges());
    this.world = new World({ cluster: this.cluster, clock: this.clock, random: seeded(seed ^ 0x3071d) });
  }

  get objects() {
    return this.cluster.objects;
  }

  /** Starts the processes of all jobs. */
  start(): void {
    for (const { job, processes = 1, user } of this.#options.jobs)
      for (let index = 0; index < processes; index++) this.#start(job, `${job.name}-${index}`, user, RESTART_MS.first);
    for (const fault of this.#options.faults) if (fault.at === 'time') this.#pauseLater(fault);
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  /** Ends everything. What is left that waits is a leak. */
  async end(): Promise<void> {
    this.#isOver = true;
    for (const process of this.#processes.values()) process.stop();
    await this.clock.advance(60_000);
    this.world.stop();
    await this.clock.advance(2 * 3_600_000);
  }

  violated(what: string): void {
    this.history.note(`VIOLATED: ${what}`);
    this.violations.push(what);
  }

  #start(job: SimulatedJob, name: string, user: User | undefined, restartMs: number): void {
    if (this.#isOver) return;
    const startedAt = this.clock.monotonic();
    const life = ++this.#lives;
    this.history.note(`${name} starts`);
    const process = new SimulatedProcess({
      job,
      instance: `${name}_${life}`,
      transport: this.cluster.transport(user),
      clock: this.clock,
      random: seeded(this.#options.seed ^ (life * 0x9e3779b1)),
      ...(this.#options.log && { log: this.#options.log }),
      strike: (call) => this.calls.strike('call', this.#options.faults, job.name, call),
      strikeWatch: (call) => this.watches.strike('watch', this.#options.faults, job.name, call),
      answered: (call, status) => this.#answered(name, job.name, call, status),
      ended: (why) => {
        this.history.note(`${name} ended: ${why}`);
        const livedLong = this.clock.monotonic() - startedAt > 10 * RESTART_MS.last;
        const next = livedLong ? RESTART_MS.first : Math.min(2 * restartMs, RESTART_MS.last);
        if (!this.#isOver) this.clock.after(restartMs, () => this.#start(job, name, user, next));
      },
    });
    this.#processes.set(name, process);
  }

  #answered(process: string, job: string, call: string, status: number | string): void {
    const isWrite = !call.startsWith('GET');
    const isOfInterest = isWrite && !/\/(?:events|leases)\b/.test(call);
    if (isOfInterest) this.writes.set(job, (this.writes.get(job) ?? 0) + 1);
    if (isWrite || typeof status === 'string') this.history.note(`${process} ${call} → ${status}`);
  }

  /** The first process of the job, which mostly leads. */
  #pauseLater({ job, ms, forMs }: Extract<Fault, { readonly at: 'time' }>): void {
    this.clock.after(ms, () => {
      this.history.note(`${job} is paused for ${forMs / 1000} s`);
      this.#processes.get(`${job}-0`)?.pause(forMs);
    });
  }

  /** Of every kind; some come with CustomResourceDefinitions. */
  #noteChanges(): void {
    for (const { resource } of this.cluster.registry.all) {
      const name = nameOf(resource);
      if (this.#watched.has(name)) continue;
      this.#watched.add(name);
      this.objects.onChange(resource, ({ type, key, object }) =>
        this.history.note(`${type.toLowerCase()} ${name} ${key}`, JSON.stringify(object)),
      );
    }
  }
}
