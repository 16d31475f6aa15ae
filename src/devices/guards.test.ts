import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DeviceFacts } from '../kit/host/block-device.ts';
import {
  aDisk,
  aPartition,
  aReleasedVolume,
  GIB,
  known,
  seenOf,
  toMake,
  toRecycle,
  unknown,
  wasHandedOut,
} from './builders.ts';
import type { WipeMethod } from './contract.ts';
import { GUARDS, liftedOf, type Purpose, whyNotToWipe } from './guards.ts';
import type { LedgerEntry } from './ledger/entry.ts';
import type { Observed } from './observed.ts';
import { canBeApproved } from './refusals.ts';

const NAMED = { sizeBytes: GIB, wwid: 'naa.1' };
const PARTITION = { ...NAMED, partition: { index: 1, startBytes: 512 } };
const EVERY_FACT: ReadonlySet<string> = new Set(GUARDS.map(({ name }) => name));
const on = (facts: Partial<DeviceFacts>, parts: Partial<Observed> = {}) => seenOf({ facts: aDisk(facts), ...parts });
const opener = { pid: 7, command: 'ceph-osd', fd: 12, self: false };
const aWipe = { method: 'zero-head', startedAt: '2026-01-01T00:00:00.000Z', doneBytes: 0 } as const;

describe('a wipe', () => {
  it('is allowed of an empty device that nobody uses, for a first volume', () => {
    expect(whyNotToWipe(seenOf(), toMake())).toBeUndefined();
  });

  it('is allowed of a device with its last owner’s data, once that has left', () => {
    expect(whyNotToWipe(seenOf({ signature: known('ext4') }), toRecycle())).toBeUndefined();
  });

  it('is allowed of a volume that the ledger has lost, if it was made before the ledger', () => {
    const purpose = toRecycle({ isYoungerThanTheLedger: false }, { entry: undefined });
    expect(whyNotToWipe(seenOf({ signature: known('ext4') }), purpose)).toBeUndefined();
  });
});

type Case = [what: string, fact: string, observed: Observed, purpose?: Purpose];

const IN_USE: readonly Case[] = [
  ['is mounted', 'isMounted', seenOf({ mounts: known([{ by: '/data', under: '' }]) })],
  ['is swapped to', 'isSwap', seenOf({ swaps: known([{ by: '/dev/sdb', under: '' }]) })],
  ['is part of LVM', 'hasHolders', on({ holders: ['dm-0'] })],
  [
    'has a partition that is part of LVM',
    'hasHolders',
    on({ partitions: [aPartition('sdb1', { holders: ['dm-0'] })] }),
  ],
  [
    'has a relative that is part of LVM',
    'hasHolders',
    seenOf({ relatives: known([aDisk({ number: '8:32', name: 'sdc', holders: ['dm-0'] })]) }),
  ],
  ['is behind a loop device', 'isBehindALoopDevice', seenOf({ loops: known([{ by: 'loop3', under: '' }]) })],
  ['is served by a target', 'isExported', seenOf({ exports: known([{ by: 'the NVMe target a', under: '' }]) })],
  ['is open in a process', 'isOpen', seenOf({ openers: { open: 'yes', openers: [opener] } })],
  ['is held by somebody else', 'isHeldExclusively', seenOf({ isHeld: false })],
  ['has a relative that is held', 'isHeldExclusively', seenOf({ busyRelatives: known(['sdc']) })],
  [
    'is an extended partition',
    'isAnExtendedPartition',
    on({ sizeBytes: 1024, partition: { disk: '8:0', index: 4, startBytes: GIB } }),
  ],
  ['has mounts that are unknown', 'useIsUnknown', seenOf({ mounts: unknown('no table') })],
  ['has swaps that are unknown', 'useIsUnknown', seenOf({ swaps: unknown('no table') })],
  ['has loops that are unknown', 'useIsUnknown', seenOf({ loops: unknown('no table') })],
  ['may be behind a loop device', 'useIsUnknown', seenOf({ hiddenLoops: ['what is behind loop3 cannot be seen'] })],
  ['has relatives that are unknown', 'useIsUnknown', seenOf({ relatives: unknown('no /sys') })],
  ['has relatives of which it is unknown', 'useIsUnknown', seenOf({ busyRelatives: unknown('no node') })],
  ['has targets that are unknown', 'useIsUnknown', seenOf({ exports: unknown('no configfs') })],
  ['has volumes that are unknown', 'useIsUnknown', seenOf({ otherVolumes: unknown('no answer') })],
  [
    'has openers that are unknown',
    'useIsUnknown',
    seenOf({ openers: { open: 'unknown', unseen: [{ kind: 'no-right', reason: 'it needs CAP_SYS_PTRACE' }] } }),
  ],
  [
    'is another volume, too',
    'isUsedByAnotherVolume',
    seenOf({ otherVolumes: known([{ name: 'local-n1-c', path: '/dev/disks/c' }]) }),
  ],
];

