import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aDisk, GIB } from './builders.ts';
import {
  type Identity,
  identityOf,
  describe as inWords,
  isNamed,
  isResized,
  isSame,
  isSameOrGrown,
  keyOf,
  parseIdentity,
  sharesBytes,
} from './identity.ts';

const MIB = 2 ** 20;
const named: Identity = { sizeBytes: GIB, wwid: 'naa.1' };
const unnamed: Identity = { sizeBytes: GIB };
const part = (index: number, startBytes: number, sizeBytes = MIB): Identity => ({
  sizeBytes,
  wwid: 'naa.1',
  partition: { index, startBytes },
});

const identities = fc.record(
  {
    sizeBytes: fc.constantFrom(MIB, GIB),
    wwid: fc.constantFrom('naa.1', 'naa.2'),
    serial: fc.constantFrom('1', '2'),
    model: fc.constantFrom('a', 'b'),
    partition: fc.record({ index: fc.constantFrom(1, 2), startBytes: fc.constantFrom(0, MIB) }),
  },
  { requiredKeys: ['sizeBytes'] },
);

describe('an identity', () => {
  it('is what the kernel tells, without what is only so for now', () => {
    const disk = aDisk({ serial: 's', model: 'm', diskSequence: '9', holders: ['dm-0'] });
    expect(identityOf(disk)).toEqual({ sizeBytes: GIB, wwid: 'naa.1', serial: 's', model: 'm' });
    const partition = { disk: '8:0', index: 2, startBytes: MIB } as const;
    expect(identityOf(aDisk({ partition })).partition).toEqual({ index: 2, startBytes: MIB });
  });

  it('is read from a volume as it was written there', () => {
    fc.assert(
      fc.property(identities, (identity) => {
        expect(parseIdentity(JSON.stringify(identity))).toEqual(identity);
      }),
    );
  });

  it.each([undefined, '', '{', '5', '{}', '{"sizeBytes":-1}', '{"sizeBytes":1,"more":2}', '{"sizeBytes":1,"wwid":5}'])(
    'that is written as %s is none',
    (text) => {
      expect(parseIdentity(text)).toBeUndefined();
    },
  );
});

describe('two identities', () => {
  it.each<[string, Identity, Identity, boolean]>([
    ['of one name', named, { ...named, serial: 's' }, true],
    ['of two names', named, { ...named, wwid: 'naa.2' }, false],
    ['of one serial number', { ...unnamed, serial: 's' }, { ...unnamed, serial: 's' }, true],
    [
      'of one serial number and two models',
      { ...unnamed, serial: 's', model: 'a' },
      { ...unnamed, serial: 's', model: 'b' },
      false,
    ],
    ['of one name and two serial numbers', { ...named, serial: 's' }, { ...named, serial: 't' }, false],
    ['of which one has a name', unnamed, named, false],
    ['of which one has a name and the other a serial number', named, { ...unnamed, serial: 's' }, false],
    ['of one size and no name', unnamed, unnamed, true],
    ['of two sizes', named, { ...named, sizeBytes: MIB }, false],
    ['of two partitions', part(1, 0), part(2, 0), false],
    ['of one partition that has been moved', part(1, 0), part(1, MIB), false],
    ['of a disk and a partition of it', { ...named, sizeBytes: MIB }, part(1, 0), false],
  ])('%s: the same is %s', (_, one, other, same) => {
    expect(isSame(one, other)).toBe(same);
    expect(isSame(other, one)).toBe(same);
  });

  it('of a named disk can be of a resized one, and it may have grown only', () => {
    const larger = { ...named, sizeBytes: 2 * GIB };
    expect([isResized(named, larger), isResized(larger, named), isResized(named, named)]).toEqual([true, true, false]);
    expect([isSameOrGrown(named, larger), isSameOrGrown(larger, named), isSameOrGrown(named, named)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('of a disk without a name are never of a resized one', () => {
    expect(isResized(unnamed, { sizeBytes: 2 * GIB })).toBe(false);
    expect(isSameOrGrown(unnamed, { sizeBytes: 2 * GIB })).toBe(false);
  });

  it.each<[string, Identity, Identity, boolean]>([
    ['a disk and itself', named, named, true],
    ['a disk and a partition of it', named, part(1, MIB), true],
    ['partitions that overlap', part(1, 0, 2 * MIB), part(2, MIB), true],
    ['partitions side by side', part(1, 0), part(2, MIB), false],
    ['another disk', named, { ...named, wwid: 'naa.2' }, false],
    ['disks without a name', unnamed, unnamed, false],
  ])('share bytes: %s', (_, one, other, shares) => {
    expect(sharesBytes(one, other)).toBe(shares);
    expect(sharesBytes(other, one)).toBe(shares);
  });

  it('that are the same, and named, share bytes, and are kept under one key unless one tells more', () => {
    fc.assert(
      fc.property(identities, identities, (one, other) => {
        if (!isSame(one, other) || !isNamed(one)) return;
        expect(sharesBytes(one, other)).toBe(true);
        if (one.wwid === other.wwid && one.serial === other.serial && one.model === other.model)
          expect(keyOf(one, '/a')).toBe(keyOf(other, '/b'));
      }),
    );
  });
});

describe('a key', () => {
  it('tells disks and their partitions apart, and a disk without a name by its path', () => {
    const keys = [named, part(1, 0), part(2, 0), { ...unnamed, serial: 's', model: 'm' }, unnamed].map((identity) =>
      keyOf(identity, '/dev/disks/b'),
    );
    expect(keys).toEqual(['wwid:naa.1', 'wwid:naa.1#1', 'wwid:naa.1#2', 'serial:m/s', 'path:/dev/disks/b']);
  });

  it('stays when the disk is resized', () => {
    expect(keyOf({ ...named, sizeBytes: 1 }, '/a')).toBe(keyOf(named, '/a'));
  });
});

it('is told to people', () => {
  expect([named, part(3, 0), { ...unnamed, serial: 's' }, unnamed].map(inWords)).toEqual([
    'naa.1',
    'naa.1 partition 3',
    'serial s',
    'known by its size only',
  ]);
});
