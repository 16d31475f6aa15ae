/** One program of a control plane: started, killed, paused and started again under the same name and arguments. */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Keeper, KeptProcess } from './keeper.ts';
import { eventually } from './wait.ts';

export interface ComponentOptions {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Resolves to true once the component does its work; what it throws counts as "not yet". */
  readonly ready: () => Promise<boolean>;
}

/** Long enough for a machine that is busy with several control planes. */
const START_TIMEOUT = 60_000;

export class Component {
  readonly name: string;
  readonly #keeper: Keeper;
  readonly #options: ComponentOptions;
  #process: KeptProcess | undefined;

  constructor(keeper: Keeper, options: ComponentOptions) {
    this.name = options.name;
    this.#keeper = keeper;
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Starts it and waits until it is ready. */
  async start(): Promise<void> {
    if (this.#process) throw new Error(`${this.name} is running already`);
    const { program, args } = this.#options;
    const kept = await this.#keeper.run({ program, args, log: this.#log });
    this.#process = kept;
    const ended = kept.exited.then((exit) => {
      this.#process = undefined;
      return new Error(`${this.name} ended (${exit.signal ?? `exit code ${exit.code}`})`);
    });
    await this.#ready(kept, ended);
  }

  /** SIGKILL: what it had not made durable is lost. Does nothing when it is not running. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** SIGTERM, and waits until it has left in its own way. */
  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  /** SIGSTOP: the program keeps its sockets and answers nothing until `resume`. */
  async pause(): Promise<void> {
    const kept = this.#process;
    if (!kept) throw new Error(`${this.name} is not running, so it cannot be paused`);
    await kept.signal('SIGSTOP');
    await eventually(() => threadsAreStopped(kept.pid), { interval: 1, for: `${this.name} to stand still` });
  }

  async resume(): Promise<void> {
    await this.#process?.signal('SIGCONT');
  }

  async tail(lines = 20): Promise<string> {
    const text = await readFile(join(this.#keeper.directory, this.#log), 'utf8').catch(() => 'there is none');
    return text.trimEnd().split('\n').slice(-lines).join('\n');
  }

  get #log(): string {
    return `${this.name}.log`;
  }

  /** An end is noticed at once, even while a probe hangs. */
  async #ready(kept: KeptProcess, ended: Promise<Error>): Promise<void> {
    const condition = async () => this.#process !== kept || (await this.#options.ready());
    const ready = eventually(condition, { timeout: START_TIMEOUT, for: `${this.name} to be ready` });
    const failure = await Promise.race([ended, ready.then(() => undefined)]).catch((error: Error) => error);
    if (!failure && this.#process === kept) return;
    await this.kill();
    const { message } = failure ?? (await ended);
    throw new Error(`${message}\nThe end of its log:\n${await this.tail()}`, { cause: failure });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const kept = this.#process;
    await kept?.signal(signal);
    await kept?.exited;
  }
}

/** The signal stops one thread after the other; the state is the letter after the parenthesised name. */
function threadsAreStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).every((task) => /\) T /.test(readFileSync(join(tasks, task, 'stat'), 'utf8')));
}
