import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ENV } from '../contract.ts';
import { KeyError, keysFrom, missingKey, NO_KEYS } from './keys.ts';
import { encryptionText, signingPair } from './sample-keys.ts';

function refusal(env: Record<string, string>): KeyError {
  try {
    keysFrom(env);
  } catch (error) {
    if (error instanceof KeyError) return error;
    throw error;
  }
  throw new Error('the keys were taken');
}

describe('keys', () => {
  test('are none where the environment has none, or only blanks', () => {
    expect(keysFrom({})).toEqual(NO_KEYS);
    expect(keysFrom({ [ENV.encryptionKey]: ' \n', [ENV.trustedKeys]: '' })).toEqual(NO_KEYS);
  });

  test('for encryption have an id that depends on the key alone', () => {
    const [now, before, first] = [encryptionText(), encryptionText(), encryptionText()];
    const keys = keysFrom({ [ENV.encryptionKey]: `${now}\n`, [ENV.previousEncryptionKeys]: `${before}\n${first}\n` });
    const turned = keysFrom({ [ENV.encryptionKey]: first, [ENV.previousEncryptionKeys]: now });
    expect(keys.encryption?.id).toMatch(/^[0-9a-f]{16}$/);
    expect(keys.encryption).toEqual(turned.previous[0]);
    expect(keys.previous[1]).toEqual(turned.encryption);
    expect(keys.previous[0]?.id).not.toBe(keys.encryption?.id);
  });

  test('for signing are trusted by whoever has them, next to the others', () => {
    const [own, other] = [signingPair(), signingPair()];
    const keys = keysFrom({ [ENV.signingKey]: own.signing, [ENV.trustedKeys]: `${other.trusted}\n${own.trusted}` });
    const [first, second, third] = keys.trusted.map(({ id }) => id);
    expect([first, third]).toEqual([keys.signing?.id, keys.signing?.id]);
    expect(second).not.toBe(first);
    expect(keysFrom({ [ENV.trustedKeys]: other.trusted }).trusted[0]?.id).toBe(second);
  });

  test.each([
    [ENV.encryptionKey, Buffer.alloc(16).toString('base64'), '16 bytes, and not 32'],
    [ENV.encryptionKey, '!'.repeat(44), 'not written in base64'],
    [ENV.previousEncryptionKeys, `${encryptionText()}\nshort`, 'bytes, and not 32'],
    [ENV.signingKey, 'secret', 'no key in PEM'],
    [ENV.signingKey, signingPair().trusted, 'no key in PEM'],
    [ENV.trustedKeys, 'a key', 'something else than public keys'],
    [ENV.trustedKeys, signingPair().signing, 'something else than public keys'],
    [ENV.trustedKeys, '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', 'no key in PEM'],
  ])('in %s that cannot be used are refused by name, and never shown', (variable, value, why) => {
    const error = refusal({ [variable]: value });
    expect(error).toMatchObject({ fact: 'keyIsUnusable', variable });
    expect(error.message).toContain(variable);
    expect(error.message).toContain(why);
    expect(error.message).not.toContain(value);
  });

  test('of another type are refused', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(refusal({ [ENV.signingKey]: pem }).message).toContain('of the type ec');
  });

  test('that are needed and missing are asked for by name', () => {
    expect(missingKey(ENV.signingKey, 'signing').message).toBe(
      'signing needs a key, and SYNC_SIGNING_KEY is not set. Set it to an Ed25519 key in PEM: openssl genpkey -algorithm ed25519.',
    );
  });
});
