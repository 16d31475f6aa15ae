/** A process of ours on the simulated machine. Every call passes here: it meets its fault, has its effect and is put into the journal. */
import { type Clock, sleep } from '../../clock/clock.ts';
import type { Faults } from './faults.ts';
import { failureOf, type Operation } from './operation.ts';

export class SimulatedProcess {
  readonly pid: number;
  /** Resolves when the process is killed. */
  readonly died: Promise<void>;
  readonly #clock: Clock;
  readonly #faults: Faults;
  readonly #journal: Operation[];
  readonly #lastWill = new Set<() => void>();
  readonly #die: () => void;
  #alive = true;

  constructor(pid: number, clock: Clock, faults: Faults, journal: Operation[]) {
    this.pid = pid;
    this.#clock = clock;
    this.#faults = faults;
    this.#journal = journal;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.died = promise;
    this.#die = resolve;
  }

  /** Kills the process. As with SIGKILL, nothing of it runs any more: whatever it waits for on this machine never comes. */
  kill(): void {
    if (!this.#alive) return;
    this.#alive = false;
    for (const action of this.#lastWill) action();
    this.#die();
  }

  /** What the kernel does when the process is gone. Gives back how to take it back. */
  onDeath(action: () => void): () => void {
    this.#lastWill.add(action);
    return () => this.#lastWill.delete(action);
  }

  async perform<T>(operation: Operation, effect: () => T | Promise<T>): Promise<T> {
    if (!this.#alive) return never();
    const fault = this.#faults.strike(operation);
    const fails = fault?.kind === 'fail' || (fault?.kind === 'fail-after' && !operation.changes);
    if (fails) throw fault.error ?? failureOf(operation);
    if (fault?.kind === 'hang') return never();
    if (fault?.kind === 'crash-before') this.kill();
    if (fault?.kind === 'delay') await sleep(this.#clock, fault.ms);
    if (!this.#alive) return never();
    const result = await this.whileAlive(this.#happen(operation, effect));
    if (fault?.kind === 'crash-after') this.kill();
    if (fault?.kind === 'stop') await fault.until();
    if (fault?.kind === 'fail-after') throw fault.error ?? failureOf(operation);
    return this.#alive ? result : never();
  }

  /** The promise's answer, unless the process is dead when it comes. */
  async whileAlive<T>(promise: Promise<T>): Promise<T> {
    try {
      const result = await promise;
      return this.#alive ? result : never();
    } catch (error) {
      if (this.#alive) throw error;
      return never();
    }
  }

  /** What a command does goes on without the process that started it. What fails has changed nothing. */
  async #happen<T>(operation: Operation, effect: () => T | Promise<T>): Promise<T> {
    const result = await effect();
    this.#journal.push(operation);
    return result;
  }
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}
