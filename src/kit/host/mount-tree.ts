/**
 * Where a path leads through a mount table. A filesystem that is mounted over a directory hides all that was mounted below it before: the
 * table still has that, and only whose child each mount is tells what can be reached.
 */
import { dirname } from 'node:path';
import type { Mount } from './mounts.ts';

/** What the root itself is mounted on, which no table has. */
const OUTSIDE = 0;

export class MountTree {
  /** By the mount that they are on, and where. */
  readonly #on: ReadonlyMap<string, Mount>;

  constructor(mounts: readonly Mount[]) {
    const ids = new Set(mounts.map(({ id }) => id));
    const parentOf = ({ id, parentId }: Mount) => (parentId !== id && ids.has(parentId) ? parentId : OUTSIDE);
    this.#on = new Map(mounts.map((mount) => [keyOf(parentOf(mount), mount.mountPoint), mount]));
  }

  /** The mount that the path is on, the uppermost if there are several; nothing where that is none of the table. */
  at(path: string): Mount | undefined {
    let mount = this.#on.get(keyOf(OUTSIDE, '/')); // who has it as his root never sees what is mounted over that
    for (const place of placesTo(path))
      for (let next = this.#next(mount, place); next; next = this.#next(mount, place)) mount = next;
    return mount;
  }

  #next(mount: Mount | undefined, place: string): Mount | undefined {
    return this.#on.get(keyOf(mount?.id ?? OUTSIDE, place));
  }
}

const keyOf = (parent: number, path: string): string => `${parent} ${path}`;

/** Of `/a/b`, `/a` and `/a/b`. */
const placesTo = (path: string): readonly string[] =>
  path === dirname(path) ? [] : [...placesTo(dirname(path)), path];
