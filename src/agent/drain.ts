/**
 * Carries every blob of this agent to its peers. What is there is what is left: nothing is remembered that a crash could lose, and a blob
 * that was on its way is offered again. The thinking is in drain-decide.ts, and the moving of one blob in drain-move.ts.
 */
import { type Backoff, backoffMs, type Random } from '../kit/backoff.ts';
import { Bell } from '../kit/clock/bell.ts';
import type { Clock } from '../kit/clock/clock.ts';
import type { Log } from '../kit/observe/log.ts';
import { Slots } from '../kit/slots.ts';
import { Pace } from '../kit/wipe/pace.ts';
import type { AgentCalls } from '../pool-client/agent-calls.ts';
import { hashOfKey } from '../pool-client/blob-path.ts';
import type { DrainStatus, Peer } from '../pool-client/protocol.ts';
import { matches, tagOf } from './conditional.ts';
import { Failures, MOST_NAMED, PeerStandings, whyOf } from './drain-decide.ts';
import { type Limits, type Moved, move } from './drain-move.ts';
import type { Drained, Draining, DrainOrder, RemovedEverywhere } from './draining.ts';
import { KeyTurns } from './key-turns.ts';
import { type OpenBlob, type Store, StoreError } from './store.ts';

export interface DrainOptions {
  /** Of this agent, which is never its own peer. */
  readonly name: string;
  readonly store: Store;
  readonly calls: AgentCalls;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly drained: Drained;
  /** In bytes per second. */
  readonly bandwidth?: number | undefined;
}

/** What blobs wait for is the peer's disk, which takes many of them at once as fast as one. */
const IN_FLIGHT = 16;
/** Of large ones a few fill the line, while those that have arrived are put on the disk. */
const LARGE_SENDING = 4;
/** Between two looks at what is left, when the last one has moved nothing. */
const IDLE: Backoff = { baseMs: 1_000, maxMs: 30_000 };
/** How long blobs that are on their way may take when the drain is called off; then they are cut off, which is safe at any time. */
const GRACE_MS = 5_000;
const MOST_REMEMBERED = 1_000;

/** One drain, from an order to the end of it. */
interface Run {
  readonly generation: number;
  readonly since: string;
  /** No further blob is taken up. */
  readonly stop: AbortController;
  readonly over: Promise<void>;
}

export class Drain implements Draining {
  readonly #options: DrainOptions;
  readonly #standings: PeerStandings;
  readonly #pace: Pace;
  readonly #slots = new Slots(IN_FLIGHT);
  readonly #sending = new Slots(LARGE_SENDING);
  readonly #bell = new Bell();
  /** By the hashes of the keys. */
  readonly #turns = new KeyTurns();
  readonly #moving = new Map<string, AbortController>();
  /** Keys under which a peer has other bytes. */
  readonly #conflicts = new Set<string>();
  /** Some of those that have gone bad, by key or hash. */
  #damaged: readonly string[] = [];
  #run: Run | undefined;
  /** Of each run that is not over, also of those that another has followed: what is on its way is cut off. */
  readonly #cuts = new Set<AbortController>();
  #former: readonly Peer[] = [];
  #movedBlobs = 0;
  #movedBytes = 0;
  #trouble: string | undefined;

  constructor(options: DrainOptions) {
    const { clock, random, bandwidth } = options;
    this.#options = options;
    this.#standings = new PeerStandings(random);
    this.#pace = new Pace(bandwidth, clock);
  }

