/** Says on standard error how far long work has come, at most every other second, so that short work says nothing. */
import type { Clock } from '../kit/clock/clock.ts';
import type { Terminal } from './line/command.ts';

const EVERY_MS = 2_000;

export function progressOn({ stderr }: Terminal, clock: Clock): (line: string) => void {
  let last = clock.monotonic();
  return (line) => {
    if (clock.monotonic() - last < EVERY_MS) return;
    last = clock.monotonic();
    stderr.write(`${line}\n`);
  };
}
