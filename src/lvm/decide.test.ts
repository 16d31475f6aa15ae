import { describe, expect, it } from 'vitest';
import {
  bare,
  complete,
  declared,
  GIB,
  group,
  lv,
  MAPPED_DEVICE,
  MIB,
  mapping,
  mount,
  options,
  owner,
  said,
} from './builders.ts';
import type { ThinLimits } from './contract.ts';
import { type Content, type Declared, decide, isOpen } from './decide.ts';
import type { LogicalVolume } from './facts.ts';
import { type FoundUnit, unitOf } from './mount-units.ts';
import { writeOptions } from './options/write.ts';
import type { VolumeOptions } from './options.ts';
import type { Sight } from './sight.ts';
import { POOL_TAG, tagsOf } from './tags.ts';

const CRYPT = { crypt: { namespace: 'storage', name: 'key' } };
const THIN = { thin: { pool: 'pool' } };
const pool = (changes = {}) =>
  lv({ name: 'pool', kind: 'thin-pool', sizeBytes: 10n * GIB, dataPercent: 10, metadataPercent: 5, ...changes });

const IN_TRASH = lv({ name: 'trash+data+uid1', tags: tagsOf(owner({ trashedAt: 1 })) });

const next = (wanted: Declared, sight: Sight, content?: Content) => said(decide(wanted, sight, content));

describe('a volume that is not there', () => {
  it('is made in whole extents, and never smaller than asked for', () => {
    expect(decide(declared({ bytes: GIB + 1n }), bare())).toEqual({
      kind: 'step',
      step: { kind: 'create', bytes: GIB + 4n * MIB },
    });
  });

  it.each<[string, Partial<Sight>, Parameters<typeof declared>[0]?]>([
    ['groupIsMissing', { group: undefined }],
    ['groupIsAway', { group: undefined }, { wasProcessed: true }],
    ['groupIsFull', { group: group({ freeBytes: GIB - 1n }) }],
    ['groupHasLostDisks', { group: group({ missingDisks: 1 }) }],
    ['groupCannotBeChanged', { group: group({ obstacles: ['exported'] }) }],
    ['somethingElseIsMounted', { atPath: [mount({ device: '8:1' })] }],
    ['logicalVolumeIsElsewhere', { strays: [lv({ group: 'other' })] }],
    ['logicalVolumeIsGone', {}, { wasProcessed: true }],
  ])('is refused: %s', (fact, sight, changes) => {
    expect(next(declared(changes), bare(sight))).toBe(fact);
  });

  describe('and is to be a snapshot', () => {
    const wanted = declared({ options: { snapshotOf: 'source' } });
    const source = (changes: Partial<LogicalVolume> = {}, marks: Parameters<typeof owner>[0] = {}) =>
      lv({ name: 'source', tags: tagsOf(owner({ uid: 'uid-0', pv: 'source', ...marks })), ...changes });
    const beside = (...volumes: LogicalVolume[]) => bare({ group: group({}, ...volumes) });
    const THIN_SOURCE = { kind: 'thin', pool: 'pool' } as const;

    it('is made when what it is one of is there, and there is room', () => {
      expect(next(wanted, bare())).toBe('originIsMissing');
      expect(next(wanted, beside(source()))).toBe('create');
      expect(next(wanted, bare({ group: group({ freeBytes: 0n }, source()) }))).toBe('groupIsFull');
      const full = group({ freeBytes: 0n }, source(THIN_SOURCE), pool());
      const room = { pool: 'pool', atMost: 100n * GIB };
      expect(decide(wanted, bare({ group: full }))).toEqual({
        kind: 'step',
        step: { kind: 'create', bytes: GIB, in: room },
      });
    });

    it('shows nobody what is not in a volume of ours', () => {
      expect(next(wanted, beside(source({ tags: [] })))).toBe('originIsForeign');
      expect(next(wanted, beside(source({}, { trashedAt: 1 })))).toBe('originIsForeign');
    });

    it.each(['wiping', 'new'] as const)('waits until there is something to make a snapshot of: %s', (state) =>
      expect(next(wanted, beside(source({}, { state })))).toBe('originIsNotReady'),
    );

    it.each([{ fsType: 'xfs' }, { fsType: 'ext4', cryptSecret: 'storage/key' }])(
      'has what its origin has: %o',
      (options) => expect(next(wanted, beside(source({}, { options })))).toBe('originIsDifferent'),
    );

    it('is not made in a pool that is too full, or promised too often', () => {
      expect(next(wanted, beside(source(THIN_SOURCE), pool({ dataPercent: 95 })))).toBe('poolIsFull');
      const limits = { overcommit: 1, dataPercent: 90, metadataPercent: 80 };
      const large = beside(source({ ...THIN_SOURCE, sizeBytes: 6n * GIB }), pool());
      expect(said(decide(wanted, large, undefined, limits))).toBe('poolIsPromised');
    });
  });
});

