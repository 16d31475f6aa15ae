/** Manifests and pointers as bytes, and back. What comes from the store is taken for hostile: only what we could have written is read. */
import { createHash, hash } from 'node:crypto';
import * as z from 'zod';
import { quote } from '../../kit/invalid-value.ts';
import { COMPRESSIONS, ENCRYPTIONS, LARGEST_EXPORT } from '../contract.ts';
import type { SigningKey } from './keys.ts';
import { type Manifest, type ManifestReference, type Pointer, SCHEMA_VERSION } from './manifest.ts';
import { exportedAt, exportKey, HIGHEST_COUNT, manifestPlace } from './names.ts';
import { LARGEST_RECORD, malformed, RecordIsUnreadable, type RecordKind, seal, type Trust, unseal } from './sealed.ts';

export const sha256 = (bytes: Uint8Array): string => hash('sha256', bytes);

/** Some milliseconds. */
const HASHED_IN_A_TURN = 2 * 1024 ** 2;

/** The same for what is large, so that others have their turn. */
export function* sha256InTurns(bytes: Uint8Array): Generator<void, string> {
  const hashing = createHash('sha256');
  for (let at = 0; at < bytes.length; at += HASHED_IN_A_TURN) {
    if (at > 0) yield;
    hashing.update(bytes.subarray(at, at + HASHED_IN_A_TURN));
  }
  return hashing.digest('hex');
}

const text = z.string().min(1).max(512);
const time = z.iso.datetime().max(40);
const digest = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0).max(1_000_000_000);
const place = z.int().min(1).max(HIGHEST_COUNT);
const content = {
  sha256: digest,
  bytes: z
    .int()
    .min(0)
    .max(LARGEST_EXPORT + 1024 ** 2),
};
const writer = { clusterUid: text, epoch: place };
const reference = z.strictObject({ key: text, sha256: digest, sequence: place });
const head = { schemaVersion: z.literal(SCHEMA_VERSION), cluster: text, ...writer };

const MANIFEST = z.strictObject({
  ...head,
  sequence: place,
  createdAt: time,
  export: z.strictObject({
    key: text,
    ...content,
    plain: z.strictObject(content),
    compression: z.enum(COMPRESSIONS),
    encryption: z.enum(ENCRYPTIONS),
    keyId: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .nullable(),
  }),
  counts: z.strictObject({ storageClasses: count, volumes: count, claims: count }),
  previous: reference.nullable(),
});

const POINTER = z.strictObject({
  ...head,
  newest: reference.nullable(),
  confirmedAt: time,
});

export const writeManifest = (manifest: Manifest, key: SigningKey | undefined): Buffer =>
  seal('manifest', manifest, key);
export const writePointer = (pointer: Pointer, key: SigningKey | undefined): Buffer => seal('pointer', pointer, key);

/** Of which cluster it has to be, and whose signature it has to have. */
export interface Expected extends Trust {
  readonly cluster: string;
}

/** Throws `RecordIsUnreadable` for what is none of this cluster's manifests, or leads elsewhere than to one of its exports. */
export function readManifest(body: Buffer, expected: Expected): Manifest {
  const manifest = read('manifest', MANIFEST, body, expected);
  const { key, compression, encryption, keyId } = manifest.export;
  if ((encryption === 'None') !== (keyId === null)) throw malformed('manifest', 'it names a key for nothing, or none');
  const seconds = exportedAt(expected.cluster, key);
  if (seconds === undefined) throw malformed('manifest', `${quote(key)} is no name of an export`);
  const isPlain = key === exportKey(expected.cluster, seconds);
  if (isPlain !== (compression === 'None' && encryption === 'None')) {
    throw malformed('manifest', `${quote(key)} is not where such an export is kept`);
  }
  checkReference('manifest', manifest.previous, expected, manifest.epoch);
  if (manifest.previous && manifest.previous.sequence >= manifest.sequence) {
    throw malformed('manifest', 'the one before it is not older');
  }
  return manifest;
}

/** Throws `RecordIsUnreadable` for what is not this cluster's pointer, or leads elsewhere than to one of its manifests. */
export function readPointer(body: Buffer, expected: Expected): Pointer {
  const pointer = read('pointer', POINTER, body, expected);
  checkReference('pointer', pointer.newest, expected, pointer.epoch);
  return pointer;
}

function checkReference(
  kind: RecordKind,
  reference: ManifestReference | null,
  { cluster }: Expected,
  epoch: number,
): void {
  if (reference === null) return;
  const { key, sequence } = reference;
  const found = manifestPlace(cluster, key);
  const isRight = found?.sequence === sequence && found.epoch <= epoch;
  if (!isRight) throw malformed(kind, `${quote(key)} is not the name of the manifest that it speaks of`);
}

/** The least that every version says of itself. */
const VERSIONED = z.looseObject({ schemaVersion: z.int() });

function read<T extends { readonly cluster: string }>(
  kind: RecordKind,
  schema: z.ZodType<T>,
  body: Buffer,
  expected: Expected,
): T {
  if (body.length > LARGEST_RECORD) throw malformed(kind, `it has ${body.length} bytes`);
  const value = unseal(kind, body, expected);
  checkVersion(kind, value);
  const record = schema.safeParse(value);
  if (!record.success) {
    throw malformed(kind, `${record.error.issues[0]?.path.join('.') || 'something in it'} is not as it should be`);
  }
  if (record.data.cluster !== expected.cluster.toLowerCase()) {
    const message = `the ${kind} is of the cluster ${quote(record.data.cluster)}, and not of ${quote(expected.cluster)}`;
    throw new RecordIsUnreadable('recordIsOfAnotherCluster', message);
  }
  return record.data;
}

function checkVersion(kind: RecordKind, value: unknown): void {
  const versioned = VERSIONED.safeParse(value);
  if (!versioned.success || versioned.data.schemaVersion === SCHEMA_VERSION) return;
  const message = `the ${kind} is of version ${versioned.data.schemaVersion}, and this program knows ${SCHEMA_VERSION}: use a newer one`;
  throw new RecordIsUnreadable('recordIsOfAnotherVersion', message);
}
