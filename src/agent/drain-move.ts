/** Moves one blob to a peer: it is removed here only when a peer has said by its digest that it has every byte. */
import { createHash } from 'node:crypto';
import type { Clock } from '../kit/clock/clock.ts';
import type { Slots } from '../kit/slots.ts';
import type { Pace } from '../kit/wipe/pace.ts';
import type { AgentCalls } from '../pool-client/agent-calls.ts';
import { Refused, Untrue } from '../pool-client/errors.ts';
import type { BlobInfo, Peer } from '../pool-client/protocol.ts';
import { type Failure, failureOf, type PeerStandings } from './drain-decide.ts';
import { oneAhead } from './one-ahead.ts';
import { type OpenBlob, type RemovedFile, StoreError } from './store.ts';

export interface MoveParts {
  readonly calls: AgentCalls;
  readonly clock: Clock;
  readonly standings: PeerStandings;
  readonly pace: Pace;
  /** Who sends a large blob has one of them, until the last byte has left. */
  readonly sending: Slots;
}

/** Of smaller ones what counts is what is done for each. Sixteen of 1 MiB that are sent at once all arrive at once, and then nobody sends. */
const LARGE_BYTES = 512 * 1024;
const isLarge = ({ size }: BlobInfo): boolean => size > LARGE_BYTES;

export type Moved =
  | { readonly is: 'moved'; readonly size: number }
  /** Nobody takes it now, or the drain was called off before it was sent; with `why`, it was taken, and still something is here. */
  | { readonly is: 'kept'; readonly why?: string }
  /** Our own bytes are not what was stored, or cannot be read. They stay. */
  | { readonly is: 'corrupt' }
  | Exclude<Failure, { readonly is: 'passed over' }>;

/** When a move ends early. */
export interface Limits {
  /** It does not begin any more. What has begun to be sent goes on. */
  readonly stop: AbortSignal;
  /** It is cut off. */
  readonly signal: AbortSignal;
}

/** Nobody else may move or remove the same blob meanwhile. Throws the signal's reason when that is aborted. */
export async function move(parts: MoveParts, blob: OpenBlob, limits: Limits): Promise<Moved> {
  try {
    return await offer(parts, blob, limits);
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'Corrupt') return { is: 'corrupt' };
    throw error;
  }
}

async function offer(parts: MoveParts, blob: OpenBlob, limits: Limits): Promise<Moved> {
  const { standings, clock } = parts;
  for (const peer of standings.openFor(blob.info.key, clock.monotonic())) {
    using slot = await slotFor(blob.info, parts.sending, limits);
    if (limits.stop.aborted || !slot) return { is: 'kept' };
    const failure = await give(parts, blob, peer, slot, limits.signal);
    if (!failure) {
      standings.took(peer);
      return afterRemoval(blob.info, await blob.remove());
    }
    if (failure.is !== 'passed over') return failure;
    standings.close(peer, failure.why, clock.monotonic());
  }
  return { is: 'kept' };
}

/** What somebody else has removed meanwhile has gone to the peer, too. */
function afterRemoval({ size }: BlobInfo, removed: RemovedFile): Moved {
  if (removed !== 'another') return { is: 'moved', size };
  return { is: 'kept', why: 'a peer has it, and meanwhile another file has come in its place here, which stays' };
}

const NO_SLOT: Disposable = { [Symbol.dispose]() {} };

/** Small ones need none. Nothing when the move ends before one is free. */
async function slotFor(info: BlobInfo, sending: Slots, { stop, signal }: Limits): Promise<Disposable | undefined> {
  if (!isLarge(info)) return NO_SLOT;
  const taken = await sending.take(AbortSignal.any([stop, signal])).catch(() => undefined);
  if (signal.aborted) taken?.[Symbol.dispose]();
  signal.throwIfAborted();
  return taken;
}

async function give(
  parts: MoveParts,
  blob: OpenBlob,
  peer: Peer,
  slot: Disposable,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const ours: unknown[] = [];
  try {
    const body = sent(parts.pace, blob, slot, signal, (error) => ours.push(error));
    const stored = await parts.calls.put(peer, blob.info, body, signal);
    if (stored === 'same') await readBack(parts.calls, peer, blob.info, signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (ours.length > 0) throw ours[0]; // that it cannot be read here is not the fault of the peer, whatever it says of that
    if (error instanceof Refused && error.reason === 'DigestMismatch') await verify(blob);
    return failureOf(error);
  }
}

/** What was sent is not what was announced. That was on the way, unless our own bytes have gone bad: then this says so. */
async function verify(blob: OpenBlob): Promise<void> {
  for await (const _ of blob.read());
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

/**
 * It is not held against its checksums here: the peer makes the digest of all that comes, and takes nothing that does not fit the one that
 * was stored. The next one is sent while this one's peer puts it on its disk. If all that are on their way were sent at once, they would all arrive at
 * once, and nobody would send while all wait for a disk.
 */
async function* sent(
  pace: Pace,
  blob: OpenBlob,
  slot: Disposable,
  signal: AbortSignal,
  failed: (error: unknown) => void,
): AsyncGenerator<Buffer, void, void> {
  try {
    yield* paced(oneAhead(blob.readUnverified()), pace, signal);
  } catch (error) {
    failed(error);
    throw error;
  }
  blob.release(); // whoever asks on has no more use for what came before
  slot[Symbol.dispose]();
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