describe('a thin volume that is not there', () => {
  const wanted = declared({ options: THIN });
  const inPool = (...volumes: Parameters<typeof group>[1][]) => bare({ group: group({}, ...volumes) });

  it('is made in its pool', () => expect(next(wanted, inPool(pool()))).toBe('create'));

  it('has its pool made first, if it is said how large', () => {
    expect(next(wanted, inPool())).toBe('poolIsMissing');
    const sized = declared({ options: { thin: { pool: 'pool', poolBytes: 10n * GIB } } });
    expect(decide(sized, inPool())).toEqual({ kind: 'step', step: { kind: 'create-pool', bytes: 10n * GIB } });
    expect(next(sized, bare({ group: group({ freeBytes: GIB }) }))).toBe('groupIsFull');
  });

  it('has its pool made again when that was cut off before it became one', () => {
    const sized = declared({ options: { thin: { pool: 'pool', poolBytes: 10n * GIB } } });
    const cutOff = pool({ kind: 'plain', tags: [POOL_TAG] });
    expect(next(sized, bare({ group: group({ freeBytes: GIB }, cutOff) }))).toBe('create-pool');
    expect(next(sized, inPool({ ...cutOff, tags: [] }))).toBe('poolIsNone');
  });

  it.each<[string, object]>([
    ['poolIsNone', { kind: 'plain' }],
    ['poolIsMissing', { kind: 'plain', tags: [POOL_TAG] }],
    ['poolIsFull', { dataPercent: 90 }],
    ['poolIsFull', { metadataPercent: 80 }],
    ['poolIsFull', { dataPercent: undefined }],
    ['poolIsFull', { metadataPercent: undefined }],
  ])('is refused: %s (%o)', (fact, changes) => {
    expect(next(wanted, inPool(pool(changes)))).toBe(fact);
  });

  it('has a pool that is asleep activated first: only then does it tell how full it is', () => {
    const asleep = pool({ isActive: false, dataPercent: undefined, metadataPercent: undefined });
    expect(decide(wanted, inPool(asleep))).toEqual({ kind: 'step', step: { kind: 'activate', lv: asleep } });
  });

  it('is refused when more is promised than is allowed', () => {
    const limits = { overcommit: 1, dataPercent: 90, metadataPercent: 80 };
    const taken = (bytes: bigint) =>
      inPool(pool(), lv({ name: 'other', kind: 'thin', pool: 'pool', sizeBytes: bytes }));
    expect(said(decide(wanted, taken(9n * GIB), undefined, limits))).toBe('create');
    expect(said(decide(wanted, taken(9n * GIB + 1n), undefined, limits))).toBe('poolIsPromised');
  });
});

