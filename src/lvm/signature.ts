/** What is on the device of a volume: a kind of filesystem or something else, nothing, or unknown. */
import { Retry } from '../kit/controller/outcome.ts';
import type { OpenDevice } from '../kit/host/block-device.ts';
import type { Commands } from '../kit/host/command.ts';
import { blankOf, blankOut, signatureOf } from '../kit/host/content.ts';
import type { Host } from '../kit/host/host.ts';
import type { Known } from '../kit/known.ts';
import type { LogicalVolume } from './facts.ts';

/**
 * `undefined` when nothing is there that would be recognised. A new logical volume may well have what its disk was used for before: its
 * signatures are wiped when it is made, and not all of it. The device is read by ourselves first, since blkid says of one that cannot
 * be read what it says of one on which there is nothing; and what is blank wherever signatures are needs no command. With `exclusive`
 * it is unknown for as long as anybody else has the device for himself, such as an mkfs that has outlived who started it.
 */
export async function contentAt(
  host: Host,
  path: string,
  { exclusive = false } = {},
): Promise<Known<string | undefined>> {
  try {
    await using device = await host.devices.open(path, { access: 'read', direct: true, exclusive });
    return { known: true, value: await contentOf(host, device) };
  } catch (error) {
    return { known: false, why: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Wipes what the disk of a new logical volume was used for before, wherever it could be recognised: LVM wipes what it knows. Only what is
 * there is written over, since udev looks anew at every device that somebody has had open for writing.
 */
export async function wipeOldContent(host: Host, path: string, lv: Pick<LogicalVolume, 'uuid'>): Promise<void> {
  const open = (access: 'read' | 'read-write') => host.devices.open(path, { access, direct: true, exclusive: true });
  {
    await using device = await open('read');
    const { sizeBytes } = await device.facts();
    const { isBlank } = await blankOf(device, sizeBytes);
    if (isBlank) return;
  }
  await using device = await open('read-write');
  const { wwid, sizeBytes } = await device.facts();
  // Held open it stays what it is, and the kernel tells which logical volume that is: the path could lead to another one by now.
  if (!wwid?.startsWith('LVM-') || !wwid.endsWith(lv.uuid.replaceAll('-', '')))
    throw new Retry(`${path} is not the logical volume that was made`);
  await blankOut(device, sizeBytes);
}

async function contentOf(commands: Commands, device: OpenDevice): Promise<string | undefined> {
  const { sizeBytes } = await device.facts();
  const { isBlank } = await blankOf(device, sizeBytes);
  return isBlank ? undefined : await signatureOf(commands, device);
}
