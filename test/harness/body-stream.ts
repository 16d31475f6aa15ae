/** A reply's body on its way to the client: passed on chunk by chunk, in part, or event by event. */
import { Buffer } from 'node:buffer';
import type { Passing } from './faults.ts';
import type { EventRewrite } from './watch-rewrite.ts';

export type Body = AsyncIterable<Buffer>;

export function firstPart(body: Body, passing: Passing): Body {
  if ('afterEvents' in passing) return firstEvents(body, passing.afterEvents);
  return firstBytes(body, passing.afterBytes ?? 0);
}

export async function* rewritten(body: Body, rewrite: EventRewrite): Body {
  for await (const line of rewrite(lines(body))) yield Buffer.from(`${line}\n`);
}

/** With a pause after each. */
export async function* inPieces(body: Body, bytes: number, pause: () => Promise<unknown>): Body {
  for await (const chunk of body) {
    for (let from = 0; from < chunk.length; from += bytes) {
      yield chunk.subarray(from, from + bytes);
      await pause();
    }
  }
}

async function* firstBytes(body: Body, count: number): Body {
  let left = count;
  if (left === 0) return;
  for await (const chunk of body) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

async function* firstEvents(body: Body, count: number): Body {
  let left = count;
  if (left === 0) return;
  for await (const line of lines(body)) {
    yield Buffer.from(`${line}\n`);
    if (--left === 0) return;
  }
}

async function* lines(body: Body): AsyncIterable<string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of body) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      yield rest.subarray(0, end).toString();
      rest = rest.subarray(end + 1);
    }
  }
}
