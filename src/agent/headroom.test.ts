import { expect, test } from 'vitest';
import { Headroom, sizesOf } from './headroom.ts';

function aVolume(room: number) {
  const volume = { room, looks: 0 };
  const headroom = new Headroom(async () => {
    volume.looks += 1;
    return volume.room;
  });
  const write = (bytes: number) =>
    headroom.write(bytes, async () => {
      volume.room -= bytes;
    });
  return { volume, write };
}

test('a volume that has nothing left but what is kept for root is full', () => {
  expect(sizesOf({ bsize: 4096, blocks: 1000, bfree: 250, bavail: 200 })).toEqual({
    total: 950 * 4096,
    used: 750 * 4096,
  });
  const { total, used } = sizesOf({ bsize: 4096, blocks: 1000, bfree: 50, bavail: 0 });
  expect(used).toBe(total);
});

test('what fits is written, and what does not is refused before it is', async () => {
  const { volume, write } = aVolume(100);
  await write(60);
  await expect(write(41)).rejects.toMatchObject({ reason: 'Full' });
  await write(40);
  expect(volume.room).toBe(0);
});

test('of several at once only as many are written as there is room for', async () => {
  const { volume, write } = aVolume(100);
  const outcomes = await Promise.allSettled([write(40), write(40), write(40), write(40)]);
  expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(2);
  expect(volume.room).toBeGreaterThanOrEqual(0);
  await write(volume.room);
});

test('nobody looks while what is known of does', async () => {
  const { volume, write } = aVolume(1_000);
  for (let count = 0; count < 100; count++) await write(10);
  expect(volume.looks).toBe(1);
});

test('room that was made is seen', async () => {
  const { volume, write } = aVolume(10);
  await expect(write(20)).rejects.toMatchObject({ reason: 'Full' });
  volume.room = 20;
  await write(20);
});

test('what failed takes no room', async () => {
  const headroom = new Headroom(async () => 100);
  for (let count = 0; count < 3; count++) {
    await expect(headroom.write(80, () => Promise.reject(new Error('the disk')))).rejects.toThrow('the disk');
  }
  await headroom.write(100, async () => {});
});
