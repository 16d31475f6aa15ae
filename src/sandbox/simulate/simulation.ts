/**
 * Whole clusters on virtual time: API servers, their worlds and the processes of our jobs, with what goes wrong put where it was asked
 * for. Everything follows from the seed, so that a run can be had again.
 */
import type { Random } from '../../kit/backoff.ts';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import type { Log } from '../../kit/observe/log.ts';
import { seeded } from '../seeded.ts';
import type { User } from '../server/target.ts';
import { Calls, type Fault } from './fault.ts';
import { History } from './history.ts';
import { type SimulatedJob, SimulatedProcess } from './process.ts';
import { Site } from './site.ts';

/** A job, and who runs it. */
export interface JobProcesses {
  readonly job: SimulatedJob;
  readonly processes?: number;
  /** Whose rights it has; everybody's without one. */
  readonly user?: User;
  /** Where it runs, if not in the first cluster. */
  readonly site?: Site;
}

export interface SimulationOptions {
  readonly seed: number;
  readonly faults: readonly Fault[];
  readonly log?: Log;
}

/** How soon a process that has ended is started again, at first and at last; as a kubelet does it, only sooner. */
const RESTART_MS = { first: 1_000, last: 30_000 };

export class Simulation {
  readonly clock = new VirtualClock();
  readonly history = new History(this.clock);
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
  readonly #sites: [Site, ...Site[]];
  #lives = 0;
  #isOver = false;

  constructor(options: SimulationOptions) {
    const { seed } = options;
    this.#options = options;
    this.random = seeded(seed ^ 0x5eed);
    this.#sites = [this.#newSite('', seed)];
  }

  /** The first cluster. */
  get site(): Site {
    return this.#sites[0];
  }

  get objects() {
    return this.site.objects;
  }

  get world() {
    return this.site.world;
  }

  /** Another cluster, which knows nothing of the first. */
  addSite(name: string): Site {
    const site = this.#newSite(name, this.#options.seed ^ (this.#sites.length * 0x51735));
    this.#sites.push(site);
    return site;
  }

  #newSite(name: string, seed: number): Site {
    return new Site({ name, clock: this.clock, seed, history: this.history });
  }

  /** Starts the processes of all jobs. */
  start(jobs: readonly JobProcesses[]): void {
    for (const each of jobs)
      for (let index = 0; index < (each.processes ?? 1); index++)
        this.#start(each, `${each.job.name}-${index}`, RESTART_MS.first);
    for (const fault of this.#options.faults) if (fault.at === 'time') this.#pauseLater(fault);
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  /** What goes on in the world all the time, until the simulation ends. */
  every(ms: number, act: () => void): void {
    this.clock.after(ms, () => {
      if (this.#isOver) return;
      act();
      this.every(ms, act);
    });
  }

  /** Ends everything. What is left that waits is a leak. */
  async end(): Promise<void> {
    this.#isOver = true;
    for (const process of this.#processes.values()) process.stop();
    await this.clock.advance(60_000);
    for (const { world } of this.#sites) world.stop();
    await this.clock.advance(2 * 3_600_000);
  }

  violated(what: string): void {
    this.history.note(`VIOLATED: ${what}`);
    this.violations.push(what);
  }

  #start(started: JobProcesses, name: string, restartMs: number): void {
    if (this.#isOver) return;
    const { job, user, site = this.site } = started;
    const startedAt = this.clock.monotonic();
    const life = ++this.#lives;
    this.history.note(`${name} starts`);
    const process = new SimulatedProcess({
      job,
      instance: `${name}_${life}`,
      transport: site.cluster.transport(user),
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
        if (!this.#isOver) this.clock.after(restartMs, () => this.#start(started, name, next));
      },
    });
    this.#processes.set(name, process);
  }

  #answered(process: string, job: string, call: string, status: number | string): void {
    const isWrite = !call.startsWith('GET');
    const isCounted = /^(?:POST|PUT|PATCH|DELETE) /.test(call) && !/\/(?:events|leases)\b/.test(call);
    if (isCounted) this.writes.set(job, (this.writes.get(job) ?? 0) + 1);
    if (isWrite || typeof status === 'string') this.history.note(`${process} ${call} → ${status}`);
  }

  /** The first process of the job, which mostly leads. */
  #pauseLater({ job, ms, forMs }: Extract<Fault, { readonly at: 'time' }>): void {
    this.clock.after(ms, () => {
      this.history.note(`${job} is paused for ${forMs / 1000} s`);
      this.#processes.get(`${job}-0`)?.pause(forMs);
    });
  }
}
