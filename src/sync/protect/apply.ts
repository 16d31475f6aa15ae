/**
 * The protected side: writes an export, then its manifest, then moves the pointer to it, then removes what is too old. It can be cut off
 * between any two of these: what the pointer does not name is not believed by anybody, and the next run goes on from the pointer.
 */
import type { Clock } from '../../kit/clock/clock.ts';
import { Retry } from '../../kit/controller/outcome.ts';
import type { Log } from '../../kit/observe/log.ts';
import { type ExportStatus, LARGEST_EXPORT } from '../contract.ts';
import { encryptionKey } from '../export/codec.ts';
import type { Keys } from '../export/keys.ts';
import type { Content, Manifest } from '../export/manifest.ts';
import { sha256 } from '../export/records.ts';
import { ExportIsUnreadable } from '../export/unreadable.ts';
import type { ObjectStore } from '../store/store.ts';
import { ConditionalWrites, probeFences } from './conditional-writes.ts';
import { ManifestFiles } from './manifest-files.ts';
import { type Form, NewObjects } from './new-objects.ts';
import type { ConfirmRequest, ExportRequest, Outcome, Request, Retention, Stale } from './outcome.ts';
import { signingKey } from './pointer-file.ts';
import { removeExpired } from './retention.ts';
import { Round } from './round.ts';
import { furthest } from './writer.ts';

interface ProtectorParts {
  readonly store: ObjectStore;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
}

/** How often it begins anew because the pointer has moved meanwhile. */
const MOST_ROUNDS = 5;
/** How often old exports are looked for, which takes a few lists. */
const RETENTION_MS = 3_600_000;

export class Protector {
  readonly #parts: ProtectorParts;
  readonly #manifests: ManifestFiles;
  readonly #newObjects: NewObjects;
  /** What this process has written last, which the status of the resource may not say yet. */
  #own: ExportStatus | undefined;
  #isFenced: boolean | undefined;
  #retainedAt: number | undefined;

  constructor(parts: ProtectorParts) {
    this.#parts = parts;
    this.#manifests = new ManifestFiles(parts);
    this.#newObjects = new NewObjects(parts);
  }

  /** Nothing is written but the pointer when the document is the one that was exported last. */
  async export(request: ExportRequest, signal: AbortSignal): Promise<Outcome> {
    const { document } = request;
    if (document.length > LARGEST_EXPORT) throw tooLarge(document.length);
    const plain: Content = { sha256: sha256(document), bytes: document.length };
    this.#checkKeys(request.form);
    if (!this.#isFenced) this.#isFenced = await probeFences(this.#parts.store, request, signal);
    return await this.#inRounds(request, signal, async (round) => {
      const held = await round.claim();
      if (held === undefined || 'kind' in held) return held;
      const newest = await round.newestOf(held);
      const isStored = !request.isScheduled && (await round.isStored(held, newest, plain.sha256));
      if (isStored) return await round.confirm(held, newest);
      const written = await round.export(held, newest, { ...request, plain });
      return written && { ...written.outcome, retention: await this.#retain(written.manifest, request, signal) };
    });
  }

  /** A heartbeat: tells who looks at the pointer that nothing has changed since. */
  async confirm(request: ConfirmRequest, signal: AbortSignal): Promise<Outcome | Stale> {
    this.#checkKeys(request.form);
    this.#isFenced ??= await probeFences(this.#parts.store, request, signal);
    return await this.#inRounds<Outcome | Stale>(request, signal, async (round) => {
      const held = await round.look();
      if (held === undefined) return { kind: 'stale' };
      if ('kind' in held) return held;
      const newest = await round.newestOf(held);
      const isStored = await round.isStored(held, newest, request.contentSha256);
      return isStored ? await round.confirm(held, newest) : { kind: 'stale' };
    });
  }

  /** A condition that does not hold is no reason to write again, but to look again. */
  async #inRounds<T extends Outcome | Stale>(
    asked: Request,
    signal: AbortSignal,
    take: (round: Round) => Promise<T | undefined>,
  ): Promise<T> {
    const request = { ...asked, known: furthest(asked, this.#own) };
    const writes = new ConditionalWrites(this.#parts.store, this.#isFenced === true);
    const parts = { ...this.#parts, manifests: this.#manifests, newObjects: this.#newObjects, writes, request, signal };
    for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
      const outcome = await take(new Round(parts));
      if (outcome === undefined) continue;
      if ('status' in outcome) this.#own = outcome.status;
      return outcome;
    }
    throw new Retry(`the pointer in ${this.#parts.store.description} was moved ${MOST_ROUNDS} times by somebody else`);
  }

  /** After the pointer has moved, and the newest export is one that can be restored. */
  async #retain(newest: Manifest, { retention: days }: ExportRequest, signal: AbortSignal): Promise<Retention> {
    const now = this.#parts.clock.monotonic();
    if (this.#retainedAt !== undefined && now - this.#retainedAt < RETENTION_MS) return { kind: 'later' };
    try {
      const removed = await removeExpired(this.#parts.store, { newest, days }, signal);
      this.#retainedAt = now;
      return { kind: 'done', removed };
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'old exports could not be removed');
      return { kind: 'failed', error };
    }
  }

  /** Before anything is written. */
  #checkKeys({ encryption, isSigned }: Form): void {
    if (encryption !== 'None') encryptionKey(this.#parts.keys);
    if (isSigned) signingKey(this.#parts.keys);
  }
}

const tooLarge = (bytes: number) =>
  new ExportIsUnreadable(
    'exportIsTooLarge',
    `an export of ${bytes} bytes would not be taken for one: ${LARGEST_EXPORT} is the most`,
  );
