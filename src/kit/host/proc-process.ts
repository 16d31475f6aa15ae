/** What /proc tells anyone about a process. The kernel answers at once, so nothing here waits. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** PF_KTHREAD of the kernel's include/linux/sched.h. */
const KERNEL_THREAD = 0x00200000;

interface ProcessStat {
  /** `Z` and `X` have ended. */
  readonly state: string;
  readonly group: number;
  readonly isKernelThread: boolean;
}

/** The name may hold spaces and parentheses, so fields count from the last one. */
function parseStat(text: string): ProcessStat | undefined {
  const [state, , group, , , , flags] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (!state || !/^\d+$/.test(group ?? '') || !/^\d+$/.test(flags ?? '')) return undefined;
  return { state, group: Number(group), isKernelThread: (Number(flags) & KERNEL_THREAD) !== 0 };
}

function statOf(procRoot: string, pid: number): ProcessStat | undefined {
  try {
    return parseStat(readFileSync(join(procRoot, `${pid}/stat`), 'utf8'));
  } catch {
    return undefined; // it has ended
  }
}

export function isKernelThread(procRoot: string, pid: number): boolean {
  return statOf(procRoot, pid)?.isKernelThread ?? false;
}

/** The processes of a group that have not ended. One that has ended and that its parent has not asked about yet does nothing any more. */
export function livingMembers(group: number, procRoot = '/proc'): readonly number[] {
  return numbersIn(procRoot).filter((pid) => {
    const stat = statOf(procRoot, pid);
    return stat?.group === group && stat.state !== 'Z' && stat.state !== 'X';
  });
}

/** The entries of a directory of /proc that are processes or threads, in order. */
export function numbersIn(directory: string): readonly number[] {
  const names = readdirSync(directory).filter((name) => /^\d+$/.test(name));
  return names.map(Number).sort((a, b) => a - b);
}

/** The name that the process gives itself, fit to be printed. */
export function commandOf(procRoot: string, pid: number): string {
  return nameOf(procRoot, pid)
    .replace(/\n$/, '')
    .replace(/\p{Cc}/gu, '?');
}

function nameOf(procRoot: string, pid: number): string {
  try {
    return readFileSync(join(procRoot, `${pid}/comm`), 'utf8');
  } catch {
    return 'unknown';
  }
}
