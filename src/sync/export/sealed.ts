/**
 * How manifests and the pointer are stored: `{"payload": "…", "signature": …}`, where the payload is a text that holds the JSON of the
 * record. What is signed are the bytes of that text behind a line that says what it is, so that nothing has to be written the same way
 * twice, and no record can be passed off as one of another kind.
 */
import { sign, verify } from 'node:crypto';
import * as z from 'zod';
import { ENV } from '../contract.ts';
import type { Keys, SigningKey } from './keys.ts';

export type RecordKind = 'manifest' | 'pointer';

/** Larger than any that we write. */
export const LARGEST_RECORD = 16 * 1024;

export type RecordFact =
  | 'recordIsMalformed'
  /** By a version of the program that this one does not know. */
  | 'recordIsOfAnotherVersion'
  | 'recordIsOfAnotherCluster'
  | 'signatureIsMissing'
  | 'signatureIsWrong'
  | 'signerIsUnknown';

/** A manifest or pointer that cannot be believed. */
export class RecordIsUnreadable extends Error {
  override readonly name = 'RecordIsUnreadable';
  readonly fact: RecordFact;

  constructor(fact: RecordFact, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fact = fact;
  }
}

/** The same, with the place where it is and what to do about it. */
export function unreadableAt(place: string, error: unknown, remedy: string): unknown {
  if (!(error instanceof RecordIsUnreadable)) return error;
  return new RecordIsUnreadable(error.fact, `${place}: ${error.message}. ${remedy}`, { cause: error });
}

/** Whose signatures count, and whether there has to be one. A wrong one is refused in any case. */
export interface Trust {
  readonly keys: Pick<Keys, 'trusted'>;
  readonly isRequired: boolean;
}

const SEALED = z.strictObject({
  payload: z.string(),
  signature: z.strictObject({ keyId: z.string().max(64), value: z.base64().max(128) }).nullable(),
});

export function seal(kind: RecordKind, record: object, key: SigningKey | undefined): Buffer {
  const payload = JSON.stringify(record);
  const value = key && sign(null, signedBytes(kind, payload), key.secret).toString('base64');
  return Buffer.from(`${JSON.stringify({ payload, signature: key ? { keyId: key.id, value } : null })}\n`);
}

/** The record, of which nothing is known but that it is JSON and who signed it. */
export function unseal(kind: RecordKind, body: Buffer, trust: Trust): unknown {
  const sealed = SEALED.safeParse(parsed(kind, body.toString()));
  if (!sealed.success) throw malformed(kind, 'it is not stored as one');
  const { payload, signature } = sealed.data;
  if (signature !== null) checkSignature(kind, payload, signature, trust);
  else if (trust.isRequired) throw new RecordIsUnreadable('signatureIsMissing', `the ${kind} is not signed`);
  return parsed(kind, payload);
}

/** The id of the key that has signed it, whether or not that is so; nothing for what is not signed. */
export function signerOf(kind: RecordKind, body: Buffer): string | undefined {
  const sealed = SEALED.safeParse(parsed(kind, body.toString()));
  return sealed.data?.signature?.keyId;
}

interface Signature {
  readonly keyId: string;
  readonly value: string;
}

function checkSignature(kind: RecordKind, payload: string, { keyId, value }: Signature, trust: Trust): void {
  const signers = trust.keys.trusted.filter(({ id }) => id === keyId);
  if (signers.length === 0 && !trust.isRequired) return;
  if (signers.length === 0) {
    const message = `the ${kind} is signed by the key ${JSON.stringify(keyId)}, which is none of those in ${ENV.trustedKeys}`;
    throw new RecordIsUnreadable('signerIsUnknown', message);
  }
  const bytes = signedBytes(kind, payload);
  if (signers.some(({ key }) => verify(null, bytes, key, Buffer.from(value, 'base64')))) return;
  throw new RecordIsUnreadable('signatureIsWrong', `the ${kind} is not as the key ${keyId} has signed it`);
}

const signedBytes = (kind: RecordKind, payload: string): Buffer => Buffer.from(`holdfast sync ${kind}\n${payload}`);

function parsed(kind: RecordKind, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed(kind, 'it is no JSON', { cause });
  }
}

export const malformed = (kind: RecordKind, why: string, options?: ErrorOptions): RecordIsUnreadable =>
  new RecordIsUnreadable('recordIsMalformed', `the ${kind} cannot be read: ${why}`, options);
