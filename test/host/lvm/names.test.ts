/** Our rules for names against LVM's own, which judges a name before it looks for the volume group. */
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { realHost } from '../../../src/kit/host/host.ts';
import { logicalVolumeFault, volumeGroupFault } from '../../../src/lvm/names.ts';

const host = realHost({ clock: systemClock });

/** Without the device mapper, and only as a test. It always fails: the name is wrong (3), or there is no such volume group (5). */
async function lvmSays(volume: string, group: string): Promise<string> {
  const line = ['lvm', 'lvcreate', '--driverloaded', 'n', '--test', '--size', '4m', '--name', volume, '--', group];
  return (await host.exec(line, { successCodes: [3, 5] })).stderr;
}

const lvmTakes = async (volume: string, group = 'no-such-group'): Promise<boolean> =>
  (await lvmSays(volume, group)).includes(`Volume group "${group}" not found`);

describe('LVM', () => {
  test.each([
    ...['db-0', 'a+b', 'my-snapshot', 'x-cow', 'x_origin', 'a.b', '_a', '+', 'x_edata', 'snapsho', 'x_tdat'],
    ...['snapshot', 'snapshot0', 'pvmove', 'pvmovex', '.', '..', 'a b', 'a/b/c', 'a@b', 'é', 'a'.repeat(128)],
    ...['a_cdata', 'a_cmeta', 'a_corig', 'a_cpool', 'a_cvol', 'a_imeta', 'a_iorig', 'a_mimage', 'a_mlog', 'a_pmspare'],
    ...['a_rimage_0', 'a_rmeta_0', 'a_tdata', 'a_tmetab', '_vdata', 'a_vorigin', 'a_wcorig'],
  ])('thinks of a logical volume %j as we do', async (name) => {
    expect(await lvmTakes(name)).toBe(logicalVolumeFault(name, 'vg') === undefined);
  });

  test.each(['no-such', 'no+such', 'no.such_group', '..', '.', 'no such', 'no@such', 'nö', 'v'.repeat(128)])(
    'thinks of a volume group %j as we do',
    async (name) => {
      expect(await lvmTakes('db-0', name)).toBe(volumeGroupFault(name) === undefined);
    },
  );
});
