/** A disk is known by what it says of itself, whatever its path is. */
import { expect, it } from 'vitest';
import { type Identity, identityOf, isSame } from '../../src/devices/identity.ts';
import { whyNot } from './judgement.ts';
import { host, MIB } from './machine.ts';
import { ScsiDisks } from './scsi-disks.ts';

it('a disk that was taken out is the same when it is put in again under another name, and the other one there is another', async () => {
  await using disks = await ScsiDisks.load({ disks: 2, sizeMib: 16 });
  const path = await disks.pathOf(0);
  const before = await lookAt(path);
  expect(before.identity).toMatchObject({ sizeBytes: 16 * MIB, wwid: expect.any(String), serial: expect.any(String) });

  for (const unit of [0, 1]) await disks.takeOut(unit);
  for (const unit of [1, 0]) await disks.putIn(unit);

  expect(await disks.pathOf(1)).toBe(path);
  const elsewhere = await lookAt(await disks.pathOf(0));
  expect(elsewhere.identity).toEqual(before.identity);
  expect(isSame(elsewhere.identity, before.identity)).toBe(true);
  expect(elsewhere.diskSequence).not.toBe(before.diskSequence);
  expect(isSame((await lookAt(path)).identity, before.identity)).toBe(false);

  expect(await whyNot(path, recycling(before.identity))).toMatchObject({ fact: 'isAnotherDevice' });
  expect(await whyNot(await disks.pathOf(0), recycling(before.identity))).toBeUndefined();
});

async function lookAt(path: string) {
  await using device = await host.devices.open(path, { access: 'read' });
  const facts = await device.facts();
  return { identity: identityOf(facts), diskSequence: facts.diskSequence };
}

/** A released volume that was made on this disk. */
const recycling = (identity: Identity) => ({
  recycles: {
    name: 'volume',
    uid: 'uid',
    resourceVersion: '1',
    volumeMode: 'Block' as const,
    identity,
    isYoungerThanTheLedger: false,
  },
});
