/** Running the programs of a simulated machine. A program is a function that a test or the sandbox has installed there. */
import { basename, dirname } from 'node:path';
import type { Clock } from '../../clock/clock.ts';
import { BoundedOutput } from '../bounded-output.ts';
import {
  CommandError,
  type CommandOptions,
  type CommandOutcome,
  type CommandOutput,
  type Commands,
  checkCommand,
  DEFAULT_MAX_OUTPUT_BYTES,
  judge,
  NO_OUTPUT,
} from '../command.ts';
import { STANDARD_PATH } from '../program-path.ts';
import { type StopRequest, stopRequest } from '../stop-request.ts';
import type { DescriptorTable, SimulatedOpenDevice } from './devices.ts';
import type { SimulatedProcess } from './process.ts';

/** Does what the program does to the machine, and says how it ended. It may take its time on the machine's clock. */
export type Program = (call: ProgramCall) => ProgramReply | Promise<ProgramReply>;

interface ProgramCall {
  readonly argv: readonly string[];
  /** The arguments without the program's name. */
  readonly args: readonly string[];
  readonly input: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it got as descriptors 3, 4, … */
  readonly inherited: readonly SimulatedOpenDevice[];
  /** Aborted when the program is to be ended. One that takes its time should heed it. */
  readonly signal: AbortSignal;
}

interface ProgramReply {
  /** Default 0. */
  readonly code?: number;
  /** Set when it did not exit but was killed. */
  readonly signal?: string;
  readonly stdout?: string;
  readonly stderr?: string;
}

export interface InstalledProgram {
  readonly run: Program;
  /** Whether running it so may leave the machine other than it was. */
  readonly changes: (argv: readonly string[]) => boolean;
}

/** A program that has not ended. What it inherited stays open with it, also when the process that started it is gone. */
export interface RunningProgram {
  readonly pid: number;
  readonly command: string;
  readonly inherited: readonly SimulatedOpenDevice[];
}

/** The part of a machine that has to do with programs. */
interface Computer {
  readonly clock: Clock;
  readonly programs: ReadonlyMap<string, InstalledProgram>;
  readonly running: Set<RunningProgram>;
  newPid(): number;
}

export function simulatedCommands(computer: Computer, process: SimulatedProcess, table: DescriptorTable): Commands {
  const { programs, clock } = computer;
  return {
    async exec(argv, options = {}) {
      const program = checkCommand(argv, options);
      options.signal?.throwIfAborted();
      const installed = find(programs, program);
      const stopping = new AbortController();
      const operation = { verb: 'exec', target: program, changes: installed?.changes(argv) ?? false, argv } as const;
      const ended = process.perform(operation, () => {
        if (!installed) throw new CommandError(argv, { kind: 'not-found', searched: [] });
        return runOn(computer, installed, callOf(argv, options, table, stopping.signal));
      });
      const stop = stopRequest(options, clock);
      const survived = process.onDeath(() => stop.forget());
      return process.whileAlive(conclude(argv, options, ended, stopping, stop).finally(survived));
    },
    isInstalled: (program) =>
      process.perform(
        { verb: 'find-program', target: program, changes: false },
        () => find(programs, program) !== undefined,
      ),
  };
}

/** Every program is in all of the standard directories, and nowhere else. */
function find(programs: ReadonlyMap<string, InstalledProgram>, program: string): InstalledProgram | undefined {
  if (!program.includes('/')) return programs.get(program);
  return STANDARD_PATH.includes(dirname(program)) ? programs.get(basename(program)) : undefined;
}

/** Ended by us it holds nothing any more, even if the function that stands for it goes on. */
async function runOn(computer: Computer, program: InstalledProgram, call: ProgramCall): Promise<ProgramReply> {
  const itself = { pid: computer.newPid(), command: basename(call.argv[0] ?? ''), inherited: call.inherited };
  const ended = () => computer.running.delete(itself);
  computer.running.add(itself);
  call.signal.addEventListener('abort', ended);
  try {
    return await program.run(call);
  } finally {
    ended();
  }
}

function callOf(
  argv: readonly string[],
  options: CommandOptions,
  table: DescriptorTable,
  signal: AbortSignal,
): ProgramCall {
  const inherited = (options.inheritFds ?? []).map(({ fd }) => {
    const device = table.get(fd);
    if (!device) throw new CommandError(argv, { kind: 'not-started', reason: `EBADF: descriptor ${fd} is not open` });
    return device;
  });
  const input = Buffer.from(options.input ?? '').toString('utf8');
  return { argv, args: argv.slice(1), input, env: options.env ?? {}, inherited, signal };
}

async function conclude(
  argv: readonly string[],
  options: CommandOptions,
  ended: Promise<ProgramReply>,
  stopping: AbortController,
  stop: StopRequest,
) {
  try {
    const first = await Promise.race([ended, stop.requested]);
    if (!('kind' in first)) return judge(argv, outcomeOf(first), outputOf(first, options), options);
    stopping.abort();
    ended.catch(() => {});
    return judge(argv, { ...first, ended: true }, NO_OUTPUT, options);
  } finally {
    stop.forget();
  }
}

function outcomeOf({ code = 0, signal }: ProgramReply): CommandOutcome {
  return signal === undefined ? { kind: 'exited', code } : { kind: 'killed', signal };
}

function outputOf(reply: ProgramReply, { maxOutputBytes = DEFAULT_MAX_OUTPUT_BYTES }: CommandOptions): CommandOutput {
  const [stdout, stderr] = [reply.stdout, reply.stderr].map((text = '') => {
    const output = new BoundedOutput(maxOutputBytes);
    output.add(Buffer.from(text));
    return output;
  });
  return {
    stdout: stdout?.text ?? '',
    stderr: stderr?.text ?? '',
    truncated: { stdout: stdout?.truncated ?? false, stderr: stderr?.truncated ?? false },
  };
}
