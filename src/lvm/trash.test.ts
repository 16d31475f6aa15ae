import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { group, lv, owner } from './builders.ts';
import { logicalVolumeFault } from './names.ts';
import { tagsOf } from './tags.ts';
import { isInTrash, isOver, trashIn, trashName } from './trash.ts';

const UID = '6c2a1a0e-0f5c-4f0c-9a58-0d3c4a1f7b11';
const trashed = (name: string, trashedAt: number, cluster = 'cluster-1') =>
  lv({ name, tags: tagsOf(owner({ trashedAt, cluster })) });

describe('a name in the trash', () => {
  it('says what it was', () =>
    expect(trashName('storage_bulk', { pv: 'data-0', uid: UID })).toBe('trash+data-0+6c2a1a0e'));

  it('is one that LVM takes, for every volume that LVM takes, however long the names', () => {
    const letters = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789.-');
    const names = fc.string({ unit: letters, minLength: 1, maxLength: 120 }).map((text) => `a${text}`);
    const groups = fc.integer({ min: 1, max: 100 }).map((length) => 'v'.repeat(length));
    fc.assert(
      fc.property(groups, names, (vg, pv) => {
        fc.pre(logicalVolumeFault(pv, vg) === undefined);
        expect(logicalVolumeFault(trashName(vg, { pv, uid: UID }), vg)).toBeUndefined();
      }),
    );
  });

  it('cannot be had where not even a short one fits', () =>
    expect(() => trashName('v'.repeat(119), { pv: 'a', uid: UID })).toThrow(
      'so long that nothing in it can be renamed',
    ));
});

describe('the trash', () => {
  it('holds what is marked and renamed, and nothing that is only one of them', () => {
    expect(isInTrash(trashed('trash+data+1', 1))).toBe(true);
    expect(isInTrash(trashed('data', 1))).toBe(false);
    expect(isInTrash(lv({ name: 'trash+data+1', tags: tagsOf(owner()) }))).toBe(false);
    expect(isInTrash(lv({ name: 'trash+data+1' }))).toBe(false);
  });

  it('of a cluster has nothing of another one, and the oldest first', () => {
    const all = [trashed('trash+a', 30), trashed('trash+b', 20), trashed('trash+c', 10, 'another'), lv()];
    const found = trashIn({ groups: new Map([['storage_bulk', group({}, ...all)]]) }, 'cluster-1');
    expect(found.map((each) => each.lv.name)).toEqual(['trash+b', 'trash+a']);
  });

  it('keeps a volume for exactly as long as it is told to', () => {
    const one = { lv: trashed('trash+a', 100), trashedAt: 100 };
    expect(isOver(one, 5_000, new Date(104_999))).toBe(false);
    expect(isOver(one, 5_000, new Date(105_000))).toBe(true);
  });

  it('keeps what was put into it by a clock that was ahead', () =>
    expect(isOver({ lv: lv(), trashedAt: 1_000 }, 5_000, new Date(0))).toBe(false));
});