describe('a logical volume that carries no mark of ours', () => {
  const found = (changes: Partial<Sight> = {}) => complete({ owner: undefined, ...changes });
  const processed = declared({ wasProcessed: true });

  it('is adopted when the original has surely made it', () => {
    expect(next(processed, found())).toBe('look-closer');
    expect(next(processed, found(), { signature: 'ext4' })).toBe('adopt');
  });

  const unit = (what = '/dev/storage_bulk/data'): FoundUnit => ({
    name: 'mnt-pv-data.mount',
    text: `[Mount]\nWhat=${what}\nWhere=/mnt/pv/data\n`,
    isEnabled: true,
  });

  it.each(['/dev/storage_bulk/data', '/dev/mapper/storage_bulk-data'])(
    'is adopted when the original has left a unit that mounts %s',
    (what) => {
      const unmounted = { atPath: [], ofDevice: [], unit: unit(what) };
      const asleep = lv({ isActive: false, device: undefined });
      expect(next(processed, found({ ...unmounted, lv: asleep }))).toBe('activate');
      expect(next(processed, found(unmounted))).toBe('look-closer');
      expect(next(processed, found(unmounted), { signature: 'ext4' })).toBe('adopt');
      expect(next(processed, found(unmounted), { signature: 'xfs' })).toBe('logicalVolumeIsForeign');
    },
  );

  it.each<[string, Declared, Partial<Sight>]>([
    ['its volume does not say that it was processed', declared(), {}],
    ['it is not mounted', processed, { atPath: [] }],
    ['a unit mounts something else there', processed, { atPath: [], unit: unit('/dev/sda1') }],
    [
      'something else is mounted where a unit was to mount it',
      processed,
      { atPath: [mount({ device: '8:1' })], unit: unit() },
    ],
    [
      'it is not active, and nothing says that it was mounted',
      processed,
      { atPath: [], lv: lv({ isActive: false, device: undefined }) },
    ],
    ['something else is mounted there', processed, { atPath: [mount({ device: '8:1' })] }],
    ['it is to be encrypted', declared({ wasProcessed: true, options: CRYPT }), {}],
  ])('is left alone when %s', (_, wanted, sight) => {
    expect(next(wanted, found(sight), { signature: 'ext4' })).toBe('logicalVolumeIsForeign');
  });

  it.each([undefined, 'xfs'])('is left alone when there is %s on it', (signature) => {
    expect(next(processed, found(), { signature })).toBe('logicalVolumeIsForeign');
  });
});

describe('a logical volume with marks of ours that nobody can read', () => {
  const uids = ['holdfast.dev/uid=uid-1', 'holdfast.dev/uid=uid-2'];
  const found = (tags: readonly string[]) => complete({ owner: undefined, lv: lv({ tags }) });

  it.each([[uids], [['holdfast.dev/pv=data']], [['holdfast.dev/odd']]])(
    'is not taken for one of the original: %j',
    (tags) =>
      expect(next(declared({ wasProcessed: true }), found(tags), { signature: 'ext4' })).toBe('marksContradict'),
  );
});

describe('a logical volume of another object', () => {
  const found = complete({ owner: owner({ uid: 'uid-0' }) });

  it('is left alone', () => expect(next(declared(), found)).toBe('logicalVolumeIsOfAnother'));
  it('is taken over when a person names it by its uuid', () => {
    expect(next(declared({ adopts: 'lv-uuid-1' }), found)).toBe('adopt');
    expect(next(declared({ adopts: 'lv-uuid-2' }), found)).toBe('logicalVolumeIsOfAnother');
  });
  it.each([{ fsType: 'xfs' as const }, CRYPT, THIN])('is not taken over as what it is not: %o', (wrong) =>
    expect(next(declared({ adopts: 'lv-uuid-1', options: wrong }), found)).toBe('cannotBeChanged'),
  );
  it('is not taken over while it is in use elsewhere', () => {
    const ofDevice = [mount(), mount({ mountPoint: '/var/lib/kubelet/x' })];
    expect(next(declared({ adopts: 'lv-uuid-1' }), { ...found, ofDevice })).toBe('isInUseElsewhere');
  });
});

