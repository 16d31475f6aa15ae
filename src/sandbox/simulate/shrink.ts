/** Makes a failing list shorter for as long as it still fails: first by halves, then one by one. */

/** Gives back a list that fails and from which nothing can be left out. `most` bounds how often is tried. */
export async function shrunk<T>(
  items: readonly T[],
  fails: (items: readonly T[]) => Promise<boolean>,
  most = 200,
): Promise<readonly T[]> {
  let left = items;
  let tries = 0;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < left.length && tries < most; ) {
      const without = left.toSpliced(start, size);
      tries += 1;
      if (await fails(without)) left = without;
      else start += size;
    }
  }
  return left;
}
