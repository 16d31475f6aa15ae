import { describe, expect, it } from 'vitest';
import { group, lv, mount, owner } from './builders.ts';
import type { LogicalVolume } from './facts.ts';
import { type Claimant, orphanInWords, orphansIn, type Searched } from './orphans.ts';
import type { Look } from './sight.ts';
import { POOL_TAG, tagsOf } from './tags.ts';

const volume = (changes: Partial<Claimant> = {}): Claimant => ({ uid: 'uid-1', path: '/mnt/pv/data', ...changes });
const ours = (changes: Partial<LogicalVolume> = {}, marks = {}) => lv({ tags: tagsOf(owner(marks)), ...changes });

function searched(lvs: readonly LogicalVolume[], changes: Partial<Omit<Searched, 'look'> & Look> = {}): Searched {
  const { names = [], mounts = [] } = changes;
  const groups = new Map([['storage_bulk', group({}, ...lvs)]]);
  return { look: { lvm: { groups }, mounts, mappings: [] }, names, mountBase: '/mnt/pv', cluster: 'cluster-1' };
}

const words = (...args: Parameters<typeof orphansIn>) => orphansIn(...args).map(orphanInWords);

describe('a logical volume', () => {
  it('with our mark is an orphan when no volume has its uid', () => {
    expect(words(searched([ours()]), [volume()])).toEqual([]);
    expect(words(searched([ours()]), [volume({ uid: 'uid-2', path: '/x' })])).toEqual([
      'the logical volume storage_bulk/data of the volume data',
    ]);
  });
  it('of somebody else is none', () => expect(words(searched([lv({ tags: ['backup'] })]), [])).toEqual([]));
  it('that a volume is about to take over is none', () =>
    expect(words(searched([ours()]), [volume({ uid: 'uid-2', adopts: 'lv-uuid-1' })])).toEqual([]));
  it('in the trash is none, as long as it is our trash', () => {
    const name = 'trash+data+1';
    expect(words(searched([ours({ name }, { trashedAt: 1 })]), [])).toEqual([]);
    expect(words(searched([ours({ name }, { trashedAt: 1, cluster: 'another' })]), [])).toEqual([
      `the logical volume storage_bulk/${name} of the volume data of another cluster (another)`,
    ]);
  });
  it('that is marked for the trash, and whose volume went before it was renamed, is one', () =>
    expect(words(searched([ours({}, { trashedAt: 1 })]), [])).toHaveLength(1));
});

describe('a thin pool', () => {
  const pool = lv({ name: 'pool', kind: 'thin-pool', tags: [POOL_TAG] });
  it('that was made for a volume is an orphan when nothing is in it, and no volume asks for it', () => {
    expect(words(searched([pool]), [])).toEqual(['the thin pool storage_bulk/pool, which nothing is in']);
    expect(words(searched([pool]), [volume({ annotations: { thinPool: 'pool' } })])).toEqual([]);
    expect(words(searched([pool, lv({ name: 'theirs', kind: 'thin', pool: 'pool' })]), [])).toEqual([]);
  });
  it('that was cut off before it became one is an orphan like it', () =>
    expect(words(searched([{ ...pool, kind: 'plain' }]), [])).toHaveLength(1));
  it('that somebody has made is none', () => expect(words(searched([{ ...pool, tags: [] }]), [])).toEqual([]));
});

describe('a mount point', () => {
  it('is an orphan when no volume has its path, whether something is mounted there or not', () => {
    const mounts = [mount(), mount({ mountPoint: '/mnt/pv/old', source: '/dev/old' })];
    expect(words(searched([], { names: ['data', 'empty', 'old'], mounts }), [volume()])).toEqual([
      '/mnt/pv/empty, where nothing is mounted',
      '/mnt/pv/old, where /dev/old is mounted',
    ]);
  });
  it('is not what a filesystem that is mounted at the mount base keeps for itself', () =>
    expect(words(searched([], { names: ['empty', 'lost+found'] }), [])).toEqual([
      '/mnt/pv/empty, where nothing is mounted',
    ]));
  it('is not what is in a filesystem that somebody has mounted over all of them', () => {
    const cover = mount({ id: 40, mountPoint: '/mnt/pv', device: '8:17' });
    const hidden = searched([lv()], { names: ['photos'], mounts: [mount(), cover] });
    expect(words(hidden, [volume()])).toEqual([]);
  });
  it('is also told when its directory is hidden', () =>
    expect(words(searched([], { mounts: [mount()] }), [])).toEqual([
      '/mnt/pv/data, where /dev/mapper/storage_bulk-data is mounted',
    ]));
  it('inside of a volume, or elsewhere, is none', () => {
    const mounts = [mount({ mountPoint: '/mnt/pv/data/inside' }), mount({ mountPoint: '/mnt/pvc' })];
    expect(words(searched([], { mounts }), [])).toEqual([]);
  });
});
