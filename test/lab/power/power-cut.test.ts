/** A guest whose power is cut, and what is on its disks when it is turned on again. */
import { describe, expect, it } from 'vitest';
import type { WipeRecord } from '../../../src/devices/ledger/entry.ts';
import { eventually } from '../../harness/wait.ts';
import { fill, firstOldAt, stretchesOf } from '../contents.ts';
import { aDisk, type Disk, Guest } from './guest.ts';

const MIB = 2 ** 20;
const DISK_MIB = 96;
/** Slow enough that a wipe is not over when its first record is seen. */
const MIB_PER_SECOND = '8';
const PATIENCE_MS = 280_000;

it('a guest ends as its command does', async () => {
  await using guest = new Guest([], ['bash', '-c', 'echo this; echo that >&2; exit 7']);
  expect(await guest.ended()).toBe(7);
  expect(guest.output.split('\n').sort()).toEqual(['', 'that', 'this']);
});

it('a guest that stops before its command has ended shows the end of its console', async () => {
  await using guest = new Guest([], ['bash', '-c', 'echo c >/proc/sysrq-trigger']);
  expect(await guest.ended()).toBe(125);
  expect(guest.output).toContain('The guest did not get to the end of its command');
  expect(guest.output).toContain('sysrq triggered crash');
});

it('a guest that hangs is ended when its time is over', async () => {
  await using guest = new Guest([], ['sleep', 'infinity'], { timeoutSeconds: 1 });
  expect(await guest.ended()).toBe(125);
  expect(guest.output).toContain('It was ended after 1 s. The last lines of its console:');
});

it('what a guest had on its disk when the power was cut is there when it is turned on again', async () => {
  await using disk = await aDisk(16 * MIB);
  const write = 'mkfs.ext4 -q /dev/ubda; mount /dev/ubda /mnt; echo kept >/mnt/file; sync /mnt/file; echo written';
  await using guest = new Guest([disk], ['bash', '-c', `${write}; sleep infinity`]);
  await eventually(() => expect(guest.output).toContain('written'), { timeout: PATIENCE_MS });
  await guest.cutPower();
  await using again = new Guest([disk], ['bash', '-c', 'mount /dev/ubda /mnt; cat /mnt/file']);
  expect(await again.ended()).toBe(0);
  expect(again.output).toBe('kept\n');
});

describe('a wipe whose machine loses its power', () => {
  it.each([
    ['zero-all', 'zero'],
    ['random-all', 'other'],
  ])('goes on from the record in the ledger when the power is back: %s', async (method, kind) => {
    await using disk = await aDisk(DISK_MIB * MIB);
    await using ledger = await aDisk(16 * MIB);
    await fill(disk.path);

    const recorded = await wipeAndCutPower(method, disk, ledger);
    const stretches = await stretchesOf(disk.path);
    expect(stretches[0]).toContain(kind);
    expect(stretches.at(-1)).toContain('old');
    expect(await firstOldAt(disk.path)).toBeGreaterThanOrEqual(recorded.doneBytes);

    await using guest = new Guest([disk, ledger], ['node', WIPE, method]);
    expect({ code: await guest.ended(), output: guest.output }).toMatchObject({ code: 0 });
    const [first, ...told] = guest.told<Line>();
    expect({ ...first?.begun, doneBytes: recorded.doneBytes }).toEqual(recorded);
    expect(first?.begun?.doneBytes).toBeGreaterThanOrEqual(recorded.doneBytes);
    expect(told[0]).toEqual({ recorded: first?.begun });
    expect(told.at(-1)).toMatchObject({ receipt: { method, bytes: DISK_MIB * MIB, verified: 'all' } });
    expect(await stretchesOf(disk.path)).toEqual([`${DISK_MIB} MiB ${kind}`]);
  });
});

const WIPE = 'test/lab/power/wipe-of-the-disk.ts';

/** Resolves with the first record that says that something is done: the ledger has it, or a later one. */
async function wipeAndCutPower(method: string, disk: Disk, ledger: Disk): Promise<WipeRecord> {
  const command = `mkfs.ext4 -q /dev/ubdb && node ${WIPE} ${method} ${MIB_PER_SECOND}`;
  await using guest = new Guest([disk, ledger], ['bash', '-c', command]);
  return await eventually(
    () => {
      const record = guest.told<Line>().find(({ recorded }) => recorded && recorded.doneBytes > 0)?.recorded;
      if (!record) throw new Error(`nothing is recorded yet: ${guest.output}`);
      return record;
    },
    { for: 'the first bytes to be wiped', timeout: PATIENCE_MS },
  );
}

interface Line {
  readonly begun?: WipeRecord | null;
  readonly recorded?: WipeRecord;
  readonly receipt?: object;
}
