/** Whether anybody still reads what the program writes. Most commands may end at once when nobody does; some have things to put away first. */

const waiting = new Set<AbortController>();

export interface Reader extends Disposable {
  /** Aborted when nobody reads any more. */
  readonly gone: AbortSignal;
}

/** For a command that ends in order by itself. */
export function reader(): Reader {
  const controller = new AbortController();
  waiting.add(controller);
  return { gone: controller.signal, [Symbol.dispose]: () => waiting.delete(controller) };
}

/** Tells those who want to know. False if there is nobody to be told. */
export function nobodyReads(): boolean {
  for (const controller of waiting) controller.abort(new Error('nobody reads what it tells any more'));
  return waiting.size > 0;
}
