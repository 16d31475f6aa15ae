/** Has the next one fetched while the one before is used. */
export async function* oneAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T, void, void> {
  const iterator = source[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = iterator.next();
      next.catch(() => {}); // told when it is its turn, if it still comes to that
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}
