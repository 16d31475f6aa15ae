/**
 * In a small container Node has to be told how small it is: by itself V8 lets its heap grow to 256 MB before it looks for garbage in
 * earnest, and is killed by the kernel on the way there.
 */

/** From here on V8's own measure is good enough. */
const LARGE_BYTES = 2 ** 30;
/** The rest is for the young generation, code, buffers, and Node itself. */
const OLD_SPACE_SHARE = 0.44;
const MIB = 2 ** 20;

/** What to start Node with in so much memory; nothing when it need not be told, or somebody has said something about it. */
export function flagsIn(memoryBytes: number, given: readonly string[]): readonly string[] {
  const isTold = given.some((flag) => flag.startsWith('--max-old-space-size'));
  if (isTold || !(memoryBytes > 0) || memoryBytes >= LARGE_BYTES) return [];
  return [`--max-old-space-size=${Math.floor((memoryBytes * OLD_SPACE_SHARE) / MIB)}`, '--max-semi-space-size=2'];
}

/** Starts this process anew with the flags that it needs, under the same number, if it needs any. Returns otherwise. */
export function startAnewIfSmall(): void {
  const { execArgv, execPath, argv, env } = process;
  const flags = flagsIn(process.constrainedMemory(), [...execArgv, ...(env.NODE_OPTIONS ?? '').split(' ')]);
  if (flags.length === 0 || process.execve === undefined) return;
  // glibc would give each thread of Node its own arena, and give none of them back.
  process.execve(execPath, [execPath, ...execArgv, ...flags, ...argv.slice(1)], { MALLOC_ARENA_MAX: '1', ...env });
}
