import { beforeEach, describe, expect, it } from 'vitest';
import { sleep } from '../../clock/clock.ts';
import { settled, VirtualClock } from '../../clock/virtual.ts';
import { openAnswer } from '../open-survey.ts';
import { SimulatedMachine } from './machine.ts';

const MIB = 2 ** 20;
let clock: VirtualClock;
let machine: SimulatedMachine;
beforeEach(() => {
  clock = new VirtualClock();
  machine = new SimulatedMachine(clock);
});

describe('the journal', () => {
  it('holds what was done, in order, and nothing that only looked', async () => {
    machine.addDisk({ name: 'sda', sizeBytes: MIB });
    machine.install('lvs', () => ({ stdout: '{}' }), { changes: () => false });
    machine.install('lvcreate', () => ({}));
    const host = machine.host();
    await host.files.walk('/dev');
    await host.exec(['lvs']);
    await host.tables.mounts();
    const device = await host.devices.open('/dev/sda', { access: 'read-write' });
    await device.read(Buffer.alloc(512), 0);
    expect(machine.journal).toEqual([]);

    await host.files.mkdir('/var/lib');
    await host.exec(['lvcreate', '-n', 'a']);
    await device.write(Buffer.alloc(1024), 512);
    await device.sync();
    expect(machine.journal.map(({ verb, target, position, length }) => [verb, target, position, length])).toEqual([
      ['file.mkdir', '/var/lib', undefined, undefined],
      ['exec', 'lvcreate', undefined, undefined],
      ['device.write', '/dev/sda', 512, 1024],
      ['device.sync', '/dev/sda', undefined, undefined],
    ]);
  });

  it('holds nothing that failed', async () => {
    machine.addDisk({ name: 'sda', sizeBytes: MIB });
    const device = await machine.host().devices.open('/dev/sda', { access: 'read-write' });
    await expect(device.write(Buffer.alloc(512), MIB)).rejects.toMatchObject({ reason: 'out-of-range' });
    expect(machine.journal).toEqual([]);
  });
});

describe('a fault', () => {
  it('strikes the n-th call, or the next that match', async () => {
    const host = machine.host();
    machine.faults.at(2, { kind: 'fail' });
    machine.faults.when(({ verb }) => verb === 'file.remove', { kind: 'fail', error: new Error('mine') });
    await host.files.stat('/a');
    await expect(host.files.stat('/a')).rejects.toMatchObject({ name: 'FileError', code: 'EIO' });
    await host.files.stat('/a');
    await expect(host.files.remove('/a')).rejects.toThrow('mine');
    await host.files.remove('/a');
    expect(machine.faults.calls).toBe(5);
  });

  it('can hide an effect that happened', async () => {
    machine.faults.at(1, { kind: 'fail-after' });
    await expect(machine.host().files.writeAtomic('/a', 'x')).rejects.toMatchObject({ code: 'EIO' });
    expect(machine.journal).toHaveLength(1);
    expect(machine.tree.stat('/a').sizeBytes).toBe(1);
  });

  it('leaves nothing open when opening a device is said to have failed', async () => {
    const { number } = machine.addDisk({ name: 'sda', sizeBytes: MIB });
    const host = machine.host();
    machine.faults.at(1, { kind: 'fail-after' });
    const open = () => host.devices.open('/dev/sda', { access: 'read-write', exclusive: true });
    await expect(open()).rejects.toMatchObject({ reason: 'io' });
    await using device = await open();
    expect(device.number).toBe(number);
  });

  it('lets a command fail as commands fail', async () => {
    machine.install('mkfs.ext4', () => ({}));
    machine.faults.at(1, { kind: 'fail' });
    await expect(machine.host().exec(['mkfs.ext4', '/dev/a'])).rejects.toMatchObject({
      outcome: { kind: 'exited', code: 1 },
    });
    expect(machine.journal).toEqual([]);
  });

  it('lets a command hang until its timeout', async () => {
    machine.install('lvs', () => ({}));
    machine.faults.at(1, { kind: 'hang' });
    const result = machine
      .host()
      .exec(['lvs'], { timeoutMs: 30_000 })
      .catch((error: unknown) => error);
    await clock.advance(29_999);
    expect(machine.calls).toEqual([]);
    await clock.advance(1);
    expect(await result).toMatchObject({ outcome: { kind: 'timed-out', afterMs: 30_000 } });
  });

  it('lets a call take its time', async () => {
    machine.faults.at(1, { kind: 'delay', ms: 10 });
    const written = machine.host().files.writeAtomic('/a', '');
    await clock.advance(9);
    expect(machine.journal).toEqual([]);
    await clock.advance(1);
    await written;
  });
});

