/** Does the same to each of many, a few at a time: those that wait for the system wait together, and none of it is flooded. */

/** What each came to, in the order of the items. When one fails no further one is begun, and it rejects as soon as those under way have ended, too. */
export async function fewAtATime<T, R>(
  limit: number,
  items: readonly T[],
  action: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = new Array(items.length);
  const rest = items.entries();
  const errors: unknown[] = [];
  const worker = async () => {
    for (const [index, item] of rest) {
      if (errors.length > 0) return;
      results[index] = await action(item);
    }
  };
  const fail = (error: unknown) => void errors.push(error);
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, () => worker().catch(fail)));
  if (errors.length > 0) throw errors[0];
  return results;
}
