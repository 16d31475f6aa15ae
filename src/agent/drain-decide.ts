/** What the drain makes of the answers of its peers. Pure: who is asked next, who is left in peace for how long, and what people are told. */
import { type Backoff, backoffMs, type Random } from '../kit/backoff.ts';
import { Conflict } from '../pool-client/errors.ts';
import { orderOf } from '../pool-client/order.ts';
import type { Peer } from '../pool-client/protocol.ts';

/** What became of an attempt to give a blob to a peer that did not take it. */
export type Failure =
  /** The peer holds other bytes under the key: neither is touched, and a person must choose. */
  | { readonly is: 'conflict'; readonly why: string }
  /** This peer does not take it, or nobody knows: the next one is asked, and this one later. */
  | { readonly is: 'passed over'; readonly why: string };

export function failureOf(error: unknown): Failure {
  const why = error instanceof Error ? error.message : String(error);
  if (error instanceof Conflict) return { is: 'conflict', why };
  return { is: 'passed over', why };
}

/** What is told goes into the status of an agent, which has to stay readable whatever the size of the pool. */
export const MOST_NAMED = 3;

const PEER_BACKOFF: Backoff = { baseMs: 500, maxMs: 30_000 };

interface Closed {
  readonly failures: number;
  readonly until: number;
  readonly why: string;
}

/** Which peers are asked now. One that did not take a blob is not asked for the next while: there may be many blobs to be refused. */
export class PeerStandings {
  readonly #random: Random;
  #peers: readonly Peer[] = [];
  readonly #closed = new Map<string, Closed>();

  constructor(random: Random) {
    this.#random = random;
  }

  get peers(): readonly Peer[] {
    return this.#peers;
  }

  /** Who orders again knows something new: all are asked again. */
  replace(peers: readonly Peer[]): void {
    this.#peers = peers;
    this.#closed.clear();
  }

  /** In the order in which the key's readers look for it. */
  openFor(key: string, now: number): readonly Peer[] {
    return orderOf(key, this.#peers).filter(({ name }) => this.#isOpen(name, now));
  }

  isAnyOpen(now: number): boolean {
    return this.#peers.some(({ name }) => this.#isOpen(name, now));
  }

  close(peer: Peer, why: string, now: number): void {
    const before = this.#closed.get(peer.name);
    if (before && before.until > now) return; // of several blobs that were on their way to it at once, one counts
    const failures = (before?.failures ?? 0) + 1;
    this.#closed.set(peer.name, { failures, why, until: now + backoffMs(PEER_BACKOFF, failures, this.#random) });
  }

  took({ name }: Peer): void {
    this.#closed.delete(name);
  }

  /** Until one is asked again. */
  pauseMs(now: number): number {
    return Math.max(0, Math.min(...this.#closed.values().map(({ until }) => until)) - now);
  }

  /** Nothing while any of them takes blobs. */
  why(): string | undefined {
    if (this.#peers.length === 0) return 'nowhere to go: the order has named no other agent';
    if (this.#peers.some(({ name }) => !this.#closed.has(name))) return undefined;
    const reasons = [...this.#closed.values()].map(({ why }) => why);
    const more = reasons.length - MOST_NAMED;
    return `${reasons.slice(0, MOST_NAMED).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
  }

  #isOpen(name: string, now: number): boolean {
    return (this.#closed.get(name)?.until ?? now) <= now;
  }
}

/** What has gone wrong here with blobs, each by the hash of its key. No peer is to blame for it. */
export class Failures {
  readonly #hashes: string[] = [];
  #count = 0;
  first: unknown;

  add(hash: string, error: unknown): void {
    this.first ??= error;
    this.#count += 1;
    if (this.#hashes.length < MOST_NAMED) this.#hashes.push(hash);
  }

  get why(): string | undefined {
    if (this.#count === 0) return undefined;
    const why = this.first instanceof Error ? this.first.message : String(this.first);
    return `this agent could not read ${named(this.#hashes, this.#count)}: ${why}`;
  }
}

/** What keeps the drain from its end. */
export interface Obstacles {
  readonly peers: string | undefined;
  /** By their keys: blobs that are at a peer with other bytes. */
  readonly conflicts: readonly string[];
  /** Some of those that have gone bad, by key or by hash, and how many there are. */
  readonly damaged: readonly string[];
  readonly corrupt: number;
  /** What has gone wrong here. */
  readonly trouble: string | undefined;
}

/** Nothing when nothing is in its way. */
export function whyOf({ peers, conflicts, damaged, corrupt, trouble }: Obstacles): string | undefined {
  const reasons = [
    trouble,
    peers,
    conflicts.length > 0 &&
      `other bytes are stored at a peer under ${named(conflicts)}: DELETE it at one of the two agents, then it goes on`,
    corrupt > 0 &&
      `damaged and not moved: ${damaged.length > 0 ? named(damaged, corrupt) : `${corrupt} blobs that were put aside`}; ` +
        'GET /quarantine of this agent names all, DELETE /quarantine/HASH gives one up',
  ];
  return reasons.filter(Boolean).join('; ') || undefined;
}

function named(keys: readonly string[], atLeast = 0): string {
  const more = Math.max(keys.length, atLeast) - Math.min(keys.length, MOST_NAMED);
  const names = keys.slice(0, MOST_NAMED).map((key) => JSON.stringify(key));
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}
