/**
 * Goes through all that a store holds of a cluster: pointer, manifests, exports, signatures where keys are given, and how it all hangs
 * together. It needs nothing but the store and the keys, and changes nothing.
 */
import { fewAtATime } from '../../kit/few-at-a-time.ts';
import { hasFault, type ObjectStore, type StoreFault } from '../store/store.ts';
import { type Chain, type ChainFact, chainOf, type Found } from './chain.ts';
import { decode } from './codec.ts';
import { readDocument } from './document.ts';
import { KeyError, type KeyFact, type Keys } from './keys.ts';
import type { Manifest, Pointer } from './manifest.ts';
import {
  closedExportPrefix,
  clusterIn,
  clusterPrefix,
  exportedAt,
  manifestPlace,
  manifestPrefix,
  pointerKey,
} from './names.ts';
import { type Expected, readManifest, readPointer, sha256 } from './records.ts';
import { LARGEST_RECORD, type RecordFact, RecordIsUnreadable, signerOf } from './sealed.ts';
import { ExportIsUnreadable, type UnreadableFact } from './unreadable.ts';

/** Each is explained in ../explanations.ts. */
export type FindingFact =
  | ChainFact
  | KeyFact
  | RecordFact
  | UnreadableFact
  | StoreFault
  | 'signingBeganLater'
  | 'pointerIsSound'
  | 'pointerIsMissing'
  | 'exportIsSound'
  | 'exportIsMissing'
  | 'exportIsUnused'
  | 'nothingIsExported'
  | 'manifestIsUnused'
  | 'objectIsStrange';

export interface Finding {
  /** `sound` was looked at and is right, a `note` is harmless, and what is `broken` cannot be restored or believed. */
  readonly severity: 'sound' | 'note' | 'broken';
  /** In the store. */
  readonly key: string;
  readonly fact: FindingFact;
  readonly message: string;
}

const CONCURRENCY = 8;
const MOST_NAMES = 20;

/**
 * Exports are read one after another, newest first. Where there are trusted keys everything has to be signed by one, but what was written
 * before signing began; with `isStrict` that, too.
 */
export async function* verifyChain(
  store: ObjectStore,
  cluster: string,
  keys: Keys,
  signal: AbortSignal,
  { isStrict = false }: { readonly isStrict?: boolean } = {},
): AsyncGenerator<Finding, void> {
  const verification = new Verification({ store, cluster, keys, signal });
  const manifests = await verification.manifests();
  const pointer = await verification.pointer(manifests.length > 0);
  yield pointer.finding;
  const chain = chainOf(pointer.newest, manifests);
  yield* chain.breaks.map(({ key, fact, message }) => broken(key, fact, message));
  yield* unsignedIn(chain, isStrict);
  for (const { manifest } of chain.links) yield await verification.export(manifest);
  yield* chain.orphans.map(orphan);
  const strangers = await Array.fromAsync(verification.strangers(chain));
  yield* strangers;
  const isAny = chain.links.length > 0 || strangers.some(({ fact }) => fact === 'exportIsUnused');
  if (!isAny) yield await verification.nothing();
}

interface VerificationParts {
  readonly store: ObjectStore;
  readonly cluster: string;
  readonly keys: Keys;
  readonly signal: AbortSignal;
}

class Verification {
  readonly #parts: VerificationParts;
  readonly #expected: Expected;

  constructor(parts: VerificationParts) {
    this.#parts = parts;
    this.#expected = { cluster: parts.cluster, keys: parts.keys, isRequired: parts.keys.trusted.length > 0 };
  }

