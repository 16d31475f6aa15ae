import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atOnce } from '../../kit/in-turns.ts';
import { ENV } from '../contract.ts';
import { keysFrom, NO_KEYS } from './keys.ts';
import { closedExportKey, manifestKey } from './names.ts';
import {
  type Expected,
  readManifest,
  readPointer,
  sha256,
  sha256InTurns,
  writeManifest,
  writePointer,
} from './records.ts';
import { sampleKeys, signingPair } from './sample-keys.ts';
import { aManifest, aPointer } from './sample-records.ts';
import { RecordIsUnreadable, seal } from './sealed.ts';

const anybody: Expected = { cluster: 'Prod', keys: NO_KEYS, isRequired: false };
const count = fc.integer({ min: 1, max: 9_999_999_999 });
const digest = fc.stringMatching(/^[0-9a-f]{64}$/);

/** What the manifest of the samples could follow on. */
const before = { key: manifestKey('prod', 1, 6), sha256: 'cd'.repeat(32), sequence: 6 };

function refusal(read: () => unknown): RecordIsUnreadable {
  try {
    read();
  } catch (error) {
    if (error instanceof RecordIsUnreadable) return error;
    throw error;
  }
  throw new Error('it was read');
}

const refusedManifest = (parts: object, expected = anybody) =>
  refusal(() => readManifest(seal('manifest', { ...aManifest(), ...parts }, undefined), expected));
const refusedPointer = (parts: object, expected = anybody) =>
  refusal(() => readPointer(seal('pointer', { ...aPointer(), ...parts }, undefined), expected));

test.each([0, 1, 2 * 1024 ** 2, 2 * 1024 ** 2 + 1, 7_000_000])('a hash of %i bytes is the same in turns', (length) => {
  const bytes = Buffer.alloc(length, 'holdfast');
  expect(atOnce(sha256InTurns(bytes))).toBe(sha256(bytes));
});

