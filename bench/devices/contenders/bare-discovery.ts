/** The least that finds devices and their sizes. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { deviceNumber } from '../../../src/kit/host/device-number.ts';
import type { Contend } from '../../measure/contender.ts';
import { DISCOVER, type Discover } from './discovery.ts';

const contend: Contend<Discover> = async ({ directory, count }, meter) => {
  const sizes = await meter.measure(DISCOVER, async () => {
    const names = (await readdir(directory)).filter((name) => name.includes('-ata-'));
    return Promise.all(names.map((name) => sizeOf(join(directory, name))));
  });
  if (sizes.filter((size) => size > 0).length !== count) throw new Error('not all devices were found');
};

async function sizeOf(path: string): Promise<number> {
  const { rdev } = await stat(path, { bigint: true });
  return Number(await readFile(`/sys/dev/block/${deviceNumber(rdev)}/size`, 'utf8')) * 512;
}

export default contend;
