/** Keeps on listening to a cluster: begins where it is told to, goes on from the last event after every break, and waits longer each time that it fails. */
import type { Message } from '../../src/console/model.ts';
import { type Backoff, backoffMs } from '../../src/kit/backoff.ts';
import { eventReader } from './events.ts';

/** How the stream stands. */
export type Link =
  | { readonly is: 'connecting' }
  | { readonly is: 'live' }
  /** Broken; `retryAt` is when it is tried again, and nothing more is tried where that makes no sense. */
  | { readonly is: 'lost'; readonly why: unknown; readonly since: number; readonly retryAt?: number };

export interface Following {
  /** The id of what was heard last, if anything was. */
  readonly from: string;
  readonly open: (lastId: string, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  /** With the id of the last of them. */
  readonly onMessages: (messages: readonly Message[], lastId: string) => void;
  readonly onLink: (link: Link) => void;
  /** Where trying again would not help. */
  readonly isFinal: (problem: unknown) => boolean;
  readonly now: () => number;
  readonly random: () => number;
  /** Ends early when the signal does. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

const BACKOFF: Backoff = { baseMs: 500, maxMs: 20_000 };
/** A server says something at least every 15 seconds, be it that there is nothing to say. */
const SILENCE_MS = 45_000;

export async function follow(options: Following): Promise<void> {
  const { onLink, isFinal, now, random, wait, signal } = options;
  let lastId = options.from;
  let failures = 0;
  let since = 0;
  while (!signal.aborted) {
    if (failures === 0) onLink({ is: 'connecting' });
    const heard = (id: string) => {
      lastId = id;
      failures = 0;
    };
    const why = await listen(options, lastId, heard);
    if (signal.aborted) return;
    failures += 1;
    if (failures === 1) since = now();
    if (isFinal(why)) {
      onLink({ is: 'lost', why, since });
      return;
    }
    const pause = 200 + backoffMs(BACKOFF, failures, random);
    onLink({ is: 'lost', why, since, retryAt: now() + pause });
    await wait(pause, signal);
  }
}

/** One stream, until it ends or breaks: why it did. */
async function listen(options: Following, lastId: string, heard: (id: string) => void): Promise<unknown> {
  const { open, onLink, onMessages, wait, signal } = options;
  const own = new AbortController();
  const stop = () => own.abort();
  signal.addEventListener('abort', stop);
  const read = eventReader();
  const decoder = new TextDecoder();
  try {
    const reader = (await withinSilence(open(lastId, own.signal), wait, own)).getReader();
    let isLive = false;
    for (;;) {
      const piece = await withinSilence(reader.read(), wait, own);
      if (piece.done) return new Error('the console ended the stream');
      const events = read(decoder.decode(piece.value, { stream: true }));
      if (events.length > 0) {
        const id = events.at(-1)?.id || lastId;
        onMessages(
          events.map(({ data }) => JSON.parse(data) as Message),
          id,
        );
        heard(id);
        // Not before: a stream says at once how things stand, and until then what is shown is from before.
        if (!isLive) onLink({ is: 'live' });
        isLive = true;
      }
    }
  } catch (problem) {
    return problem;
  } finally {
    signal.removeEventListener('abort', stop);
    own.abort();
  }
}

/** Gives up what takes longer, be it to open a stream or to hear of it. */
async function withinSilence<T>(heard: Promise<T>, wait: Following['wait'], own: AbortController): Promise<T> {
  const patience = new AbortController();
  const silence = wait(SILENCE_MS, patience.signal).then(() => {
    if (patience.signal.aborted) return heard;
    const why = new Error('the console fell silent');
    own.abort(why);
    throw why;
  });
  try {
    return await Promise.race([heard, silence]);
  } finally {
    patience.abort();
  }
}
