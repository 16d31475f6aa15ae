import { expect, it } from 'vitest';
import { group, lv, mapping, mount, owner, UID } from './builders.ts';
import { type Look, sightOf } from './sight.ts';
import { tagsOf } from './tags.ts';

const PLACE = { name: 'data', uid: UID, path: '/mnt/pv/data', vg: 'storage_bulk' };
const OURS = tagsOf(owner());

const look = (changes: Partial<Look> = {}): Look => ({
  lvm: {
    groups: new Map([
      [
        'storage_bulk',
        group(
          {},
          lv({ tags: OURS }),
          lv({ name: 'copy', kind: 'snapshot', origin: 'data', tags: [], device: '253:7' }),
        ),
      ],
      ['other', group({ name: 'other' }, lv({ name: 'moved', group: 'other', tags: OURS, device: '253:8' }))],
    ]),
  },
  mounts: [mount(), mount({ id: 2, mountPoint: '/elsewhere' }), mount({ id: 3, device: '8:1', mountPoint: '/' })],
  mappings: [],
  ...changes,
});

it('shows a volume what is its own, wherever it is, and nothing of others', () => {
  const { lv: found, owner: whose, strays, atPath, ofDevice, snapshots, mapping: open } = sightOf(PLACE, look());
  expect(found).toMatchObject({ name: 'data' });
  expect(whose?.uid).toBe(UID);
  expect(strays.map(({ name }) => name)).toEqual(['moved']);
  expect(atPath.map(({ mountPoint }) => mountPoint)).toEqual(['/mnt/pv/data']);
  expect(ofDevice.map(({ mountPoint }) => mountPoint)).toEqual(['/mnt/pv/data', '/elsewhere']);
  expect(snapshots.map(({ name }) => name)).toEqual(['copy']);
  expect(open).toBeUndefined();
});

it('shows what is open of an encrypted volume, also under the name that it was opened with before it was taken over', () => {
  const { device } = lv();
  if (!device) throw new Error('it has no device');
  const before = mapping({ name: 'holdfast-uid-0', over: [device] });
  expect(sightOf(PLACE, look({ mappings: [before] })).mapping).toBe(before);
  const foreign = mapping({ name: 'somebody', over: [device] });
  expect(sightOf(PLACE, look({ mappings: [foreign] })).mapping).toBeUndefined();
  const named = mapping({ over: ['8:9'] });
  expect(sightOf(PLACE, look({ mappings: [before, named] })).mapping).toBe(named);
});

it('shows nothing where there is nothing', () => {
  const nothing = sightOf({ ...PLACE, name: 'none', uid: 'uid-9', path: '/mnt/pv/none' }, look());
  expect(nothing).toMatchObject({ lv: undefined, strays: [], atPath: [], ofDevice: [], snapshots: [] });
});
