/** Puts directories on the disk. Who asks while that is under way shares the next time with all who do. */
import { sharedLook } from '../kit/shared-look.ts';
import { syncDirectory } from './layout.ts';

export class GatheredFsync {
  readonly #directories = new Map<string, () => Promise<void>>();

  /** Resolves when all that was changed in the directory before this call is on the disk. */
  sync(path: string): Promise<void> {
    let look = this.#directories.get(path);
    if (!look) {
      look = sharedLook(() => syncDirectory(path));
      this.#directories.set(path, look);
    }
    return look();
  }
}