  async pointer(hasManifests: boolean): Promise<{ readonly finding: Finding; readonly newest: Pointer['newest'] }> {
    const key = pointerKey(this.#parts.cluster);
    const body = await this.#get(key);
    if (!body) return { finding: missingPointer(key, hasManifests), newest: null };
    try {
      const { newest, clusterUid, epoch, confirmedAt } = readPointer(body, this.#expected);
      const message = `cluster ${clusterUid} writes under epoch ${epoch}, and has confirmed it at ${confirmedAt}`;
      return { finding: sound(key, 'pointerIsSound', message), newest };
    } catch (error) {
      return { finding: brokenBy(key, error), newest: null };
    }
  }

  async manifests(): Promise<readonly Found[]> {
    const { cluster } = this.#parts;
    const keys: string[] = [];
    for await (const key of this.#list(manifestPrefix(cluster))) if (manifestPlace(cluster, key)) keys.push(key);
    return (await fewAtATime(CONCURRENCY, keys, (key) => this.#found(key))).flat();
  }

  async #found(key: string): Promise<readonly Found[]> {
    const body = await this.#get(key);
    if (!body) return [];
    const { isRequired } = this.#expected;
    try {
      const isUnsigned = isRequired && signerOf('manifest', body) === undefined;
      const manifest = readManifest(body, { ...this.#expected, isRequired: isRequired && !isUnsigned });
      return [{ key, sha256: sha256(body), manifest, isUnsigned }];
    } catch (error) {
      if (!(error instanceof RecordIsUnreadable)) throw error;
      return [{ key, sha256: sha256(body), why: error.message }];
    }
  }

  async export(manifest: Manifest): Promise<Finding> {
    const { key, bytes } = manifest.export;
    const { epoch, sequence, counts } = manifest;
    const what = `sequence ${sequence} of epoch ${epoch} with ${counts.volumes} volumes and ${counts.claims} claims`;
    try {
      const body = await this.#get(key, bytes);
      if (!body) return broken(key, 'exportIsMissing', `${what} is not there`);
      checkDocument(await decode(body, manifest, this.#parts.keys), manifest);
      return sound(key, 'exportIsSound', what);
    } catch (error) {
      if (isOnlyClosed(error))
        return note(key, error.fact, `${what} is what was written, but cannot be opened: ${error.message}`);
      return brokenBy(key, error);
    }
  }

  /** Exports that no manifest of the chain speaks of, and what the original would take for an export. */
  async *strangers({ links }: Chain): AsyncGenerator<Finding> {
    const { cluster } = this.#parts;
    const named = new Set(links.map(({ manifest }) => manifest.export.key));
    for (const prefix of [clusterPrefix(cluster), closedExportPrefix(cluster)]) {
      for await (const key of this.#list(prefix)) if (!named.has(key)) yield stranger(cluster, key);
    }
  }

  /** A store that was emptied, or a name that was mistyped: the names that there are tell which. */
  async nothing(): Promise<Finding> {
    const { cluster, store } = this.#parts;
    const names = new Set<string>();
    for await (const key of this.#list('')) {
      const name = clusterIn(key);
      if (name !== undefined && name !== cluster.toLowerCase()) names.add(name);
      if (names.size === MOST_NAMES) break;
    }
    const others =
      names.size === 0 ? 'nor of any other cluster' : `but there are some of ${[...names].toSorted().join(', ')}`;
    const message = `there is no export of ${cluster} in ${store.description}, ${others}`;
    return broken(clusterPrefix(cluster), 'nothingIsExported', message);
  }

  async *#list(prefix: string): AsyncGenerator<string> {
    const { store, signal } = this.#parts;
    for await (const { key } of store.list(prefix, { signal })) yield key;
  }

  async #get(key: string, most = LARGEST_RECORD): Promise<Buffer | undefined> {
    const { store, signal } = this.#parts;
    const got = await store.get(key, { signal, most });
    return got.kind === 'found' ? got.body : undefined;
  }
}

/**
 * What is older than all that is signed was written before signing began, and what is signed names it by its hash. Whoever leaves a
 * signature out after that is not to be believed, and neither is a history in which nothing is signed.
 */
function unsignedIn({ links }: Chain, isStrict: boolean): readonly Finding[] {
  const place = links.findLastIndex(({ isUnsigned }) => !isUnsigned);
  const first = links[place]?.key;
  return links.flatMap(({ key, isUnsigned }, index) => {
    if (!isUnsigned) return [];
    if (first === undefined) return [broken(key, 'signatureIsMissing', 'it is not signed, and neither is any other')];
    if (index < place) return [broken(key, 'signatureIsMissing', `it is not signed, and ${first} before it is`)];
    const message = `unsigned (before signing began): ${first} is the first that is signed`;
    return [(isStrict ? broken : note)(key, 'signingBeganLater', message)];
  });
}

/** All objects are read, since one that cannot be would keep all of them from being restored. */
function checkDocument(plain: Buffer, { counts }: Manifest): void {
  const document = readDocument(plain);
  for (const objects of [document.storageClasses, document.volumes, document.claims]) for (const _ of objects);
  const isSame = (Object.keys(counts) as (keyof typeof counts)[]).every(
    (each) => counts[each] === document.counts[each],
  );
  if (!isSame) throw new ExportIsUnreadable('exportIsMalformed', 'it has not as many objects as its manifest says');
}

/** The checksum was right before a key was looked for. */
const isOnlyClosed = (error: unknown): error is KeyError =>
  error instanceof KeyError && (error.fact === 'keyIsMissing' || error.fact === 'keyIsUnknown');

const missingPointer = (key: string, hasManifests: boolean): Finding =>
  hasManifests
    ? broken(key, 'pointerIsMissing', 'there are manifests, but nothing says which one is the newest')
    : note(key, 'pointerIsMissing', 'there is none, as with exports of the original');

const orphan = ({ key, manifest, why }: Found): Finding =>
  manifest
    ? note(
        key,
        'manifestIsUnused',
        'the pointer does not lead to it: its export was never finished, or another took its place',
      )
    : note(key, 'manifestIsUnreadable', `the pointer does not lead to it, and it cannot be read: ${why}`);

function stranger(cluster: string, key: string): Finding {
  if (exportedAt(cluster, key) !== undefined) {
    return note(key, 'exportIsUnused', 'no manifest speaks of it: it is by the original, or was never finished');
  }
  return note(key, 'objectIsStrange', 'it is no export of ours, and the original may take it for the newest one');
}

const finding =
  (severity: Finding['severity']) =>
  (key: string, fact: FindingFact, message: string): Finding => ({ severity, key, fact, message });
const sound = finding('sound');
const note = finding('note');
const broken = finding('broken');

/** What is not about the object itself, such as a store that cannot be reached, is no finding. */
function brokenBy(key: string, error: unknown): Finding {
  const isFinding =
    error instanceof RecordIsUnreadable || error instanceof ExportIsUnreadable || error instanceof KeyError;
  if (isFinding) return broken(key, error.fact, error.message);
  if (hasFault(error, 'tooLarge') || hasFault(error, 'incomplete')) return broken(key, error.fault, error.message);
  throw error;
}