describe('a killed process', () => {
  it.each([
    ['crash-before', 0],
    ['crash-after', 1],
  ] as const)('by %s leaves %i effects and does nothing any more', async (kind, effects) => {
    const host = machine.host();
    machine.faults.at(1, { kind });
    let ranOn = false;
    const goOn = () => {
      ranOn = true;
    };
    host.files.writeAtomic('/a', '').then(goOn, goOn);
    await host.process.died;
    host.files.writeAtomic('/b', '').then(goOn, goOn);
    await settled();
    expect(ranOn).toBe(false);
    expect(machine.journal).toHaveLength(effects);
  });

  it('has nothing open any more, and the next one can take its place', async () => {
    machine.addDisk({ name: 'sda', sizeBytes: MIB });
    const [first, second] = [machine.host(), machine.host()];
    const { number } = await first.devices.open('/dev/sda', { access: 'read-write', exclusive: true });
    await expect(second.devices.open('/dev/sda', { access: 'read-write', exclusive: true })).rejects.toMatchObject({
      reason: 'busy',
    });
    first.process.kill();
    expect(openAnswer(await second.tables.openDevices(), [number])).toEqual({ open: 'no' });
    await using device = await second.devices.open('/dev/sda', { access: 'read-write', exclusive: true });
    expect(device.number).toBe(number);
  });

  it('leaves a command that it started to run on', async () => {
    const disk = machine.addDisk({ name: 'sda', sizeBytes: MIB });
    machine.install('shred', async () => {
      await sleep(clock, 120_000);
      disk.write(Buffer.from('noise'), 0);
      return {};
    });
    const host = machine.host();
    void host.exec(['shred', '/dev/sda']);
    await clock.advance(1_000);
    host.process.kill();
    await clock.advance(200_000);
    expect(disk.isZero()).toBe(false);
    expect(machine.journal).toMatchObject([{ verb: 'exec', target: 'shred' }]);
    expect(clock.pending).toBe(0);
  });
});

describe('a program that outlives the process that started it', () => {
  it('holds what it inherited until it ends, and is seen to', async () => {
    machine.addDisk({ name: 'sda', sizeBytes: MIB });
    machine.install('blkdiscard', () => sleep(clock, 1_000).then(() => ({})));
    const [first, second] = [machine.host(), machine.host()];
    const device = await first.devices.open('/dev/sda', { access: 'read-write', exclusive: true });
    void first.exec(['blkdiscard', '/proc/self/fd/3'], { inheritFds: [device] });
    await settled();
    first.process.kill();
    const again = () => second.devices.open('/dev/sda', { access: 'read-write', exclusive: true });
    await expect(again()).rejects.toMatchObject({ reason: 'busy' });
    expect(openAnswer(await second.tables.openDevices(), [device.number])).toMatchObject({
      open: 'yes',
      openers: [{ command: 'blkdiscard', fd: 3, self: false }],
    });
    await clock.advance(1_000);
    await using taken = await again();
    expect(openAnswer(await second.tables.openDevices(), [taken.number])).toMatchObject({ openers: [{ self: true }] });
  });
});

it('a program that was ended when its time was over holds nothing any more', async () => {
  machine.addDisk({ name: 'sda', sizeBytes: MIB });
  machine.install('hang', () => new Promise(() => {}));
  const host = machine.host();
  const device = await host.devices.open('/dev/sda', { access: 'read-write', exclusive: true });
  const ended = host.exec(['hang'], { inheritFds: [device], timeoutMs: 10 }).catch((error: unknown) => error);
  await clock.advance(10);
  expect(await ended).toMatchObject({ outcome: { kind: 'timed-out' } });
  await device.close();
  expect(openAnswer(await host.tables.openDevices(), [device.number])).toEqual({ open: 'no' });
});

