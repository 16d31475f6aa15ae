/** Why a look through /proc cannot show all processes of the host, whatever it finds. */
import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Mount, parseMountinfo } from './mounts.ts';
import type { Unseen } from './open-survey.ts';

/** The number of the first process id namespace: who is in another one does not see the processes of the host. */
const INITIAL_PID_NAMESPACE = 'pid:[4026531836]';
const CAP_SYS_PTRACE = 1n << 19n;

export async function blindSpots(procRoot: string): Promise<Unseen[]> {
  const unseen: Unseen[] = [];
  const hidden = (reason: string) => unseen.push({ kind: 'hidden-processes', reason });
  if ((await readlink(join(procRoot, 'self/ns/pid'))) !== INITIAL_PID_NAMESPACE)
    hidden('this process has process ids of its own and does not see those of the host (it needs hostPID)');
  const hiding = hidingOption(procRoot, parseMountinfo(await readFile(join(procRoot, 'self/mountinfo'), 'utf8')));
  if (hiding) hidden(`${procRoot} is mounted with ${hiding} and leaves processes out (mount it without)`);
  if (!(await mayLookAtOthers(procRoot))) {
    const reason = 'this process may not look at the descriptors of others (it needs CAP_SYS_PTRACE)';
    unseen.push({ kind: 'no-right', reason });
  }
  return unseen;
}

/** With `ptraceable` the processes that a security profile protects from us are not even listed; with `invisible` those of others. */
function hidingOption(procRoot: string, mounts: readonly Mount[]): string | undefined {
  const proc = mounts.findLast(({ mountPoint, fsType }) => mountPoint === procRoot && fsType === 'proc');
  return proc?.superOptions.find((option) => /^hidepid=(2|4|invisible|ptraceable)$/.test(option));
}

async function mayLookAtOthers(procRoot: string): Promise<boolean> {
  const status = await readFile(join(procRoot, 'self/status'), 'utf8');
  const capabilities = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
  return (BigInt(`0x${capabilities}`) & CAP_SYS_PTRACE) !== 0n;
}
