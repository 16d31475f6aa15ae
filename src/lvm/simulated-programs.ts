/** For tests: how the programs of a simulated machine run, and end before they are done. */
import { type Clock, sleep } from '../kit/clock/clock.ts';
import type { Program } from '../kit/host/simulated/commands.ts';
import type { SimulatedMachine } from '../kit/host/simulated/machine.ts';

export type Call = Parameters<Program>[0];
/** Rejects when the program is ended meanwhile. */
export type Takes = (ms: number) => Promise<void>;
export type Reply = Awaited<ReturnType<Program>>;

/** As by the end of the container that it runs in. */
const KILLED = new Error('killed');
/** All that a command on metadata takes. */
export const BRIEF_MS = 20;

export class SimulatedPrograms {
  readonly #machine: SimulatedMachine;
  #cut = new AbortController();
  /** Of programs that are to die with who started them. */
  #bound = new AbortController();

  constructor(machine: SimulatedMachine) {
    this.#machine = machine;
    machine.install('setpriv', (call) => this.#setpriv(call));
    machine.install('xargs', (call) => this.#xargs(call));
  }

  /** A program that takes this long, and can be ended half-way. */
  install(
    name: string,
    run: (call: Call, takes: Takes) => Reply | Promise<Reply>,
    { changes = () => true }: Parameters<SimulatedMachine['install']>[2] = {},
  ): void {
    const { clock } = this.#machine;
    const program: Program = async (call) => {
      const ended = AbortSignal.any([this.#cut.signal, call.signal]);
      const takes = (ms: number) => takesTime(clock, ms, ended);
      try {
        await takes(BRIEF_MS);
        return await run(call, takes);
      } catch (error) {
        if (error instanceof Failure)
          return { code: error.code, stderr: `${name.startsWith('lv') ? '  ' : ''}${error.message}\n` };
        if (error === KILLED) return { signal: 'SIGKILL' };
        throw error;
      }
    };
    this.#machine.install(name, program, { changes });
  }

  /** Ends every program that runs, wherever it is in its work. */
  end(): void {
    const cut = this.#cut;
    this.#cut = new AbortController();
    cut.abort();
  }

  /** What the kernel does when the agent is gone. */
  endBound(): void {
    const bound = this.#bound;
    this.#bound = new AbortController();
    bound.abort();
  }

  #setpriv(call: Call): Reply | Promise<Reply> {
    const argv = call.argv.slice(call.argv.indexOf('KILL') + 1);
    const program = this.#machine.programs.get(argv[0] ?? '') ?? never(`there is no ${argv[0]}`);
    const signal = AbortSignal.any([call.signal, this.#bound.signal]);
    return program.run({ ...call, argv, args: argv.slice(1), signal });
  }

  /** One program after the other, for each of what it is given. It ends with them. */
  async #xargs(call: Call): Promise<Reply> {
    const [, , , , , , ...each] = call.argv;
    const program = this.#machine.programs.get(each[0] ?? '') ?? never(`there is no ${each[0]}`);
    let code = 0;
    for (const item of call.input.split('\0')) {
      const argv = [...each, item];
      const reply = await program.run({ ...call, argv, args: argv.slice(1), input: '' });
      if (reply.signal !== undefined) return reply;
      if (reply.code) code = 123;
    }
    return { code };
  }
}

/** A command that ends badly, and what it says. */
export class Failure extends Error {
  readonly code: number;

  constructor(message: string, code = 5) {
    super(message);
    this.code = code;
  }
}

async function takesTime(clock: Clock, ms: number, ended: AbortSignal): Promise<void> {
  try {
    await sleep(clock, ms, ended);
  } catch {
    throw KILLED;
  }
}

const VALUED = new Set([
  ...['--config', '--name', '--size', '--virtualsize', '--type', '--thinpool', '--permission', '--addtag', '--deltag'],
  ...[
    '--select',
    '--activate',
    '--wipesignatures',
    '--zero',
    '--setactivationskip',
    '--key-file',
    '--keyfile-size',
    '--fstab',
  ],
  ...['--pbkdf', '--pbkdf-memory', '--header-backup-file', '--options', '--source', '--target'],
]);

export function parse(args: readonly string[]) {
  const given: (readonly [string, string])[] = [];
  const operands: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    if (VALUED.has(arg)) given.push([arg, args[++index] ?? '']);
    else if (arg.startsWith('-') && arg !== '-') given.push([arg, '']);
    else operands.push(arg);
  }
  const all = (option: string) => given.filter(([name]) => name === option).map(([, value]) => value);
  const options = {
    all,
    has: (option: string) => all(option).length > 0,
    maybe: (option: string): string | undefined => all(option)[0],
    one: (option: string): string => all(option)[0] ?? '',
  };
  return { options, operands };
}

function never(why: string): never {
  throw new Error(why);
}
