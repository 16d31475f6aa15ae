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
  /** As it is stored. */
  readonly bytes: number;
  /** The id of the key that signed it. */
  readonly signer: string | undefined;
}

type Place = Pick<ManifestReference, 'key' | 'sequence'>;

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

  /** The one that was written just now need not be read when the pointer names it the next time. */
  remember(held: HeldManifest): void {
    this.#last = held;
  }

  /** The last in the order of epochs and sequences, whether or not a pointer has ever named it. */
  async last(cluster: string, signal: AbortSignal): Promise<HeldManifest | undefined> {
    const last = await this.lastPlace(cluster, signal);
    if (last === undefined) return undefined;
    try {
      return await this.#read(cluster, last, signal);
    } catch (error) {
      throw unreadableAt(`${last.key} in ${this.#parts.store.description}`, error, REMEDY);
    }
  }

  async lastPlace(cluster: string, signal: AbortSignal): Promise<Place | undefined> {
    let last: Place | undefined;
    for await (const { key } of this.#parts.store.list(manifestPrefix(cluster), { signal })) {
      const place = manifestPlace(cluster, key);
      if (place) last = { key, sequence: place.sequence };
    }
    return last;
  }

  /**
   * What a pointer that takes the place of one that got lost names: the last manifest, whoever wrote it, if what it speaks of is there.
   * It was stored before its manifest was.
   */
  async lastComplete(last: HeldManifest | undefined, signal: AbortSignal): Promise<ManifestReference | null> {
    if (last === undefined) return null;
    const { key, bytes } = last.manifest.export;
    const head = await this.#parts.store.head(key, { signal });
    return head?.size === bytes ? last.reference : null;
  }

  async #read(cluster: string, { key, sequence }: Place, signal: AbortSignal): Promise<HeldManifest | undefined> {
    const { store, keys } = this.#parts;
    const got = await store.get(key, { signal, most: LARGEST_RECORD });
    if (got.kind !== 'found') return undefined;
    const manifest = readManifest(got.body, { cluster, keys, isRequired: false });
    return {
      manifest,
      reference: { key, sha256: sha256(got.body), sequence },
      bytes: got.body.length,
      signer: signerOf('manifest', got.body),
    };
  }
}
