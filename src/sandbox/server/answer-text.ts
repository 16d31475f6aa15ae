/** Answers as the text that goes over the wire. */
import type { WatchEvent } from './watches.ts';

/** A watch as its lines, together those that come together. */
export async function* linesOf(batches: AsyncIterable<readonly WatchEvent[]>): AsyncGenerator<string> {
  for await (const batch of batches) yield batch.map(lineOf).join('');
}

/** Every watcher of an object gets the same line: it is made once. */
const lines = new WeakMap<object, { readonly type: string; readonly line: string }>();

function lineOf({ type, object }: WatchEvent): string {
  const known = lines.get(object);
  if (known?.type === type) return known.line;
  const line = `${JSON.stringify({ type, object })}\n`;
  lines.set(object, { type, line });
  return line;
}
