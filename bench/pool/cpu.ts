/** The processor time of other processes: of all that there is to measure on a busy machine, what the neighbours change least. */
import { readFileSync } from 'node:fs';

export const SERVER_CPU = 'CPU time of the server';

/** User and system time so far, counted in ticks of 10 ms, of all of them together. */
export function cpuSecondsOf(pids: readonly number[]): number {
  return pids.map(ofOne).reduce((sum, each) => sum + each, 0);
}

function ofOne(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
