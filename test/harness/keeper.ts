/** Runs programs in a directory of their own so that neither outlives this process, however it ends. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

/** A program to run in the keeper's directory; `log` is the file there that takes its output. */
export interface Run {
  readonly program: string;
  readonly args: readonly string[];
  readonly log: string;
}

export interface Exit {
  readonly pid: number;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export type Order =
  | { readonly run: Run }
  | { readonly signal: { readonly pid: number; readonly name: NodeJS.Signals } };

export type ToKeeper = { readonly id: number; readonly order: Order };

/** Where the directory is, then an answer to each order, and each exit in between. */
export type FromKeeper =
  | { readonly directory: string }
  | { readonly id: number; readonly started: number }
  | { readonly id: number; readonly signalled: number }
  | { readonly id: number; readonly failed: string }
  | { readonly exited: Exit };

export interface KeptProcess {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  /** Resolves once the signal is sent, to the program and all that it started. */
  signal(name: NodeJS.Signals): Promise<void>;
}

export class Keeper implements AsyncDisposable {
  readonly directory: string;
  readonly pid: number | undefined;
  readonly #process: ChildProcess;
  readonly #pending = new Map<number, PromiseWithResolvers<KeptProcess | undefined>>();
  readonly #kept = new Map<number, KeptProcess & { readonly exit: (exit: Exit) => void }>();
  #lastId = 0;

  private constructor(process: ChildProcess, directory: string) {
    this.#process = process;
    this.pid = process.pid;
    this.directory = directory;
    process.on('message', (message: FromKeeper) => this.#hear(message));
    process.once('exit', () => this.#end());
  }

  static async start(): Promise<Keeper> {
    const process = fork(join(import.meta.dirname, 'keeper-process.ts'), {
      detached: true,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const [message]: FromKeeper[] = await once(process, 'message');
    if (!message || !('directory' in message)) throw new Error('the keeper did not say where its directory is');
    return new Keeper(process, message.directory);
  }

  async run(run: Run): Promise<KeptProcess> {
    const kept = await this.#order({ run });
    if (!kept) throw new Error(`the keeper did not say how ${run.program} runs`);
    return kept;
  }

  /** Kills all that runs and removes the directory; when it resolves, nothing is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const gone = once(this.#process, 'exit');
    if (this.#process.connected) this.#process.disconnect();
    await gone;
  }

  #order(order: Order): Promise<KeptProcess | undefined> {
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<KeptProcess | undefined>();
    this.#pending.set(id, answer);
    const message: ToKeeper = { id, order };
    this.#process.send(message, (error) => error && answer.reject(error));
    return answer.promise.finally(() => this.#pending.delete(id));
  }

  #hear(message: FromKeeper): void {
    if ('exited' in message) {
      this.#kept.get(message.exited.pid)?.exit(message.exited);
      this.#kept.delete(message.exited.pid);
    } else if ('failed' in message) this.#pending.get(message.id)?.reject(new Error(message.failed));
    else if ('started' in message) this.#pending.get(message.id)?.resolve(this.#keep(message.started));
    else if ('signalled' in message) this.#pending.get(message.id)?.resolve(undefined);
  }

  /** Known from the moment the keeper names it, so that no exit is missed. */
  #keep(pid: number): KeptProcess {
    const { promise: exited, resolve: exit } = Promise.withResolvers<Exit>();
    const signal = async (name: NodeJS.Signals) => {
      if (this.#kept.has(pid)) await this.#order({ signal: { pid, name } });
    };
    const kept = { pid, exited, exit, signal };
    this.#kept.set(pid, kept);
    return kept;
  }

  /** After an orderly end nothing is left to do; when the keeper itself was killed, its work is done here. */
  #end(): void {
    for (const { reject } of this.#pending.values()) reject(new Error('the keeper has ended'));
    for (const { pid, exit } of this.#kept.values()) {
      killGroup(pid);
      exit({ pid, code: null, signal: 'SIGKILL' });
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
