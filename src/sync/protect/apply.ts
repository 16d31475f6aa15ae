/**
 * The protected side: writes an export, then its manifest, then moves the pointer to it. It can be cut off between any two of these: what the
 * pointer does not name is not believed by anybody, and the next run goes on from the pointer. What is too old is removed beside that, and
 * nobody waits for it.
 */
import type { Clock } from '../../kit/clock/clock.ts';
import { Retry } from '../../kit/controller/outcome.ts';
import { inTurns } from '../../kit/in-turns.ts';
import type { Log } from '../../kit/observe/log.ts';
import { type ExportStatus, LARGEST_EXPORT } from '../contract.ts';
import { encryptionKey } from '../export/codec.ts';
import type { Keys } from '../export/keys.ts';
import type { Content, Manifest } from '../export/manifest.ts';
import { sha256InTurns } from '../export/records.ts';
import { ExportIsUnreadable } from '../export/unreadable.ts';
import type { ObjectStore } from '../store/store.ts';
import { ConditionalWrites, type Probe, probeFences } from './conditional-writes.ts';
import { ManifestFiles } from './manifest-files.ts';
import { type Form, NewObjects } from './new-objects.ts';
import type {
  ConfirmRequest,
  Exportable,
  ExportRequest,
  Known,
  Outcome,
  Request,
  Retention,
  Stale,
} from './outcome.ts';
import { type HeldPointer, signingKey } from './pointer-file.ts';
import { removeExpired } from './retention.ts';
import { type Newest, Round } from './round.ts';
import { furthest } from './writer.ts';

interface ProtectorParts {
  readonly store: ObjectStore;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
}

/** How often it begins anew because the pointer has moved meanwhile. */
const MOST_ROUNDS = 5;
/** How often old exports are looked for, which takes a few lists… */
const RETENTION_MS = 3_600_000;
/** …and how soon again when that has failed. */
const RETENTION_AGAIN_MS = 600_000;
/** How often it is tried whether a store that did not keep writers apart has learned it. */
const PROBE_AGAIN_MS = 3_600_000;

export class Protector {
  readonly #parts: ProtectorParts;
  readonly #manifests: ManifestFiles;
  readonly #newObjects: NewObjects;
  /** What this process has written last, which the status of the resource may not say yet. */
  #own: ExportStatus | undefined;
  #probe: Promise<Probe> | undefined;
  #isFenced = false;
  #probedAt: number | undefined;
  #retention: Retention = { kind: 'later' };
  /** By the clock that only goes forward. */
  #retainAt = 0;
  #isRetaining = false;
  /** What is done beside what was asked for, and ends with this. */
  readonly #beside = new Set<Promise<void>>();
  readonly #life = new AbortController();

  constructor(parts: ProtectorParts) {
    this.#parts = parts;
    this.#manifests = new ManifestFiles(parts);
    this.#newObjects = new NewObjects(parts);
  }

