/** Writes a new export and its manifest, under names that were never used before. Nobody believes either before the pointer names them. */
import { type Clock, sleep } from '../../kit/clock/clock.ts';
import { Retry } from '../../kit/controller/outcome.ts';
import type { Compression, Encryption } from '../contract.ts';
import { encode, encryptionKey } from '../export/codec.ts';
import type { Keys } from '../export/keys.ts';
import {
  type Content,
  type Counts,
  type Manifest,
  type ManifestReference,
  SCHEMA_VERSION,
  type Writer,
} from '../export/manifest.ts';
import { closedExportKey, exportKey, HIGHEST_COUNT, manifestKey } from '../export/names.ts';
import { sha256, writeManifest } from '../export/records.ts';
import { LARGEST_RECORD } from '../export/sealed.ts';
import type { ObjectStore } from '../store/store.ts';
import type { ConditionalWrites } from './conditional-writes.ts';
import { signingKey } from './pointer-file.ts';

/** How exports are written. */
export interface Form {
  readonly compression: Compression;
  readonly encryption: Encryption;
  readonly isSigned: boolean;
}

/** What is to be exported, and where it stands in the chain. */
export interface NewExport {
  readonly cluster: string;
  readonly writer: Writer;
  /** The first that may be free. */
  readonly sequence: number;
  readonly previous: ManifestReference | null;
  readonly document: Buffer;
  readonly plain: Content;
  readonly counts: Counts;
  readonly form: Form;
}

export interface Written {
  readonly manifest: Manifest;
  readonly reference: ManifestReference;
  /** Of the manifest. */
  readonly bytes: number;
}

interface NewObjectsParts {
  readonly store: ObjectStore;
  readonly keys: Keys;
  readonly clock: Clock;
}

/** So many names in a row may have been taken before we give up for now. */
const MOST_NAMES = 20;
/** A name may be ahead of the clock by so much that it is worth waiting for its second; if it is further, the clock was set back. */
const WORTH_WAITING_MS = 2000;

export class NewObjects {
  readonly #parts: NewObjectsParts;
  /** The second that the last export was named after. */
  #lastSecond = 0;

  constructor(parts: NewObjectsParts) {
    this.#parts = parts;
  }

  /** Later names only than that of an export which is known from elsewhere. */
  isAfter(second: number): void {
    this.#lastSecond = Math.max(this.#lastSecond, second);
  }

  async write(wanted: NewExport, writes: ConditionalWrites, signal: AbortSignal): Promise<Written> {
    const end = Math.min(wanted.sequence + MOST_NAMES, HIGHEST_COUNT + 1);
    for (let { sequence } = wanted; sequence < end; sequence += 1) {
      const manifest = await this.#writeExport({ ...wanted, sequence }, writes, signal);
      const written = await this.#writeManifest(manifest, wanted.form, writes, signal);
      if (written) return written;
      if (writes.isFenced) await this.#discard(manifest.export.key, signal);
    }
    throw new Retry(
      `the manifests from sequence ${wanted.sequence} to ${end - 1} of ${wanted.cluster} are there already`,
    );
  }

  /** Takes away what was written and never named. If that fails it is left to the retention. */
  async withdraw({ manifest, reference }: Written, signal: AbortSignal): Promise<void> {
    for (const key of [reference.key, manifest.export.key]) await this.#discard(key, signal);
  }

  async #discard(key: string, signal: AbortSignal): Promise<void> {
    await this.#parts.store.remove(key, { signal }).catch(() => {});
  }

  async #writeExport(wanted: NewExport, writes: ConditionalWrites, signal: AbortSignal): Promise<Manifest> {
    const { cluster, writer, sequence, form } = wanted;
    const { keys, clock } = this.#parts;
    const name = cluster.toLowerCase();
    const body = await encode(wanted.document, form, keys, { cluster: name, epoch: writer.epoch, sequence });
    const hash = body === wanted.document ? wanted.plain.sha256 : sha256(body);
    const key = await this.#create(wanted, { body, sha256: hash }, writes, signal);
    return {
      schemaVersion: SCHEMA_VERSION,
      cluster: name,
      ...writer,
      sequence,
      createdAt: clock.now().toISOString(),
      export: {
        key,
        sha256: hash,
        bytes: body.length,
        plain: wanted.plain,
        compression: form.compression,
        encryption: form.encryption,
        keyId: form.encryption === 'None' ? null : encryptionKey(keys).id,
      },
      counts: wanted.counts,
      previous: wanted.previous,
    };
  }

  /** The name says when, in whole seconds, and is never used twice: if it is taken the next second's is tried when that has come. */
  async #create(
    { cluster, form }: NewExport,
    { body, sha256: hash }: { readonly body: Buffer; readonly sha256: string },
    writes: ConditionalWrites,
    signal: AbortSignal,
  ): Promise<string> {
    const isPlain = form.compression === 'None' && form.encryption === 'None';
    for (let names = 0; names < MOST_NAMES; names += 1) {
      const second = await this.#nextSecond(signal);
      const key = isPlain ? exportKey(cluster, second) : closedExportKey(cluster, second);
      if (await writes.create(key, body, signal, { sha256: hash })) return key;
    }
    throw new Retry(`the ${MOST_NAMES} names that an export of ${cluster} could have had are all taken`);
  }

  async #nextSecond(signal: AbortSignal): Promise<number> {
    const { clock } = this.#parts;
    const now = clock.now().getTime();
    const second = Math.max(Math.floor(now / 1000), this.#lastSecond + 1);
    this.#lastSecond = second;
    const ahead = second * 1000 - now;
    if (ahead > 0 && ahead <= WORTH_WAITING_MS) await sleep(clock, ahead, signal);
    return second;
  }

  /** Nothing when there is another one of this name: one that a run before has not finished. */
  async #writeManifest(
    manifest: Manifest,
    form: Form,
    writes: ConditionalWrites,
    signal: AbortSignal,
  ): Promise<Written | undefined> {
    const { store, keys } = this.#parts;
    const body = writeManifest(manifest, form.isSigned ? signingKey(keys) : undefined);
    const key = manifestKey(manifest.cluster, manifest.epoch, manifest.sequence);
    const reference = { key, sha256: sha256(body), sequence: manifest.sequence };
    const written = { manifest, reference, bytes: body.length };
    if (await writes.create(key, body, signal)) return written;
    const got = await store.get(key, { signal, most: LARGEST_RECORD });
    return got.kind === 'found' && got.body.equals(body) ? written : undefined;
  }
}