const NOT_OURS: readonly Case[] = [
  ['is outside the directory', 'isOutsideTheDeviceDirectory', seenOf({ path: '/dev/vda' })],
  ['is read-only', 'isReadOnly', on({ readOnly: true })],
  ['is not the disk of the volume', 'isAnotherDevice', on({ wwid: 'naa.2' }), toRecycle()],
  ['is not the disk of the ledger', 'isAnotherDevice', on({ wwid: 'naa.2' }), toRecycle({ identity: undefined })],
  ['has shrunk', 'isAnotherDevice', on({ sizeBytes: GIB - 512 }), toRecycle()],
  [
    'has no name and another size',
    'isAnotherDevice',
    seenOf({ facts: withoutName(aDisk({ sizeBytes: 2 * GIB })) }),
    toRecycle({ identity: { sizeBytes: GIB } }, { entry: wasHandedOut({}, { identity: { sizeBytes: GIB } }) }),
  ],
  [
    'has no name and was put in after the volume was made',
    'isAnotherDevice',
    seenOf({ facts: withoutName(aDisk()) }),
    toRecycle(
      { identity: { sizeBytes: GIB } },
      { entry: wasHandedOut({}, { identity: { sizeBytes: GIB } }), isInsertedAnew: true },
    ),
  ],
  [
    'has not the capacity of a volume of which nothing is recorded',
    'isAnotherDevice',
    on({ sizeBytes: 2 * GIB }),
    toRecycle({ identity: undefined, isYoungerThanTheLedger: false }, { entry: undefined }),
  ],
  ['was handed out as another volume', 'ledgerNamesAnotherVolume', seenOf(), toRecycle({ uid: 'uid-2' })],
  ['was never handed out', 'wasNotMadeByUs', seenOf(), toRecycle({}, { entry: undefined })],
  ['cannot discard', 'methodIsNotOffered', seenOf(), toMake({ method: 'discard' })],
];

const WHOSE: readonly Case[] = [
  ['was last seen bound', 'ownerWasNotSeenToLeave', seenOf(), toMake({ entry: wasHandedOut() })],
  [
    'was handed out in another cluster',
    'belongsToAnotherCluster',
    seenOf(),
    toMake({ entry: wasHandedOut({ phase: 'Released', cluster: 'cluster-2' }) }),
  ],
  [
    'is recycled in another cluster',
    'belongsToAnotherCluster',
    seenOf(),
    toRecycle({}, { entry: wasHandedOut({ cluster: 'cluster-2' }) }),
  ],
  ['was seen bound in a newer state', 'releaseIsOlderThanTheLedger', seenOf(), toRecycle({ resourceVersion: '9' })],
  ['was seen bound to another claim', 'releaseIsOlderThanTheLedger', seenOf(), toRecycle({ claim: 'claim-0' })],
  ['was seen bound and names no claim', 'releaseIsOlderThanTheLedger', seenOf(), toRecycle({ claim: undefined })],
  ['holds data that nobody knows', 'hasForeignData', seenOf({ signature: known('LVM2_member') })],
  [
    'holds data, and was last seen available',
    'hasForeignData',
    seenOf({ signature: known('xfs') }),
    toMake({ entry: wasHandedOut({ phase: 'Available' }) }),
  ],
  [
    'holds data, and it is not certain that it is the device of the ledger',
    'hasForeignData',
    seenOf({ signature: known('ext4') }),
    toMake({ entry: wasHandedOut({ phase: 'Released' }), isEntryCertain: false }),
  ],
  [
    'holds another filesystem than a volume that the ledger has lost',
    'hasForeignData',
    seenOf({ signature: known('xfs') }),
    toRecycle({ isYoungerThanTheLedger: false }, { entry: undefined }),
  ],
  ['could not be looked at for data', 'contentIsUnknown', seenOf({ signature: unknown('blkid was not found') })],
];

