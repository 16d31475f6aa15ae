/** What a path leads to for who has another root directory than we: also its links are followed there, which the system would not do. */
import { FileError } from '../kit/host/file-error.ts';
import type { FileStat, Files } from '../kit/host/files.ts';

/** As the kernel has it. */
const MOST_LINKS = 40;

/** Nothing when there is nothing. Rejects when that is not known. */
export async function statBelow(
  files: Pick<Files, 'lstat' | 'readlink'>,
  root: string,
  path: string,
): Promise<FileStat | undefined> {
  const [left, passed] = [namesIn(path), [] as string[]];
  let links = 0;
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    if (name === '..') {
      passed.pop();
      continue;
    }
    const here = [root, ...passed, name].join('/');
    const stat = await files.lstat(here);
    if (stat?.kind !== 'symlink') {
      if (!stat || left.length === 0) return stat;
      passed.push(name);
      continue;
    }
    if (++links > MOST_LINKS) throw new FileError('look at', path, 'ELOOP');
    const target = (await files.readlink(here)) ?? '';
    if (target.startsWith('/')) passed.length = 0;
    left.unshift(...namesIn(target));
  }
  return await files.lstat([root, ...passed].join('/'));
}

const namesIn = (path: string): string[] => path.split('/').filter((name) => name !== '' && name !== '.');
