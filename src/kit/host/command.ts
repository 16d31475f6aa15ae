/** What it means to run a program on the host: what is asked, what comes back, and how a failure is told. */
import { basename } from 'node:path';

export interface Commands {
  /**
   * Runs a program and waits for its end. `argv` is an argument vector: no shell ever sees it.
   *
   * Resolves when the program ended with one of `successCodes`, rejects with a `CommandError` otherwise, and with the signal's
   * reason if that was aborted before the program started. The program gets an environment of its own (`PATH`, `LC_ALL=C` and
   * `env`; nothing of ours), `/` as its directory and a process group of its own.
   *
   * Arguments and environment are not secret: errors and logs show `argv` in full, and `ps` shows it to the whole host.
   * A secret goes into `input`, which is shown nowhere.
   */
  exec(argv: readonly string[], options?: CommandOptions): Promise<CommandResult>;

  /** Whether `exec` would find this program. */
  isInstalled(program: string): Promise<boolean>;
}

export interface CommandOptions {
  /** After this long the whole process group is ended: SIGTERM, then SIGKILL. Default one minute. */
  readonly timeoutMs?: number | undefined;
  /** Ends the process group in the same way. */
  readonly signal?: AbortSignal | undefined;
  /** Given on standard input, which is a socket: programs must read it as descriptor 0, not open /dev/stdin. Empty when not given. */
  readonly input?: string | Uint8Array | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** How much of each of stdout and stderr is kept: the beginning. The rest is read and dropped. Default 4 MiB. */
  readonly maxOutputBytes?: number | undefined;
  /** Open descriptors that the program gets as 3, 4, … and can name as /proc/self/fd/3. */
  readonly inheritFds?: readonly Descriptor[] | undefined;
  /** Exit codes that are no failure. Default only 0. */
  readonly successCodes?: readonly number[] | undefined;
}

/** Anything open that has a file descriptor. */
export interface Descriptor {
  readonly fd: number;
}

export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Which of the two were cut because they were longer than asked for. What is cut must not be taken for all there is. */
  readonly truncated: { readonly stdout: boolean; readonly stderr: boolean };
}

export interface CommandResult extends CommandOutput {
  readonly code: number;
}

export type CommandOutcome =
  /** It ended by itself. */
  | { readonly kind: 'exited'; readonly code: number }
  /** Somebody else killed it, or it crashed. */
  | { readonly kind: 'killed'; readonly signal: string }
  /**
   * We ended it because its time was over. `ended` is false when even SIGKILL did not end it, or what it started, in time (it hangs
   * in the kernel) and it may go on acting.
   */
  | { readonly kind: 'timed-out'; readonly afterMs: number; readonly ended: boolean }
  /** We ended it because the caller asked us to. */
  | { readonly kind: 'aborted'; readonly ended: boolean }
  /** There is no such program. Nothing ran. */
  | { readonly kind: 'not-found'; readonly searched: readonly string[] }
  /** There is such a program and the kernel would not start it. Nothing ran. */
  | { readonly kind: 'not-started'; readonly reason: string };

export const DEFAULT_TIMEOUT_MS = 60_000;
export const DEFAULT_MAX_OUTPUT_BYTES = 4 * 2 ** 20;
export const NO_OUTPUT: CommandOutput = { stdout: '', stderr: '', truncated: { stdout: false, stderr: false } };

export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly argv: readonly string[];
  readonly outcome: CommandOutcome;
  readonly output: CommandOutput;
  /** What a person can do about it. */
  readonly remedy: string;
  /** The program and how it ended, without its arguments. */
  readonly brief: string;

  constructor(argv: readonly string[], outcome: CommandOutcome, output = NO_OUTPUT, options?: ErrorOptions) {
    const program = programOf(argv);
    const said = lastWords(output.stderr);
    const ended = `${story(program, outcome)}${said && `: ${said}`}`;
    super(`\`${showCommand(argv)}\` ${ended}. ${remedy(program, outcome)}`, options);
    this.brief = `${program} ${ended}`;
    this.argv = argv;
    this.outcome = outcome;
    this.output = output;
    this.remedy = remedy(program, outcome);
  }

  /** Whether the program ran at all: if so it may have changed something, and one must look before doing it again. */
  get mayHaveActed(): boolean {
    return this.outcome.kind !== 'not-found' && this.outcome.kind !== 'not-started';
  }
}

