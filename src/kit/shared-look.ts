/**
 * Lets many who look at the same thing share one look. Each gets an answer that was looked up after it asked: who asks while a look is
 * under way shares the next one.
 */
export function sharedLook<T>(look: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= after(underWay);
    return next;
  };

  async function after(earlier: Promise<unknown>): Promise<T> {
    await earlier.catch(() => {});
    next = undefined;
    const now = look();
    underWay = now;
    return await now;
  }
}
