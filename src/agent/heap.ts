/**
 * Bytes that pass through an agent are dead as soon as they are written. V8 counts them as part of a heap that is otherwise small, and
 * looked at all of it again for every ten megabytes that came by: a fifth of the CPU time of a drain.
 */
import { setFlagsFromString } from 'node:v8';

/** Where there is less, memory is worth more than time. */
const PLENTY_BYTES = 2 ** 30;

/** Nothing, or no end of it: nobody has set a limit. */
export const isPlenty = (memoryBytes: number | undefined): boolean => !memoryBytes || memoryBytes >= PLENTY_BYTES;

/** Lets dead bytes lie for longer where there is memory for them. */
export function growFreely(
  memoryBytes: number | undefined,
  setFlags: (flags: string) => void = setFlagsFromString,
): void {
  if (!isPlenty(memoryBytes)) return;
  setFlags('--heap-growing-percent=400'); // five times what is alive
}
