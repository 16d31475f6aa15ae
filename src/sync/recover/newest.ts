/**
 * Finds the export that a recovery cluster should be like: the one that the pointer names; or, for a cluster that never had a pointer,
 * the newest one as the original finds it. When nothing is new that costs one conditional request.
 */
import { LARGEST_EXPORT, type PersistentVolumeSync, type SeenExport, type SyncSpec } from '../contract.ts';
import { KeyError, type Keys } from '../export/keys.ts';
import { clusterPrefix, exportedAt, exportKey, pointerKey } from '../export/names.ts';
import { readPointer, sha256 } from '../export/records.ts';
import { LARGEST_RECORD, RecordIsUnreadable } from '../export/sealed.ts';
import { ExportIsUnreadable } from '../export/unreadable.ts';
import { timeOf } from '../status.ts';
import { type Got, hasFault, type ObjectStore } from '../store/store.ts';
import { disbelief, ExportIsDoubtful, ExportIsMissing, type Found } from './found.ts';
import { lastSeen } from './last-seen.ts';
import { type Verifying, verifiedExport, wholeDocument } from './verify.ts';

export interface Looking {
  readonly store: ObjectStore;
  readonly spec: Pick<SyncSpec, 'protectedCluster' | 'signed'>;
  readonly status: PersistentVolumeSync['status'];
  readonly keys: Keys;
  readonly now: Date;
  /** Of this cluster, for who is not to be told to restore what it writes itself. */
  readonly clusterUid?: string;
  /** Of the export that was found last, if it is still at hand. Without it the whole export is read. */
  readonly etag?: string;
}

/** Rejects with a `StoreError` when the store cannot be asked. */
export async function findExport(asked: Looking, signal: AbortSignal): Promise<Found> {
  const { hadPointer, newest: last } = lastSeen(asked.spec, asked.status);
  const looking = { ...asked, last };
  const key = pointerKey(asked.spec.protectedCluster);
  const got = await believing(true, () => get(looking, key, LARGEST_RECORD, signal));
  if (got.kind === 'missing' && hadPointer)
    return {
      kind: 'waiting',
      why: `${key} is no longer in the store, and nothing else says what counts`,
      pointerSeen: true,
    };
  if (got.kind === 'missing') return believing(false, () => newestByName(looking, signal));
  if (got.kind !== 'found') return got;
  return believing(true, (reads) => named({ ...looking, reads }, got, signal));
}

/** With what the status says of the exports that were seen before. */
interface LookingOn extends Looking {
  readonly last: SeenExport | undefined;
}

/** Is told the ETag before the export itself is read: who finds out then that it must not be believed need not read it again. */
type Reads = (etag: string) => void;

/** What an answer of the store is told as when it is not what was hoped for. */
async function believing<T>(pointerSeen: boolean, look: (reads: Reads) => Promise<T>): Promise<T | Doubted> {
  let read: { readonly etag?: string } = {};
  try {
    return await look((etag) => {
      read = { etag };
    });
  } catch (error) {
    if (error instanceof ExportIsMissing) return { kind: 'waiting', why: error.message, pointerSeen };
    if (isDoubt(error)) return { kind: 'refused', ...disbelief(error.fact, error.message), pointerSeen, ...read };
    if (!hasFault(error, 'tooLarge')) throw error;
    return { kind: 'refused', ...disbelief('exportIsTooLarge', error.message), pointerSeen, ...read };
  }
}

type Doubted = Extract<Found, { kind: 'waiting' | 'refused' }>;

const isDoubt = (error: unknown): error is ExportIsDoubtful | ExportIsUnreadable | RecordIsUnreadable | KeyError =>
  [ExportIsDoubtful, ExportIsUnreadable, RecordIsUnreadable, KeyError].some((type) => error instanceof type);

/** Only if it is no longer what was seen there last. */
function get({ store, etag }: Looking, key: string, most: number, signal: AbortSignal): Promise<Got> {
  const known = readEtag(etag);
  return store.get(key, { most, signal, ...(known?.key === key && { ifNoneMatch: known.etag }) });
}

type FoundObject = Extract<Got, { kind: 'found' }>;

