/** Whether the machine has what the jobs on it need, and whether anything on it belongs to no volume. */
import type { Known } from '../../kit/known.ts';
import { type Check, type Finding, unknown, type Verdict, verdictOn } from '../finding.ts';
import type { Machine } from '../machine.ts';
import { MODULES, type Need, TOOLS } from '../needs.ts';

export const toolsAreInstalled: Check<Machine> = {
  name: 'tools',
  judge: ({ tools }) =>
    judged(
      tools,
      TOOLS,
      (isInstalled) => isInstalled,
      (need) => ({
        severity: need.isVital ? 'error' : 'warning',
        subject: `program ${need.name}`,
        evidence: `it is not installed on this machine; it is needed for ${need.for}`,
        remedy: `Install the package ${need.from}, or what your distribution calls it`,
      }),
    ),
};

export const kernelHasItsModules: Check<Machine> = {
  name: 'kernel-modules',
  judge: ({ modules }) =>
    judged(
      modules,
      MODULES,
      (state) => state !== 'absent',
      (need) => ({
        severity: need.isVital ? 'error' : 'warning',
        subject: `kernel module ${need.name}`,
        evidence: `the kernel of this machine has none, built in or to be loaded; it is needed for ${need.for}`,
        remedy: `Use a kernel with ${need.from}, or install its modules`,
      }),
    ),
};

/** What is missing is told in any case; if nothing is, and not all could be looked at, it is not known. */
function judged<T>(
  seen: ReadonlyMap<string, Known<T>>,
  needs: readonly Need[],
  isThere: (value: T) => boolean,
  finding: (need: Need) => Finding,
): Verdict {
  const missing: Finding[] = [];
  const unseen: string[] = [];
  for (const need of needs) {
    const found = seen.get(need.name);
    if (found === undefined) continue;
    if (!found.known) unseen.push(`${need.name}: ${found.why}`);
    else if (!isThere(found.value)) missing.push(finding(need));
  }
  if (missing.length === 0 && unseen.length > 0) return unknown(unseen.join('; '));
  return verdictOn(missing, `all ${seen.size} are there`);
}

export const everythingBelongsToAVolume: Check<Machine> = {
  name: 'left-on-node',
  judge({ left, jobs }) {
    if (!jobs.includes('lvm')) return { is: 'ok', why: 'lvm does not run on this machine' };
    if (!left.known) return unknown(left.why);
    const { orphans, trash } = left.value;
    const findings = [
      ...orphans.map(
        (what): Finding => ({
          severity: 'warning',
          subject: 'this machine',
          evidence: `${what}: it belongs to no volume`,
          remedy: 'holdfast lvm clean shows it again, and removes it after a question',
        }),
      ),
      ...trash.map(
        (what): Finding => ({
          severity: 'info',
          subject: 'trash of this machine',
          evidence: what,
          remedy: 'It is removed when its time is over; holdfast lvm restore brings it back',
        }),
      ),
    ];
    return verdictOn(findings, 'everything on it belongs to a volume, and the trash is empty');
  },
};
