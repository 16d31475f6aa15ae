/**
 * The keys that exports are encrypted and signed with, from the environment. Keys have ids, which are made from them and tell nothing
 * of them, so that a message can say which one is wanted.
 */
import { createHmac, createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto';
import { ENV } from '../contract.ts';

export interface Keys {
  /** Closes, and opens. */
  readonly encryption: EncryptionKey | undefined;
  /** Only open what they have closed. */
  readonly previous: readonly EncryptionKey[];
  readonly signing: SigningKey | undefined;
  /** That of the signing key is among them. */
  readonly trusted: readonly TrustedKey[];
}

export interface EncryptionKey {
  readonly id: string;
  readonly secret: Buffer;
}

export interface SigningKey {
  readonly id: string;
  readonly secret: KeyObject;
}

export interface TrustedKey {
  readonly id: string;
  readonly key: KeyObject;
}

export const NO_KEYS: Keys = { encryption: undefined, previous: [], signing: undefined, trusted: [] };

export type KeyFact = 'keyIsMissing' | 'keyIsUnusable' | 'keyIsUnknown' | 'keyIsWrong';

/** Names the variable, and never shows what is in it. */
export class KeyError extends Error {
  override readonly name = 'KeyError';
  readonly fact: KeyFact;
  readonly variable: string;

  constructor(fact: KeyFact, variable: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fact = fact;
    this.variable = variable;
  }
}

/** The length of an id, in bytes: long enough that nobody has two keys of the same id. */
export const KEY_ID_BYTES = 8;
const SECRET_BYTES = 32;
const PUBLIC_PEM = /-----BEGIN PUBLIC KEY-----[^-]*-----END PUBLIC KEY-----/g;

export function keysFrom(env: Readonly<Record<string, string | undefined>>): Keys {
  const value = (variable: string): string | undefined => env[variable]?.trim() || undefined;
  const encryption = value(ENV.encryptionKey);
  const signing = value(ENV.signingKey);
  const signingKey = signing === undefined ? undefined : signingKeyOf(signing);
  return {
    encryption: encryption === undefined ? undefined : encryptionKeyOf(ENV.encryptionKey, encryption),
    previous: linesOf(value(ENV.previousEncryptionKeys)).map((line) =>
      encryptionKeyOf(ENV.previousEncryptionKeys, line),
    ),
    signing: signingKey,
    trusted: [
      ...(signingKey ? [trustedKeyOf(createPublicKey(signingKey.secret))] : []),
      ...trustedKeysOf(value(ENV.trustedKeys)),
    ],
  };
}

const linesOf = (text = ''): readonly string[] => text.split(/\s+/).filter((line) => line !== '');

function encryptionKeyOf(variable: string, text: string): EncryptionKey {
  const secret = Buffer.from(text, 'base64');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw unusable(variable, 'it is not written in base64');
  if (secret.length !== SECRET_BYTES)
    throw unusable(variable, `it has ${secret.length} bytes, and not ${SECRET_BYTES}`);
  const id = createHmac('sha256', secret).update('holdfast key id').digest('hex');
  return { id: shortened(id), secret };
}

function signingKeyOf(pem: string): SigningKey {
  const secret = keyObject(ENV.signingKey, () => createPrivateKey(pem));
  return { id: publicKeyId(createPublicKey(secret)), secret };
}

/** All that stand one after another. */
function trustedKeysOf(text: string | undefined): readonly TrustedKey[] {
  if (text === undefined) return [];
  const pems = text.match(PUBLIC_PEM) ?? [];
  const rest = text.replaceAll(PUBLIC_PEM, '').trim();
  if (pems.length === 0 || rest !== '')
    throw unusable(ENV.trustedKeys, 'it holds something else than public keys in PEM');
  return pems.map((pem) => trustedKeyOf(keyObject(ENV.trustedKeys, () => createPublicKey(pem))));
}

const trustedKeyOf = (key: KeyObject): TrustedKey => ({ id: publicKeyId(key), key });

function keyObject(variable: string, read: () => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch {
    throw unusable(variable, 'it is no key in PEM');
  }
  if (key.asymmetricKeyType !== 'ed25519') throw unusable(variable, `it is of the type ${key.asymmetricKeyType}`);
  return key;
}

const publicKeyId = (key: KeyObject): string => shortened(hash('sha256', key.export({ type: 'spki', format: 'der' })));

const shortened = (hex: string): string => hex.slice(0, KEY_ID_BYTES * 2);

const WANTED: Readonly<Record<string, string>> = {
  [ENV.encryptionKey]: `Set it to ${SECRET_BYTES} random bytes in base64: openssl rand -base64 ${SECRET_BYTES}.`,
  [ENV.previousEncryptionKeys]: `Give one key of ${SECRET_BYTES} bytes in base64 on each line.`,
  [ENV.signingKey]: 'Set it to an Ed25519 key in PEM: openssl genpkey -algorithm ed25519.',
  [ENV.trustedKeys]: 'Set it to Ed25519 public keys in PEM: openssl pkey -pubout.',
};

const unusable = (variable: string, why: string): KeyError =>
  new KeyError('keyIsUnusable', variable, `the key in ${variable} cannot be used: ${why}. ${WANTED[variable]}`);

/** For something that was asked for and needs a key that was not given. */
export const missingKey = (variable: string, what: string): KeyError =>
  new KeyError('keyIsMissing', variable, `${what} needs a key, and ${variable} is not set. ${WANTED[variable]}`);
