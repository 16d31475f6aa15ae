/** One process of a job in a simulation, from its start until it ends, fails or is killed. It is the real program, put together as its command does. */
import type { Random } from '../../kit/backoff.ts';
import { type Clock, sleep } from '../../kit/clock/clock.ts';
import { MortalClock } from '../../kit/clock/mortal.ts';
import { KubeClient } from '../../kit/kube/client.ts';
import { ConnectionError, type Transport } from '../../kit/kube/transport.ts';
import { type ProgramParts, runConnected } from '../../kit/manager/program.ts';
import type { Runnable } from '../../kit/manager/stage.ts';
import { type Log, silentLog } from '../../kit/observe/log.ts';
import { Metrics } from '../../kit/observe/metrics.ts';
import { type CallFault, PAUSE_MS, type WatchFault } from './fault.ts';
import { FaultyTransport } from './faulty-transport.ts';

/** A job as its command would run it. */
export interface SimulatedJob {
  readonly name: string;
  /** Whether several may run, of which one leads. */
  readonly election?: boolean;
  /** What dies with the process, such as its part of a machine, is told by `onDeath`. */
  readonly setUp: (parts: ProgramParts, life: Life) => readonly Runnable[];
}

export interface Life {
  readonly process: string;
  onDeath(action: () => void): void;
  kill(): void;
  pause(ms: number): void;
  /** The network, without the gate that keeps those from writing who do not lead. */
  readonly transport: Transport;
  /** Counts something that is done elsewhere than in the cluster, and tells what goes wrong with it. */
  readonly strike: (call: string) => CallFault | undefined;
  /** Resolves at once, or when a pause is over. */
  readonly awake: () => Promise<void>;
  /** Does something elsewhere than in the cluster; it can fail, be lost, or have no answer for as long as it is waited for. */
  readonly perform: <T>(call: string, act: () => T, timeoutMs?: number) => Promise<T>;
}

export interface ProcessOptions {
  readonly job: SimulatedJob;
  /** Different for each process that ever lived. */
  readonly instance: string;
  readonly transport: Transport;
  readonly clock: Clock;
  /** How far the machine's time of day is off. */
  readonly jumpedMs?: number;
  readonly random: Random;
  readonly log?: Log;
  readonly strike: (call: string) => CallFault | undefined;
  readonly strikeWatch: (call: string) => WatchFault | undefined;
  /** Told of each call that comes to the server, just before it is carried out. */
  readonly arrives: (call: string) => void;
  readonly answered: (call: string, status: number | string) => void;
  /** Called once when it has ended, however that was. */
  readonly ended: (why: string) => void;
}

const NOWHERE = new URL('https://sandbox.invalid');
const NAMESPACE = 'default';
/** How long what is done elsewhere takes, each way. */
const ELSEWHERE_MS = 3;
const TIMEOUT_MS = 10_000;

export class SimulatedProcess {
  readonly #options: ProcessOptions;
  readonly #clock: MortalClock;
  readonly #stop = new AbortController();
  readonly #lastWill: (() => void)[] = [];
  #isOver = false;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.#clock = new MortalClock(options.clock);
    this.#clock.jump(options.jumpedMs ?? 0);
    this.#run().then(
      () => this.#end('it ended'),
      (error) => this.#end(error instanceof Error ? error.message : String(error)),
    );
  }

  /** As with SIGKILL: nothing of it runs any more. */
  kill(why = 'it was killed'): void {
    if (this.#isOver) return;
    this.#clock.die();
    void this.#options.transport.close();
    this.#end(why);
  }

  pause(ms: number): void {
    if (!this.#isOver) this.#clock.pause(ms);
  }

  jump(ms: number): void {
    this.#clock.jump(ms);
  }

  /** As by SIGTERM. */
  stop(): void {
    this.#stop.abort();
  }

  #end(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#clock.die();
    for (const action of this.#lastWill) action();
    this.#options.ended(why);
  }

  async #perform<T>(call: string, act: () => T, timeoutMs = TIMEOUT_MS): Promise<T> {
    const fault = this.#options.strike(call);
    const clock = this.#clock;
    if (fault === 'crash-before') this.kill('it crashed');
    await sleep(clock, ELSEWHERE_MS);
    const happens = fault === undefined || ['crash-after', 'lost-reply', 'pause'].includes(fault);
    const result = happens ? act() : undefined;
    this.#options.answered(call, fault ?? 'done');
    if (fault === 'crash-after') this.kill('it crashed');
    if (fault === 'pause') this.pause(PAUSE_MS);
    await sleep(clock, fault === 'timeout' ? timeoutMs : ELSEWHERE_MS);
    if ((fault !== undefined && fault !== 'pause') || result === undefined)
      throw new ConnectionError(`${call} failed`, { mayHaveHappened: true });
    return result;
  }

  async #run(): Promise<void> {
    const { job, instance, random, log = silentLog } = this.#options;
    const clock = this.#clock;
    const crash = () => this.kill('it crashed');
    const { transport: inner, clock: network } = this.#options;
    const transport = new FaultyTransport({ ...this.#options, inner, clock, network, crash });
    const client = new KubeClient({ transport, clock, random, userAgent: `holdfast-${job.name}/simulated` });
    const life: Life = {
      process: instance,
      onDeath: (action) => this.#lastWill.push(action),
      transport,
      strike: this.#options.strike,
      awake: () => clock.awake(),
      kill: () => this.kill('it crashed'),
      pause: (ms) => this.pause(ms),
      perform: (call, act, timeoutMs) => this.#perform(call, act, timeoutMs),
    };
    const access = {
      server: NOWHERE,
      tls: () => ({}),
      authorize: () => ({}),
      namespace: NAMESPACE,
      from: 'simulation',
    };
    await runConnected(
      {
        name: job.name,
        version: 'simulated',
        instance,
        access,
        clock,
        random,
        log,
        election: job.election ? { namespace: NAMESPACE } : undefined,
        setUp: (parts) => job.setUp(parts, life),
      },
      { connection: { client, close: () => transport.close() }, metrics: new Metrics() },
      this.#stop.signal,
    );
  }
}
