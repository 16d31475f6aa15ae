import { expect, test } from 'vitest';
import { aDisk, aPartition, GIB } from './builders.ts';
import { partitionedAs } from './partitions.ts';

test('of a disk without partitions nothing is said', () => {
  expect(partitionedAs(aDisk())).toEqual({});
});

test('partitions are told in the order in which they are on the disk, with what is built on them', () => {
  const partitions = [
    aPartition('sdb2', { startBytes: GIB / 2, holders: ['dm-0', 'dm-1', 'dm-2'] }),
    aPartition('sdb3', { startBytes: GIB / 4, holders: ['md0'] }),
    aPartition('sdb1'),
  ];
  expect(partitionedAs(aDisk({ partitions }))).toEqual({
    partitions: [
      { name: 'sdb1', startBytes: 2 ** 20, sizeBytes: 2 ** 20 },
      { name: 'sdb3', startBytes: GIB / 4, sizeBytes: 2 ** 20, heldBy: 'md0' },
      { name: 'sdb2', startBytes: GIB / 2, sizeBytes: 2 ** 20, heldBy: 'dm-0 and 2 more' },
    ],
    partitionCount: 3,
  });
});

test('of very many partitions the first are listed, and all are counted', () => {
  const many = Array.from({ length: 128 }, (_, index) => aPartition(`sdb${index}`, { startBytes: index * 2 ** 20 }));
  const { partitions = [], partitionCount } = partitionedAs(aDisk({ partitions: many.toReversed() }));
  expect([partitions.length, partitions[0]?.name, partitionCount]).toEqual([16, 'sdb0', 128]);
});
