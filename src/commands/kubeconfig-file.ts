/**
 * The file that a sandbox tells how to reach it in. It holds a token that may do everything, so that nobody else may read it; and a
 * file that says how to reach other clusters is somebody's, and is left as it is.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isSandboxKubeconfig } from '../sandbox/kubeconfig.ts';

const FLAG = '--kubeconfig-out';
const OURS_ALONE = 0o600;

export async function writeKubeconfig(path: string, content: string): Promise<void> {
  await using file = await opened(path);
  const before = await file.readFile('utf8');
  if (before.trim() !== '' && !isSandboxKubeconfig(before))
    throw new Error(
      `${path} (${FLAG}) is there already, and no sandbox has written it: choose another file, and name both in KUBECONFIG to use both`,
    );
  await file.chmod(OURS_ALONE);
  await file.truncate();
  await file.write(content, 0);
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDWR | constants.O_CREAT, OURS_ALONE);
  } catch (cause) {
    throw new Error(`cannot write the kubeconfig to ${path} (${FLAG}): ${why(cause as NodeJS.ErrnoException)}`, {
      cause,
    });
  }
}

function why({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'there is no such directory; make it, or choose another';
    case 'EISDIR':
      return 'that is a directory; name a file in it';
    case 'EACCES':
    case 'EROFS':
      return 'this user may not write there; choose another file';
    default:
      return message;
  }
}
