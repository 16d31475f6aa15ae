/**
 * A certificate authority in the process: signs X.509 certificates with P-256 keys. Node reads certificates but issues
 * none, so the few DER structures that are needed are written here.
 */
import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { type Clock, systemClock } from './clock/clock.ts';

/** A certificate and its key, both PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

interface Subject {
  readonly commonName: string;
  /** Kubernetes reads these as the user's groups. */
  readonly organizations?: readonly string[];
}

export interface Authority extends Certificate {
  /** For a server: valid for these DNS names and IPv4 addresses. */
  issueServer(subject: Subject, names: readonly string[]): Certificate;
  /** For a client that authenticates as the subject. */
  issueClient(subject: Subject): Certificate;
}

export function createAuthority(commonName: string, clock: Clock = systemClock): Authority {
  const key = newKey();
  const issuer = { subject: { commonName }, key };
  const from = clock.now();
  const leaf = (subject: Subject, extensions: readonly Buffer[]) =>
    issue({ subject, key: newKey(), issuer, from, extensions: [basicConstraints(false), ...extensions] });
  return {
    ...issue({
      ...issuer,
      issuer,
      from,
      extensions: [basicConstraints(true), keyUsage(KEY_CERT_SIGN | DIGITAL_SIGNATURE)],
    }),
    issueServer: (subject, names) => leaf(subject, [extendedKeyUsage(SERVER_AUTH), subjectAltName(names)]),
    issueClient: (subject) => leaf(subject, [extendedKeyUsage(CLIENT_AUTH)]),
  };
}

/** A bare key pair, PEM: the one that signs service account tokens. */
export function createKeyPair(): { readonly privateKey: string; readonly publicKey: string } {
  const key = newKey();
  return { privateKey: pem(key), publicKey: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString() };
}

interface Issue {
  readonly subject: Subject;
  readonly key: KeyObject;
  readonly issuer: { readonly subject: Subject; readonly key: KeyObject };
  readonly from: Date;
  readonly extensions: readonly Buffer[];
}

function issue({ subject, key, issuer, from, extensions }: Issue): Certificate {
  const toBeSigned = sequence(
    der(0xa0, integer(Buffer.of(2))), // version 3
    integer(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer.subject),
    sequence(time(from, -HOUR), time(from, 10 * 365 * 24 * HOUR)),
    distinguishedName(subject),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', toBeSigned, issuer.key);
  const certificate = sequence(toBeSigned, ECDSA_WITH_SHA256, bitString(signature));
  const lines = certificate.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return { certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`, key: pem(key) };
}

function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

const HOUR = 3_600_000;
const TRUE = Buffer.of(0x01, 0x01, 0xff);
const DIGITAL_SIGNATURE = 0x80;
const KEY_CERT_SIGN = 0x04;
const SERVER_AUTH = oid(0x2b, 6, 1, 5, 5, 7, 3, 1);
const CLIENT_AUTH = oid(0x2b, 6, 1, 5, 5, 7, 3, 2);
const ECDSA_WITH_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2));

/** Extensions are 2.5.29.LAST; all but the alternative names are critical here, since nobody may ignore them. */
function extension(last: number, critical: boolean, value: Buffer): Buffer {
  return sequence(oid(0x55, 0x1d, last), ...(critical ? [TRUE] : []), der(0x04, value));
}
function basicConstraints(authority: boolean): Buffer {
  return extension(19, true, sequence(...(authority ? [TRUE] : [])));
}
function keyUsage(bits: number): Buffer {
  return extension(15, true, bitString(Buffer.of(bits)));
}
function extendedKeyUsage(purpose: Buffer): Buffer {
  return extension(37, true, sequence(purpose));
}
function subjectAltName(names: readonly string[]): Buffer {
  const entry = (name: string) =>
    isIPv4(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name));
  return extension(17, false, sequence(...names.map(entry)));
}

function distinguishedName({ commonName, organizations = [] }: Subject): Buffer {
  const attribute = (last: number, text: string) =>
    der(0x31, sequence(oid(0x55, 4, last), der(0x0c, Buffer.from(text))));
  return sequence(...organizations.map((name) => attribute(10, name)), attribute(3, commonName));
}

/** UTCTime (two-digit year), `offset` milliseconds from then. */
function time(from: Date, offset: number): Buffer {
  const digits = new Date(from.getTime() + offset).toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x17, Buffer.from(digits.slice(2)));
}

function oid(...bytes: number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}
function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes);
}
function bitString(bytes: Buffer): Buffer {
  return der(0x03, Buffer.concat([Buffer.of(0), bytes]));
}
function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

/** One DER element: tag, length (short or long form), content. */
function der(tag: number, content: Buffer): Buffer {
  const size = content.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
