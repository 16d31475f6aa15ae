/** One try to export or to confirm, from one look at the pointer to one move of it. Where a step ends with nothing, the pointer has moved meanwhile. */
import type { Clock } from '../../kit/clock/clock.ts';
import { encryptionKey } from '../export/codec.ts';
import type { Keys } from '../export/keys.ts';
import { type Content, type Manifest, type Pointer, SCHEMA_VERSION } from '../export/manifest.ts';
import { exportedAt } from '../export/names.ts';
import type { ObjectStore } from '../store/store.ts';
import type { ConditionalWrites } from './conditional-writes.ts';
import type { HeldManifest, ManifestFiles } from './manifest-files.ts';
import type { NewObjects, Written } from './new-objects.ts';
import type { Exportable, Known, Outcome, Request } from './outcome.ts';
import { type HeldPointer, PointerFile, signingKey } from './pointer-file.ts';
import { type Barred, barredBy, epochOf, isBehind, knownHere, nextSequence } from './writer.ts';

interface RoundParts {
  readonly store: ObjectStore;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly manifests: ManifestFiles;
  readonly newObjects: NewObjects;
  /** Finds out what the store can do, which nobody does before he may write. */
  readonly probe: () => Promise<ConditionalWrites>;
  readonly request: Request;
  readonly signal: AbortSignal;
}

/** The last export that there is, as far as it can be known. */
export interface Newest {
  readonly found: HeldManifest | undefined;
  readonly reference: Pointer['newest'];
  readonly sequence: number;
}

/** Without what is known of old exports, which a round does not look at. */
type Confirmed = Omit<Extract<Outcome, { kind: 'unchanged' }>, 'retention'>;

export class Round {
  readonly #parts: RoundParts;
  readonly #pointer: PointerFile;
  #writes: Promise<ConditionalWrites> | undefined;
  /** The last manifest, once it was looked for in this round. */
  #last: Promise<HeldManifest | undefined> | undefined;
  /** Its sequence, when this round has made the pointer. */
  #lastSequence: number | undefined;

  constructor(parts: RoundParts) {
    this.#parts = parts;
    this.#pointer = new PointerFile({ ...parts, cluster: parts.request.cluster });
  }

  get request(): Request {
    return this.#parts.request;
  }

  /** The pointer, if there is one, or why it is not ours. */
  async look(): Promise<HeldPointer | Barred | undefined> {
    const { request, signal } = this.#parts;
    const held = await this.#pointer.read(signal);
    return held && (barredBy(held.pointer, request) ?? held);
  }

  /**
   * The same for who will write: when it may, what the store can do is being found out. Where no export is known the last manifest is
   * looked for at once, which is needed when there is no pointer.
   */
  async lookToWrite(): Promise<HeldPointer | Barred | undefined> {
    if (!knownHere(this.request)) this.#lastManifest().catch(() => {});
    const looked = (await this.look()) ?? (await this.#barredByLast());
    if (!(looked && 'kind' in looked)) this.writes().catch(() => {});
    return looked;
  }

  /** What was looked at, but where there is none it is made before anything else is, so that only one of several begins. */
  async claim(looked: HeldPointer | Barred | undefined): Promise<HeldPointer | Barred | undefined> {
    const { manifests, request, signal } = this.#parts;
    if (looked) return looked;
    const last = await this.#lastManifest();
    this.#lastSequence = last?.reference.sequence ?? 0;
    const pointer: Pointer = {
      schemaVersion: SCHEMA_VERSION,
      cluster: request.cluster.toLowerCase(),
      clusterUid: request.clusterUid,
      epoch: epochOf(last?.manifest, request),
      newest: await manifests.lastComplete(last, signal),
      confirmedAt: last?.manifest.createdAt ?? request.asOf.toISOString(),
    };
    return await this.#move(pointer, undefined);
  }

  /** Without a pointer the last manifest tells whose exports they are. */
  async #barredByLast(): Promise<Barred | undefined> {
    const last = await this.#lastManifest();
    return last && barredBy(last.manifest, this.request);
  }