describe('a logical volume of ours that nothing was mounted from yet', () => {
  const fresh = (changes: Partial<Sight> = {}) =>
    complete({ owner: owner({ state: 'new' }), atPath: [], ofDevice: [], ...changes });

  it('is looked at before anything is written to it', () => expect(next(declared(), fresh())).toBe('look-closer'));
  it('is formatted when there is nothing on it', () =>
    expect(next(declared(), fresh(), { signature: undefined })).toBe('format'));
  it('is formatted again when formatting was cut off', () =>
    expect(next(declared(), fresh(), { signature: 'ext4', condition: 'begun' })).toBe('format'));
  it('is not formatted a second time when its filesystem is complete', () =>
    expect(next(declared(), fresh(), { signature: 'ext4', condition: 'whole' })).toBe('mark-ready'));
  it('is left alone when somebody else has written to it', () =>
    expect(next(declared(), fresh(), { signature: 'LVM2_member' })).toBe('signatureIsForeign'));
  it('is left alone when its filesystem is damaged, and somebody may have used it', () =>
    expect(next(declared(), fresh(), { signature: 'ext4', condition: 'damaged' })).toBe('filesystemIsDamaged'));
  it.each([{ wasProcessed: true }, { adopts: 'lv-uuid-1' }])(
    'is never formatted when it may have had data: %o',
    (known) => {
      for (const content of [{ signature: undefined }, { signature: 'ext4', condition: 'begun' as const }])
        expect(next(declared(known), fresh(), content)).toBe('hadData');
      expect(next(declared(known), fresh(), { signature: 'ext4', condition: 'whole' })).toBe('mark-ready');
    },
  );
  it('is activated first', () => expect(next(declared(), fresh({ lv: lv({ isActive: false }) }))).toBe('activate'));
});

