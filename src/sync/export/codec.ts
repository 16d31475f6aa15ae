/**
 * From the document to the bytes that are stored, and back: compressed, then encrypted, where that is wanted. Encrypted bytes begin with
 * the id of the key and the nonce, and end with the tag; they open only as the export of the cluster, epoch and sequence that they were
 * closed for.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type Compression, ENV, type Encryption, LARGEST_EXPORT } from '../contract.ts';
import { type EncryptionKey, KEY_ID_BYTES, KeyError, type Keys, missingKey } from './keys.ts';
import type { Manifest } from './manifest.ts';
import { sha256 } from './records.ts';
import { ExportIsUnreadable } from './unreadable.ts';

export interface Encoding {
  readonly compression: Compression;
  readonly encryption: Encryption;
}

/** What an encrypted export is bound to. */
export type Binding = Pick<Manifest, 'cluster' | 'epoch' | 'sequence'>;

const MAGIC = Buffer.from('HFX1');
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = MAGIC.length + KEY_ID_BYTES + NONCE_BYTES;

export async function encode(plain: Buffer, encoding: Encoding, keys: Keys, binding: Binding): Promise<Buffer> {
  const packed = encoding.compression === 'Gzip' ? await promisify(gzip)(plain) : plain;
  return encoding.encryption === 'AES-256-GCM' ? encrypt(packed, encryptionKey(keys), binding) : packed;
}

/** The key that a new export is closed with. */
export function encryptionKey({ encryption }: Keys): EncryptionKey {
  if (encryption === undefined) throw missingKey(ENV.encryptionKey, 'encryption of exports');
  return encryption;
}

/** The id of the key that closed it; nothing for what is not encrypted. */
export function keyIdOf(stored: Buffer): string | undefined {
  const isEncrypted = stored.length >= HEAD_BYTES + TAG_BYTES && stored.subarray(0, MAGIC.length).equals(MAGIC);
  return isEncrypted ? stored.subarray(MAGIC.length, MAGIC.length + KEY_ID_BYTES).toString('hex') : undefined;
}

/**
 * The document that a manifest speaks of, out of the bytes that are stored. Throws `ExportIsUnreadable` when they are not what was
 * written, and `KeyError` when they cannot be opened.
 */
export async function decode(stored: Buffer, manifest: Manifest, keys: Keys): Promise<Buffer> {
  const { export: record } = manifest;
  if (stored.length < record.bytes) {
    throw unreadable('exportIsTruncated', `it has ${stored.length} bytes, and was written with ${record.bytes}`);
  }
  if (stored.length !== record.bytes || sha256(stored) !== record.sha256) {
    throw unreadable('exportIsMalformed', 'its checksum is not the one in its manifest');
  }
  const packed = record.encryption === 'AES-256-GCM' ? decrypt(stored, keys, manifest) : stored;
  const plain = record.compression === 'Gzip' ? await unpack(packed, record.plain.bytes) : packed;
  if (plain.length !== record.plain.bytes || sha256(plain) !== record.plain.sha256) {
    throw unreadable('exportIsMalformed', 'the checksum of its document is not the one in its manifest');
  }
  return plain;
}

const unreadable = (fact: ExportIsUnreadable['fact'], why: string, options?: ErrorOptions) =>
  new ExportIsUnreadable(fact, `not the export that was written: ${why}`, options);

function encrypt(plain: Buffer, { id, secret }: EncryptionKey, binding: Binding): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(boundTo(binding));
  const head = [MAGIC, Buffer.from(id, 'hex'), nonce];
  return Buffer.concat([...head, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(stored: Buffer, keys: Keys, binding: Binding): Buffer {
  const id = keyIdOf(stored);
  if (id === undefined) throw unreadable('exportIsMalformed', 'it should be encrypted, and is not');
  const { secret } = keyWith(id, keys);
  const end = stored.length - TAG_BYTES;
  const nonce = stored.subarray(HEAD_BYTES - NONCE_BYTES, HEAD_BYTES);
  const options = { authTagLength: TAG_BYTES };
  const decipher = createDecipheriv('aes-256-gcm', secret, nonce, options).setAAD(boundTo(binding));
  decipher.setAuthTag(stored.subarray(end));
  const plain = decipher.update(stored.subarray(HEAD_BYTES, end));
  try {
    decipher.final();
  } catch (cause) {
    const message = `the export is not what the key ${id} has closed for epoch ${binding.epoch} and sequence ${binding.sequence}`;
    throw new KeyError('keyIsWrong', ENV.encryptionKey, message, { cause });
  }
  return plain;
}

function keyWith(id: string, { encryption, previous }: Keys): EncryptionKey {
  const all = encryption === undefined ? previous : [encryption, ...previous];
  const found = all.find((key) => key.id === id);
  if (found) return found;
  const have = all.length === 0 ? 'none is set' : `there are only ${all.map((key) => key.id).join(', ')}`;
  const message = `the export is encrypted with the key ${id}, and ${have}: give it in ${ENV.encryptionKey}, or in ${ENV.previousEncryptionKeys}`;
  throw new KeyError(all.length === 0 ? 'keyIsMissing' : 'keyIsUnknown', ENV.encryptionKey, message);
}

const boundTo = ({ cluster, epoch, sequence }: Binding): Buffer =>
  Buffer.from(`holdfast export\n${cluster}\n${epoch}\n${sequence}`);

/** Never more than was announced: a few kilobytes can be made to unpack to anything. */
async function unpack(packed: Buffer, most: number): Promise<Buffer> {
  try {
    return await promisify(gunzip)(packed, { maxOutputLength: Math.min(most, LARGEST_EXPORT) + 1 });
  } catch (cause) {
    throw unreadable('exportIsMalformed', 'it cannot be unpacked', { cause });
  }
}
