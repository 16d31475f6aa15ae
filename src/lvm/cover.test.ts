import { describe, expect, it } from 'vitest';
import { group, lv, MAPPED_DEVICE, mapping, mount } from './builders.ts';
import { coverOf } from './cover.ts';
import type { Look } from './sight.ts';

const ROOT = mount({ id: 1, parentId: 0, mountPoint: '/', device: '8:1', source: '/dev/sda1' });
const VOLUME = mount({ id: 30, parentId: 1 });
const COVER = mount({ id: 40, parentId: 1, mountPoint: '/mnt/pv', device: '8:17', source: '/dev/sdb1' });

const look = (...mounts: Look['mounts']): Look => ({
  lvm: { groups: new Map([['storage_bulk', group({}, lv())]]) },
  mounts: [ROOT, ...mounts],
  mappings: [mapping()],
});
const coverIn = (...mounts: Look['mounts']) => coverOf(look(...mounts), '/mnt/pv')?.source;

describe('the mount base', () => {
  it.each(['/mnt/pv', '/mnt'])('is covered by what was mounted at %s after a volume was', (mountPoint) => {
    expect(coverIn(VOLUME, { ...COVER, mountPoint })).toBe('/dev/sdb1');
  });
  it('is covered when an encrypted volume is hidden', () =>
    expect(coverIn({ ...VOLUME, device: MAPPED_DEVICE }, COVER)).toBe('/dev/sdb1'));
  it('is not covered by what volumes are mounted on', () =>
    expect(coverIn(COVER, { ...VOLUME, parentId: COVER.id })).toBeUndefined());
  it('is not covered by a bind mount of itself that has its volumes in it, too', () =>
    expect(coverIn(VOLUME, COVER, { ...VOLUME, id: 41, parentId: COVER.id })).toBeUndefined());
  it('is not covered as long as nothing of ours is hidden', () => {
    expect(coverIn(COVER)).toBeUndefined();
    expect(coverIn({ ...VOLUME, device: '0:50' }, COVER)).toBeUndefined();
    expect(coverIn({ ...VOLUME, mountPoint: '/mnt/pv/data/inside' }, COVER)).toBeUndefined();
  });
  it('is not covered by what is mounted over a volume itself', () =>
    expect(coverIn(VOLUME, { ...COVER, parentId: VOLUME.id, mountPoint: VOLUME.mountPoint })).toBeUndefined());
});