describe('a logical volume of ours', () => {
  it('is ready when it is mounted in its place', () => expect(next(declared(), complete())).toBe('done'));
  it('is made anew when it was not wiped to the end, unless it may have had data', () => {
    const cutOff = complete({ owner: owner({ state: 'wiping' }), atPath: [], ofDevice: [] });
    expect(next(declared(), cutOff)).toBe('remove');
    expect(next(declared({ wasProcessed: true }), cutOff)).toBe('hadData');
  });
  it('forgets that it was in the trash once, before anything else', () =>
    expect(next(declared(), complete({ owner: owner({ trashedAt: 1 }) }))).toBe('take-out'));
  it.each([{ isShredding: true }, { isShredded: true }])('is not used when it is shredded: %o', (marks) =>
    expect(next(declared(), complete({ owner: owner(marks) }))).toBe('logicalVolumeIsShredded'),
  );
  it('is mounted when it is not', () => expect(next(declared(), complete({ atPath: [], ofDevice: [] }))).toBe('mount'));
  it('is never formatted, whatever is on it', () => {
    const unmounted = complete({ atPath: [], ofDevice: [] });
    for (const signature of [undefined, 'xfs', 'ext4'])
      expect(next(declared(), unmounted, { signature, condition: 'begun' })).toBe('mount');
  });
  it('is not mounted over something else', () =>
    expect(next(declared(), complete({ atPath: [mount({ device: '8:1' })] }))).toBe('somethingElseIsMounted'));
  it('is not taken for mounted when something else was mounted over it', () =>
    expect(next(declared(), complete({ atPath: [mount(), mount({ device: '0:40' })] }))).toBe(
      'somethingElseIsMounted',
    ));

  it('grows when more is asked for, and its filesystem afterwards', () => {
    const more = declared({ bytes: 2n * GIB });
    expect(decide(more, complete())).toEqual({ kind: 'step', step: { kind: 'extend', bytes: 2n * GIB } });
    const extended = lv({ sizeBytes: 2n * GIB });
    expect(next(more, complete({ lv: extended }))).toBe('grow-filesystem');
    expect(next(more, complete({ lv: extended, owner: owner({ fsBytes: 2n * GIB }) }))).toBe('done');
  });
  it('is mounted before it grows, since there may be no room for that', () => {
    const unmounted = { atPath: [], ofDevice: [], group: group({ freeBytes: 0n }, lv()) };
    expect(next(declared({ bytes: 2n * GIB }), complete(unmounted))).toBe('mount');
  });
  it('does not grow while it has a snapshot beside it, which LVM refuses', () => {
    const more = declared({ bytes: 2n * GIB });
    const snapshot = lv({ name: 'snap', kind: 'snapshot', origin: 'data' });
    const decision = decide(more, complete({ snapshots: [snapshot] }));
    expect(decision).toMatchObject({ fact: 'hasSnapshots' });
    expect(decision).toHaveProperty('message', expect.stringContaining('cannot extend'));
    const inPool = { ...snapshot, kind: 'thin', pool: 'pool' } as const;
    expect(next(more, complete({ snapshots: [inPool] }))).toBe('extend');
    expect(next(declared(), complete({ snapshots: [snapshot] }))).toBe('done');
  });
  it('does not grow beyond what is free', () => {
    const sight = complete({ group: group({ freeBytes: GIB - 1n }, lv()) });
    expect(next(declared({ bytes: 2n * GIB }), sight)).toBe('groupIsFull');
  });
  it.each<[string, object, ThinLimits?]>([
    ['poolIsFull', { dataPercent: 90 }],
    ['poolIsFull', { metadataPercent: 80 }],
    ['poolIsPromised', {}, { overcommit: 1, dataPercent: 90, metadataPercent: 80 }],
  ])('does not grow in a pool that has no room for more: %s (%o)', (fact, changes, limits) => {
    const volume = lv({ kind: 'thin', pool: 'pool' });
    const more = declared({ bytes: 11n * GIB, options: THIN });
    const found = complete({ lv: volume, group: group({ freeBytes: 0n }, volume, pool(changes)) });
    expect(said(decide(more, found, undefined, limits))).toBe(fact);
    expect(next(declared({ options: THIN }), found)).toBe('done');
  });
  it('grows in its pool up to what all volumes of it may come to', () => {
    const volume = lv({ kind: 'thin', pool: 'pool' });
    const found = complete({ lv: volume, group: group({ freeBytes: 0n }, volume, pool()) });
    expect(decide(declared({ bytes: 11n * GIB, options: THIN }), found)).toEqual({
      kind: 'step',
      step: { kind: 'extend', bytes: 11n * GIB, in: { pool: 'pool', atMost: 100n * GIB } },
    });
  });
  it('has all else done for it when one thing is refused', () => {
    const more = declared({ bytes: 2n * GIB, inForce: { mountOpts: 'noatime' } });
    const full = complete({ group: group({ freeBytes: 0n }, lv()) });
    expect(decide(more, full)).toMatchObject({ fact: 'groupIsFull', matter: 'growth' });
    expect(said(decide(more, full, undefined, undefined, new Set(['growth'])))).toBe('remount');
    expect(said(decide(more, full, undefined, undefined, new Set(['growth', 'mountOpts'])))).toBe('done');
  });
  it('never shrinks', () => expect(next(declared({ bytes: MIB }), complete())).toBe('done'));

  it.each<[string, Parameters<typeof declared>[0], Partial<Sight>]>([
    ['fsType', { options: { fsType: 'xfs' } }, {}],
    ['cryptSecret', { options: CRYPT }, {}],
    ['cryptSecret', {}, { owner: owner({ options: { fsType: 'ext4', cryptSecret: 'a/b' } }) }],
    ['thinPool', { options: THIN }, {}],
    ['thinPool', {}, { lv: lv({ kind: 'thin', pool: 'pool' }) }],
    ['snapshotOf', { options: { snapshotOf: 'source' } }, {}],
    [
      'snapshotOf',
      {},
      {
        lv: lv({ kind: 'snapshot', origin: 'other' }),
        owner: owner({ options: { fsType: 'ext4', snapshotOf: 'other' } }),
      },
    ],
  ])('cannot be given another %s', (what, changes, sight) => {
    const decision = decide(declared(changes), complete(sight));
    expect(decision).toMatchObject({ kind: 'refuse', fact: 'cannotBeChanged' });
    expect(decision.kind === 'refuse' && decision.message).toContain(what);
  });

  it('is left alone when there are two of it', () =>
    expect(next(declared(), complete({ strays: [lv({ name: 'copy' })] }))).toBe('logicalVolumeIsTwice'));
  it('is not changed when LVM says that something is wrong with it', () => {
    const unwell = complete({ lv: lv({ health: 'partial' }) });
    expect(next(declared(), unwell)).toBe('done');
    expect(next(declared({ bytes: 2n * GIB }), unwell)).toBe('logicalVolumeIsUnwell');
  });
});

