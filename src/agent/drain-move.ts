/** Moves one blob to a peer: it is removed here only when a peer has said by its digest that it has every byte. */
import { createHash } from 'node:crypto';
import type { Clock } from '../kit/clock/clock.ts';
import type { Pace } from '../kit/wipe/pace.ts';
import type { AgentCalls } from '../pool-client/agent-calls.ts';
import { Untrue } from '../pool-client/errors.ts';
import type { BlobInfo, Peer } from '../pool-client/protocol.ts';
import { type Failure, failureOf, type PeerStandings } from './drain-decide.ts';
import { oneAhead } from './one-ahead.ts';
import type { OpenBlob, Store } from './store.ts';

export interface MoveParts {
  readonly store: Store;
  readonly calls: AgentCalls;
  readonly clock: Clock;
  readonly standings: PeerStandings;
  readonly pace: Pace;
}

export type Moved =
  | { readonly is: 'moved'; readonly size: number }
  /** It was removed before its turn came. */
  | { readonly is: 'gone' }
  /** Nobody takes it now. */
  | { readonly is: 'kept' }
  | Exclude<Failure, { readonly is: 'passed over' }>;

/** Nobody else may move or remove the same key meanwhile. Throws the signal's reason when that is aborted. */
export async function move(parts: MoveParts, key: string, signal: AbortSignal): Promise<Moved> {
  try {
    await using blob = await parts.store.open(key);
    if (!blob) return { is: 'gone' };
    return await offer(parts, blob, signal);
  } catch (error) {
    const failure = failureOf(error);
    if (failure.is === 'corrupt') return failure;
    throw error;
  }
}

async function offer(parts: MoveParts, blob: OpenBlob, signal: AbortSignal): Promise<Moved> {
  const { standings, clock, store } = parts;
  for (const peer of standings.openFor(blob.info.key, clock.monotonic())) {
    const failure = await give(parts, blob, peer, signal);
    if (!failure) {
      standings.took(peer);
      await store.remove(blob.info.key, (sha256) => sha256 === blob.info.sha256);
      return { is: 'moved', size: blob.info.size };
    }
    if (failure.is !== 'passed over') return failure;
    standings.close(peer, failure.why, clock.monotonic());
  }
  return { is: 'kept' };
}

async function give(parts: MoveParts, blob: OpenBlob, peer: Peer, signal: AbortSignal): Promise<Failure | undefined> {
  try {
    const stored = await parts.calls.put(peer, blob.info, paced(oneAhead(blob.read()), parts.pace, signal), signal);
    if (stored === 'same') await readBack(parts.calls, peer, blob.info, signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return failureOf(error);
  }
}

/**
 * A peer that has had the blob before knows its digest from when it was stored. Since then its bytes may have gone bad unseen, and ours
 * may be the last good ones.
 */
async function readBack(calls: AgentCalls, peer: Peer, info: BlobInfo, signal: AbortSignal): Promise<void> {
  const hash = createHash('sha256');
  const download = await calls.get(peer, info.key, undefined, signal);
  for await (const piece of download?.body ?? []) hash.update(piece);
  if (download && hash.digest('hex') === info.sha256) return;
  throw new Untrue(peer, `for ${JSON.stringify(info.key)}`, 'it says that it has these bytes, and does not serve them');
}

/** In pieces that are small enough for the limit to come evenly. */
async function* paced(body: AsyncIterable<Buffer>, pace: Pace, signal: AbortSignal): AsyncGenerator<Buffer> {
  for await (const bytes of body) {
    const step = pace.most(bytes.length);
    for (let start = 0; start < bytes.length; start += step) {
      const piece = bytes.subarray(start, start + step);
      await pace.turn(piece.length, signal);
      yield piece;
    }
  }
}
