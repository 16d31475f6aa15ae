/** A file that is not what was stored. */
import { StoreError } from './store.ts';

export class CorruptBlob extends StoreError {
  override readonly name = 'CorruptBlob';
  /** Of the file that was looked at: another one may have come in its place. */
  readonly inode: bigint;
  /** Of the blob; that of the file, where it does not say any more. */
  readonly size: number;

  constructor(why: string, inode: bigint, size: number) {
    super('Corrupt', why);
    this.inode = inode;
    this.size = size;
  }
}
