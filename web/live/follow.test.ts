import { expect, test } from 'vitest';
import type { Message } from '../../src/console/model.ts';
import { follow, type Link } from './follow.ts';

const CHANGE: Message = { is: 'change', change: {} };

/** A server that gives each stream that is asked for, one after another, and then nothing more. */
function aServer(...streams: readonly (string | Error)[]) {
  const end = new AbortController();
  const asked: string[] = [];
  const links: Link[] = [];
  const messages: Message[] = [];
  const waits: number[] = [];
  const done = follow({
    from: '',
    open: async (lastId) => {
      asked.push(lastId);
      const next = streams[asked.length - 1];
      if (next === undefined) end.abort();
      if (typeof next !== 'string') throw next ?? new Error('nothing more');
      return new Response(next).body as ReadableStream<Uint8Array>;
    },
    onMessages: (told) => messages.push(...told),
    onLink: (link) => links.push(link),
    isFinal: (problem) => problem instanceof Error && problem.message === 'who are you?',
    now: () => 0,
    random: () => 1,
    wait: (ms, signal) => {
      if (ms < 45_000) waits.push(ms);
      return ms < 45_000 ? Promise.resolve() : new Promise((ended) => signal.addEventListener('abort', () => ended()));
    },
    signal: end.signal,
  });
  return { done, asked, links, messages, waits };
}

const event = (id: number) => `id: ${id}\ndata: ${JSON.stringify(CHANGE)}\n\n`;

test('after a break it goes on from the last event that it has heard', async () => {
  const { done, asked, messages } = aServer(event(1) + event(2), event(3));
  await done;
  expect(asked).toEqual(['', '2', '3']);
  expect(messages).toEqual([CHANGE, CHANGE, CHANGE]);
});

test('it waits longer with each failure, and begins anew once something was heard', async () => {
  const down = new Error('connection refused');
  const { done, waits } = aServer(down, down, down, event(1), down);
  await done;
  expect(waits).toEqual([700, 1200, 2200, 700, 1200]);
});

test('it says how it stands: connecting, live, lost and until when', async () => {
  const { done, links } = aServer(event(1), new Error('connection refused'));
  await done;
  expect(links.map(({ is }) => is)).toEqual(['connecting', 'live', 'lost', 'lost']);
  expect(links[3]).toMatchObject({ retryAt: 1200, why: new Error('connection refused') });
});

test('it does not try again where that makes no sense', async () => {
  const { done, asked, links } = aServer(new Error('who are you?'), event(1));
  await done;
  expect(asked).toHaveLength(1);
  expect(links.at(-1)).toEqual({ is: 'lost', why: new Error('who are you?'), since: 0 });
});

test('what is no event of ours breaks the stream, and not the page', async () => {
  const { done, asked } = aServer('data: {\n\n', event(1));
  await done;
  expect(asked).toEqual(['', '', '1']);
});

test('it is live once something was heard, and not when the stream was only opened', async () => {
  const { done, links } = aServer('', event(1));
  await done;
  expect(links.map(({ is }) => is)).toEqual(['connecting', 'lost', 'live', 'lost']);
});

test('a console that neither answers nor refuses is given up, and tried again', async () => {
  const end = new AbortController();
  const links: Link[] = [];
  let opened = 0;
  await follow({
    from: '',
    open: () => {
      opened += 1;
      if (opened === 2) end.abort();
      return new Promise(() => {});
    },
    onMessages: () => {},
    onLink: (link) => links.push(link),
    isFinal: () => false,
    now: () => 0,
    random: () => 1,
    wait: () => Promise.resolve(),
    signal: end.signal,
  });
  expect(links).toMatchObject([{ is: 'connecting' }, { is: 'lost', why: new Error('the console fell silent') }]);
});