describe('what is asked of a volume that is ready', () => {
  const marks = { ...writeOptions(options()), fsOpts: '-m 1' };
  const ready = complete({ owner: owner({ options: marks }) });
  const asked = (changes: Partial<VolumeOptions>) =>
    declared({ options: changes, inForce: writeOptions(options(changes)) });

  it('is as it is marked', () => expect(next(asked({}), ready)).toBe('done'));
  it.each<Partial<VolumeOptions>>([{ shred: 'zero' }, { removePolicy: 'trash' }, { autoRelease: true }])(
    'is marked anew when it only matters later: %o',
    (changes) => expect(next(asked(changes), ready)).toBe('retag'),
  );
  it('is had by a remount when it is how it is mounted', () => {
    expect(next(asked({ mountOpts: ['noatime'] }), ready)).toBe('remount');
    expect(next(asked({ mountOpts: ['noatime'] }), { ...ready, atPath: [], ofDevice: [] })).toBe('mount');
  });
  it('cannot change what it was made with, and the mark of that stays', () =>
    expect(next(asked({ fsArgs: ['-m', '2'] }), ready)).toBe('done'));
});

it('of a pool that fills slowly the same is said for a while: it is written on each volume, and an Event', () => {
  const filled = (dataPercent: number) => {
    const pool = lv({ name: 'pool', kind: 'thin-pool', dataPercent, metadataPercent: 1 });
    return decide(declared({ options: THIN }), bare({ group: group({}, pool) }));
  };
  expect(filled(92.13)).toMatchObject({ fact: 'poolIsFull' });
  expect(filled(92.13)).toEqual(filled(92.87));
});

describe('a snapshot outside of a thin pool', () => {
  const wanted = declared({ options: { snapshotOf: 'other' } });
  const marks = (state: 'wiping' | 'ready') => owner({ state, options: { fsType: 'ext4', snapshotOf: 'other' } });

  it('is made again when it was cut off before it became one', () => {
    const cutOff = complete({ owner: marks('wiping'), atPath: [], ofDevice: [] });
    expect(next(wanted, cutOff)).toBe('remove');
  });
  it('is told to be lost when it has run full', () => {
    const full = lv({ kind: 'snapshot', origin: 'other', isLost: true, health: 'the snapshot is invalid' });
    expect(next(wanted, complete({ lv: full, owner: marks('ready') }))).toBe('snapshotIsLost');
  });
  it('in the trash keeps its origin from growing, as it says', () => {
    const snapshots = [lv({ ...IN_TRASH, kind: 'snapshot', origin: 'data' })];
    expect(next(declared({ bytes: 2n * GIB }), complete({ snapshots }))).toBe('hasSnapshotInTrash');
  });
});

describe('a snapshot in a thin pool', () => {
  const wanted = declared({ options: { snapshotOf: 'other' } });
  const marked = (snapshotOf: string) => owner({ options: { fsType: 'ext4', snapshotOf } });
  const orphan = lv({ kind: 'thin', pool: 'pool', origin: undefined });

  it('is the same whatever its origin is called by now', () => {
    const renamed = { ...orphan, origin: 'trash+other+1' };
    expect(next(wanted, complete({ lv: renamed, owner: marked('other') }))).toBe('done');
  });
  it('outlives its origin', () => {
    expect(next(wanted, complete({ lv: orphan, owner: marked('other') }))).toBe('done');
    expect(next(wanted, complete({ lv: orphan, owner: marked('third') }))).toBe('cannotBeChanged');
    expect(next(wanted, complete({ lv: { ...orphan, pool: undefined }, owner: marked('other') }))).toBe(
      'cannotBeChanged',
    );
  });
});

