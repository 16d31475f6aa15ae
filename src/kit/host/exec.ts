/** The real way to run a program. Nothing else in this project starts a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../clock/clock.ts';
import { BoundedOutput } from './bounded-output.ts';
import {
  CommandError,
  type CommandOptions,
  type CommandOutcome,
  type CommandResult,
  type Commands,
  checkCommand,
  checkInherited,
  DEFAULT_MAX_OUTPUT_BYTES,
  judge,
} from './command.ts';
import { DRAIN_GRACE_MS, endProcessGroup } from './process-group.ts';
import { findProgram } from './program-path.ts';
import { settlesWithin } from './settles-within.ts';
import { type Stop, stopRequest } from './stop-request.ts';

export interface ExecSettings {
  readonly clock: Clock;
  /** The directories that are searched for a program, first to last. */
  readonly path: readonly string[];
}

export function realCommands(settings: ExecSettings): Commands {
  return {
    async exec(argv, options = {}) {
      const program = checkCommand(argv, options);
      options.signal?.throwIfAborted();
      const file = await findProgram(program, settings.path);
      options.signal?.throwIfAborted();
      if (file === undefined) throw new CommandError(argv, { kind: 'not-found', searched: settings.path });
      return run(file, argv, options, settings);
    },
    isInstalled: async (program) => (await findProgram(program, settings.path)) !== undefined,
  };
}

async function run(
  file: string,
  argv: readonly string[],
  options: CommandOptions,
  settings: ExecSettings,
): Promise<CommandResult> {
  const child = start(file, argv, options, settings);
  const keep = options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES;
  const [stdout, stderr] = [BoundedOutput.of(child.stdout, keep), BoundedOutput.of(child.stderr, keep)];
  feed(child, options.input);
  try {
    const outcome = await outcomeOf(child, options, settings.clock);
    const truncated = { stdout: stdout.truncated, stderr: stderr.truncated };
    return judge(argv, outcome, { stdout: stdout.text, stderr: stderr.text, truncated }, options);
  } finally {
    letGo(child);
  }
}

function start(file: string, argv: readonly string[], options: CommandOptions, settings: ExecSettings): ChildProcess {
  const inherited = checkInherited(options);
  try {
    return spawn(file, argv.slice(1), {
      cwd: '/',
      detached: true,
      env: { PATH: settings.path.join(':'), LC_ALL: 'C', ...options.env },
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...inherited],
    });
  } catch (error) {
    throw new CommandError(argv, { kind: 'not-started', reason: String(error) });
  }
}

/** A program that ends, or closes its standard input, without reading all of it is no failure of ours: its exit code tells. */
function feed(child: ChildProcess, input: string | Uint8Array | undefined): void {
  child.stdin?.on('error', () => {});
  if (input !== undefined) child.stdin?.end(input);
}

async function outcomeOf(child: ChildProcess, options: CommandOptions, clock: Clock): Promise<CommandOutcome> {
  const ended = endOf(child);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = stopRequest(options, clock);
  try {
    const first = await Promise.race([ended, stop.requested]);
    if (first.kind === 'timed-out' || first.kind === 'aborted')
      return { ...first, ended: await endProcessGroup(child.pid, ended, clock) };
    if (first.kind !== 'not-started') await drain(closed, clock);
    return first;
  } finally {
    stop.forget();
  }
}

function endOf(child: ChildProcess): Promise<Exclude<CommandOutcome, { kind: Stop['kind'] }>> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ kind: 'not-started', reason: error.message }));
    child.once('exit', (code, signal) =>
      resolve(code === null ? { kind: 'killed', signal: signal ?? 'an unknown signal' } : { kind: 'exited', code }),
    );
  });
}

/**
 * Reads what the ended program wrote. Something that it left behind can hold its output open for ever, so this ends in any case;
 * the two turns of the event loop make sure that what was in the pipe by then has been read, however late the timer came.
 */
async function drain(closed: Promise<void>, clock: Clock): Promise<void> {
  if (await settlesWithin(clock, DRAIN_GRACE_MS, closed)) return;
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/** Whatever still runs, hanging in the kernel or left behind on purpose, keeps neither our descriptors nor our process. */
function letGo(child: ChildProcess): void {
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  child.unref();
}
