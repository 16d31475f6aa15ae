/** The manifests in the store, as the writer looks at them: what was exported last, and what a manifest may be called. */
import type { Log } from '../../kit/observe/log.ts';
import type { Keys } from '../export/keys.ts';
import type { Manifest, ManifestReference } from '../export/manifest.ts';
import { manifestPlace, manifestPrefix } from '../export/names.ts';
import { readManifest, sha256 } from '../export/records.ts';
import { LARGEST_RECORD, RecordIsUnreadable, signerOf, unreadableAt } from '../export/sealed.ts';
import type { ObjectStore } from '../store/store.ts';

/** A manifest as it is stored. */
export interface HeldManifest {
  readonly manifest: Manifest;
  readonly reference: ManifestReference;
  /** The id of the key that signed it. */
  readonly signer: string | undefined;
}

interface ManifestFilesParts {
  readonly store: ObjectStore;
  readonly keys: Keys;
  readonly log: Log;
}

const REMEDY = 'Without a pointer nobody can tell who wrote last: see who did that, and move it away.';

export class ManifestFiles {
  readonly #parts: ManifestFilesParts;
  /** By its checksum it is always the same. */
  #last: HeldManifest | undefined;

  constructor(parts: ManifestFilesParts) {
    this.#parts = parts;
  }

  /** The one that the pointer names. Nothing when it is gone or is not what it was: then nothing is known of what was exported. */
  async named(cluster: string, reference: ManifestReference, signal: AbortSignal): Promise<HeldManifest | undefined> {
    if (this.#last?.reference.sha256 === reference.sha256) return this.#last;
    const { log } = this.#parts;
    const found = await this.#read(cluster, reference, signal).catch((error: unknown) => {
      if (!(error instanceof RecordIsUnreadable)) throw error;
      log.warn(
        { err: error, key: reference.key },
        'the newest manifest cannot be read: what it speaks of is exported anew',
      );
      return undefined;
    });
    if (found?.reference.sha256 !== reference.sha256) return undefined;
    this.#last = found;
    return found;
  }

  /** The last in the order of epochs and sequences, whether or not a pointer has ever named it. */
  async last(cluster: string, signal: AbortSignal): Promise<HeldManifest | undefined> {
    let last: Pick<ManifestReference, 'key' | 'sequence'> | undefined;
    for await (const { key } of this.#parts.store.list(manifestPrefix(cluster), { signal })) {
      const place = manifestPlace(cluster, key);
      if (place) last = { key, sequence: place.sequence };
    }
    if (last === undefined) return undefined;
    try {
      return await this.#read(cluster, last, signal);
    } catch (error) {
      throw unreadableAt(`${last.key} in ${this.#parts.store.description}`, error, REMEDY);
    }
  }

  async #read(
    cluster: string,
    { key, sequence }: Pick<ManifestReference, 'key' | 'sequence'>,
    signal: AbortSignal,
  ): Promise<HeldManifest | undefined> {
    const { store, keys } = this.#parts;
    const got = await store.get(key, { signal, most: LARGEST_RECORD });
    if (got.kind !== 'found') return undefined;
    const manifest = readManifest(got.body, { cluster, keys, isRequired: false });
    return {
      manifest,
      reference: { key, sha256: sha256(got.body), sequence },
      signer: signerOf('manifest', got.body),
    };
  }
}
