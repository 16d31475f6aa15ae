import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closedExportKey, exportedAt, exportKey, manifestKey, manifestPlace, pointerKey, probeKey } from './names.ts';

const count = fc.integer({ min: 1, max: 9_999_999_999 });

describe('names in the store', () => {
  test('are in lower case, and only exports that the original can read are under the name of the cluster', () => {
    expect(exportKey('Prod', 1700000000)).toBe('prod/1700000000_storage_objects.json');
    expect(closedExportKey('Prod', 1700000000)).toBe('.holdfast/prod/exports/1700000000_storage_objects.bin');
    expect(pointerKey('Prod')).toBe('.holdfast/prod/pointer.json');
    expect(manifestKey('Prod', 2, 31)).toBe('.holdfast/prod/manifests/0000000002-0000000031.json');
    expect(probeKey('Prod', 'uid')).toBe('.holdfast/prod/probes/uid.json');
  });

  test('of exports tell when they were made', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99_999_999_999 }), (seconds) => {
        expect(exportedAt('Prod', exportKey('prod', seconds))).toBe(seconds);
        expect(exportedAt('Prod', closedExportKey('prod', seconds))).toBe(seconds);
      }),
    );
  });

  test('of manifests tell epoch and sequence, and are in their order as text', () => {
    fc.assert(
      fc.property(count, count, count, count, (epoch, sequence, otherEpoch, otherSequence) => {
        const [key, other] = [manifestKey('prod', epoch, sequence), manifestKey('prod', otherEpoch, otherSequence)];
        expect(manifestPlace('Prod', key)).toEqual({ epoch, sequence });
        expect(Math.sign(epoch - otherEpoch || sequence - otherSequence)).toBe(key < other ? -1 : key > other ? 1 : 0);
      }),
    );
  });

  test.each([
    'prod/1700000000_storage_objects.bin',
    '.holdfast/prod/exports/1700000000_storage_objects.json',
    'prod/01700000000_storage_objects.json',
    'prod/-1_storage_objects.json',
    'prod/notes.json',
    'prod/1700000000_storage_objects.json.bak',
    'prod/old/1700000000_storage_objects.json',
    'product/1700000000_storage_objects.json',
    '1700000000_storage_objects.json',
  ])('%s is of no export of the cluster prod', (key) => {
    expect(exportedAt('prod', key)).toBeUndefined();
  });

  test.each([
    '.holdfast/prod/manifests/2-31.json',
    '.holdfast/prod/0000000002-0000000031.json',
    '.holdfast/other/manifests/0000000002-0000000031.json',
    '.holdfast/prod/manifests/10000000002-0000000031.json',
  ])('%s is of no manifest of the cluster prod', (key) => {
    expect(manifestPlace('prod', key)).toBeUndefined();
  });
});
