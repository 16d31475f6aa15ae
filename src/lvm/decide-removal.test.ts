import { describe, expect, it } from 'vitest';
import { bare, complete, group, lv, mapping, mount, owner, said, UID } from './builders.ts';
import { decideRemoval, type Leaving } from './decide-removal.ts';
import type { Sight } from './sight.ts';
import { tagsOf } from './tags.ts';

const AWAY: Leaving = {
  name: 'data',
  uid: UID,
  path: '/mnt/pv/data',
  shred: 'none',
  removePolicy: 'delete',
  vg: 'storage_bulk',
};

it('a volume that is being deleted is not let go while the disks are away that it is on', () => {
  expect(said(decideRemoval(AWAY, bare({ group: undefined })))).toBe('groupIsAway');
  expect(said(decideRemoval({ ...AWAY, vg: undefined }, bare({ group: undefined })))).toBe('done');
  expect(said(decideRemoval(AWAY, bare()))).toBe('done');
});

const TRASHED = tagsOf(owner({ trashedAt: 1 }));
const IN_TRASH = lv({ name: 'trash+data+uid1', tags: TRASHED });

describe('a volume that is being deleted', () => {
  const leaving: Leaving = { name: 'data', uid: UID, path: '/mnt/pv/data', shred: 'none', removePolicy: 'delete' };
  const removal = (sight: Sight, changes: Partial<Leaving> = {}) =>
    said(decideRemoval({ ...leaving, ...changes }, sight));
  const unmounted = (changes: Partial<Sight> = {}) => complete({ atPath: [], ofDevice: [], ...changes });

  it('is unmounted, closed and removed, in this order', () => {
    expect(removal(complete({ mapping: mapping() }))).toBe('unmount');
    expect(removal(unmounted({ mapping: mapping() }))).toBe('close');
    expect(removal(unmounted())).toBe('remove');
    expect(removal(bare())).toBe('done');
  });
  it('is left as it is while it cannot be told what is to become of it, and let go of when nothing is there', () => {
    const faults = ['removePolicy cannot be "Trash"'];
    expect(removal(complete(), { faults })).toBe('removalIsUnclear');
    expect(removal(unmounted(), { faults })).toBe('removalIsUnclear');
    expect(removal(bare(), { faults })).toBe('done');
  });
  it('is not taken for gone when only the marks of its logical volume are', () => {
    const unmarked = complete({ owner: undefined });
    expect(removal(unmarked, { made: 'lv-uuid-1' })).toBe('marksContradict');
    expect(removal(unmarked, { made: 'another' })).toBe('done');
    expect(removal(unmarked)).toBe('done');
  });
  it('is shredded before it is removed, once', () => {
    expect(removal(unmounted(), { shred: 'zero' })).toBe('shred');
    expect(removal(unmounted({ lv: lv({ isActive: false }) }), { shred: 'zero' })).toBe('activate');
    expect(removal(unmounted({ owner: owner({ isShredded: true }) }), { shred: 'zero' })).toBe('remove');
  });
  it('is shredded again when that was cut off, also when it was to go into the trash', () => {
    const begun = unmounted({ owner: owner({ isShredding: true }) });
    expect(removal(begun, { shred: 'zero' })).toBe('shred');
    expect(removal(begun, { shred: 'zero', removePolicy: 'trash' })).toBe('shred');
  });
  it('is removed as it is when somebody has taken back that it be shredded', () =>
    expect(removal(unmounted({ owner: owner({ isShredding: true }) }), { shred: 'none' })).toBe('remove'));
  it('is not shredded as a snapshot beside its origin, of which only the device of the origin reaches everything', () => {
    const snapshot = lv({ kind: 'snapshot', origin: 'other' });
    expect(removal(unmounted({ lv: snapshot }), { shred: 'discard' })).toBe('snapshotCannotBeShredded');
    expect(removal(unmounted({ lv: { ...snapshot, pool: 'pool' } }), { shred: 'discard' })).toBe('shred');
  });
  it('is not shredded through a cache, which may keep that to itself', () => {
    const cached = unmounted({ lv: lv({ kind: 'cached' }) });
    expect(removal(cached, { shred: 'zero' })).toBe('cacheKeepsBytes');
    expect(removal(cached)).toBe('remove');
  });
  it('is marked, renamed and deactivated when it is to be kept for a while, in this order', () => {
    const policy = { removePolicy: 'trash', shred: 'zero' } as const;
    const step = (sight: Sight) => decideRemoval({ ...leaving, ...policy }, sight);
    expect(step(unmounted())).toMatchObject({ step: { kind: 'trash', does: 'mark' } });
    expect(step(unmounted({ owner: owner({ trashedAt: 1 }) }))).toMatchObject({ step: { does: 'rename' } });
    expect(step(bare({ strays: [IN_TRASH] }))).toMatchObject({ step: { does: 'deactivate', lv: IN_TRASH } });
    expect(removal(bare({ strays: [{ ...IN_TRASH, isActive: false }] }), policy)).toBe('done');
  });
  it('is removed at once when it is a snapshot that has run full, of which nothing is left to be kept', () => {
    const lost = lv({ kind: 'snapshot', origin: 'other', isLost: true, health: 'the snapshot is invalid' });
    expect(removal(unmounted({ lv: lost }), { removePolicy: 'trash' })).toBe('remove');
  });
  it('in the trash stays active with its origin when it is a snapshot beside it', () =>
    expect(removal(bare({ strays: [{ ...IN_TRASH, kind: 'snapshot', origin: 'other' }] }))).toBe('done'));
  it('is not unmounted as long as something else is mounted over it', () => {
    const over = mount({ id: 31, device: '0:50', source: 'tmpfs' });
    expect(removal(complete({ atPath: [mount(), over] }))).toBe('somethingElseIsMounted');
    expect(removal(complete({ atPath: [over, mount()] }))).toBe('unmount');
  });
  it('is resumed before anything else when a command that was cut off has left it suspended', () =>
    expect(removal(complete({ lv: lv({ isSuspended: true }) }))).toBe('resume'));
  it('is not taken away from somebody who uses it elsewhere', () =>
    expect(removal(complete({ ofDevice: [mount(), mount({ mountPoint: '/elsewhere' })] }))).toBe('isInUseElsewhere'));
  it('is not removed together with its snapshots', () => {
    const snapshots = [lv({ name: 'snap', kind: 'snapshot', origin: 'data' })];
    expect(removal(unmounted({ snapshots }))).toBe('hasSnapshots');
    expect(removal(unmounted({ lv: lv({ kind: 'thin', pool: 'pool' }), snapshots }))).toBe('hasSnapshots');
    const inTrash = [lv({ ...IN_TRASH, kind: 'snapshot', origin: 'data' })];
    expect(removal(unmounted({ snapshots: inTrash }))).toBe('hasSnapshotInTrash');
  });
  it.each(['thin', 'snapshot'] as const)(
    'leaves its snapshots behind in a thin pool, where they need it not: %s',
    (kind) => {
      const snapshots = [lv({ name: 'snap', kind: 'snapshot', pool: 'pool', origin: 'data' })];
      expect(removal(unmounted({ lv: lv({ kind, pool: 'pool' }), snapshots }))).toBe('remove');
    },
  );
  it('leaves alone what is not its own', () => {
    expect(removal(complete({ owner: undefined }))).toBe('done');
    expect(removal(complete({ owner: owner({ uid: 'uid-0' }) }))).toBe('done');
  });
  it('says so when its logical volume was renamed, and does not forget it', () => {
    expect(removal(bare({ strays: [lv({ name: 'renamed' })] }))).toBe('logicalVolumeIsElsewhere');
    expect(removal(bare({ strays: [lv({ name: 'old', tags: TRASHED })] }))).toBe('logicalVolumeIsElsewhere');
  });
  it('is not forgotten when nobody can read the marks of its logical volume', () => {
    const found = (tags: readonly string[]) => complete({ owner: undefined, lv: lv({ tags }) });
    expect(removal(found(['holdfast.dev/uid=uid-1', 'holdfast.dev/uid=uid-2']))).toBe('marksContradict');
    expect(removal(found(['holdfast.dev/uid=uid-2', 'holdfast.dev/uid=uid-3']))).toBe('done');
  });
  it('is not removed from a group that cannot be changed', () =>
    expect(removal(unmounted({ group: group({ missingDisks: 1 }, lv()) }))).toBe('groupHasLostDisks'));
});

describe('what was in the trash for long enough', () => {
  const left: Leaving = { name: IN_TRASH.name, uid: UID, path: '', shred: 'none', removePolicy: 'delete' };
  const emptying = (changes: Partial<Sight> = {}, shred: Leaving['shred'] = 'none') => {
    const sight = bare({ group: group({}, IN_TRASH), lv: IN_TRASH, owner: owner({ trashedAt: 1 }), ...changes });
    return said(decideRemoval({ ...left, shred }, sight));
  };

  it('is removed, and shredded before if that was asked for', () => {
    expect(emptying()).toBe('remove');
    expect(emptying({}, 'zero')).toBe('shred');
    expect(emptying({ owner: owner({ trashedAt: 1, isShredded: true }) }, 'zero')).toBe('remove');
  });
  it('is left alone while somebody looks at it', () => {
    expect(emptying({ ofDevice: [mount({ mountPoint: '/rescue' })] })).toBe('isInUseElsewhere');
    expect(emptying({ snapshots: [lv({ name: 'copy' })] })).toBe('hasSnapshots');
  });
});
