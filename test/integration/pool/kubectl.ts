/** The real kubectl, as whichever user its flags say. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { controlPlaneBinaries } from '../../harness/binaries.ts';

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function kubectl(kubeconfig: string, ...args: readonly string[]): Promise<Said> {
  const program = join(controlPlaneBinaries(), 'kubectl');
  try {
    const said = await promisify(execFile)(program, [`--kubeconfig=${kubeconfig}`, ...args]);
    return { code: 0, ...said };
  } catch (error) {
    const { code, stdout, stderr } = error as Error & Partial<Said>;
    if (typeof code !== 'number') throw error;
    return { code, stdout: stdout ?? '', stderr: stderr ?? '' };
  }
}
