/**
 * Whole clusters on virtual time: API servers, their worlds and the processes of our jobs, with what goes wrong put where it was asked
 * for. Everything follows from the seed, so that a run can be had again.
 */

import { onlyTheLeaderWrites } from '../../../test/invariants/any-job.ts';
import type { Random } from '../../kit/backoff.ts';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { DEFAULT_TIMING } from '../../kit/lead/elector.ts';
import { LEASES } from '../../kit/lead/lease.ts';
import type { Log } from '../../kit/observe/log.ts';
import { seeded } from '../seeded.ts';
import type { User } from '../server/target.ts';
import { Calls, type Fault, inWords } from './fault.ts';
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
  /** How far the time of day is off where each process runs. */
  readonly #jumpedMs = new Map<string, number>();
  /** Until when the jobs whose lease somebody has deleted may have two leaders: as long as the former trusts its own. */
  readonly #leaseless = new Map<string, number>();
  readonly #struck = new Set<Fault>();
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

  /** Those of the faults that something has met: others were meant for calls that nobody made. */
  get struck(): readonly Fault[] {
    return [...this.#struck];
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
    for (const fault of this.#options.faults) if (fault.at === 'time') this.#strikeLater(fault, jobs);
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
      jumpedMs: this.#jumpedMs.get(name) ?? 0,
      random: seeded(this.#options.seed ^ (life * 0x9e3779b1)),
      ...(this.#options.log && { log: this.#options.log }),
      strike: (call) => this.#strike(this.calls.strike('call', this.#options.faults, job.name, call)),
      strikeWatch: (call) => this.#strike(this.watches.strike('watch', this.#options.faults, job.name, call)),
      arrives: (call) => job.election && this.#arrives(`${name}_${life}`, started, call),
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
    if (isCounted(call)) this.writes.set(job, (this.writes.get(job) ?? 0) + 1);
    if (isWrite || typeof status === 'string') this.history.note(`${process} ${call} → ${status}`);
  }

  #arrives(writer: string, { job, site = this.site }: JobProcesses, call: string): void {
    if (!isCounted(call) || this.clock.monotonic() < (this.#leaseless.get(job.name) ?? 0)) return;
    const holder = holderOf(job.name, site);
    for (const wrong of onlyTheLeaderWrites({ writer, holder, call })) this.violated(wrong);
  }

  #strike<T extends Fault>(fault: T | undefined): T['kind'] | undefined {
    if (fault) this.#struck.add(fault);
    return fault?.kind;
  }

  /** To whoever leads then, or to the first process of the job. */
  #strikeLater(fault: Extract<Fault, { readonly at: 'time' }>, jobs: readonly JobProcesses[]): void {
    const { job, ms } = fault;
    this.clock.after(ms, () => {
      this.history.note(inWords(fault));
      this.#struck.add(fault);
      const name = this.#leaderOf(jobs.find((each) => each.job.name === job)) ?? `${job}-0`;
      if (fault.kind === 'pause') this.#processes.get(name)?.pause(fault.forMs);
      if (fault.kind === 'jump') this.#jump(name, fault.byMs);
      if (fault.kind === 'lease') this.#deleteLease(jobs.find((each) => each.job.name === job));
    });
  }

  #leaderOf(of: JobProcesses | undefined): string | undefined {
    const holder = of?.job.election ? holderOf(of.job.name, of.site ?? this.site) : undefined;
    return [...this.#processes.keys()].find((name) => holder?.startsWith(`${name}_`));
  }

  #jump(name: string, byMs: number): void {
    this.#jumpedMs.set(name, (this.#jumpedMs.get(name) ?? 0) + byMs);
    this.#processes.get(name)?.jump(byMs);
  }

  #deleteLease(of: JobProcesses | undefined): void {
    if (!of?.job.election) return;
    const { objects } = of.site ?? this.site;
    this.#leaseless.set(of.job.name, this.clock.monotonic() + DEFAULT_TIMING.durationMs);
    if (objects.get(LEASES, leaseOf(of.job.name))) objects.remove(LEASES, leaseOf(of.job.name));
  }
}

const leaseOf = (job: string): string => `default/holdfast-${job}`;

const holderOf = (job: string, { objects }: Site): string | undefined =>
  objects.get(LEASES, leaseOf(job))?.spec?.holderIdentity;

/** What changes objects that people look at. */
const isCounted = (call: string): boolean =>
  /^(?:POST|PUT|PATCH|DELETE) /.test(call) && !/\/(?:events|leases)\b/.test(call);