  begin({ generation, peers, former = [] }: DrainOrder): void {
    const others = (all: readonly Peer[]) => all.filter(({ name }) => name !== this.#options.name);
    this.#standings.replace(others(peers));
    this.#former = others(former);
    this.#bell.ring();
    const before = this.#run;
    if (before && !before.stop.signal.aborted && before.generation === generation) return;
    before?.stop.abort();
    this.#start(generation, before?.over);
  }

  async end(): Promise<void> {
    const run = this.#run;
    if (!run) return;
    run.stop.abort();
    const cancel = this.#options.clock.after(GRACE_MS, () => {
      for (const cut of this.#cuts) cut.abort();
    });
    await run.over;
    cancel();
    if (this.#run === run) this.#run = undefined;
  }

  status(): DrainStatus | undefined {
    if (!this.#run) return undefined;
    const { blobs, bytes } = this.#options.store.totals();
    const why = this.#why();
    return {
      since: this.#run.since,
      movedBlobs: this.#movedBlobs,
      movedBytes: this.#movedBytes,
      leftBlobs: blobs,
      leftBytes: bytes,
      ...(why && { why }),
    };
  }

  /** Also when no drain has begun: one may begin while this is under way, and must not take the blob along. So may one that runs end. */
  async removeEverywhere(key: string, signal: AbortSignal, ifMatch?: string): Promise<RemovedEverywhere> {
    const wasDraining = this.#run !== undefined;
    const hash = hashOfKey(key);
    this.#moving.get(hash)?.abort();
    return await this.#turns.run(hash, async () => {
      if (signal.aborted) return 'unknown';
      const here = await this.#options.store.remove(key, isMeantBy(ifMatch));
      if (here.is === 'another') return 'another';
      this.#conflicts.delete(key);
      if (here.is === 'given up') return 'removed'; // what a peer has under the key did not come from here, and may be what replaces it
      const mayHaveGone = wasDraining || this.#run !== undefined;
      // What was here is what may be there as well: other bytes of a peer are not what was asked for.
      const meant = here.is === 'removed' ? tagOf(here.sha256) : ifMatch;
      const elsewhere = mayHaveGone ? await this.#removeAtPeers(key, meant, signal) : 'absent';
      if (elsewhere === 'unknown') return 'unknown';
      if (here.is === 'removed' || elsewhere === 'removed') return 'removed';
      return ifMatch === undefined ? 'absent' : 'another';
    });
  }

