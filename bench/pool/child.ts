/** A process that does not outlive the benchmark, however that ends. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const LAST_LINES = 20;

export class Child implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #kill = () => this.#process.kill('SIGKILL');
  readonly #lines: string[] = [];
  readonly #heard = new Set<(line: string) => void>();

  /** `onLine` is told each line that it says. */
  constructor(
    [program, ...args]: readonly [string, ...string[]],
    options: SpawnOptions = {},
    onLine?: (line: string) => void,
  ) {
    if (onLine) this.#heard.add(onLine);
    this.#process = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#exited = once(this.#process, 'exit');
    process.once('exit', this.#kill);
    for (const stream of [this.#process.stdout, this.#process.stderr]) if (stream) this.#hear(stream);
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  get pid(): number {
    if (this.#process.pid === undefined) throw new Error('it has not started');
    return this.#process.pid;
  }

  get lastWords(): string {
    return this.#lines.join('\n');
  }

  /** The first line that it says which fits, by what the expression captures. */
  async says(expression: RegExp): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const look = (line: string) => {
      const found = expression.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    };
    this.#heard.add(look);
    this.#lines.forEach(look);
    void this.#exited.then(() =>
      reject(new Error(`it has ended without a word like ${expression}: ${this.lastWords}`)),
    );
    return await promise.finally(() => this.#heard.delete(look));
  }

  /** Resolves when it has ended well. */
  async ended(): Promise<void> {
    await this.#exited;
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== 0) throw new Error(`it has ended with ${signalCode ?? exitCode}: ${this.lastWords}`);
  }

  /** Of /proc/PID/status; not a number when it has ended. */
  statusMb(field: 'VmHWM' | 'VmRSS' | 'RssAnon'): number {
    if (!this.isRunning) return Number.NaN;
    const status = readFileSync(`/proc/${this.#process.pid}/status`, 'utf8');
    return (Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024) / 1e6;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#kill);
    this.#kill();
    await this.#exited;
  }

  #hear(stream: Readable): void {
    createInterface(stream).on('line', (line) => {
      this.#lines.push(line);
      if (this.#lines.length > LAST_LINES) this.#lines.shift();
      for (const look of this.#heard) look(line);
    });
  }
}
