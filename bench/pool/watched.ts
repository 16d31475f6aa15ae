/** Looks at something again and again while something else goes on. */

const LOOK_MS = 50;

/** With the highest of what was seen. */
export async function watched<T>(
  work: () => Promise<T>,
  look: () => number,
): Promise<{ readonly result: T; readonly most: number }> {
  let most = look();
  const timer = setInterval(() => {
    most = Math.max(most, look());
  }, LOOK_MS);
  try {
    const result = await work();
    return { result, most };
  } finally {
    clearInterval(timer);
  }
}
