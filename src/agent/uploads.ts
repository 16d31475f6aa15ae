/** The directory of what comes in. What an earlier life has left there is cleared away at the start. */
import { lstat, open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../kit/backoff.ts';
import type { Log } from '../kit/observe/log.ts';
import { BlobFile } from './blob-file.ts';
import { CorruptBlob, CutShort, isOfTheDisk } from './corrupt-blob.ts';
import type { HashingThread } from './hashing-thread.ts';
import { Headroom, roomIn } from './headroom.ts';
import { isHash } from './keys.ts';
import { type Layout, syncDirectory } from './layout.ts';
import type { Quarantine } from './quarantine.ts';
import { Upload } from './upload.ts';

export class Uploads {
  readonly #layout: Layout;
  readonly #random: Random;
  readonly #log: Log;
  readonly #headroom: Headroom;
  #underWay = 0;

  constructor(layout: Layout, random: Random, log: Log) {
    this.#layout = layout;
    this.#random = random;
    this.#log = log;
    this.#headroom = new Headroom(() => roomIn(layout.root));
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** Counted from this call on, to the end of `work` and until its file is gone, which nobody waits for. */
  async with<T>(hash: string, work: (upload: Upload) => Promise<T>, hashing: HashingThread | undefined): Promise<T> {
    this.#underWay += 1;
    let upload: Upload | undefined;
    try {
      upload = await Upload.begin(join(this.#layout.uploads, this.#nameFor(hash)), this.#headroom, hashing);
      return await work(upload);
    } finally {
      void this.#end(upload);
    }
  }

  async isEmpty(): Promise<boolean> {
    return this.#underWay === 0 && (await readdir(this.#layout.uploads)).length === 0;
  }

  /** Nobody else may use the directory. What cannot be read stays, and with it the agent is not empty. */
  async recover(quarantine: Quarantine): Promise<void> {
    for (const name of await readdir(this.#layout.uploads)) {
      await this.#recover(name, quarantine).catch((err: unknown) => {
        if (!isOfTheDisk(err)) throw err;
        this.#log.error({ err, name }, 'what an upload has left cannot be cleared away: its disk may be failing');
      });
    }
  }

  async #end(upload: Upload | undefined): Promise<void> {
    try {
      await upload?.end();
    } catch (err) {
      this.#log.warn({ err }, 'a file of an upload could not be removed; it is when the agent starts anew');
    } finally {
      this.#underWay -= 1;
    }
  }

  #nameFor(hash: string): string {
    return `${hash}.${Math.floor(this.#random() * 2 ** 48).toString(36)}`;
  }

  /**
   * A blob gets its name before it is on the disk, and keeps the one that it has here until then. So after a power cut one with both names
   * may be half of one that nobody was told is stored: it is removed. One that was once whole may have been promised to somebody.
   */
  async #recover(name: string, quarantine: Quarantine): Promise<void> {
    const path = join(this.#layout.uploads, name);
    const [hash = ''] = name.split('.');
    const { nlink, ino } = await lstat(path, { bigint: true });
    if (nlink > 1n && isHash(hash) && (await inodeOf(this.#layout.blob(hash))) === ino)
      await this.#settle(hash, quarantine);
    await unlink(path);
  }

  async #settle(hash: string, quarantine: Quarantine): Promise<void> {
    const path = this.#layout.blob(hash);
    const damage = await damageOf(path);
    if (!damage) {
      await syncFile(path);
    } else if (damage instanceof CutShort) {
      this.#log.warn(
        { hash },
        'removed a blob that was being stored when the machine went down, of which a part is missing',
      );
      await unlink(path);
    } else {
      await quarantine.take(hash, damage.inode);
      this.#log.error(
        { hash, err: damage },
        'a blob has gone bad around the time the machine went down: it is put aside',
      );
    }
    await syncDirectory(this.#layout.shelf(hash));
  }
}

/** Nothing if it is whole. */
async function damageOf(path: string): Promise<CorruptBlob | undefined> {
  try {
    await using file = await BlobFile.open(path);
    for await (const _ of file?.read() ?? []);
    return undefined;
  } catch (error) {
    if (error instanceof CorruptBlob) return error;
    throw error;
  }
}

async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r');
  await file.sync();
}

async function inodeOf(path: string): Promise<bigint | undefined> {
  return (await lstat(path, { bigint: true }).catch(() => undefined))?.ino;
}
