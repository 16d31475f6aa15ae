/** What can go wrong between a client and a server, and the rules that say at which calls it does. */
import type { KubeCall } from './kube-call.ts';
import type { EventRewrite } from './watch-rewrite.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
}

/** How much of a reply's body passes before the fault strikes; nothing by default. */
export type Passing = { readonly afterBytes?: number } | { readonly afterEvents: number };

export type Fault =
  /** The request does not reach the server and is never answered. */
  | { readonly fault: 'drop' }
  /** The connection is reset before the request reaches the server. */
  | { readonly fault: 'reset' }
  /** The server carries the request out; the connection is reset instead of the reply. */
  | { readonly fault: 'lost-reply' }
  /** The request reaches the server after this time, or once the promise is settled. */
  | { readonly fault: 'delay'; readonly until: number | Promise<unknown> }
  /** The server answers at once; the client hears of it after this time, or once the promise is settled. */
  | { readonly fault: 'delay-reply'; readonly until: number | Promise<unknown> }
  /** The connection ends in the middle of the reply's body. */
  | ({ readonly fault: 'cut' } & Passing)
  /** The reply begins and goes silent; the connection stays open and alive. */
  | ({ readonly fault: 'half-open' } & Passing)
  /** The whole connection goes silent, as if the peer's machine were gone. The request does not reach the server. */
  | { readonly fault: 'freeze' }
  /** The events of a watch come changed: twice, in another order, fewer, later. */
  | { readonly fault: 'rewrite'; readonly events: EventRewrite }
  /** A read is answered as the same path was before: by the oldest reply since the rule was made. */
  | { readonly fault: 'stale' }
  /** The reply's body comes in pieces, with a pause after each. */
  | { readonly fault: 'slow'; readonly pieceBytes: number; readonly everyMs: number }
  /** The server gets so many bytes of the request's body; then both connections break. */
  | { readonly fault: 'torn-upload'; readonly afterBytes: number }
  /** The reply comes whole, and is not what the server has said. */
  | { readonly fault: 'rewrite-reply'; readonly rewrite: (reply: Reply) => Reply }
  /** This reply instead of the server's; `carriedOut` as below. */
  | { readonly fault: 'reply'; readonly reply: Reply; readonly carriedOut?: boolean }
  /** This status instead of the server's; `carriedOut` when the server has done what was asked nevertheless. */
  | {
      readonly fault: 'status';
      readonly status: number;
      readonly retryAfter?: number;
      readonly carriedOut?: boolean;
    };

/** Which calls; what is left out matches any. An empty `subresource` is the object itself. */
export interface Match extends Partial<Omit<KubeCall, 'url'>> {
  readonly where?: (call: KubeCall) => boolean;
}

export interface Occurrence {
  /** The first call of the kind that is struck, from 1. (From 2 for `stale`, which needs a reply to repeat.) */
  readonly nth?: number;
  /** How many calls in a row are struck; 1 by default. */
  readonly times?: number;
}

export function matches(match: Match, call: KubeCall): boolean {
  const { where, ...fields } = match;
  const entries = Object.entries(fields);
  const same = entries.every(([field, value]) => value === undefined || call[field as keyof KubeCall] === value);
  return same && (where?.(call) ?? true);
}

/** One fault at the n-th call of a kind. */
export class Rule {
  readonly fault: Fault;
  readonly #match: Match;
  readonly #first: number;
  readonly #last: number;
  #calls = 0;
  #hits = 0;
  #waiting: { readonly hits: number; readonly resolve: () => void }[] = [];

  constructor(match: Match & Occurrence, fault: Fault) {
    const { nth = fault.fault === 'stale' ? 2 : 1, times = 1, ...kind } = match;
    this.fault = fault;
    this.#match = kind;
    this.#first = nth;
    this.#last = nth + times - 1;
  }

  /** How many calls it has struck. */
  get hits(): number {
    return this.#hits;
  }

  /** Resolves once it has struck that many calls. */
  struck(hits = 1): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ hits, resolve });
    this.#wake();
    return promise;
  }

  concerns(call: KubeCall): boolean {
    return matches(this.#match, call);
  }

  /** Counts a call that it concerns; true when it is the turn of the fault. */
  due(): boolean {
    this.#calls++;
    return this.#calls >= this.#first && this.#calls <= this.#last;
  }

  hit(): void {
    this.#hits++;
    this.#wake();
  }

  #wake(): void {
    for (const { hits, resolve } of this.#waiting) if (this.#hits >= hits) resolve();
    this.#waiting = this.#waiting.filter(({ hits }) => this.#hits < hits);
  }
}
