import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CRC_BYTES, footOf, type KeptBlob, MOST_FOOT_BYTES, parseFoot, piecesOf } from './trailer.ts';

const blobs: fc.Arbitrary<KeptBlob> = fc.record({
  key: fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme-ascii' }),
  size: fc.nat(2 ** 40),
  sha256: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 }),
  at: fc.constant('2026-01-01T00:00:00.000Z'),
});

const fileBytesOf = ({ size }: KeptBlob, foot: Buffer): number => size + piecesOf(size) * CRC_BYTES + foot.length;

test('a foot is read as it was written, whatever stands before it', () => {
  fc.assert(
    fc.property(blobs, fc.uint8Array(), (blob, before) => {
      const foot = footOf(blob);
      expect(foot.length).toBeLessThanOrEqual(MOST_FOOT_BYTES);
      expect(parseFoot(Buffer.concat([before, foot]), fileBytesOf(blob, foot))).toEqual(blob);
    }),
  );
});

test('one that has changed in any bit, is cut off, or stands in a file of another length is none', () => {
  fc.assert(
    fc.property(blobs, fc.nat(), fc.integer({ min: 1, max: 255 }), (blob, at, flip) => {
      const foot = footOf(blob);
      const all = fileBytesOf(blob, foot);
      const changed = Buffer.from(foot);
      const place = at % foot.length;
      changed.writeUInt8(changed.readUInt8(place) ^ flip, place);
      expect(parseFoot(changed, all)).toBeUndefined();
      expect(parseFoot(foot.subarray(0, place), all)).toBeUndefined();
      expect(parseFoot(foot, all + flip)).toBeUndefined();
    }),
  );
});

test('no bytes are too strange to be looked at', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(parseFoot(Buffer.from(bytes), bytes.length)).toBeUndefined();
    }),
  );
});
