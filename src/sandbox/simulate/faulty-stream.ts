/** A watch stream that does not do what it should. */
import { type Clock, sleep } from '../../kit/clock/clock.ts';
import type { WatchFault } from './fault.ts';

const LAG_MS = 2_000;
const STALE_MS = 45_000;
const HIDDEN_MS = 60_000;
const FORGOTTEN = Buffer.from(
  `${JSON.stringify({
    type: 'ERROR',
    object: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'too old resource version',
      reason: 'Expired',
      code: 410,
    },
  })}\n`,
);

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
      return hidden(body, clock, signal);
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

/**
 * From the second on nothing is told for a while, and after that it is too late: whatever was made, changed back or deleted meanwhile
 * was never seen. So it is for who was cut off for longer than a server remembers.
 */
async function* hidden(body: AsyncIterable<Uint8Array>, clock: Clock, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const chunk of body) {
    if (++count === 2) {
      await sleep(clock, HIDDEN_MS, signal);
      yield FORGOTTEN;
      return;
    }
    yield chunk;
  }
}
