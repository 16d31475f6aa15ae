/** What is on a device: a filesystem, a part of LVM or RAID, a partition table. Asked of libblkid, which knows them all. */
import type { OpenDevice } from '../kit/host/block-device.ts';
import type { Commands } from '../kit/host/command.ts';
import type { Known } from './observed.ts';

/** The codes of blkid(8): nothing that it knows, and several things at once. */
const NOTHING = 2;
const AMBIVALENT = 8;

/** `undefined` when there is nothing that would be recognised. The device is looked at by the descriptor, not by its path. */
export async function signatureOf(commands: Commands, device: OpenDevice): Promise<Known<string | undefined>> {
  const argv = ['blkid', '--probe', '--output', 'export', '/proc/self/fd/3'];
  try {
    const { code, stdout } = await commands.exec(argv, {
      inheritFds: [device],
      successCodes: [0, NOTHING, AMBIVALENT],
    });
    if (code === AMBIVALENT) return { known: true, value: 'several kinds of data at once' };
    return { known: true, value: code === NOTHING ? undefined : kindIn(stdout) };
  } catch (error) {
    return { known: false, why: error instanceof Error ? error.message : String(error) };
  }
}

/** Something was found: if it is of a kind without a name, then that. */
export function kindIn(exported: string): string {
  const fields = new Map(
    exported.split('\n').map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)]),
  );
  const table = fields.get('PTTYPE');
  return fields.get('TYPE') || (table ? `a partition table (${table})` : 'data of an unnamed kind');
}