describe('a simulated disk', () => {
  it('keeps through a power cut only what was synced', async () => {
    const disk = machine.addDisk({ name: 'sda', sizeBytes: MIB });
    const device = await machine.host().devices.open('/dev/sda', { access: 'read-write' });
    await device.write(Buffer.alloc(512, 1), 0);
    await device.sync();
    await device.write(Buffer.alloc(512, 2), 512);
    machine.losePower();
    expect([disk.isZero(0, 512), disk.isZero(512, 512)]).toEqual([false, true]);
  });

  it('that is pulled out has no facts, and gives errors to who has it open', async () => {
    const disk = machine.addDisk({ name: 'sda', sizeBytes: MIB });
    const host = machine.host();
    const device = await host.devices.open('/dev/sda', { access: 'read-write' });
    machine.removeDisk(disk);
    await expect(device.facts()).rejects.toMatchObject({ reason: 'missing' });
    await expect(device.write(Buffer.alloc(512), 0)).rejects.toMatchObject({ reason: 'io' });
    await expect(host.devices.open('/dev/sda', { access: 'read' })).rejects.toMatchObject({ reason: 'missing' });
    expect(machine.addDisk({ name: 'sdb', sizeBytes: MIB }).number).not.toBe(disk.number);
  });

  it('can get the number and the name of one that was pulled out, and is another all the same', async () => {
    const old = machine.addDisk({ name: 'sda', sizeBytes: MIB });
    const host = machine.host();
    const device = await host.devices.open('/dev/sda', { access: 'read-write', exclusive: true });
    const before = await device.facts();
    expect(() => machine.addDisk({ name: 'sdb', sizeBytes: MIB }, old.number)).toThrow('already');
    machine.removeDisk(old);
    machine.addDisk({ name: 'sda', sizeBytes: MIB }, old.number);
    await expect(device.facts()).rejects.toMatchObject({ reason: 'missing' });
    await using fresh = await host.devices.open('/dev/sda', { access: 'read-write', exclusive: true });
    expect(fresh.number).toBe(device.number);
    expect((await fresh.facts()).diskSequence).not.toBe(before.diskSequence);
  });

  it.each([
    ['mounted', (number: `${number}:${number}`) => machine.mount({ device: number, mountPoint: '/data' })],
    [
      'swap',
      () => void machine.swaps.push({ path: '/dev/sda', kind: 'partition', sizeBytes: MIB, usedBytes: 0, priority: 0 }),
    ],
  ])('that is %s cannot be opened exclusively, nor can its partitions', async (_, use) => {
    const disk = machine.addDisk({ name: 'sda', sizeBytes: MIB });
    const partition = machine.addPartition(disk, { startBytes: 4096, sizeBytes: 4096 });
    use(disk.number);
    for (const { name } of [disk, partition])
      await expect(
        machine.host().devices.open(`/dev/${name}`, { access: 'read', exclusive: true }),
      ).rejects.toMatchObject({ reason: 'busy' });
  });

  it('is reached by a program through an inherited descriptor', async () => {
    const disk = machine.addDisk({ name: 'sda', sizeBytes: MIB });
    disk.write(Buffer.alloc(MIB, 1), 0);
    machine.install('blkdiscard', ({ args, inherited: [device] }) => {
      if (args.at(-1) !== '/proc/self/fd/3' || !device) return { code: 1, stderr: 'blkdiscard: no device' };
      device.disk.zero(0, device.disk.sizeBytes);
      return {};
    });
    const host = machine.host();
    await using device = await host.devices.open('/dev/sda', { access: 'read-write', exclusive: true });
    await host.exec(['blkdiscard', '-z', '-f', '/proc/self/fd/3'], { inheritFds: [device] });
    expect(disk.isZero()).toBe(true);
    await expect(host.exec(['blkdiscard'], { inheritFds: [{ fd: 99 }] })).rejects.toMatchObject({
      outcome: { kind: 'not-started' },
    });
  });
});

describe('what others do', () => {
  it('is seen in the tables', async () => {
    const { number } = machine.addDisk({ name: 'sda', sizeBytes: MIB });
    machine.strangers.push({ device: number, pid: 7, command: 'dd', fd: 1 });
    machine.unseen.push({
      kind: 'process',
      pid: 8,
      command: 'init',
      code: 'EACCES',
      reason: 'process 8 cannot be read',
    });
    machine.loops.push({
      name: 'loop0',
      number: '7:0',
      backingFile: '/dev/sda',
      backing: { kind: 'block-device', number },
    });
    const { tables } = machine.host();
    const survey = await tables.openDevices();
    expect(openAnswer(survey, [number])).toMatchObject({ open: 'yes', openers: [{ pid: 7, self: false }] });
    expect(openAnswer(survey, ['8:99'])).toMatchObject({ open: 'unknown' });
    expect(await tables.loops()).toHaveLength(1);
  });
});
