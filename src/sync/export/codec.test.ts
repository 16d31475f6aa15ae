import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COMPRESSIONS, ENCRYPTIONS, ENV } from '../contract.ts';
import { decode, type Encoding, encode, keyIdOf } from './codec.ts';
import { KeyError, type Keys, keysFrom, NO_KEYS } from './keys.ts';
import type { Manifest } from './manifest.ts';
import { sha256 } from './records.ts';
import { encryptionText, sampleKeys } from './sample-keys.ts';
import { aManifest } from './sample-records.ts';
import { ExportIsUnreadable } from './unreadable.ts';

const encodings: readonly Encoding[] = COMPRESSIONS.flatMap((compression) =>
  ENCRYPTIONS.map((encryption) => ({ compression, encryption })),
);
const CLOSED: Encoding = { compression: 'None', encryption: 'AES-256-GCM' };
const PACKED: Encoding = { compression: 'Gzip', encryption: 'None' };

const manifestOf = (plain: Buffer, stored: Buffer, encoding: Encoding): Manifest =>
  aManifest({
    export: {
      ...aManifest().export,
      sha256: sha256(stored),
      bytes: stored.length,
      plain: { sha256: sha256(plain), bytes: plain.length },
      ...encoding,
      keyId: keyIdOf(stored) ?? null,
    },
  });

async function stored(plain: Buffer, encoding: Encoding, keys: Keys) {
  const body = await encode(plain, encoding, keys, aManifest());
  return { body, manifest: manifestOf(plain, body, encoding) };
}

const plain = Buffer.from('{"storage_classes":[],"persistent_volumes":[],"persistent_volume_claims":[]}');
const failure = (decoding: Promise<unknown>): Promise<unknown> =>
  decoding.then(
    () => 'it was read',
    (error) => error,
  );

describe('the bytes of an export', () => {
  test.each(encodings)('come back as they were: %j', async (encoding) => {
    const keys = sampleKeys();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
        const { body, manifest } = await stored(Buffer.from(bytes), encoding, keys);
        expect(await decode(body, manifest, keys)).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 30 },
    );
  });

  test.each(encodings)('are refused when they are cut off or changed: %j', async (encoding) => {
    const keys = sampleKeys();
    const { body, manifest } = await stored(plain, encoding, keys);
    for (let at = 0; at < body.length; at += 1) {
      const cut = await failure(decode(body.subarray(0, at), manifest, keys));
      expect(cut).toMatchObject({ name: 'ExportIsUnreadable', fact: 'exportIsTruncated' });
      const changed = Buffer.from(body);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(await failure(decode(changed, manifest, keys))).toMatchObject({ fact: 'exportIsMalformed' });
    }
    const longer = await failure(decode(Buffer.concat([body, body]), manifest, keys));
    expect(longer).toMatchObject({ fact: 'exportIsMalformed' });
  });

  test('without compression and encryption are those of the document', async () => {
    const { body } = await stored(plain, { compression: 'None', encryption: 'None' }, NO_KEYS);
    expect(body).toEqual(plain);
  });

  test('never say twice the same when they are encrypted', async () => {
    const keys = sampleKeys();
    const [first, second] = [await stored(plain, CLOSED, keys), await stored(plain, CLOSED, keys)];
    expect(first.body).not.toEqual(second.body);
    expect(first.body.includes('persistent')).toBe(false);
    expect(keyIdOf(first.body)).toBe(keys.encryption?.id);
  });

  test('that a key before has closed are opened by it, and it closes nothing any more', async () => {
    const [old, young] = [encryptionText(), encryptionText()];
    const before = await stored(plain, CLOSED, keysFrom({ [ENV.encryptionKey]: old }));
    const keys = keysFrom({ [ENV.encryptionKey]: young, [ENV.previousEncryptionKeys]: old });
    expect(await decode(before.body, before.manifest, keys)).toEqual(plain);
    expect(keyIdOf((await stored(plain, CLOSED, keys)).body)).toBe(keys.encryption?.id);
    const onlyPrevious = keysFrom({ [ENV.previousEncryptionKeys]: old });
    await expect(stored(plain, CLOSED, onlyPrevious)).rejects.toMatchObject({ fact: 'keyIsMissing' });
  });

  test('that are encrypted and whose key is missing or another say which one it is and where to give it', async () => {
    const keys = sampleKeys();
    const { body, manifest } = await stored(plain, CLOSED, keys);
    for (const [others, fact] of [
      [NO_KEYS, 'keyIsMissing'],
      [sampleKeys(), 'keyIsUnknown'],
    ] as const) {
      const error = await failure(decode(body, manifest, others));
      expect(error).toMatchObject({ fact, variable: 'SYNC_ENCRYPTION_KEY' });
      expect(String(error)).toContain(keys.encryption?.id);
      expect(String(error)).toContain('SYNC_ENCRYPTION_KEY');
    }
  });

  test.each([{ sequence: 8 }, { epoch: 2 }, { cluster: 'staging' }])(
    'that are encrypted do not open as another export: %j',
    async (other) => {
      const keys = sampleKeys();
      const { body, manifest } = await stored(plain, CLOSED, keys);
      const error = await failure(decode(body, { ...manifest, ...other }, keys));
      expect(error).toBeInstanceOf(KeyError);
      expect(error).toMatchObject({ fact: 'keyIsWrong' });
    },
  );

  test('that should be encrypted and are not are refused', async () => {
    const error = await failure(decode(plain, manifestOf(plain, plain, CLOSED), sampleKeys()));
    expect(error).toMatchObject({ fact: 'exportIsMalformed' });
  });

  test('that unpack to more than was announced are refused before that', async () => {
    const body = gzipSync(Buffer.alloc(50_000_000));
    const error = await failure(decode(body, manifestOf(plain, body, PACKED), NO_KEYS));
    expect(error).toBeInstanceOf(ExportIsUnreadable);
    expect(String(error)).toContain('cannot be unpacked');
  });

  test('that are not what the manifest says of the document are refused, although they are what was stored', async () => {
    const body = gzipSync('something else');
    const error = await failure(decode(body, manifestOf(plain, body, PACKED), NO_KEYS));
    expect(error).toMatchObject({ fact: 'exportIsMalformed' });
  });
});