describe('on a node with systemd, a volume', () => {
  const unit = unitOf({
    volume: 'data',
    source: '/dev/storage_bulk/data',
    path: '/mnt/pv/data',
    fsType: 'ext4',
    options: ['noexec'],
  });
  const found = (changes: Partial<FoundUnit> = {}): FoundUnit => ({
    name: 'mnt-pv-data.mount',
    text: unit?.text ?? '',
    isEnabled: true,
    ...changes,
  });
  const ready = (changes: Partial<Sight> = {}) => complete({ makesUnits: true, ...changes });
  const unmounted = { atPath: [], ofDevice: [] };

  it('is mounted by its unit', () =>
    expect(decide(declared(), ready(unmounted))).toEqual({ kind: 'step', step: { kind: 'mount', unit } }));
  it('gets its unit when it has none, another one of ours or of its device, or one that is not enabled', () => {
    const theirs = '[Mount]\nWhat=/dev/mapper/storage_bulk-data\nWhere=/mnt/pv/data\n';
    for (const has of [
      undefined,
      found({ isEnabled: false }),
      found({ text: `${unit?.text}#` }),
      found({ text: theirs }),
    ])
      expect(decide(declared(), ready({ unit: has }))).toEqual({ kind: 'step', step: { kind: 'write-unit', unit } });
    expect(next(declared(), ready({ unit: found() }))).toBe('done');
  });
  it('is left alone when somebody else has a unit for its place', () => {
    const theirs = found({ text: '[Mount]\nWhat=/dev/sda1\nWhere=/mnt/pv/data\n' });
    expect(next(declared(), ready({ unit: theirs }))).toBe('unitIsForeign');
    expect(next(declared(), ready({ ...unmounted, unit: theirs }))).toBe('unitIsForeign');
  });
  it('has no unit when that is not wanted, or when only the agent can open it', () => {
    expect(next(declared(), ready({ makesUnits: false }))).toBe('done');
    const sight = ready({ owner: owner({ options: { fsType: 'ext4', cryptSecret: 'a/b' } }), mapping: mapping() });
    expect(decide(declared({ options: CRYPT }), { ...sight, ...unmounted })).toEqual({
      kind: 'step',
      step: { kind: 'mount', unit: undefined },
    });
  });
});

describe('an encrypted volume', () => {
  const wanted = declared({ options: CRYPT });
  const marks = { fsType: 'ext4', cryptSecret: 'storage/key' };
  const closed = (state: 'new' | 'ready', changes: Partial<Sight> = {}) =>
    complete({ owner: owner({ state, options: marks }), atPath: [], ofDevice: [], ...changes });

  it('is encrypted when there is nothing on it, or when that was cut off', () => {
    expect(next(wanted, closed('new'))).toBe('look-closer');
    expect(next(wanted, closed('new'), { signature: undefined })).toBe('encrypt');
    expect(next(wanted, closed('new'), { signature: 'crypto_LUKS', condition: 'begun' })).toBe('encrypt');
  });
  it('is opened when it is encrypted', () => {
    expect(next(wanted, closed('new'), { signature: 'crypto_LUKS', condition: 'whole' })).toBe('open');
    expect(next(wanted, closed('ready'))).toBe('open');
  });
  it('is formatted inside', () =>
    expect(next(wanted, closed('new', { mapping: mapping() }), { signature: undefined })).toBe('format'));
  it('is ready when what is inside is mounted', () => {
    const inside = mount({ device: MAPPED_DEVICE });
    const open = closed('ready', { mapping: mapping(), atPath: [inside], ofDevice: [inside] });
    expect(next(wanted, open)).toBe('done');
    expect(next(wanted, { ...open, atPath: [mount()] })).toBe('somethingElseIsMounted');
  });
  it('is never encrypted anew when it may have had data', () => {
    const known = declared({ wasProcessed: true, options: CRYPT });
    for (const content of [{ signature: undefined }, { signature: 'crypto_LUKS', condition: 'begun' as const }])
      expect(next(known, closed('new'), content)).toBe('hadData');
  });
  it('is left alone when something else is open under its name', () =>
    expect(next(wanted, closed('ready', { mapping: mapping({ over: ['8:1'] }) }))).toBe('mappingIsAnother'));
  it('is left alone when somebody else has written to it', () =>
    expect(next(wanted, closed('new'), { signature: 'xfs' })).toBe('signatureIsForeign'));
});

