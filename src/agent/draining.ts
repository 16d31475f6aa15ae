/** What the server needs of the drain: how blobs go to the peers, and how a DELETE follows them. */
import type { DecommissionOrder, DrainStatus, Peer } from '../pool-client/protocol.ts';

export interface Draining {
  /**
   * Begins, or goes on with other peers; never waits. Called again with the order that was kept when the agent starts anew, also when it
   * is Decommissioned by then: whoever asks for a DELETE is still sent on. An order of the original's operator has no peers.
   */
  begin(order: DrainOrder): void;
  /** Takes up no further blob, and waits for those on their way. */
  end(): Promise<void>;
  /** None while it has not begun. */
  status(): DrainStatus | undefined;
  /**
   * Here first, then at every peer that it may have gone to, never while the same key is on its way. Nothing more is removed when the
   * signal is aborted: whoever asked has gone, may have asked again, and stored something else under the key since. With `ifMatch`, as
   * in the header, only bytes that it names are removed, here and there.
   */
  removeEverywhere(key: string, signal: AbortSignal, ifMatch?: string): Promise<RemovedEverywhere>;
}

/** `another`: what was meant is not here, nor where it may have gone, and nothing was removed. `unknown`: a peer did not answer, ask again. */
export type RemovedEverywhere = 'removed' | 'absent' | 'another' | 'unknown';

export interface DrainOrder extends DecommissionOrder {
  /** Who is given nothing more, and may have been given blobs before. */
  readonly former?: readonly Peer[] | undefined;
}

/**
 * Told by the drain when it has looked and nothing is left. It settles when that is kept; it may be told more than once. It counts for
 * nothing when the drain has been called off by then: blobs may have come in since.
 */
export type Drained = (calledOff: AbortSignal) => Promise<void>;
