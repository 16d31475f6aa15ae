/** The store of an agent whose machine loses its power while blobs come and go: all that was acknowledged is there when it is back. */
import { expect, test } from 'vitest';
import { eventually } from '../../harness/wait.ts';
import { aDisk, type Disk, Guest } from './guest.ts';

const MIB = 2 ** 20;
const PATIENCE_MS = 280_000;
const BLOBS = 'node test/lab/power/blobs-on-the-disk.ts';
const LIVES = 2;
const ACKNOWLEDGED = 40;

test.each(['ext4', 'xfs', 'btrfs'])(
  'on %s none that was acknowledged is lost, none is half of one, and none comes back',
  async (filesystem) => {
    await using disk = await aDisk(512 * MIB);
    const lines: Line[] = [];
    for (let life = 1; life <= LIVES; life++) {
      const made = life === 1 ? `mkfs.${filesystem} /dev/ubda >/dev/null && ` : '';
      lines.push(...(await writeUntilPowerIsCut(disk, `${made}${BLOBS} write ${life}`)));
    }
    const keysOf = (what: 'stored' | 'removing' | 'removed') => lines.flatMap((line) => line[what] ?? []);
    const [stored, removing, removed] = [keysOf('stored'), keysOf('removing'), keysOf('removed')];

    const found = await foundOn(disk);
    const there = found.flatMap((line) => line.there ?? []);
    expect(found.filter(({ isWhole }) => isWhole === false)).toEqual([]);
    expect(found.at(-1)?.totals).toMatchObject({ blobs: there.length, corrupt: 0 });
    expect(there).toEqual(expect.arrayContaining(stored.filter((key) => !removing.includes(key))));
    expect(there.filter((key) => removed.includes(key))).toEqual([]);
    expect(stored.length).toBeGreaterThanOrEqual(LIVES * ACKNOWLEDGED);
  },
);

interface Line {
  readonly stored?: string;
  readonly removing?: string;
  readonly removed?: string;
  readonly there?: string;
  readonly isWhole?: boolean;
  readonly totals?: { readonly blobs: number; readonly corrupt: number };
}

async function writeUntilPowerIsCut(disk: Disk, command: string): Promise<readonly Line[]> {
  await using guest = new Guest([disk], ['bash', '-c', command]);
  const isEnough = () => guest.told<Line>().filter(({ stored }) => stored).length >= ACKNOWLEDGED;
  await eventually(() => expect(isEnough(), guest.output).toBe(true), { timeout: PATIENCE_MS, interval: 20 });
  await guest.cutPower();
  return guest.told<Line>();
}

async function foundOn(disk: Disk): Promise<readonly Line[]> {
  await using guest = new Guest([disk], ['bash', '-c', `${BLOBS} read`]);
  expect({ code: await guest.ended(), output: guest.output }).toMatchObject({ code: 0 });
  return guest.told<Line>();
}
