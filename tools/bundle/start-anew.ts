/**
 * What Node has to be told when it starts, and who starts it does not know. In a small container, how small it is: by itself V8 lets its
 * heap grow to 256 MB before it looks for garbage in earnest, and is killed by the kernel on the way there. And that an agent, of which
 * there is one on each node, is to be small everywhere.
 */
import { basename } from 'node:path';
import { invokedAs } from '../../src/commands/invoked-as.ts';

/** From here on V8's own measure is good enough. */
const LARGE_BYTES = 2 ** 30;
/** The rest is for the young generation, code, buffers, and Node itself. */
const OLD_SPACE_SHARE = 0.44;
const MIB = 2 ** 20;

const SMALL_YOUNG_GENERATION = '--max-semi-space-size=2';

/** Jobs that wait for disks most of the time, and that were measured. */
const AGENTS: ReadonlySet<string> = new Set(['devices']);
/** The compilers that make code fast are themselves a sixth of an agent's memory, and it is not its code that an agent waits for. */
const UNHURRIED = ['--no-turbofan', '--no-maglev', '--liftoff-only', '--optimize-for-size'];

/**
 * glibc would give each thread of Node its own arena, and give none of them back; and when a large piece of memory is let go, it would
 * from then on keep pieces of that size for itself.
 */
const MALLOC = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

export interface Start {
  /** Not a number, or 0, when there is no limit. */
  readonly memoryBytes: number;
  /** What Node was started with. */
  readonly given: readonly string[];
  /** The program's name, and its arguments. */
  readonly line: readonly string[];
}

/** What Node is yet to be told; nothing when it need not be, or somebody has said something about the same. */
export function flagsFor({ memoryBytes, given, line }: Start): readonly string[] {
  const wanted = [...heapFlags(memoryBytes, given), ...(isAgent(line) ? [SMALL_YOUNG_GENERATION, ...UNHURRIED] : [])];
  return [...new Set(wanted)].filter((flag) => !given.includes(flag));
}

function heapFlags(memoryBytes: number, given: readonly string[]): readonly string[] {
  const isTold = given.some((flag) => flag.startsWith('--max-old-space-size'));
  if (isTold || !(memoryBytes > 0) || memoryBytes >= LARGE_BYTES) return [];
  return [`--max-old-space-size=${Math.floor((memoryBytes * OLD_SPACE_SHARE) / MIB)}`, SMALL_YOUNG_GENERATION];
}

/** Not what a person runs beside it: `holdfast devices plan`. */
function isAgent([program = '', ...args]: readonly string[]): boolean {
  const { command } = invokedAs(basename(program));
  const [job = '', next = '-'] = command ? [command, ...args] : args;
  return AGENTS.has(job) && next.startsWith('-');
}

/** Starts this process anew with the flags that it needs, under the same number, if it needs any. Returns otherwise. */
export function startAnewIfBetter(): void {
  const { execArgv, execPath, argv, env } = process;
  const given = [...execArgv, ...(env.NODE_OPTIONS ?? '').split(' ')];
  const line = argv.slice(1);
  const flags = flagsFor({ memoryBytes: process.constrainedMemory(), given, line });
  if (flags.length === 0 || process.execve === undefined) return;
  process.execve(execPath, [execPath, ...execArgv, ...flags, ...line], { ...MALLOC, ...env });
}