const ALL = [...IN_USE, ...NOT_OURS, ...WHOSE];

describe('a device that', () => {
  it.each(ALL)('%s is not wiped (%s)', (_, fact, observed, purpose = toMake()) => {
    expect(whyNotToWipe(observed, purpose)).toMatchObject({ fact });
  });

  it.each([...IN_USE, ...NOT_OURS])(
    '%s is not wiped although a person approves and the ConfigMap says so (%s)',
    (_, fact, observed, purpose = toMake()) => {
      const insisted = { ...purpose, approved: EVERY_FACT, wipeExisting: true };
      expect(whyNotToWipe(observed, insisted)).toMatchObject({ fact });
    },
  );

  it.each(WHOSE)('%s is wiped if a person approves (%s)', (_, _fact, observed, purpose = toMake()) => {
    const refusal = whyNotToWipe(observed, purpose);
    expect(refusal && canBeApproved(refusal)).toBe(true);
    expect(whyNotToWipe(observed, { ...purpose, approved: EVERY_FACT })).toBeUndefined();
  });

  it.each(WHOSE)('%s is not wiped if a person approves all else (%s)', (_, fact, observed, purpose = toMake()) => {
    const approved = EVERY_FACT.difference(new Set([fact]));
    expect(whyNotToWipe(observed, { ...purpose, approved })).toMatchObject({ fact });
    expect(liftedOf(observed, { ...purpose, approved: EVERY_FACT }).map((one) => one.fact)).toContain(fact);
  });

  it('is refused for each reason by a guard of that name', () => {
    expect(new Set(ALL.map(([, fact]) => fact))).toEqual(new Set(GUARDS.map(({ name }) => name)));
  });
});

describe('wipeExisting', () => {
  it.each(WHOSE)('lifts only what is said about data: %s (%s)', (_, fact, observed, purpose = toMake()) => {
    const isAboutData = fact === 'hasForeignData' || fact === 'contentIsUnknown';
    const refusal = whyNotToWipe(observed, { ...purpose, wipeExisting: true });
    expect(refusal?.fact).toBe(isAboutData ? undefined : fact);
  });
});

describe('whatever else is so', () => {
  const foreign = fc.constantFrom(known(undefined), known('ext4'), known('zfs_member'), unknown('blkid failed'));
  const entry = fc.constantFrom(
    undefined,
    wasHandedOut(),
    wasHandedOut({ phase: 'Released' }),
    wasHandedOut({ phase: 'Released' }, { wipe: aWipe }),
    wasHandedOut({ cluster: 'cluster-2' }),
  );
  const recycles = fc.constantFrom(undefined, aReleasedVolume(), aReleasedVolume({ volumeMode: 'Block' }));
  const purposes = fc.record({
    deviceDir: fc.constantFrom('/dev/disks', '/dev', '/'),
    method: fc.constantFrom('zero-head', 'zero-all', 'discard', 'random-all'),
    cluster: fc.constantFrom('cluster-1', 'cluster-2'),
    entry,
    isEntryCertain: fc.boolean(),
    recycles,
    wipeExisting: fc.boolean(),
    approved: fc.constantFrom(new Set<string>(), EVERY_FACT),
  });

  it('a device that is in use, or of which that is unknown, is never wiped', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...IN_USE),
        fc.constantFrom(...IN_USE),
        foreign,
        purposes,
        ([, , one], [, , another], signature, purpose) => {
          const observed = { ...differences(another), ...differences(one), signature };
          const refusal = whyNotToWipe(seenOf(observed), purpose);
          expect(refusal && !canBeApproved(refusal)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('a device that has shrunk is not recycled', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: GIB - 1 }), purposes, (sizeBytes, purpose) => {
        const given = { ...purpose, recycles: aReleasedVolume() };
        expect(whyNotToWipe(on({ sizeBytes }), given)).toBeDefined();
      }),
    );
  });

  it('a device whose owner may still want it is wiped only if a person approves', () => {
    fc.assert(
      fc.property(purposes, (purpose) => {
        const refusal = whyNotToWipe(seenOf(), { ...purpose, recycles: undefined, entry: wasHandedOut() });
        expect(refusal !== undefined || purpose.approved.size > 0).toBe(true);
      }),
    );
  });
});