describe('a volume that takes another one over', () => {
  const wanted = declared({ uid: 'uid-2', adopts: 'lv-uuid-1' });
  const with_ = (volume: Partial<LogicalVolume>) => bare({ group: group({}, lv({ name: 'other', ...volume })) });

  it('gets it back from the trash by its name first, and then by its marks', () => {
    expect(decide(wanted, bare({ group: group({}, IN_TRASH) }))).toEqual({
      kind: 'step',
      step: { kind: 'take-back', lv: IN_TRASH },
    });
    expect(next(wanted, complete({ owner: owner({ trashedAt: 1 }), atPath: [], ofDevice: [] }))).toBe('adopt');
  });
  it('is not made anew when that is not there, or is not in the trash', () => {
    expect(next(wanted, bare())).toBe('adoptedIsMissing');
    expect(next(wanted, with_({ tags: tagsOf(owner()) }))).toBe('adoptedIsForeign');
    expect(next(wanted, with_({ name: 'trash+mine' }))).toBe('adoptedIsForeign');
  });
  it.each(['isShredding', 'isShredded'])('does not get what has been begun to be shredded: %s', (mark) => {
    const marks = owner({ trashedAt: 1, [mark]: true });
    expect(next(wanted, with_({ name: 'trash+data', tags: tagsOf(marks) }))).toBe('logicalVolumeIsShredded');
    expect(next(wanted, complete({ owner: marks, atPath: [], ofDevice: [] }))).toBe('logicalVolumeIsShredded');
  });
});

describe('the encryption of a volume', () => {
  const crypt = declared({ options: CRYPT });
  const open = (changes: Partial<Sight> = {}) => complete({ mapping: mapping(), ...changes });

  it('can be looked at while the volume is ours, ready and open', () => {
    expect(isOpen(crypt, open())).toBe(true);
  });

  it.each<[string, Sight, Declared?]>([
    ['is not encrypted', open(), declared()],
    ['has no group', open({ group: undefined })],
    ['is not there', bare({ mapping: mapping() })],
    ['is that of another', open({ owner: owner({ uid: 'uid-2' }) })],
    ['is not ready', open({ owner: owner({ state: 'new' }) })],
    ['is being shredded', open({ owner: owner({ isShredding: true }) })],
    ['is shredded', open({ owner: owner({ isShredded: true }) })],
    ['is suspended', open({ lv: lv({ isSuspended: true, health: 'suspended' }) })],
    ['is not open', complete()],
    ['is open over another one', open({ mapping: mapping({ over: ['9:9'] }) })],
  ])('is left alone while the volume %s', (_, sight, wanted = crypt) => {
    expect(isOpen(wanted, sight)).toBe(false);
  });
});

describe('a volume that a command of LVM which was cut off has left suspended', () => {
  const suspended = { isSuspended: true, health: 'suspended' };
  it('is resumed before anything touches it, and first of all what is mounted', () => {
    expect(next(declared(), complete({ lv: lv(suspended) }))).toBe('resume');
    for (const state of ['wiping', 'new'] as const)
      expect(next(declared(), bare({ lv: lv(suspended), owner: owner({ state }) }))).toBe('resume');
  });
  it('is resumed with the pool that it is in, or is to be in', () => {
    const asleep = pool(suspended);
    const inPool = group({}, asleep, lv({ kind: 'thin', pool: 'pool' }));
    const resumed = { kind: 'step', step: { kind: 'resume', lv: asleep } };
    const thin = declared({ options: THIN });
    expect(decide(thin, complete({ group: inPool, lv: lv({ kind: 'thin', pool: 'pool' }) }))).toEqual(resumed);
    expect(decide(thin, bare({ group: inPool }))).toEqual(resumed);
  });
  it('is left as it is when it is not ours', () =>
    expect(next(declared(), complete({ lv: lv(suspended), owner: owner({ uid: 'uid-0' }) }))).toBe(
      'logicalVolumeIsOfAnother',
    ));
});
