import { expect, test } from 'vitest';
import type { Occurrence } from '../kit/observe/event.ts';
import { GIB, group, lv } from './builders.ts';
import { DEFAULT_THIN_LIMITS } from './contract.ts';
import type { Lvm } from './facts.ts';
import { Groups } from './groups.ts';

function watched() {
  const told: Occurrence[] = [];
  const seen: Lvm[] = [];
  const node: { known?: { name: string; uid: string } } = { known: { name: 'node-1', uid: 'uid-1' } };
  const changes = { count: 0 };
  const groups = new Groups({
    metrics: { saw: (lvm) => seen.push(lvm) },
    recorder: { record: (occurrence) => told.push(occurrence) },
    limits: DEFAULT_THIN_LIMITS,
    node: () => node.known,
  });
  groups.subscribe(() => changes.count++);
  return { groups, told, seen, node, changes };
}

const withPool = (dataPercent: number, promised = GIB): Lvm => {
  const pool = lv({ name: 'pool', kind: 'thin-pool', dataPercent, metadataPercent: 1 });
  const thin = lv({ name: 'thin', kind: 'thin', pool: 'pool', sizeBytes: promised });
  return { groups: new Map([['storage_bulk', group({}, pool, thin)]]) };
};

test('every look is counted, and those who show it hear of what is new in it', () => {
  const { groups, seen, changes } = watched();
  for (const percent of [10, 10, 11]) groups.saw(withPool(percent));
  expect([seen.length, changes.count]).toEqual([3, 2]);
  expect(groups.values()).toMatchObject([{ name: 'storage_bulk', pools: [{ name: 'pool', dataPercent: 11 }] }]);
});

test('what was seen stays shown while nobody can look, and the reason is told until somebody can', () => {
  const { groups, changes } = watched();
  groups.saw(withPool(10));
  groups.couldNotLook('lvm does not answer');
  expect([groups.values().length, groups.unseen, changes.count]).toEqual([1, ['lvm does not answer'], 2]);
  groups.saw(withPool(10));
  expect(groups.unseen).toEqual([]);
});

test('a pool that fills is a Warning on the Node, once for each level', () => {
  const { groups, told } = watched();
  for (const percent of [50, 85, 86, 91]) groups.saw(withPool(percent));
  expect(told).toMatchObject([
    {
      regarding: { kind: 'Node', name: 'node-1', uid: 'uid-1' },
      type: 'Warning',
      reason: 'ThinPoolNearlyFull',
      note: 'The data of the thin pool storage_bulk/pool are 85 % full, and a full pool loses what is written to it. Extend it with lvextend, or remove volumes from it',
    },
    {
      note: expect.stringContaining(
        '91 % full, and a full pool loses what is written to it: nothing new is made in it. ',
      ),
    },
  ]);
});

test('a pool that promises more than it has is a Warning on the Node', () => {
  const { groups, told } = watched();
  groups.saw(withPool(1, 3n * GIB));
  expect(told).toMatchObject([
    { reason: 'ThinPoolOvercommitted', note: expect.stringContaining('are promised 300 % of its size. Extend it') },
  ]);
});

test('as long as the Node is not known nothing is told, and nothing is lost by that', () => {
  const { groups, told, node } = watched();
  const { known } = node;
  delete node.known;
  groups.saw(withPool(99));
  expect(told).toEqual([]);
  if (known) node.known = known;
  groups.saw(withPool(99));
  expect(told).toHaveLength(1);
});