/** What is other than in a device that nobody uses. */
function differences(observed: Observed): Partial<Observed> {
  const usual = seenOf();
  return Object.fromEntries(
    Object.entries(observed).filter(([key, value]) => {
      return JSON.stringify(value) !== JSON.stringify(usual[key as keyof Observed]);
    }),
  );
}

describe('the device directory', () => {
  it.each([
    ['/dev/disks', '/dev/disks/b', true],
    ['/dev/disks/', '/dev/disks/b', true],
    ['/dev//disks', '/dev/disks/b', true],
    ['/dev/./disks', '/dev/disks/b', true],
    ['/dev/disks', '/dev/disks/rack 1/b', true],
    ['/', '/dev/disks/b', true],
    ['/dev/disks', '/dev/disks2/b', false],
    ['/dev/disks', '/dev/disks', false],
    ['/dev/disks', '/dev/disks/', false],
    ['/dev/disks', '/dev/disks/../vda', false],
    ['/dev/disks', '/dev/disks/./b', false],
    ['/dev/disks', '/dev/disks//b', false],
    ['/dev/disks', '/dev/DISKS/b', false],
    ['/dev/disks', 'dev/disks/b', false],
    ['/dev/disks', '', false],
    ['/dev/link/../disks', '/dev/disks/b', false],
    ['/dev/link/../disks', '/dev/link/../disks/b', false],
    ['', '/dev/disks/b', false],
    ['.', '/dev/disks/b', false],
  ])('%s has %s in it: %s', (deviceDir, path, isInIt) => {
    expect(whyNotToWipe(seenOf({ path }), toMake({ deviceDir })) === undefined).toBe(isInIt);
  });
});

describe('the device of a volume', () => {
  it('may have grown, if it has a name', () => {
    expect(whyNotToWipe(on({ sizeBytes: 2 * GIB }), toRecycle())).toBeUndefined();
  });

  it('is judged by what is recorded and not by the capacity, which follows the device', () => {
    expect(whyNotToWipe(seenOf(), toRecycle({ capacityBytes: 5 }))).toBeUndefined();
    const shrunk = on({ sizeBytes: 512 });
    expect(whyNotToWipe(shrunk, toRecycle({ capacityBytes: 512 }))).toMatchObject({ fact: 'isAnotherDevice' });
  });

  it('is not compared with what the ledger knows of another volume', () => {
    const entry = wasHandedOut({ uid: 'uid-0' }, { identity: { ...NAMED, wwid: 'naa.0' } });
    expect(whyNotToWipe(seenOf(), toRecycle({}, { entry }))).toMatchObject({ fact: 'ledgerNamesAnotherVolume' });
  });
});

describe('a device', () => {
  it('is taken to be of this cluster by an agent that may not know whichever cluster it is in', () => {
    for (const [cluster, last] of [
      ['', 'cluster-1'],
      ['cluster-1', ''],
    ] as const) {
      const entry = wasHandedOut({ phase: 'Released', cluster: last });
      expect(whyNotToWipe(seenOf(), toMake({ cluster, entry }))).toBeUndefined();
    }
  });
});

describe('a release', () => {
  it.each<[string, Purpose]>([
    ['that is newer than what was seen', toRecycle({ resourceVersion: '11' })],
    ['of which we saw nothing but the volume', toRecycle({}, { entry: wasHandedOut({ phase: 'Available' }) })],
    ['that we have seen ourselves', toRecycle({}, { entry: wasHandedOut({ phase: 'Released' }) })],
  ])('%s counts', (_, purpose) => {
    expect(whyNotToWipe(seenOf(), purpose)).toBeUndefined();
  });

  it('is compared as a number, not as a text', () => {
    const entry = wasHandedOut({ resourceVersion: '100' });
    expect(whyNotToWipe(seenOf(), toRecycle({ resourceVersion: '99' }, { entry }))).toBeDefined();
    expect(whyNotToWipe(seenOf(), toRecycle({ resourceVersion: '1000' }, { entry }))).toBeUndefined();
  });
});

const wiped = (method: WipeMethod, entry: Partial<LedgerEntry> = {}): LedgerEntry =>
  wasHandedOut(
    { phase: 'Released' },
    {
      clean: {
        receipt: {
          method,
          bytes: GIB,
          writtenBytes: GIB,
          seconds: 1,
          verified: 'sample',
          verifiedBytes: GIB,
          at: '2026-01-01T00:00:00.000Z',
        },
        boot: 'boot-1',
      },
      ...entry,
    },
  );

