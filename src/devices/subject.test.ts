import { describe, expect, it } from 'vitest';
import { aDisk, aPartition, EACH_REFUSAL, GIB, known, seenOf } from './builders.ts';
import type { Seen } from './decide.ts';
import type { Reason } from './reasons.ts';
import type { Refusal } from './refusals.ts';
import { asSeen, grievanceOf, grievanceOfReason, stateOf, subjectOf } from './subject.ts';
import { type Volume, volumeOf } from './volume.ts';

const PATH = '/dev/disks/b';
const volume: Volume = {
  ...volumeOf({ metadata: { name: 'local-n1-b', uid: 'uid-1' }, spec: { local: { path: PATH } } }),
  identity: { sizeBytes: 5, wwid: 'naa.9' },
};
const found = { path: PATH, volume: 'local-n1-b', device: { facts: aDisk() } };
const seen = (parts: Partial<Seen>): Seen => ({
  node: { name: 'n1', uid: 'uid-of-n1' },
  name: 'local-n1-b',
  config: { fault: 'none' },
  accepts: () => true,
  found: [],
  ...parts,
});

describe('what people are told about', () => {
  it('is the device that was found', () => {
    expect(subjectOf(seen({ found: [found] }))).toEqual({
      name: 'local-n1-b',
      path: PATH,
      volume: undefined,
      identity: { sizeBytes: GIB, wwid: 'naa.1' },
      device: 'wwid:naa.1',
    });
  });

  it('is the device that is recorded on the volume where none is found', () => {
    expect(subjectOf(seen({ volume }))).toMatchObject({ path: PATH, volume, device: 'wwid:naa.9' });
    const broken = { ...found, device: { fault: 'so' } };
    expect(subjectOf(seen({ volume, found: [broken] }))).toMatchObject({ device: 'wwid:naa.9' });
  });

  it('is the one at the path of the volume, of several', () => {
    const other = { ...found, path: '/dev/disks/B', device: { facts: aDisk({ wwid: 'naa.2' }) } };
    expect(subjectOf(seen({ volume, found: [other, found] }))).toMatchObject({ path: PATH, device: 'wwid:naa.1' });
  });

  it('is a device without a name by its path', () => {
    const { wwid: _, ...facts } = aDisk();
    expect(subjectOf(seen({ found: [{ ...found, device: { facts } }] }))).toMatchObject({ device: `path:${PATH}` });
  });

  it('is what was there when it was opened, with what is on it', () => {
    const subject = subjectOf(seen({ found: [found] }));
    const observed = seenOf({ facts: aDisk({ wwid: 'naa.2' }), signature: known('xfs'), isBlank: false });
    expect(asSeen(subject, observed)).toMatchObject({ device: 'wwid:naa.2', holds: 'xfs' });
    expect(asSeen(subject, undefined)).toBe(subject);
  });

  it('is told with the partitions that it has, as they were seen last', () => {
    const facts = aDisk({ partitions: [aPartition('sdb1')] });
    const subject = subjectOf(seen({ found: [{ ...found, device: { facts } }] }));
    expect(subject).toMatchObject({ partitions: [{ name: 'sdb1', sizeBytes: 2 ** 20 }], partitionCount: 1 });
    const both = aDisk({ partitions: [aPartition('sdb1'), aPartition('sdb2')] });
    expect(asSeen(subject, seenOf({ facts: both }))).toMatchObject({ partitionCount: 2 });
    expect(asSeen(subject, seenOf())).toMatchObject({ partitions: undefined, partitionCount: undefined });
  });

  it.each([
    ['Bound', 'bound'],
    ['Released', 'released'],
    ['Available', 'available'],
    ['Pending', 'available'],
  ])('stands, when its volume is %s, as %s', (phase, is) => {
    expect(stateOf({ ...volume, phase })).toEqual({ is });
  });
});

describe('why nothing is done', () => {
  it.each(Object.values<Refusal>(EACH_REFUSAL))('is told with what can be done about it: $fact', (refusal) => {
    const { fact, why, remedy } = grievanceOf(refusal, 'n1', PATH);
    expect(fact).toBe(refusal.fact);
    for (const words of [why, remedy]) expect(words).toMatch(/^\S.*[^.\s]$/s);
  });

  it.each(Object.values(eachReason()))('is told with what can be done about it: $fact', (reason) => {
    const { fact, why, remedy, canBeApproved } = grievanceOfReason(reason);
    expect([fact, canBeApproved]).toEqual([reason.fact, false]);
    for (const words of [why, remedy]) expect(words).toMatch(/^\S.*[^.\s]$/s);
  });

  /** That none is missing is seen by the compiler. */
  function eachReason(): { readonly [Fact in Reason['fact']]: Extract<Reason, { fact: Fact }> } {
    return {
      allIsWell: { fact: 'allIsWell' },
      thereIsNoConfiguration: { fact: 'thereIsNoConfiguration', why: 'so' },
      isBeingDeleted: { fact: 'isBeingDeleted' },
      isUnusable: { fact: 'isUnusable', why: 'so' },
      nameIsShared: { fact: 'nameIsShared', paths: ['/a', '/b'] },
      nameIsImpossible: { fact: 'nameIsImpossible', why: 'so' },
      settingsDisagree: { fact: 'settingsDisagree', volume: 'v', how: 'so' },
      deviceIsMissing: { fact: 'deviceIsMissing', path: PATH, nowAt: '/x' },
      deviceIsAnother: { fact: 'deviceIsAnother', path: PATH, recorded: 'a', found: 'b' },
      deviceHasShrunk: { fact: 'deviceHasShrunk', recordedBytes: 2, foundBytes: 1 },
      deviceHasAVolume: { fact: 'deviceHasAVolume', volume: 'v', path: '/x' },
      volumeIsNotOurs: { fact: 'volumeIsNotOurs', why: 'so' },
      isLeftOutByTheFilter: { fact: 'isLeftOutByTheFilter', path: PATH },
    };
  }
});
