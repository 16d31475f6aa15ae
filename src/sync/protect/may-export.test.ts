import { expect, test } from 'vitest';
import { ENV } from '../contract.ts';
import { keysFrom, NO_KEYS } from '../export/keys.ts';
import { encryptionText, signingPair } from '../export/sample-keys.ts';
import { whyNotExport } from './may-export.ts';

const PLAIN = { wasEncrypted: false };
const ENCRYPTED = { wasEncrypted: true };
const { trusted } = keysFrom({ [ENV.signingKey]: signingPair().signing });
const whole = keysFrom({ [ENV.signingKey]: signingPair().signing, [ENV.encryptionKey]: encryptionText() });

test('who is to sign needs the key itself, and not only those that he trusts', () => {
  expect(whyNotExport({ signed: true }, { ...NO_KEYS, trusted }, PLAIN)).toContain('SYNC_SIGNING_KEY is not set');
  expect(whyNotExport({ signed: true }, whole, PLAIN)).toBeUndefined();
});

test('who is to encrypt needs a key that closes, and not only those that open', () => {
  const opening = { ...NO_KEYS, previous: whole.encryption ? [whole.encryption] : [] };
  expect(whyNotExport({ encryption: 'AES-256-GCM' }, opening, PLAIN)).toContain('SYNC_ENCRYPTION_KEY is not set');
  expect(whyNotExport({ encryption: 'AES-256-GCM' }, whole, ENCRYPTED)).toBeUndefined();
});

test('who takes over from one that encrypts does so, too', () => {
  expect(whyNotExport({}, whole, ENCRYPTED)).toContain('Set spec.encryption to AES-256-GCM');
  expect(whyNotExport({ encryption: 'None' }, whole, ENCRYPTED)).toContain('--allow-plain');
  expect(whyNotExport({}, NO_KEYS, PLAIN)).toBeUndefined();
});