describe('raw data on a device that was wiped', () => {
  const atHead = { isBlank: false, isHeadBlank: false };
  const atEnd = { isBlank: false, isHeadBlank: true };

  it.each<[WipeMethod, string, Partial<Observed>]>([
    ['zero-head', 'at its head', atHead],
    ['discard', 'at its head', atHead],
    ['zero-all', 'at its head', atHead],
    ['zero-all', 'at its end', atEnd],
  ])('by %s, %s, is somebody’s', (method, _, content) => {
    const refusal = whyNotToWipe(seenOf(content), toMake({ entry: wiped(method) }));
    expect(refusal).toEqual({ fact: 'hasForeignData', what: 'data of a kind that is not recognised' });
  });

  it.each<[WipeMethod, string, Partial<Observed>]>([
    ['zero-head', 'at its end, which was not wiped', atEnd],
    ['discard', 'at its end, which need not read as zeroes', atEnd],
    ['random-all', 'which is what was written', atHead],
  ])('by %s, %s, is nobody’s', (method, _, content) => {
    expect(whyNotToWipe(seenOf(content), toMake({ entry: wiped(method) }))).toBeUndefined();
  });

  it('and has grown since need not be anybody’s', () => {
    const entry = wiped('zero-all', { identity: { ...NAMED, sizeBytes: GIB / 2 } });
    expect(whyNotToWipe(seenOf(atEnd), toMake({ entry }))).toBeUndefined();
  });
});

describe('raw data on a device whose volume', () => {
  const raw = seenOf({ isBlank: false, isHeadBlank: false });
  const what = 'data of a kind that is not recognised';

  it.each(['Pending', 'Available'])('was last seen %s is somebody’s', (phase) => {
    const entry = wasHandedOut({ phase });
    for (const isEntryCertain of [true, false])
      expect(whyNotToWipe(raw, toMake({ entry, isEntryCertain }))).toEqual({ fact: 'hasForeignData', what });
    expect(whyNotToWipe(raw, toMake({ entry, wipeExisting: true }))).toBeUndefined();
  });

  it.each<[string, Purpose]>([
    ['was seen to be left', toMake({ entry: wasHandedOut({ phase: 'Released' }) })],
    ['is released', toRecycle({}, { entry: wasHandedOut({ phase: 'Available' }) })],
    [
      'may have been wiped by random data',
      toMake({ entry: wasHandedOut({ phase: 'Available' }), method: 'random-all' }),
    ],
    ['was another partition', toMake({ entry: wasHandedOut({ phase: 'Available' }, { identity: PARTITION }) })],
    ['was never made', toMake()],
    ['is to be made since we began to wipe it', toMake({ entry: wasHandedOut({ phase: 'Pending' }, { wipe: aWipe }) })],
  ])('%s is nobody’s', (_, purpose) => {
    expect(whyNotToWipe(raw, purpose)).toBeUndefined();
  });

  it('was last seen Available, and that is not at the head of it, was there before', () => {
    const observed = seenOf({ isBlank: false });
    expect(whyNotToWipe(observed, toMake({ entry: wasHandedOut({ phase: 'Available' }) }))).toBeUndefined();
  });
});

describe('data on a device', () => {
  it.each<[string, Purpose]>([
    ['of a volume that is released', toRecycle()],
    ['whose volume has gone after we saw its release', toMake({ entry: wasHandedOut({ phase: 'Released' }) })],
    ['that we have begun to wipe', toMake({ entry: { ...wasHandedOut({ phase: 'Released' }), wipe: aWipe } })],
    [
      'of a raw volume that the ledger has lost',
      toRecycle({ volumeMode: 'Block', fsType: undefined, isYoungerThanTheLedger: false }, { entry: undefined }),
    ],
  ])('%s is nobody’s', (_, purpose) => {
    expect(whyNotToWipe(seenOf({ signature: known('LVM2_member') }), purpose)).toBeUndefined();
  });

  it('may be unreadable on a volume that is released', () => {
    expect(whyNotToWipe(seenOf({ signature: unknown('an I/O error') }), toRecycle())).toBeUndefined();
  });
});

function withoutName({ wwid: _, ...facts }: DeviceFacts): DeviceFacts {
  return facts;
}
