/** Answers as the text that goes over the wire. */
import { textOf } from '../object-text.ts';
import type { WatchEvent } from './watches.ts';

/** A watch as its lines, together those that come together. */
export async function* linesOf(batches: AsyncIterable<readonly WatchEvent[]>): AsyncGenerator<string> {
  for await (const batch of batches) yield batch.map(lineOf).join('');
}

const lineOf = ({ type, object }: WatchEvent): string =>
  `{"type":${JSON.stringify(type)},"object":${textOf(object)}}\n`;
