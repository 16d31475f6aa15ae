/** Turns the bytes of a watch response into events. */
import { apiErrorFromStatus, type Status } from './api-error.ts';
import { parseJson } from './json.ts';
import type { KubeObject } from './resource.ts';

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** No change, but proof that everything up to the object's resourceVersion has been delivered. */
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject };

const NEWLINE = 0x0a;

/**
 * Yields the events of each chunk together, so that a burst costs one turn of the loop per chunk and not one per event.
 * Throws an `ApiError` for an ERROR event, after everything that came before it. A last line that was cut off is dropped: the server
 * sends it again from the resourceVersion that the reader resumes at.
 */
export async function* watchEvents<T extends KubeObject>(
  request: string,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly WatchEvent<T>[]> {
  const lines = new LineSplitter();
  for await (const chunk of body) {
    const { events, failure } = parseEvents<T>(request, lines.push(chunk));
    if (events.length > 0) yield events;
    if (failure) throw failure;
  }
}

interface Batch<T extends KubeObject> {
  readonly events: readonly WatchEvent<T>[];
  /** Why nothing that followed was read. */
  readonly failure?: Error;
}

function parseEvents<T extends KubeObject>(request: string, lines: readonly string[]): Batch<T> {
  const events: WatchEvent<T>[] = [];
  for (const line of lines) {
    if (line.trim() === '') continue;
    const event = parseEvent<T>(request, line);
    if (event instanceof Error) return { events, failure: event };
    events.push(event);
  }
  return { events };
}

/** Cuts chunks into lines without copying more than the pieces of a line that spans chunks. */
class LineSplitter {
  #rest: Uint8Array[] = [];

  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(this.#complete(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
    return lines;
  }

  #complete(tail: Uint8Array): string {
    if (this.#rest.length === 0) return text(tail);
    const line = Buffer.concat([...this.#rest, tail]);
    this.#rest = [];
    return line.toString('utf8');
  }
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');

function parseEvent<T extends KubeObject>(request: string, line: string): WatchEvent<T> | Error {
  try {
    const event = parseJson(line) as WatchEvent<T> | { readonly type: 'ERROR'; readonly object: Status };
    return event.type === 'ERROR' ? apiErrorFromStatus(request, event.object) : event;
  } catch (cause) {
    return new Error(`${request}: the server sent a line that is not an event`, { cause });
  }
}