/** Comes before a command that is to be killed together with us. */
export const DIES_WITH_US = ['setpriv', '--pdeathsig', 'KILL'];

/** The program that a command is about. */
export function programOf(argv: readonly string[]): string {
  const isHelped = argv[0] === DIES_WITH_US[0];
  return basename(argv[isHelped ? DIES_WITH_US.length : 0] ?? '');
}

/** Gives back the result of a program that ended well and throws for every other end. */
export function judge(
  argv: readonly string[],
  outcome: CommandOutcome,
  output: CommandOutput,
  options: CommandOptions,
): CommandResult {
  if (outcome.kind === 'exited' && (options.successCodes ?? [0]).includes(outcome.code))
    return { code: outcome.code, ...output };
  throw new CommandError(
    argv,
    outcome,
    output,
    outcome.kind === 'aborted' ? { cause: options.signal?.reason } : undefined,
  );
}

/** Throws for what no program can be started with. Gives back the program's name. */
export function checkCommand(argv: readonly string[], options: CommandOptions): string {
  const program = argv[0];
  if (!program) throw new TypeError('cannot run a command without a program: the argument vector is empty');
  if (program.includes('/') && !program.startsWith('/'))
    throw new TypeError(`cannot run ${quote(program)}: give a bare program name or an absolute path`);
  for (const text of [...argv, ...Object.entries(options.env ?? {}).flat()])
    if (text.includes('\0'))
      throw new TypeError(
        `cannot run ${quote(program)}: ${quote(text)} contains a NUL byte, which no argument or variable can`,
      );
  checkInherited(options);
  return program;
}

/** The descriptors to inherit, as numbers, if all of them are open. */
export function checkInherited({ inheritFds = [] }: CommandOptions): number[] {
  const fds = inheritFds.map(({ fd }) => fd);
  if (fds.some((fd) => fd < 0)) throw new TypeError('cannot let a program inherit a descriptor that is closed');
  return fds;
}

/** A command as one line that a person can paste into a terminal. */
export function showCommand(argv: readonly string[]): string {
  const line = argv.map(quote).join(' ');
  return line.length > 1000 ? `${line.slice(0, 1000)}…` : line;
}

function quote(argument: string): string {
  if (/^[\w@%+=:,./-]+$/.test(argument)) return argument;
  if (CONTROL.test(argument)) return JSON.stringify(argument).replace(CONTROLS, asEscape);
  return `'${argument.replaceAll("'", "'\\''")}'`;
}

/** The end of what a program complained about, on one line. */
function lastWords(stderr: string): string {
  const lines = stderr
    .trim()
    .split(/\s*\n\s*/)
    .slice(-3);
  const line = lines.join('; ').replace(/\.$/, '').replace(CONTROLS, asEscape);
  return line.length > 500 ? `…${line.slice(-500)}` : line;
}

/** What must not reach a log or a terminal as it is. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const CONTROLS = new RegExp(CONTROL, 'gu');

function asEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function story(program: string, outcome: CommandOutcome): string {
  switch (outcome.kind) {
    case 'exited':
      return `ended with code ${outcome.code}`;
    case 'killed':
      return `was killed by ${outcome.signal}`;
    case 'timed-out':
      return `did not end within ${outcome.afterMs} ms and was ${outcome.ended ? 'ended' : 'sent SIGKILL, which has not ended it'}`;
    case 'aborted':
      return `was ${outcome.ended ? 'ended' : 'sent SIGKILL, which has not ended it,'} because it was no longer wanted`;
    case 'not-found':
      return `cannot run: ${program} was not found${outcome.searched.length > 0 ? ` in ${outcome.searched.join(', ')}` : ''}`;
    case 'not-started':
      return `could not be started: ${outcome.reason}`;
  }
}

function remedy(program: string, outcome: CommandOutcome): string {
  switch (outcome.kind) {
    case 'exited':
      return 'Read what it says; the same line can be run by hand on the node';
    case 'killed':
      return "Look in the kernel's log for an out-of-memory kill or a crash";
    case 'timed-out':
      return outcome.ended
        ? 'It may have done part of its work. Look for a device or lock that does not answer'
        : "It hangs in the kernel and may still act. Look in the kernel's log for a device that does not answer";
    case 'aborted':
      return 'It may have done part of its work: look again before repeating it';
    case 'not-found':
      return `Install ${program} where this program runs`;
    case 'not-started':
      return `Check that ${program} is executable and that the limits on processes, memory and arguments leave room for it`;
  }
}
