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
import { ConditionalWrites, type Probe, probeFences } from './conditional-writes.ts';
import { ManifestFiles } from './manifest-files.ts';
import { type Form, NewObjects } from './new-objects.ts';
import type { ConfirmRequest, ExportRequest, Known, Outcome, Request, Retention, Stale } from './outcome.ts';
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
  #probe: Promise<Probe> | undefined;
  #isFenced = false;
  #retention: Retention = { kind: 'later' };
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
    if (!this.#isFenced) this.#probe = undefined;
    return await this.#inRounds(request, signal, async (round, writes) => {
      const held = await round.claim();
      if (held === undefined || 'kind' in held) return held;
      const [newest] = await Promise.all([round.newestOf(held), writes()]);
      const isStored = !request.isScheduled && (await round.isStored(held, newest, plain.sha256));
      if (isStored) return this.#told(await round.confirm(held, newest));
      const written = await round.export(held, newest, { ...request, plain });
      if (written) await this.#retain(written.manifest, request, signal);
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
      return isStored ? this.#told(await round.confirm(held, newest)) : { kind: 'stale' };
    });
  }

  #told<T extends object>(outcome: T | undefined): (T & Pick<Known, 'retention'>) | undefined {
    return outcome && { ...outcome, retention: this.#retention };
  }

  /** A condition that does not hold is no reason to write again, but to look again. */
  async #inRounds<T extends Outcome | Stale>(
    asked: Request,
    signal: AbortSignal,
    take: (round: Round, writes: () => Promise<ConditionalWrites>) => Promise<T | undefined>,
  ): Promise<T> {
    const request = { ...asked, known: furthest(asked, this.#own) };
    const writes = () => this.#writes(request, signal);
    const parts = { ...this.#parts, manifests: this.#manifests, newObjects: this.#newObjects, writes, request, signal };
    for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
      const outcome = await take(new Round(parts), writes);
      if (outcome === undefined) continue;
      if ('status' in outcome) this.#own = outcome.status;
      await (await this.#probe)?.isCleanedUp;
      return outcome;
    }
    throw new Retry(`the pointer in ${this.#parts.store.description} was moved ${MOST_ROUNDS} times by somebody else`);
  }

  /** What the store can do is found out when it is to be written to for the first time: who is barred does not write to it even for that. */
  async #writes(request: Request, signal: AbortSignal): Promise<ConditionalWrites> {
    const probe = this.#probe ?? probeFences(this.#parts.store, request, signal);
    this.#probe = probe;
    try {
      this.#isFenced = (await probe).isFenced;
      return new ConditionalWrites(this.#parts.store, this.#isFenced);
    } catch (error) {
      this.#probe = undefined;
      throw error;
    }
  }

  /** After the pointer has moved, and the newest export is one that can be restored. */
  async #retain(newest: Manifest, { retention: days }: ExportRequest, signal: AbortSignal): Promise<void> {
    const now = this.#parts.clock.monotonic();
    const isDue = this.#retainedAt === undefined || now - this.#retainedAt >= RETENTION_MS;
    // Nobody restores an export without volumes: what was exported before it is all that there is.
    if (!isDue || newest.counts.volumes === 0) return;
    try {
      this.#retention = { kind: 'done', removed: await removeExpired(this.#parts.store, { newest, days }, signal) };
      this.#retainedAt = now;
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'old exports could not be removed');
      this.#retention = { kind: 'failed', why: error instanceof Error ? error.message : String(error) };
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
