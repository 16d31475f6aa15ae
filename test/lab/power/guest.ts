/** A guest as seen from outside: turned on with disks that outlive it, and turned off without warning. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Duplex } from 'node:stream';

const BOOT = resolve(import.meta.dirname, '../../../tools/lab/boot.sh');

/** Two of them fit into the time that a test has. */
const TIMEOUT_SECONDS = 290;

/** The first descriptor that boot.sh does not use itself. */
const LINE_FD = 5;

export interface GuestOptions {
  readonly timeoutSeconds?: number;
  /** Keeps what is written to the root filesystem; otherwise that is in memory. */
  readonly root?: Disk;
  /** Process 1 is systemd. */
  readonly systemd?: boolean;
}

/** A file that is a disk of guests, one after another. What a guest had told it to keep when its power was cut is on it. */
export interface Disk extends AsyncDisposable {
  readonly path: string;
}

/** All zeroes; takes room only where it is written. */
export async function aDisk(sizeBytes: number): Promise<Disk> {
  const directory = await mkdtemp(join(tmpdir(), 'lab-disk-'));
  const path = join(directory, 'disk');
  await using file = await open(path, 'w');
  await file.truncate(sizeBytes);
  return { path, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) };
}

/** Runs one command, as root, and is turned off when that has ended. Its disks are /dev/ubda, /dev/ubdb, … in their order. */
export class Guest implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown>;
  /** The other end of its serial line, /dev/ttyS0. */
  readonly line: Duplex;
  #output = '';

  constructor(disks: readonly Disk[], command: readonly string[], options: GuestOptions = {}) {
    const { timeoutSeconds = TIMEOUT_SECONDS, root, systemd } = options;
    const argv = [
      ...disks.flatMap(({ path }) => ['--disk', path]),
      ...(root ? ['--root', root.path] : []),
      ...(systemd ? ['--systemd'] : []),
      ...['--line', `${LINE_FD}`],
      ...command,
    ];
    this.#process = spawn(BOOT, argv, {
      stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'pipe'],
      env: { ...process.env, LAB_TIMEOUT: `${timeoutSeconds}` },
    });
    this.line = (this.#process.stdio as readonly unknown[])[LINE_FD] as Duplex;
    this.line.on('error', () => undefined); // that it is cut is seen by its end
    this.#closed = once(this.#process, 'close');
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
  }

  /** What the command has written so far; of a guest that stopped by itself, the end of its console, too. */
  get output(): string {
    return this.#output;
  }

  /** The lines of JSON among it that are not cut off in the middle; whoever has written the command knows what is in them. */
  told<T>(): readonly T[] {
    const lines = this.#output.split('\n').slice(0, -1);
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as T);
  }

  /** Resolves with the exit code of the command. */
  async ended(): Promise<number | null> {
    await this.#closed;
    return this.#process.exitCode;
  }

  /** Resolves when no process of it is left, so that its disks can be given to another one. */
  async cutPower(): Promise<void> {
    this.#process.kill('SIGTERM');
    await this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cutPower();
  }
}
