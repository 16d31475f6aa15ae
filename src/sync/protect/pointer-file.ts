/** The pointer in the store: read, and moved only from what was read. A reply that got lost is resolved by looking. */

import { ENV } from '../contract.ts';
import { type Keys, missingKey, type SigningKey } from '../export/keys.ts';
import type { Pointer } from '../export/manifest.ts';
import { pointerKey } from '../export/names.ts';
import { readPointer, writePointer } from '../export/records.ts';
import { LARGEST_RECORD, unreadableAt } from '../export/sealed.ts';
import type { ObjectStore } from '../store/store.ts';
import type { ConditionalWrites } from './conditional-writes.ts';

/** The pointer as it was read or written. */
export interface HeldPointer {
  readonly pointer: Pointer;
  readonly etag: string;
}

interface PointerFileParts {
  readonly store: ObjectStore;
  readonly keys: Keys;
  readonly cluster: string;
}

const REMEDY =
  'Nothing is written over it: see who did that, and move it away. Then exports go on from the last manifest.';

export class PointerFile {
  readonly #parts: PointerFileParts;

  constructor(parts: PointerFileParts) {
    this.#parts = parts;
  }

  /** Nothing when there is none. It need not be signed: whoever can write there can keep us from writing anyway. */
  async read(signal: AbortSignal): Promise<HeldPointer | undefined> {
    const { store, keys, cluster } = this.#parts;
    const got = await store.get(this.#key, { signal, most: LARGEST_RECORD });
    if (got.kind !== 'found') return undefined;
    try {
      return { pointer: readPointer(got.body, { cluster, keys, isRequired: false }), etag: got.etag };
    } catch (error) {
      throw unreadableAt(`${this.#key} in ${store.description}`, error, REMEDY);
    }
  }

  /** Nothing when somebody else has moved it since it was read, or has made one where there was none. */
  async move(
    pointer: Pointer,
    { from, isSigned, writes }: Move,
    signal: AbortSignal,
  ): Promise<HeldPointer | undefined> {
    const body = writePointer(pointer, isSigned ? signingKey(this.#parts.keys) : undefined);
    try {
      const stored = await (from
        ? writes.replace(this.#key, body, from.etag, signal)
        : writes.create(this.#key, body, signal));
      if (stored) return { pointer, etag: stored.etag };
    } catch (error) {
      const found = await this.#ifIs(body, signal).catch(() => undefined);
      if (found === undefined) throw error;
      return { pointer, etag: found };
    }
    const etag = await this.#ifIs(body, signal);
    return etag === undefined ? undefined : { pointer, etag };
  }

  /** The ETag, if it is what we have written. */
  async #ifIs(body: Buffer, signal: AbortSignal): Promise<string | undefined> {
    const got = await this.#parts.store.get(this.#key, { signal, most: LARGEST_RECORD });
    return got.kind === 'found' && got.body.equals(body) ? got.etag : undefined;
  }

  get #key(): string {
    return pointerKey(this.#parts.cluster);
  }
}

export interface Move {
  readonly from: HeldPointer | undefined;
  readonly isSigned: boolean;
  readonly writes: ConditionalWrites;
}

/** The key that new manifests and pointers are signed with. */
export function signingKey({ signing }: Keys): SigningKey {
  if (signing === undefined) throw missingKey(ENV.signingKey, 'signing of exports');
  return signing;
}
