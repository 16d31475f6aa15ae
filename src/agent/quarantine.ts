/**
 * Blobs whose bytes are no longer what was stored, or cannot be read. They are kept for a person to look at, and are data still: nobody
 * else removes them.
 */
import { lstat, readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fewAtATime } from '../kit/few-at-a-time.ts';
import { isNothingThere } from '../kit/host/file-error.ts';
import { BlobFile } from './blob-file.ts';
import { isOfTheDisk } from './corrupt-blob.ts';
import type { Directories } from './directories.ts';
import { hashOf, isHash } from './keys.ts';
import type { Layout } from './layout.ts';
import type { DamagedBlob, DamagedPage, PageOfBlobs } from './store.ts';
import type { KeptBlob } from './trailer.ts';

const AT_ONCE = 8;

/** `held`: its file cannot be moved, as on a disk that fails, and stays where it is. `gone`: it is no longer there. */
export type Taken = 'put aside' | 'held' | 'gone';

export class Quarantine {
  readonly #layout: Layout;
  readonly #directories: Directories;
  /** The files of each hash: the same blob may go bad twice. */
  readonly #files: Map<string, string[]>;
  /** The hashes of those that stay where they are. A start finds them anew. */
  readonly #held = new Set<string>();

  private constructor(layout: Layout, directories: Directories, names: readonly string[]) {
    this.#layout = layout;
    this.#directories = directories;
    this.#files = Map.groupBy(names, (name) => name.slice(0, 64));
  }

  static async open(layout: Layout, directories: Directories): Promise<Quarantine> {
    return new Quarantine(
      layout,
      directories,
      (await readdir(layout.quarantine)).filter((name) => isHash(name.slice(0, 64))),
    );
  }

  get count(): number {
    return this.#files.values().reduce((sum, names) => sum + names.length, this.#held.size);
  }

  has(hash: string): boolean {
    return this.#files.has(hash) || this.#held.has(hash);
  }

  isHeld(hash: string): boolean {
    return this.#held.has(hash);
  }

  async isEmpty(): Promise<boolean> {
    return (await readdir(this.#layout.quarantine)).length === 0;
  }

  /** The file that is known to be bad, and no other that has come in its place. Without its inode nobody could tell. */
  async take(hash: string, inode: bigint | undefined): Promise<Taken> {
    const name = inode === undefined ? undefined : await this.#rename(hash, inode).catch(ifOfTheDisk);
    if (name === '') return 'gone';
    if (name === undefined) {
      this.#held.add(hash);
      return 'held';
    }
    this.#held.delete(hash);
    this.#files.set(hash, [...(this.#files.get(hash) ?? []), name]);
    const changed = [this.#layout.quarantine, this.#layout.shelf(hash)];
    for (const directory of changed) this.#directories.changed(directory);
    await Promise.all(changed.map((directory) => this.#directories.sync(directory)));
    return 'put aside';
  }

  /** Its new name; an empty one if it is no longer there. */
  async #rename(hash: string, inode: bigint): Promise<string> {
    const path = this.#layout.blob(hash);
    if ((await lstat(path, { bigint: true }).catch(ifThere))?.ino !== inode) return '';
    const name = this.#files.has(hash) ? `${hash}.${inode}` : hash;
    await rename(path, join(this.#layout.quarantine, name));
    return name;
  }

  /** What is held is removed where it is, before this. */
  async remove(hash: string): Promise<boolean> {
    const wasHeld = this.#held.delete(hash);
    const names = this.#files.get(hash);
    if (!names) return wasHeld;
    for (const name of names) await unlink(join(this.#layout.quarantine, name)).catch(ifThere);
    this.#files.delete(hash);
    this.#directories.changed(this.#layout.quarantine);
    await this.#directories.sync(this.#layout.quarantine);
    return true;
  }

  /** In the order of the hashes. */
  async page({ after = '', limit }: PageOfBlobs): Promise<DamagedPage> {
    const left = [...new Set([...this.#files.keys(), ...this.#held])].filter((hash) => hash > after).sort();
    const items = await fewAtATime(AT_ONCE, left.slice(0, limit), (hash) => this.#describe(hash));
    const last = items.at(-1);
    return { items, ...(left.length > limit && last && { continue: last.hash }) };
  }

  async #describe(hash: string): Promise<DamagedBlob> {
    for (const name of this.#files.get(hash) ?? []) {
      const kept = await keptIn(join(this.#layout.quarantine, name));
      if (kept && hashOf(kept.key) === hash) return { hash, key: kept.key, size: kept.size, sha256: kept.sha256 };
    }
    return { hash };
  }

  /** Whether these are the bytes that were once stored, by what is written about all of its files. What cannot be read says no. */
  async holds(hash: string, sha256: string): Promise<boolean> {
    if (this.#held.has(hash)) return false;
    for (const name of this.#files.get(hash) ?? []) {
      if ((await keptIn(join(this.#layout.quarantine, name)))?.sha256 !== sha256) return false;
    }
    return true;
  }
}

async function keptIn(path: string): Promise<KeptBlob | undefined> {
  try {
    await using file = await BlobFile.open(path);
    return file?.kept;
  } catch {
    return undefined;
  }
}

/** On such a disk not even the name may change. */
function ifOfTheDisk(error: unknown): undefined {
  if (!isOfTheDisk(error)) throw error;
  return undefined;
}

function ifThere(error: unknown): undefined {
  if (!isNothingThere(error)) throw error;
  return undefined;
}
