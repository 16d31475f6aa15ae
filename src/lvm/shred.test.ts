import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import type { DiskDescription } from '../kit/host/simulated/disk.ts';
import { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import { lv } from './builders.ts';
import type { ShredMethod } from './contract.ts';
import type { LogicalVolume } from './facts.ts';
import { passesDiscardsOn, shred } from './shred.ts';

const MIB = 2 ** 20;
const SIZE = 9 * MIB;
/** More than the beginning that a discard leaves nothing of. */
const LARGE = 101 * MIB;
const never = new AbortController().signal;

/** A logical volume with something on all of it. What its disk was told to do by the kernel is in `told`. */
function aVolume(description: Partial<DiskDescription> = {}) {
  const machine = new SimulatedMachine(new VirtualClock());
  const { sizeBytes = SIZE } = description;
  const disk = machine.addDisk({ name: 'dm-3', sizeBytes, ...description });
  for (let at = 0; at < sizeBytes; at += MIB) disk.write(Buffer.alloc(MIB, 0xda), at);
  const told: string[] = [];
  machine.install('blkdiscard', async ({ args, inherited: [device] }) => {
    const [start, length] = ['--offset', '--length'].map((option) => Number(args[args.indexOf(option) + 1]));
    device?.disk.zero(start ?? 0, length ?? 0);
    told.push(args.includes('--zeroout') ? 'zero' : 'discard');
    return {};
  });
  const progress: number[] = [];
  const host = machine.host();
  const run = async (method: ShredMethod, volume: Partial<LogicalVolume> = {}, signal = never) => {
    await using device = await host.devices.open('/dev/dm-3', { access: 'read-write', exclusive: true, direct: true });
    const parts = { clock: machine.clock, commands: host, progress: (done: number) => progress.push(done), signal };
    await shred(device, lv({ sizeBytes: BigInt(sizeBytes), ...volume }), method, parts);
  };
  const writes = () => machine.journal.filter(({ verb }) => verb === 'device.write').length;
  return { machine, disk, told, progress, run, writes };
}

const holds = ({ disk }: ReturnType<typeof aVolume>, byte: number): boolean => {
  const found = Buffer.alloc(MIB);
  for (let at = 0; at < SIZE; at += MIB) {
    disk.read(found, at);
    if (found.equals(Buffer.alloc(MIB, byte))) return true;
  }
  return false;
};

describe('a thin pool', () => {
  const said = (how: string) => JSON.stringify({ report: [{ lv: [{ kernel_discards: how }] }] });

  it('passes discards on when the kernel says so', () => {
    expect(passesDiscardsOn(said('passdown'))).toBe(true);
    for (const how of ['nopassdown', 'ignore', '']) expect(passesDiscardsOn(said(how))).toBe(false);
  });
  it('is not taken to when it cannot be told', () => {
    for (const json of ['{"report":[{"lv":[]}]}', '{}']) expect(() => passesDiscardsOn(json)).toThrow();
  });
});

describe('shredding', () => {
  it('with zeroes leaves nothing else', async () => {
    const volume = aVolume();
    await volume.run('zero');
    expect(volume.disk.isZero()).toBe(true);
    expect(volume.progress.at(-1)).toBe(SIZE);
  });

  it('at random leaves neither what was there nor zeroes', async () => {
    const volume = aVolume();
    await volume.run('random');
    expect([holds(volume, 0xda), holds(volume, 0)]).toEqual([false, false]);
  });

  it('by discard overwrites the beginning of a plain volume as well', async () => {
    const volume = aVolume({ sizeBytes: LARGE, discardMaxBytes: 2 ** 30 });
    await volume.run('discard');
    expect(volume.told).toContain('discard');
    expect(volume.writes()).toBeGreaterThan(0);
  });

  it('writes nothing to a thin volume, whatever is asked for: that would fill its pool', async () => {
    for (const method of ['discard', 'zero', 'random'] as const) {
      const volume = aVolume({ discardMaxBytes: 2 ** 30 });
      await volume.run(method, { pool: 'pool' });
      expect(volume.told).toEqual(['discard']);
      expect(volume.writes()).toBe(0);
      expect(volume.disk.isZero()).toBe(true);
    }
  });

  it('fails when a thin volume does not read as zeroes after it was discarded', async () => {
    const volume = aVolume({ discardMaxBytes: 2 ** 30 });
    volume.machine.install('blkdiscard', async () => ({}));
    await expect(volume.run('discard', { pool: 'pool' })).rejects.toThrow('is not what it has to be');
  });

  it('fails where there is no discard, and says so', async () =>
    await expect(aVolume({ discardMaxBytes: 0 }).run('discard')).rejects.toThrow('offers no discard'));

  it('does not begin with a device of another size than was looked at', async () => {
    const volume = aVolume();
    await expect(volume.run('zero', { sizeBytes: BigInt(SIZE) + 1n })).rejects.toThrow('when it was looked at');
    expect(holds(volume, 0)).toBe(false);
  });

  it('stops when it is told to, and is not taken for done', async () => {
    const volume = aVolume();
    await expect(volume.run('zero', {}, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    expect(holds(volume, 0xda)).toBe(true);
  });
});