async function named(
  looking: LookingOn & { readonly reads: Reads },
  { body, etag, modifiedAt }: FoundObject,
  signal: AbortSignal,
): Promise<Found> {
  const { store, spec, last, keys, reads } = looking;
  const expected = { cluster: spec.protectedCluster, keys, isRequired: spec.signed === true };
  const pointer = readPointer(body, expected);
  const place = { key: pointerKey(spec.protectedCluster), etag };
  if (pointer.clusterUid === looking.clusterUid) return { kind: 'own', etag: writeEtag(place), epoch: pointer.epoch };
  const { newest } = pointer;
  const confirmedAt = earlier(pointer.confirmedAt, modifiedAt);
  const seen = writeEtag({ ...place, manifest: newest?.sha256 });
  const isKnown = newest !== null && readEtag(looking.etag)?.manifest === newest.sha256;
  if (isKnown) return { kind: 'confirmed', etag: seen, confirmedAt };
  const verifying: Verifying = { store, expected, keys, last, signal, reads: () => reads(seen) };
  const { manifest, document, outline } = await verifiedExport(verifying, pointer);
  const { epoch, sequence, createdAt: exportedAt } = manifest;
  const { key, sha256: hash, encryption } = manifest.export;
  const whole = {
    document,
    outline,
    etag: seen,
    key,
    sha256: hash,
    exportedAt,
    confirmedAt,
    epoch,
    sequence,
    encryption,
  };
  return { kind: 'export', pointerSeen: true, ...whole, ...(newest && { manifestSha256: newest.sha256 }) };
}

/** Nobody can have confirmed it after it was stored: if he says so his clock is wrong, and the export older than it looks. */
const earlier = (confirmedAt: string, modifiedAt: Date): string =>
  modifiedAt.getTime() < Date.parse(confirmedAt) ? modifiedAt.toISOString() : confirmedAt;

/** By the time in its name: when an object was last modified says nothing of when it was exported. */
async function newestByName(looking: LookingOn, signal: AbortSignal): Promise<Found> {
  const { spec, last } = looking;
  const seconds = await newestTime(looking, signal);
  const key = exportKey(spec.protectedCluster, seconds);
  if (spec.signed)
    throw new ExportIsDoubtful('exportIsUnsigned', `the export ${key} is one of the original, and not signed`);
  if (last && seconds < (exportedAt(spec.protectedCluster, last.key) ?? 0))
    throw new ExportIsDoubtful(
      'exportIsOlder',
      `the newest export, ${key}, is older than ${last.key}, which was seen before`,
    );
  const got = await get(looking, key, LARGEST_EXPORT, signal);
  if (got.kind === 'missing') throw new ExportIsMissing(`${key} is no longer in the store`);
  if (got.kind === 'unchanged') return got;
  const whole = await wholeDocument(got.body, undefined, signal);
  const time = timeOf(new Date(seconds * 1000));
  const which = { etag: writeEtag({ key, etag: got.etag }), key, sha256: sha256(got.body), exportedAt: time };
  return { kind: 'export', pointerSeen: false, ...whole, ...which };
}

/** A name that lies further ahead than clocks differ is no time: nothing could ever be newer than it. */
const MOST_AHEAD_MS = 24 * 3_600_000;

async function newestTime({ store, spec, now }: Looking, signal: AbortSignal): Promise<number> {
  const prefix = clusterPrefix(spec.protectedCluster);
  let newest: number | undefined;
  for await (const { key } of store.list(prefix, { signal })) {
    const seconds = exportedAt(spec.protectedCluster, key);
    if (seconds === undefined || seconds * 1000 > now.getTime() + MOST_AHEAD_MS) continue;
    newest = Math.max(newest ?? 0, seconds);
  }
  if (newest === undefined) throw new ExportIsMissing(`there is no export under ${prefix} yet`);
  return newest;
}

/** Which object had which ETag, and what it led to. */
interface KnownEtag {
  readonly key: string;
  readonly etag: string;
  readonly manifest?: string | undefined;
}

/** Whether two of them are of one export, which was only confirmed meanwhile. */
export function isSameExport(one: string, other: string): boolean {
  const [a, b] = [readEtag(one), readEtag(other)];
  return a?.key === b?.key && (a?.manifest ?? a?.etag) === (b?.manifest ?? b?.etag);
}

const writeEtag = (known: KnownEtag): string => JSON.stringify(known);
const readEtag = (text: string | undefined): KnownEtag | undefined =>
  text === undefined ? undefined : JSON.parse(text);
