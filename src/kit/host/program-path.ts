/** Finding a program in a list of directories. The environment's PATH has no say: what runs as root is not left to chance. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';

export const STANDARD_PATH: readonly string[] = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
];

/** The file that a program name stands for: the first in the path that we may execute, or the name itself if it is absolute. */
export async function findProgram(program: string, path: readonly string[]): Promise<string | undefined> {
  if (program.includes('/') && !program.startsWith('/')) return undefined;
  const candidates = program.startsWith('/') ? [program] : path.map((directory) => join(directory, program));
  for (const file of candidates) if (await isExecutable(file)) return file;
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
