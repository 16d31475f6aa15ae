/** What /proc tells anyone about a process. */
import { readdir, readFile } from 'node:fs/promises';
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

async function statOf(procRoot: string, pid: number): Promise<ProcessStat | undefined> {
  return parseStat(await readFile(join(procRoot, `${pid}/stat`), 'utf8').catch(() => ''));
}

export async function isKernelThread(procRoot: string, pid: number): Promise<boolean> {
  return (await statOf(procRoot, pid))?.isKernelThread ?? false;
}

/** The processes of a group that have not ended. One that has ended and that its parent has not asked about yet does nothing any more. */
export async function livingMembers(group: number, procRoot = '/proc'): Promise<readonly number[]> {
  const members: number[] = [];
  for (const pid of await numbersIn(procRoot)) {
    const stat = await statOf(procRoot, pid);
    if (stat?.group === group && stat.state !== 'Z' && stat.state !== 'X') members.push(pid);
  }
  return members;
}

/** The entries of a directory of /proc that are processes or threads, in order. */
export async function numbersIn(directory: string): Promise<readonly number[]> {
  const names = (await readdir(directory)).filter((name) => /^\d+$/.test(name));
  return names.map(Number).sort((a, b) => a - b);
}

/** The name that the process gives itself, fit to be printed. */
export async function commandOf(procRoot: string, pid: number): Promise<string> {
  const name = await readFile(join(procRoot, `${pid}/comm`), 'utf8').catch(() => 'unknown');
  return name.replace(/\n$/, '').replace(/\p{Cc}/gu, '?');
}
