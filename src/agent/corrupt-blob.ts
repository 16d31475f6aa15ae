/** A file that is not what was stored, or that its disk does not give back. */
import { errorCode, meaning } from '../kit/host/file-error.ts';
import { StoreError } from './store.ts';

export class CorruptBlob extends StoreError {
  override readonly name: string = 'CorruptBlob';
  /** Of the file that was looked at: another one may have come in its place. Unknown where not even that can be read. */
  readonly inode: bigint | undefined;
  /** Of the blob; that of the file, where it does not say any more. */
  readonly size: number;

  constructor(why: string, inode: bigint | undefined, size: number, options?: ErrorOptions) {
    super('Corrupt', why, options);
    this.inode = inode;
    this.size = size;
  }
}

/** Nothing at its end says that it was ever whole. */
export class CutShort extends CorruptBlob {
  override readonly name = 'CutShort';
}

/** What the system says when a disk does not give back what is on it. All else, such as too many open files, is not about the blob. */
const OF_THE_DISK: ReadonlySet<string> = new Set(['EIO', 'EUCLEAN', 'EBADMSG', 'ENODATA', 'EREMOTEIO', 'EILSEQ']);

export const isOfTheDisk = (error: unknown): boolean => OF_THE_DISK.has(errorCode(error));

/** One bad sector is the end of one blob, and of nothing else. */
export async function readable<T>(
  blob: { readonly inode?: bigint; readonly size?: number },
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (!isOfTheDisk(cause)) throw cause;
    const code = errorCode(cause);
    const why = `its file cannot be read: ${meaning(code)} (${code})`;
    throw new CorruptBlob(why, blob.inode, blob.size ?? 0, { cause });
  }
}
