/** How much room each device of a node has in its picture. Pure. */
import type { DeviceRow } from '../../src/console/model.ts';

/** The largest has no more than so many times the room of the smallest: all have to be read. */
const MOST = 3;

/** In powers of two, so that a disk of 8 TiB leaves room for one of 100 GiB. Whose size nobody knows has the least. */
export function roomOf(devices: readonly DeviceRow[]): readonly number[] {
  const powers = devices.map(({ sizeBytes = 0 }) => (sizeBytes > 0 ? Math.log2(sizeBytes) : undefined));
  const known = powers.filter((power) => power !== undefined);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const perPower = most > least ? Math.min(1, (MOST - 1) / (most - least)) : 0;
  return powers.map((power) => (power === undefined ? 1 : 1 + (power - least) * perPower));
}
