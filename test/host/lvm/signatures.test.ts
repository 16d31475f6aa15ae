/** What the real wipefs and blkid say of devices that hold something, with and without a signature. */
import { open } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { type Host, realHost } from '../../../src/kit/host/host.ts';
import { openedAt } from '../../../src/lvm/signature.ts';
import { contentsAt } from '../../../src/lvm/signatures.ts';
import { aLoopDevice } from '../loop-device.ts';

const MIB = 2 ** 20;
const host = realHost({ clock: systemClock });

it('many devices are told apart by one command, and only what is found is asked about by another', async () => {
  await using undo = new AsyncDisposableStack();
  const devices: string[] = [];
  for (let count = 0; count < 5; count++) devices.push(undo.use(await aLoopDevice(8 * MIB)).path);
  const [blank = '', old = '', swap = '', other = '', ext = ''] = devices;
  for (const device of [old, swap, other]) await fill(device);
  await host.exec(['mkswap', swap]);
  await host.exec(['mkfs.ext4', '-F', '-q', ext]);
  await using _held = await host.devices.open(other, { access: 'read', exclusive: true });

  const ran: string[] = [];
  const found = await contentsAt(noting(ran), devices, (path) => openedAt(host, path, true));
  expect(new Map(devices.map((device, index) => [device, found[index]]))).toEqual(
    new Map<string, unknown>([
      [blank, { known: true, value: undefined }],
      [old, { known: true, value: undefined }],
      [swap, { known: true, value: 'swap' }],
      [other, { known: false, why: expect.stringContaining(other) }],
      [ext, { known: true, value: 'ext4' }],
    ]),
  );
  expect(ran).toEqual(['wipefs', 'blkid', 'blkid']);
});

/** With what nobody recognises. */
async function fill(device: string): Promise<void> {
  await using file = await open(device, 'r+');
  await file.write(Buffer.alloc(8 * MIB, 'old data '));
  await file.sync();
}

const noting = (ran: string[]): Host => ({
  ...host,
  exec: (argv, options) => {
    ran.push(argv[0] ?? '');
    return host.exec(argv, options);
  },
});
