/** A watch stream that does not do what it should. */
import { type Clock, sleep } from '../../kit/clock/clock.ts';
import type { WatchFault } from './fault.ts';

const LAG_MS = 2_000;
const STALE_MS = 45_000;

export function disturbed(
  body: AsyncIterable<Uint8Array>,
  fault: WatchFault,
  clock: Clock,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  switch (fault) {
    case 'stall':
      return stalled(body, signal);
    case 'repeat':
      return repeated(body);
    case 'lag':
      return late(body, clock, LAG_MS, signal);
    case 'stale':
      return late(body, clock, STALE_MS, signal);
    case 'cut':
      return cut(body);
    case 'hide':
      return hidden(body);
  }
}

/** After the first that came. */
async function* stalled(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    yield chunk;
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  }
}

async function* repeated(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    yield chunk;
    yield chunk;
  }
}

async function* late(
  body: AsyncIterable<Uint8Array>,
  clock: Clock,
  ms: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    await sleep(clock, ms, signal);
    yield chunk;
  }
}

/** After the second that came, in the middle of it. */
async function* cut(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const chunk of body) {
    if (++count === 2) {
      yield chunk.subarray(0, chunk.length >> 1);
      return;
    }
    yield chunk;
  }
}

/** The second does not come. */
async function* hidden(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const chunk of body) if (++count !== 2) yield chunk;
}
