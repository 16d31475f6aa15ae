/** Makes a failing list shorter for as long as it still fails: first by halves, then one by one. */

/** Gives back a list that fails and from which nothing can be left out. `most` bounds how often is tried. */
export async function shrunk<T>(
  items: readonly T[],
  fails: (items: readonly T[]) => Promise<boolean>,
  most = 200,
): Promise<readonly T[]> {
  let left = items;
  let tries = 0;
  for (let size = Math.ceil(left.length / 2); size >= 1; ) {
    const before = left.length;
    for (let start = 0; start < left.length && tries < most; ) {
      const without = left.toSpliced(start, size);
      tries += 1;
      if (await fails(without)) left = without;
      else start += size;
    }
    /** What could not be left out before may be dispensable without what has gone since. */
    const isDone = size === 1 && (left.length === before || tries >= most);
    size = isDone ? 0 : Math.ceil(size / 2);
  }
  return left;
}
