/** How a person calls this program from where they are: of a checkout, the program need not be in the PATH. */
import { basename, dirname, join, relative } from 'node:path';

/** `script` is the file that Node.js was started with. */
export function calledFrom(directory: string, script: string): string {
  const isSource = basename(script) === 'main.ts';
  return isSource ? relative(directory, join(dirname(script), '../bin/holdfast')) : 'holdfast';
}