  /** Nothing is written but the pointer when the document is the one that was exported last. */
  async export(request: ExportRequest, signal: AbortSignal): Promise<Outcome> {
    this.#checkKeys(request.form);
    let prepared: Prepared | undefined;
    return await this.#inRounds(request, signal, async (round) => {
      const looking = round.lookToWrite();
      prepared ??= await meanwhile(looking, () => inTurns(preparing(request), signal, 1));
      const { plain } = prepared;
      const held = await round.claim(await looking);
      if (held === undefined || 'kind' in held) return held;
      const [newest] = await Promise.all([round.newestOf(held), round.writes()]);
      const isStored = !request.isScheduled && (await round.isStored(held, newest, plain.sha256));
      if (isStored) return await this.#confirmed(round, held, newest);
      const written = await round.export(held, newest, prepared);
      if (written) this.#retain(written.manifest, request);
      return this.#told(written?.outcome);
    });
  }

  /** A heartbeat: tells who looks at the pointer that nothing has changed since. */
  async confirm(request: ConfirmRequest, signal: AbortSignal): Promise<Outcome | Stale> {
    this.#checkKeys(request.form);
    return await this.#inRounds<Outcome | Stale>(request, signal, async (round) => {
      const held = await round.look();
      if (held === undefined) return { kind: 'stale' };
      if ('kind' in held) return held;
      const newest = await round.newestOf(held);
      const isStored = await round.isStored(held, newest, request.contentSha256);
      return isStored ? await this.#confirmed(round, held, newest) : { kind: 'stale' };
    });
  }

  /** How it ended when old exports were last looked for. */
  get retention(): Retention {
    return this.#retention;
  }

  /** When nothing is done any more beside what was asked for. */
  async idle(): Promise<void> {
    while (this.#beside.size > 0) await Promise.all(this.#beside);
  }

  /** Nobody asks it for anything any more. */
  close(): void {
    this.#life.abort(new Error('nobody needs it any more'));
  }

  async #confirmed(round: Round, held: HeldPointer, newest: Newest) {
    const confirmed = await round.confirm(held, newest);
    if (confirmed && newest.found) this.#retain(newest.found.manifest, round.request);
    return this.#told(confirmed);
  }

  #told<T extends object>(outcome: T | undefined): (T & Pick<Known, 'retention'>) | undefined {
    return outcome && { ...outcome, retention: this.#retention };
  }

  /** A condition that does not hold is no reason to write again, but to look again. */
  async #inRounds<T extends Outcome | Stale>(
    asked: Request,
    signal: AbortSignal,
    take: (round: Round) => Promise<T | undefined>,
  ): Promise<T> {
    const request = { ...asked, known: furthest(asked, this.#own) };
    const end = Promise.withResolvers<void>();
    const probe = () => this.#writes(request, signal, end.promise);
    const parts = { ...this.#parts, manifests: this.#manifests, newObjects: this.#newObjects, probe, request, signal };
    try {
      for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
        const outcome = await take(new Round(parts));
        if (outcome === undefined) continue;
        if ('status' in outcome) this.#own = outcome.status;
        return outcome;
      }
    } finally {
      end.resolve();
    }
    throw new Retry(`the pointer in ${this.#parts.store.description} was moved ${MOST_ROUNDS} times by somebody else`);
  }

  /** What the store can do is found out when it is to be written to for the first time: who is barred does not write to it even for that. */
  async #writes(request: Request, signal: AbortSignal, isOver: Promise<void>): Promise<ConditionalWrites> {
    const { store, clock } = this.#parts;
    const age = clock.monotonic() - (this.#probedAt ?? clock.monotonic());
    const known = !this.#isFenced && age >= PROBE_AGAIN_MS ? undefined : this.#probe;
    const probe = known ?? probeFences(store, request, { probing: signal, cleaning: this.#life.signal });
    this.#probe = probe;
    if (!known) this.#probedAt = clock.monotonic();
    try {
      const { isFenced, cleanUp } = await probe;
      this.#isFenced = isFenced;
      // What was asked for comes first.
      if (!known) this.#do(isOver.then(cleanUp));
      return new ConditionalWrites(store, isFenced);
    } catch (error) {
      this.#probe = undefined;
      throw error;
    }
  }

  /** After the pointer has moved, and the newest export is one that can be restored. */
  #retain(newest: Manifest, { retention: days }: Request): void {
    const isDue = !this.#isRetaining && this.#parts.clock.monotonic() >= this.#retainAt;
    // Nobody restores an export without volumes: what was exported before it is all that there is.
    if (!isDue || newest.counts.volumes === 0) return;
    this.#isRetaining = true;
    this.#do(this.#removeExpired(newest, days));
  }

  async #removeExpired(newest: Manifest, days: number): Promise<void> {
    const { store, clock, log } = this.#parts;
    let again = RETENTION_MS;
    try {
      const removed = await removeExpired(store, { newest, days }, this.#life.signal);
      this.#retention = { kind: 'done', removed };
    } catch (error) {
      if (this.#life.signal.aborted) return;
      log.warn({ err: error }, 'old exports could not be removed');
      this.#retention = { kind: 'failed', why: error instanceof Error ? error.message : String(error) };
      again = RETENTION_AGAIN_MS;
    }
    this.#retainAt = clock.monotonic() + again;
    this.#isRetaining = false;
  }

  #do(work: Promise<void>): void {
    this.#beside.add(work);
    void work.finally(() => this.#beside.delete(work));
  }

  /** Before anything is written. */
  #checkKeys({ encryption, isSigned }: Form): void {
    if (encryption !== 'None') encryptionKey(this.#parts.keys);
    if (isSigned) signingKey(this.#parts.keys);
  }
}

interface Prepared extends Exportable {
  readonly plain: Content;
}

/** Gives way once before it begins: what was asked for is on its way then. */
function* preparing({ content }: ExportRequest): Generator<void, Prepared> {
  yield;
  const { document, counts } = yield* content();
  if (document.length > LARGEST_EXPORT) throw tooLarge(document.length);
  return { document, counts, plain: { sha256: yield* sha256InTurns(document), bytes: document.length } };
}

/** Does something else while an answer is waited for, whose failure is told to who asks for it then. */
async function meanwhile<T>(answer: Promise<unknown>, work: () => Promise<T>): Promise<T> {
  answer.catch(() => {});
  return await work();
}

const tooLarge = (bytes: number) =>
  new ExportIsUnreadable(
    'exportIsTooLarge',
    `an export of ${bytes} bytes would not be taken for one: ${LARGEST_EXPORT} is the most`,
  );
