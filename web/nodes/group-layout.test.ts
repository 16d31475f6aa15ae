import { expect, test } from 'vitest';
import type { GroupRow } from '../../src/console/model.ts';
import { partsOf } from './group-layout.ts';

const aGroup = (more: Partial<GroupRow>): GroupRow => ({
  name: 'vg',
  sizeBytes: 100,
  freeBytes: 40,
  missingDisks: 0,
  pools: [],
  volumes: [],
  ...more,
});
const aVolume = (volume: string, sizeBytes: number) => ({
  volume,
  sizeBytes,
  state: 'ready' as const,
  stands: 'ready',
});

const drawn = (group: GroupRow) => partsOf(group).map(({ kind, bytes }) => [kind, bytes]);

test('the parts are as large as the group together', () => {
  expect(drawn(aGroup({ volumes: [aVolume('a', 30), aVolume('b', 10)] }))).toEqual([
    ['volume', 30],
    ['volume', 10],
    ['other', 20],
    ['free', 40],
  ]);
});

test('volumes of a thin pool have no place beside it', () => {
  const pools = [{ name: 'thin', sizeBytes: 60, promisedBytes: 200 }];
  expect(drawn(aGroup({ pools, volumes: [aVolume('a', 200)] }))).toEqual([
    ['pool', 60],
    ['free', 40],
  ]);
});

test('volumes of a thin pool are named in it, and those beside it have parts of their own', () => {
  const pools = [{ name: 'thin', sizeBytes: 30, promisedBytes: 60 }];
  const volumes = [{ ...aVolume('a', 40), pool: 'thin' }, aVolume('thick', 30), { ...aVolume('b', 20), pool: 'thin' }];
  expect(partsOf(aGroup({ pools, volumes })).map(({ name, bytes }) => [name, bytes])).toEqual([
    ['thin: a, b', 30],
    ['thick', 30],
    ['free', 40],
  ]);
});

test('where not all volumes fit beside the pools, and nobody tells which are in one, those that do are one part', () => {
  const pools = [{ name: 'thin', sizeBytes: 30, promisedBytes: 40 }];
  const parts = partsOf(aGroup({ pools, volumes: [aVolume('thin', 40), aVolume('thick', 30)] }));
  expect(parts.map(({ name, bytes }) => [name, bytes])).toEqual([
    ['thin', 30],
    ['logical volumes', 30],
    ['free', 40],
  ]);
});

test('a full group has no free part', () => {
  expect(drawn(aGroup({ freeBytes: 0 }))).toEqual([['other', 100]]);
});
