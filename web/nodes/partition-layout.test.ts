import { expect, test } from 'vitest';
import { partitionsInWords, stretchesOf } from './partition-layout.ts';

const MIB = 2 ** 20;
const part = (name: string, start: number, size: number) => ({
  name,
  startBytes: start * MIB,
  sizeBytes: size * MIB,
});
const drawn = (device: Parameters<typeof stretchesOf>[0]) =>
  stretchesOf(device).map(({ kind, name, bytes }) => [kind, name, bytes / MIB]);

test('partitions are drawn to scale, with what is free between and behind them', () => {
  const partitions = [part('sda1', 1, 20), { ...part('sda2', 40, 30), heldBy: 'dm-0' }];
  expect(drawn({ sizeBytes: 100 * MIB, partitions, partitionCount: 2 })).toEqual([
    ['partition', 'sda1', 20],
    ['free', 'free', 19],
    ['held', 'sda2', 30],
    ['free', 'free', 30],
  ]);
});

test('what is before the first and behind the last to align them, or for the table, is not free', () => {
  const sizeBytes = 100 * MIB;
  expect(drawn({ sizeBytes, partitions: [part('sda1', 1, 98)] })).toEqual([['partition', 'sda1', 98]]);
});

test('behind the last partition that is listed are those that are not', () => {
  const listed = { sizeBytes: 100 * MIB, partitions: [part('sda1', 1, 49)], partitionCount: 20 };
  expect(drawn(listed)).toEqual([
    ['partition', 'sda1', 49],
    ['rest', '19 more', 50],
  ]);
});

test('partitions that overlap, or reach beyond their disk, have the room that there is', () => {
  const partitions = [part('sda1', 0, 60), part('sda2', 50, 30), part('sda3', 90, 30), part('sda4', 200, 10)];
  expect(drawn({ sizeBytes: 100 * MIB, partitions })).toEqual([
    ['partition', 'sda1', 60],
    ['partition', 'sda2', 20],
    ['free', 'free', 10],
    ['partition', 'sda3', 10],
    ['partition', 'sda4', 0],
  ]);
});

test.each([
  ['of a disk without partitions', {}, undefined],
  [
    'of partitions',
    {
      sizeBytes: 100 * MIB,
      partitions: [part('sda1', 1, 20), { ...part('sda2', 21, 30), heldBy: 'dm-0 and 2 more' }],
      partitionCount: 2,
    },
    '2 partitions: sda1 20 MiB, sda2 30 MiB (held by dm-0 and 2 more), 49 MiB free',
  ],
  ['of partitions that are only counted', { sizeBytes: MIB, partitionCount: 24 }, '24 partitions'],
])('the words %s', (_what, device, words) => {
  expect(partitionsInWords(device)).toBe(words);
});
