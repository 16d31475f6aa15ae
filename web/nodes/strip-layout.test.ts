import { expect, test } from 'vitest';
import type { DeviceRow } from '../../src/console/model.ts';
import { roomOf } from './strip-layout.ts';

const GIB = 2 ** 30;
const devices = (...sizes: (number | undefined)[]) =>
  sizes.map(
    (sizeBytes, index): DeviceRow => ({
      ...{ path: `/dev/sd${index}`, volume: `v-${index}`, identity: '', state: 'bound', stands: '' },
      ...(sizeBytes !== undefined && { sizeBytes }),
    }),
  );

test('disks of one size have the same room', () => {
  expect(roomOf(devices(480 * GIB, 480 * GIB))).toEqual([1, 1]);
});

test('a disk of twice the size has twice the room', () => {
  expect(roomOf(devices(GIB, 2 * GIB))).toEqual([1, 2]);
});

test('the largest leaves the others room to be read, and who has told no size is not left out', () => {
  expect(roomOf(devices(GIB, 1024 * GIB, 32 * GIB, undefined))).toEqual([1, 3, 2, 1]);
});

test('no disks need no room', () => {
  expect(roomOf([])).toEqual([]);
});