  #lastManifest(): Promise<HeldManifest | undefined> {
    const { manifests, request, signal } = this.#parts;
    this.#last ??= manifests.last(request.cluster, signal);
    return this.#last;
  }

  /** What the store can do, found out at most once in a round. */
  writes(): Promise<ConditionalWrites> {
    this.#writes ??= this.#parts.probe();
    return this.#writes;
  }

  /** What was exported last, by whichever cluster. What no pointer names counts only in that its sequence was used. */
  async newestOf({ pointer: { newest } }: HeldPointer): Promise<Newest> {
    const { manifests, request, signal } = this.#parts;
    if (newest === null) {
      const sequence = this.#lastSequence ?? (await manifests.lastPlace(request.cluster, signal))?.sequence ?? 0;
      return { found: undefined, reference: null, sequence };
    }
    const found = await manifests.named(request.cluster, newest, signal);
    return { found, reference: newest, sequence: newest.sequence };
  }

  /**
   * Whether the newest export is this document, written by this writer and as it should be, and is still there with its manifest; in a
   * store that has not gone back.
   */
  async isStored({ pointer }: HeldPointer, { found }: Newest, contentSha256: string | undefined): Promise<boolean> {
    const { store, request, signal } = this.#parts;
    if (found === undefined) return false;
    if (found.manifest.export.plain.sha256 !== contentSha256) return false;
    const { clusterUid, epoch } = found.manifest;
    const isOwn = clusterUid === pointer.clusterUid && epoch === pointer.epoch;
    if (!isOwn || !this.#hasForm(found) || isBehind(found.manifest, request)) return false;
    const stored = [found.manifest.export, { key: found.reference.key, bytes: found.bytes }];
    const heads = await Promise.all(stored.map(({ key }) => store.head(key, { signal })));
    return stored.every(({ bytes }, index) => heads[index]?.size === bytes);
  }

  #hasForm({ manifest: { export: record }, signer }: HeldManifest): boolean {
    const {
      keys,
      request: { form },
    } = this.#parts;
    const keyId = form.encryption === 'None' ? null : encryptionKey(keys).id;
    const isSameForm = record.compression === form.compression && record.encryption === form.encryption;
    return isSameForm && record.keyId === keyId && (!form.isSigned || signer === signingKey(keys).id);
  }

  async confirm(held: HeldPointer, { found }: Newest): Promise<Confirmed | undefined> {
    const { asOf } = this.#parts.request;
    if (found === undefined) return undefined;
    const moved = this.#isNews(held.pointer)
      ? await this.#move({ ...held.pointer, confirmedAt: asOf.toISOString() }, held)
      : held;
    return moved && { kind: 'unchanged', ...(await this.#known(moved.pointer, found.manifest)) };
  }

  /** A time that lies ahead was written by a clock that was wrong, and is corrected. */
  #isNews({ confirmedAt }: Pointer): boolean {
    const before = Date.parse(confirmedAt);
    return this.#parts.request.asOf.getTime() > before || before > this.#parts.clock.now().getTime();
  }

  async export(held: HeldPointer, newest: Newest, content: Exportable & { readonly plain: Content }) {
    const { newObjects, manifests, request, clock, keys, signal } = this.#parts;
    const writes = await this.writes();
    const writer = { clusterUid: request.clusterUid, epoch: epochOf(held.pointer, request) };
    const { found, reference } = newest;
    for (const key of [found?.manifest.export.key, knownHere(request)?.key]) newObjects.isAfter(this.#secondOf(key));
    const place = { writer, sequence: nextSequence(newest, request), previous: reference };
    const { cluster, form } = request;
    const written = await newObjects.write({ ...content, ...place, cluster, form }, writes, signal);
    const { manifest } = written;
    const confirmedAt = request.asOf.toISOString();
    const moved = await this.#move({ ...held.pointer, ...writer, newest: written.reference, confirmedAt }, held);
    if (moved === undefined) return await this.#withdraw(written, held);
    manifests.remember({ ...written, signer: request.form.isSigned ? signingKey(keys).id : undefined });
    const outcome = {
      kind: 'exported',
      ...(await this.#known(moved.pointer, manifest)),
      bytes: manifest.export.bytes,
      storedAt: clock.monotonic(),
    } as const;
    return { outcome, manifest };
  }

  /**
   * What was written cannot be named any more when another cluster has taken over from the very pointer that it builds on. The
   * original takes whatever is newest, and should not find it. In any other case it may have been named, and is left alone.
   */
  async #withdraw(written: Written, held: HeldPointer): Promise<undefined> {
    const { newObjects, request, signal } = this.#parts;
    const writes = await this.writes();
    const now = await this.#pointer.read(signal);
    const isOver = now && barredBy(now.pointer, request) && now.pointer.newest?.sha256 === held.pointer.newest?.sha256;
    if (isOver && writes.isFenced) await newObjects.withdraw(written, signal);
  }

  #secondOf(key: string | undefined): number {
    return (key === undefined ? undefined : exportedAt(this.#parts.request.cluster, key)) ?? 0;
  }

  async #known(
    pointer: Pointer,
    { export: { key, sha256, plain }, createdAt, epoch, sequence }: Manifest,
  ): Promise<Omit<Known, 'retention'>> {
    return {
      status: { key, sha256, exportedAt: createdAt, epoch, sequence, confirmedAt: pointer.confirmedAt },
      contentSha256: plain.sha256,
      fenced: (await this.writes()).isFenced,
    };
  }

  async #move(pointer: Pointer, from: HeldPointer | undefined): Promise<HeldPointer | undefined> {
    const { request, signal } = this.#parts;
    const writes = await this.writes();
    return await this.#pointer.move(pointer, { from, isSigned: request.form.isSigned, writes }, signal);
  }
}
