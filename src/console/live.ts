/** A stream of events to one reader: bounded in what waits for it, and never silent for long. */
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { Cancel, Clock } from '../kit/clock/clock.ts';
import type { Feed, Sent } from './feed.ts';

export interface LiveOptions {
  readonly clock: Clock;
  readonly isGzipped: boolean;
  readonly lastId: string | undefined;
  /** How the cluster is heard now, and what time it is there: said with every beginning, as a state says neither. */
  readonly standing: () => readonly Sent[];
  /** That the console is still there, and what time it is in the cluster. */
  readonly beat: () => Sent;
}

const HEARTBEAT_MS = 15_000;
/** What may wait for a reader before it is sent no more changes, but all of it when it has read that. */
const MOST_WAITING = 1_000_000;
/** Who has not read in this time what was waiting then is let go, however busily they read. */
const PATIENCE_MS = 60_000;

/** Gives back how to end it. It ends by itself when the reader goes, or has gone already, and is over when `onEnd` is called: never before this returns. */
export function stream(feed: Feed, response: ServerResponse, options: LiveOptions, onEnd: () => void): () => void {
  const live = new Live(feed, response, options, onEnd);
  // Its `close` was told before anybody listened, and what is written to it is no error.
  if (response.destroyed) queueMicrotask(() => live.end());
  return () => live.end();
}

class Live {
  readonly #feed: Feed;
  readonly #response: ServerResponse;
  readonly #out: Writable;
  readonly #options: LiveOptions;
  readonly #onEnd: () => void;
  readonly #unsubscribe: () => void;
  #heartbeat: Cancel;
  #patience: Cancel | undefined;
  /** How much may wait for it now. */
  #most = MOST_WAITING;
  /** It was not sent something, because too much was waiting. */
  #isBehind = false;
  #hasEnded = false;

  constructor(feed: Feed, response: ServerResponse, options: LiveOptions, onEnd: () => void) {
    const { isGzipped, lastId } = options;
    this.#feed = feed;
    this.#response = response;
    this.#options = options;
    this.#onEnd = onEnd;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
      ...(isGzipped && { 'content-encoding': 'gzip', vary: 'accept-encoding' }),
    });
    response.flushHeaders();
    this.#out = isGzipped ? gzippedInto(response) : response;
    response.on('close', () => this.end());
    response.on('error', () => this.end());
    this.#heartbeat = this.#beat();
    this.#unsubscribe = feed.subscribe({ next: (sent) => this.#next(sent) });
    this.#begin(feed.missedSince(lastId));
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#heartbeat();
    this.#patience?.();
    this.#unsubscribe();
    this.#out.destroy();
    this.#response.destroy();
    this.#onEnd();
  }

  #next(sent: Sent): void {
    if (this.#isBehind) return;
    if (this.#waiting <= this.#most) {
      this.#send(sent);
      return;
    }
    this.#isBehind = true;
    this.#waitForReading();
  }

  get #waiting(): number {
    return this.#response.writableLength + (this.#out === this.#response ? 0 : this.#out.writableLength);
  }

  /** Who missed something gets all of it once they have read what is waiting, and what lies between is not kept for them. */
  #waitForReading(): void {
    if (this.#patience) return;
    this.#patience = this.#options.clock.after(PATIENCE_MS, () => this.end());
    this.#out.once('drain', () => {
      this.#patience?.();
      this.#patience = undefined;
      this.#most = MOST_WAITING;
      if (!this.#isBehind || this.#hasEnded) return;
      this.#isBehind = false;
      this.#begin([this.#feed.state]);
    });
  }

  /** The beginning may be large, and changes may wait behind it; but who takes forever to read it is let go. */
  #begin(missed: readonly Sent[]): void {
    for (const sent of [...missed, ...this.#options.standing()]) this.#send(sent);
    if (this.#waiting <= MOST_WAITING) return;
    this.#most = this.#waiting + MOST_WAITING;
    this.#waitForReading();
  }

  #send({ bytes }: Sent): void {
    this.#out.write(bytes);
  }

  /** So that both sides notice when the other has gone, and nobody in between takes the connection for idle. */
  #beat(): Cancel {
    const { clock, beat } = this.#options;
    return clock.after(HEARTBEAT_MS, () => {
      if (!this.#isBehind) this.#send(beat());
      this.#heartbeat = this.#beat();
    });
  }
}

/** Each event leaves when it is written. */
function gzippedInto(response: ServerResponse): Writable {
  const gzip = createGzip({ level: 4, flush: constants.Z_SYNC_FLUSH });
  gzip.pipe(response);
  gzip.on('error', () => response.destroy());
  return gzip;
}