describe('manifests and pointers', () => {
  test('come back as they were written, signed or not', () => {
    const { signing, ...keys } = sampleKeys();
    fc.assert(
      fc.property(count, count, digest, fc.boolean(), fc.boolean(), (epoch, last, sum, isFirst, isSigned) => {
        const sequence = Math.max(last, 2);
        const before = { key: manifestKey('prod', 1, sequence - 1), sha256: sum, sequence: sequence - 1 };
        const key = isSigned ? signing : undefined;
        const expected = { cluster: 'prod', keys, isRequired: isSigned };
        const manifest = aManifest({ epoch, sequence, previous: isFirst ? null : before });
        expect(readManifest(writeManifest(manifest, key), expected)).toEqual(manifest);
        const pointer = aPointer({
          epoch,
          newest: { key: manifestKey('prod', epoch, sequence), sha256: sum, sequence },
        });
        expect(readPointer(writePointer(pointer, key), expected)).toEqual(pointer);
      }),
      { numRuns: 50 },
    );
  });

  test('may say that nothing was exported yet, or that a cluster before has exported last', () => {
    const [none, before] = [aPointer({ newest: null }), aPointer({ epoch: 4 })];
    expect(readPointer(writePointer(none, undefined), anybody)).toEqual(none);
    expect(readPointer(writePointer(before, undefined), anybody)).toEqual(before);
  });

  test('that are cut off or changed anywhere are refused when they have to be signed', () => {
    const keys = sampleKeys();
    const body = writeManifest(aManifest(), keys.signing);
    const expected = { cluster: 'prod', keys, isRequired: true };
    for (let length = 0; length < body.length - 1; length += 1) {
      expect(refusal(() => readManifest(body.subarray(0, length), expected)).fact).toBe('recordIsMalformed');
    }
    fc.assert(
      fc.property(fc.nat(body.length - 2), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(body);
        changed[at] = (changed[at] ?? 0) ^ change;
        expect(readsAnother(changed, expected)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test('have to be signed by a key that is trusted, where that is wanted', () => {
    const [own, other] = [sampleKeys(), sampleKeys()];
    const signed = writePointer(aPointer(), own.signing);
    const read = (body: Buffer, isRequired: boolean) => readPointer(body, { cluster: 'prod', keys: other, isRequired });
    expect(refusal(() => read(writePointer(aPointer(), undefined), true)).fact).toBe('signatureIsMissing');
    const unknown = refusal(() => read(signed, true));
    expect(unknown.fact).toBe('signerIsUnknown');
    expect(unknown.message).toContain(own.signing?.id);
    expect(unknown.message).toContain('SYNC_TRUSTED_KEYS');
    expect(read(signed, false)).toEqual(aPointer());
  });

  test('with a wrong signature by a known key are refused, whether or not one is wanted', () => {
    const keys = sampleKeys();
    const [text, other] = [writePointer(aPointer(), keys.signing), writePointer(aPointer({ epoch: 9 }), keys.signing)];
    const { payload } = JSON.parse(other.toString());
    const forged = Buffer.from(JSON.stringify({ ...JSON.parse(text.toString()), payload }));
    expect(refusal(() => readPointer(forged, { cluster: 'prod', keys, isRequired: false })).fact).toBe(
      'signatureIsWrong',
    );
  });

  test('are not taken for one another, although both are signed by the same key', () => {
    const keys = sampleKeys();
    const expected = { cluster: 'prod', keys, isRequired: true };
    expect(refusal(() => readPointer(seal('manifest', aPointer(), keys.signing), expected)).fact).toBe(
      'signatureIsWrong',
    );
  });

  test('verify by any of several trusted keys', () => {
    const [first, second] = [signingPair(), signingPair()];
    const { signing } = keysFrom({ [ENV.signingKey]: second.signing });
    const keys = keysFrom({ [ENV.trustedKeys]: `${first.trusted}${second.trusted}` });
    const body = writeManifest(aManifest(), signing);
    expect(readManifest(body, { cluster: 'prod', keys, isRequired: true })).toEqual(aManifest());
  });

  test('of another cluster are refused', () => {
    const error = refusedPointer({}, { ...anybody, cluster: 'staging' });
    expect(error.fact).toBe('recordIsOfAnotherCluster');
    expect(error.message).toBe('the pointer is of the cluster "prod", and not of "staging"');
  });

  test('of a version to come are refused with the advice to use a newer program', () => {
    const error = refusedManifest({ schemaVersion: 2, more: 'fields' });
    expect(error.fact).toBe('recordIsOfAnotherVersion');
    expect(error.message).toContain('use a newer one');
  });

  test.each<[string, object]>([
    ['leads to another cluster', { export: { ...aManifest().export, key: 'staging/1767225600_storage_objects.json' } }],
    ['leads to no export', { export: { ...aManifest().export, key: '.holdfast/prod/pointer.json' } }],
    ['is not compressed, but kept with those', { export: { ...aManifest().export, key: closedExportKey('prod', 1) } }],
    ['is compressed, but kept with the others', { export: { ...aManifest().export, compression: 'Gzip' } }],
    ['names a key although it is not encrypted', { export: { ...aManifest().export, keyId: 'ab'.repeat(8) } }],
    ['has a field too many', { more: 1 }],
    ['has no epoch', { epoch: undefined }],
    ['has the epoch 0', { epoch: 0 }],
    ['has an epoch that is no integer', { epoch: 1.5 }],
    ['has a sequence past what keeps the order', { sequence: 10_000_000_000 }],
    ['has a checksum of another kind', { previous: { ...before, sha256: 'ab' } }],
    ['follows on one of another cluster', { previous: { ...before, key: manifestKey('staging', 1, 6) } }],
    ['follows on one of a later epoch', { previous: { ...before, key: manifestKey('prod', 2, 6) } }],
    ['follows on one of another name', { previous: { ...before, sequence: 5 } }],
    ['follows on itself', { previous: { ...before, key: manifestKey('prod', 1, 7), sequence: 7 } }],
    ['has a time that is none', { createdAt: 'yesterday' }],
    ['has a count below nothing', { counts: { storageClasses: 0, volumes: -1, claims: 0 } }],
    ['is endless', { clusterUid: 'x'.repeat(20_000) }],
  ])('a manifest that %s is refused', (_what, parts) => {
    expect(refusedManifest(parts).fact).toBe('recordIsMalformed');
  });

  test.each<[string, object]>([
    ['leads to another cluster', { newest: { ...aPointer().newest, key: manifestKey('staging', 1, 7) } }],
    ['leads to an export', { newest: { ...aPointer().newest, key: 'prod/1_storage_objects.json' } }],
    ['leads to another sequence', { newest: { ...aPointer().newest, sequence: 8 } }],
    ['leads to a later epoch', { newest: { ...aPointer().newest, key: manifestKey('prod', 2, 7) } }],
  ])('a pointer that %s is refused', (_what, parts) => {
    expect(refusedPointer(parts).fact).toBe('recordIsMalformed');
  });

  test.each([
    '',
    '{}',
    'null',
    '"text"',
    '{"payload":"{}","signature":null,"more":1}',
    '{"payload":"no","signature":null}',
  ])('that are stored as %j are refused', (text) => {
    expect(refusal(() => readPointer(Buffer.from(text), anybody)).fact).toBe('recordIsMalformed');
  });
});

/** Changes in how it is written, such as an escaped letter, may go unnoticed as long as it says the same. */
function readsAnother(body: Buffer, expected: Expected): boolean {
  try {
    expect(readManifest(body, expected)).toEqual(aManifest());
    return false;
  } catch (error) {
    return !(error instanceof RecordIsUnreadable);
  }
}
