/** What goes wrong with a simulated object store, and at which calls. */
import type { StoreFault } from './store.ts';

export type Verb = 'get' | 'head' | 'put' | 'list' | 'remove';

export interface StoreCall {
  readonly who: string;
  readonly verb: Verb;
  /** The prefix of a list, of which each page is a call. */
  readonly key: string;
  readonly at: Date;
}

export type SimulatedFault =
  /** Nothing happens, and it fails: `unavailable` unless told otherwise, such as `denied` or `noBucket`. */
  | { readonly kind: 'fail'; readonly as?: StoreFault }
  /** It happens, and the reply is lost. */
  | { readonly kind: 'lost-reply' }
  /** A get answers with so many bytes of the body only, and nobody notices. */
  | { readonly kind: 'torn'; readonly bytes: number }
  /** A get answers with another body, and nobody notices. */
  | { readonly kind: 'tampered'; readonly change: (body: Buffer) => Uint8Array }
  /** A get, head or list answers as the store was so long ago, whatever was written since. */
  | { readonly kind: 'stale'; readonly behindMs: number }
  /** It takes so long, or until the promise is settled, before it happens. */
  | { readonly kind: 'delay'; readonly until: number | Promise<unknown> }
  /** It never answers, until it is aborted. */
  | { readonly kind: 'hang' }
  /** The condition of a put is not looked at. */
  | { readonly kind: 'no-conditions' };

/** Which calls; what is left out matches any. */
export interface StoreMatch {
  readonly verb?: Verb;
  readonly who?: string;
  readonly key?: string | RegExp;
}

export interface Occurrence {
  /** The first call of the kind that is struck, from 1, counted from when the fault was put there. */
  readonly nth?: number;
  /** How many calls in a row; 1 by default. */
  readonly times?: number;
}

export const matchesCall = ({ verb, who, key }: StoreMatch, call: StoreCall): boolean =>
  (verb === undefined || verb === call.verb) &&
  (who === undefined || who === call.who) &&
  (key === undefined || (typeof key === 'string' ? key === call.key : key.test(call.key)));

/** One fault at the n-th call of a kind, and at those that follow. */
export class SimulatedRule {
  readonly fault: SimulatedFault;
  readonly #match: StoreMatch;
  readonly #first: number;
  readonly #last: number;
  #calls = 0;
  #hits = 0;

  constructor({ nth = 1, times = 1, ...match }: StoreMatch & Occurrence, fault: SimulatedFault) {
    this.fault = fault;
    this.#match = match;
    this.#first = nth;
    this.#last = nth + times - 1;
  }

  /** How many calls it has struck. */
  get hits(): number {
    return this.#hits;
  }

  /** Counts a call that it concerns; true when it is the turn of the fault. */
  strikes(call: StoreCall): boolean {
    if (!matchesCall(this.#match, call)) return false;
    this.#calls += 1;
    const isDue = this.#calls >= this.#first && this.#calls <= this.#last;
    if (isDue) this.#hits += 1;
    return isDue;
  }
}