  async #removeAtPeers(
    key: string,
    ifMatch: string | undefined,
    signal: AbortSignal,
  ): Promise<'removed' | 'absent' | 'unknown'> {
    const { calls, log } = this.#options;
    const asked = [...this.#standings.peers, ...this.#former].map((peer) => calls.remove(peer, key, signal, ifMatch));
    const answers = await Promise.allSettled(asked);
    for (const answer of answers) {
      if (answer.status === 'rejected') log.warn({ err: answer.reason, key }, 'a peer was not told of a removal');
    }
    if (answers.some(({ status }) => status === 'rejected')) return 'unknown';
    return answers.some((answer) => answer.status === 'fulfilled' && answer.value) ? 'removed' : 'absent';
  }

  #start(generation: number, before: Promise<void> | undefined): void {
    const { clock, log } = this.#options;
    const [stop, cut] = [new AbortController(), new AbortController()];
    const since = clock.now().toISOString();
    [this.#movedBlobs, this.#movedBytes, this.#trouble] = [0, 0, undefined];
    this.#conflicts.clear();
    log.info({ generation, peers: this.#standings.peers }, 'draining begins');
    this.#cuts.add(cut);
    const over = Promise.resolve(before)
      .then(() => this.#untilEmpty(stop.signal, cut.signal))
      .catch((err: unknown) => {
        if (!stop.signal.aborted) log.error({ err }, 'draining has failed');
      })
      .finally(() => this.#cuts.delete(cut));
    this.#run = { generation, since, stop, over };
  }

  async #untilEmpty(stop: AbortSignal, cut: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    for (let idle = 0; !stop.aborted; ) {
      const before = this.#movedBlobs;
      if (await this.#lookAndMove(stop, cut)) return;
      idle = this.#movedBlobs > before ? 1 : idle + 1;
      const now = clock.monotonic();
      const pauseMs = this.#standings.isAnyOpen(now) ? backoffMs(IDLE, idle, random) : this.#standings.pauseMs(now);
      await this.#bell.wait(clock, Math.min(pauseMs, IDLE.maxMs), stop);
    }
  }

  /** Whether it is the end. What goes wrong here is told, and tried again. */
  async #lookAndMove(stop: AbortSignal, cut: AbortSignal): Promise<boolean> {
    const { store, drained, log } = this.#options;
    try {
      this.#trouble = await this.#pass(stop, cut);
      this.#damaged = (await store.damaged({ limit: MOST_NAMED })).items.map(({ key, hash }) => key ?? hash);
      if (stop.aborted || !(await store.isEmpty())) return false;
      await drained(stop);
      if (stop.aborted) return false;
      log.info({ blobs: this.#movedBlobs, bytes: this.#movedBytes }, 'drained: nothing is left here');
      return true;
    } catch (error) {
      if (stop.aborted) return false;
      this.#trouble = error instanceof Error ? error.message : String(error);
      log.error({ err: error }, 'draining was interrupted, and is tried again');
      return false;
    }
  }

  /**
   * Once along everything that is here, as long as anybody takes anything. Ends when all that it has taken up has ended. What goes wrong
   * with one of them keeps none of the others, and is told at the end.
   */
  async #pass(stop: AbortSignal, cut: AbortSignal): Promise<string | undefined> {
    const moves = new Set<Promise<void>>();
    const failures = new Failures();
    try {
      for await (const hash of this.#options.store.hashes()) {
        const slot = await this.#slots.take(stop).catch(() => undefined);
        if (!slot) break;
        if (!this.#standings.isAnyOpen(this.#options.clock.monotonic())) {
          slot[Symbol.dispose]();
          break;
        }
        const one = this.#moveInTurn(hash, stop, cut)
          .catch((error: unknown) => failures.add(hash, error))
          .finally(() => {
            slot[Symbol.dispose]();
            moves.delete(one);
          });
        moves.add(one);
      }
    } finally {
      await Promise.all(moves);
      await this.#options.store.settle(); // not after each: what comes back after a power cut is offered again
    }
    if (failures.first)
      this.#options.log.error({ err: failures.first }, 'not every blob could be read; the rest goes on');
    return failures.why;
  }

  #moveInTurn(hash: string, stop: AbortSignal, cut: AbortSignal): Promise<void> {
    return this.#turns.run(hash, async () => {
      const abort = new AbortController();
      const onCut = () => abort.abort();
      cut.addEventListener('abort', onCut, { once: true });
      this.#moving.set(hash, abort);
      try {
        await using blob = await this.#options.store.openHash(hash).catch(ifNotCorrupt);
        if (blob) await this.#moveOpen(blob, { stop, signal: abort.signal });
      } catch (error) {
        if (!abort.signal.aborted) throw error;
      } finally {
        this.#moving.delete(hash);
        cut.removeEventListener('abort', onCut);
      }
    });
  }

  async #moveOpen(blob: OpenBlob, limits: Limits): Promise<void> {
    const { calls, clock } = this.#options;
    const parts = { calls, clock, standings: this.#standings, pace: this.#pace, sending: this.#sending };
    this.#note(blob.info.key, await move(parts, blob, limits));
  }

  #note(key: string, moved: Moved): void {
    if (moved.is === 'corrupt') return; // the store has told of it, and does so for as long as it is there
    if (moved.is === 'conflict') {
      if (!this.#conflicts.has(key)) this.#options.log.warn({ key, why: moved.why }, 'a blob stays: conflict');
      if (this.#conflicts.size < MOST_REMEMBERED) this.#conflicts.add(key);
      return;
    }
    this.#conflicts.delete(key);
    if (moved.is === 'kept' && moved.why) this.#options.log.warn({ key, why: moved.why }, 'a blob stays: kept');
    if (moved.is !== 'moved') return;
    this.#movedBlobs += 1;
    this.#movedBytes += moved.size;
  }

  #why(): string | undefined {
    const { blobs, corrupt } = this.#options.store.totals();
    return whyOf({
      trouble: this.#trouble,
      peers: blobs > 0 ? this.#standings.why() : undefined,
      conflicts: [...this.#conflicts],
      damaged: corrupt > 0 ? this.#damaged : [], // others have been given up since
      corrupt,
    });
  }
}

const isMeantBy = (ifMatch: string | undefined) =>
  ifMatch === undefined ? undefined : (sha256: string): boolean => matches(ifMatch, sha256);

/** It was put aside just now, or before: that is counted, and told. */
function ifNotCorrupt(error: unknown): undefined {
  if (error instanceof StoreError && error.reason === 'Corrupt') return undefined;
  throw error;
}
