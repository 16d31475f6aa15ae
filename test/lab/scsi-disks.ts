/** SCSI disks in the memory of the guest. They have a name and a serial number, and can be taken out and put in again. */
import { readdir, realpath, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { run, settled } from './machine.ts';

export interface ScsiOptions {
  /** They all have the same bytes. */
  readonly disks?: number;
  readonly sizeMib: number;
  readonly blockBytes?: 512 | 4096;
}

/** There is only one set of them at a time. */
export class ScsiDisks implements AsyncDisposable {
  static async load({ disks = 1, sizeMib, blockBytes = 512 }: ScsiOptions): Promise<ScsiDisks> {
    /** Answer at once; parts can be given back, and then read as zeroes. */
    const settings = ['delay=0', 'lbpu=1', 'lbpws=1', 'lbprz=1'];
    const size = [`max_luns=${disks}`, `dev_size_mb=${sizeMib}`, `sector_size=${blockBytes}`];
    await run('modprobe', 'scsi_debug', ...settings, ...size);
    await settled();
    return new ScsiDisks();
  }

  /** Where it is now. */
  async pathOf(unit: number): Promise<string> {
    for (const name of await readdir('/sys/block')) {
      if (!name.startsWith('sd')) continue;
      const address = basename(await realpath(`/sys/block/${name}/device`));
      if (address === `0:0:0:${unit}`) return `/dev/${name}`;
    }
    throw new Error(`disk ${unit} is not in`);
  }

  async takeOut(unit: number): Promise<void> {
    await writeFile(`/sys/block/${basename(await this.pathOf(unit))}/device/delete`, '1');
    await settled();
  }

  async putIn(unit: number): Promise<void> {
    await writeFile('/sys/class/scsi_host/host0/scan', `0 0 ${unit}`);
    await settled();
  }

  /** Takes it from them to write zeroes by themselves. */
  async writeNoZeroes(unit: number): Promise<void> {
    const setting = `/sys/block/${basename(await this.pathOf(unit))}/device/scsi_disk/0:0:0:${unit}/max_write_same_blocks`;
    await writeFile(setting, '0');
  }

  /** A few sectors from 2.27 MiB on cannot be read, or can again; writing to them works all the time. */
  async failReads(doFail: boolean): Promise<void> {
    await writeFile('/sys/bus/pseudo/drivers/scsi_debug/opts', doFail ? '2' : '0');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await settled();
    await run('modprobe', '--remove', 'scsi_debug');
  }
}
