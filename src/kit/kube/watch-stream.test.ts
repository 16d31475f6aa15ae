import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from './resource.ts';
import { type WatchEvent, watchEvents } from './watch-stream.ts';

describe('the events of a watch', () => {
  test('are the same however the bytes were cut on the way', async () => {
    const event = fc.record({
      type: fc.constantFrom('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'),
      object: fc.record({ metadata: fc.record({ name: fc.string({ unit: 'grapheme' }) }) }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(event), fc.array(fc.nat(400)), async (events, cuts) => {
        const bytes = Buffer.from(events.map((each) => `${JSON.stringify(each)}\n`).join(''));
        expect(await eventsOf(cutAt(bytes, cuts))).toEqual(events);
      }),
    );
  });

  test('are whole wherever the bytes are cut in two, also within a character', async () => {
    const bytes = Buffer.from(lines(added('größe'), added('🐳'), added('c')));
    for (let at = 0; at <= bytes.length; at++) {
      expect(namesOf(await eventsOf(cutAt(bytes, [at])))).toEqual(['größe', '🐳', 'c']);
    }
  });

  test('of one chunk come together, and a chunk without the end of a line brings none', async () => {
    const text = lines(added('a'), added('b'), added('c'));
    const batches: number[] = [];
    for await (const batch of watchEvents('watch', stream(text.slice(0, -10), text.slice(-10, -5), text.slice(-5)))) {
      batches.push(batch.length);
    }
    expect(batches).toEqual([2, 1]);
  });

  test('leave out empty lines and a last line that was cut off', async () => {
    const text = `\n${lines(added('a'))}\r\n\n${lines(added('b'))}{"type":"ADDED","object":{"meta`;
    expect(namesOf(await eventsOf(stream(text)))).toEqual(['a', 'b']);
  });

  test('come before the error that ends them, in whatever chunks', async () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version: 5 (9)' };
    const bytes = Buffer.from(lines(added('a'), { type: 'ERROR', object: status }, added('never')));
    for (let at = 0; at <= bytes.length; at++) {
      const { events, failure } = await outcomeOf(cutAt(bytes, [at]));
      expect(namesOf(events)).toEqual(['a']);
      expect(failure).toMatchObject({ name: 'ApiError', status: 410, reason: 'Expired' });
    }
  });

  test('end with a clear error at a line that is no event', async () => {
    const { events, failure } = await outcomeOf(stream(lines(added('a')), '<html>502</html>\n'));
    expect(namesOf(events)).toEqual(['a']);
    expect(failure).toMatchObject({ message: 'watch: the server sent a line that is not an event' });
  });

  test('keep integers that are too large for a number', async () => {
    const line = '{"type":"ADDED","object":{"metadata":{"name":"a"},"spec":{"size":9223372036854775807}}}';
    const [event] = await eventsOf(stream(`${line}\n`));
    expect(JSON.stringify(event)).toBe(line);
  });

  test('cost time in proportion to their bytes: a line in many chunks is not copied again for each', async () => {
    const copied = await bytesCopiedFor(2_000);
    const copiedTwice = await bytesCopiedFor(4_000);
    expect(copiedTwice / copied).toBeLessThan(2.1);
  });

  test('end when the stream fails, with what had come', async () => {
    async function* broken() {
      yield Buffer.from(lines(added('a')));
      throw new Error('connection reset');
    }
    const { events, failure } = await outcomeOf(broken());
    expect(namesOf(events)).toEqual(['a']);
    expect(failure).toMatchObject({ message: 'connection reset' });
  });
});

/** How many bytes are put together for one event that arrives in so many chunks. */
async function bytesCopiedFor(chunks: number): Promise<number> {
  const piece = Buffer.alloc(100, 'x');
  async function* body() {
    yield Buffer.from('{"type":"ADDED","object":{"metadata":{"name":"');
    for (let i = 0; i < chunks; i++) yield piece;
    yield Buffer.from('"}}}\n');
  }
  const { concat } = Buffer;
  let copied = 0;
  Buffer.concat = (list, length) => {
    const whole = concat(list, length);
    copied += whole.length;
    return whole;
  };
  try {
    expect(await eventsOf(body())).toHaveLength(1);
  } finally {
    Buffer.concat = concat;
  }
  return copied;
}

const added = (name: string): WatchEvent => ({ type: 'ADDED', object: { metadata: { name } } });
const lines = (...events: readonly object[]): string => events.map((each) => `${JSON.stringify(each)}\n`).join('');
const namesOf = (events: readonly WatchEvent[]) => events.map(({ object }) => object.metadata.name);

async function* stream(...chunks: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function* cutAt(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const at = [0, ...cuts.filter((cut) => cut <= bytes.length), bytes.length].sort((a, b) => a - b);
  for (const [index, start] of at.entries()) yield bytes.subarray(start, at[index + 1] ?? start);
}

async function eventsOf(body: AsyncIterable<Uint8Array>): Promise<WatchEvent[]> {
  const { events, failure } = await outcomeOf(body);
  if (failure !== undefined) throw failure;
  return events;
}

async function outcomeOf(body: AsyncIterable<Uint8Array>): Promise<{ events: WatchEvent[]; failure?: unknown }> {
  const events: WatchEvent<KubeObject>[] = [];
  try {
    for await (const batch of watchEvents('watch', body)) events.push(...batch);
  } catch (failure) {
    return { events, failure };
  }
  return { events };
}
