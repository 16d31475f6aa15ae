import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { DeviceError } from '../kit/host/device-error.ts';
import type { DeviceNumber } from '../kit/host/device-number.ts';
import { FileError } from '../kit/host/file-error.ts';
import type { Host } from '../kit/host/host.ts';
import { STAT_PATIENCE_MS } from '../kit/host/open-surveyor.ts';
import type { SimulatedDisk } from '../kit/host/simulated/disk.ts';
import { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import { Patience } from '../kit/patience.ts';
import { GIB, toMake } from './builders.ts';
import { whyNotToWipe } from './guards.ts';
import { hold } from './held.ts';
import { type ObserveOptions, observe } from './observe.ts';
import type { Observed } from './observed.ts';

const MIB = 2 ** 20;
const NAME = { wwid: 'naa.1' };

/** A machine with a blkid that finds nothing, and with a disk that nobody uses. */
function aMachine(parts: { wwid?: string; serial?: string } = {}) {
  const clock = new VirtualClock();
  const machine = new SimulatedMachine(clock);
  machine.install('blkid', () => ({ code: 2 }), { changes: () => false });
  return { machine, clock, disk: aDisk(machine, 'sdb', parts) };
}

/** The kernel lists every device. */
function aDisk(machine: SimulatedMachine, name: string, parts: { wwid?: string; serial?: string } = {}): SimulatedDisk {
  return listed(machine, machine.addDisk({ name, sizeBytes: GIB, ...parts }));
}

function listed(machine: SimulatedMachine, disk: SimulatedDisk): SimulatedDisk {
  machine.tree.mkdir(`/sys/dev/block/${disk.number}`);
  return disk;
}

function aPartition(machine: SimulatedMachine, disk: SimulatedDisk, startBytes: number, sizeBytes = MIB) {
  return listed(machine, machine.addPartition(disk, { startBytes, sizeBytes }));
}

async function look(machine: SimulatedMachine, { name }: SimulatedDisk, options: Partial<ObserveOptions> = {}) {
  const host = machine.host();
  const held = await hold(host, `/dev/${name}`, 'read-write');
  if ('refusal' in held) throw new Error(held.refusal.fact);
  await using device = held.device;
  return await observe(host, device, held.isHeld, { trustInit: false, volumes: [], ...options });
}

const refusalOf = (observed: Observed) => whyNotToWipe(observed, toMake({ deviceDir: '/dev' }));
const refused = async (...call: Parameters<typeof look>) => refusalOf(await look(...call));
const stranger = (device: DeviceNumber) => ({ pid: 7, command: 'dd', fd: 3, device });

describe('a device that nobody uses', () => {
  it('is seen to be free, and nothing is done to the machine by looking', async () => {
    const { machine, disk } = aMachine();
    expect(await refused(machine, disk)).toBeUndefined();
    expect(machine.journal).toEqual([]);
  });

  it('is not wiped if any one of the looks at it fails', async () => {
    const rehearsal = aWorld();
    expect(await rehearsal.judge()).toBeUndefined();
    const calls = rehearsal.machine.faults.calls;
    expect(calls).toBeGreaterThan(20);
    for (let call = 1; call <= calls; call++) {
      const world = aWorld();
      world.machine.faults.at(call, { kind: 'fail' });
      const answer = await world.judge().catch((error: unknown) => error);
      expect(answer, `when call ${call} of ${calls} fails`).toBeDefined();
    }
  });

  /** Everything that is looked at: partitions, another disk, a swap area, a mount, a loop device, another volume, a target. */
  function aWorld() {
    const { machine, disk } = aMachine(NAME);
    aPartition(machine, disk, MIB);
    const other = aDisk(machine, 'sda', { wwid: 'naa.2' });
    machine.mount({ device: '0:40', mountPoint: '/', fsType: 'btrfs', source: '/dev/sda' });
    machine.swaps.push({ path: '/dev/sda', kind: 'partition', sizeBytes: 1, usedBytes: 0, priority: 1 });
    machine.loops.push({ name: 'loop0', number: '7:0', backingFile: '/image', backing: { kind: 'file' } });
    machine.tree.mkdir('/sys/kernel/config/nvmet/subsystems/a/namespaces/1');
    machine.tree.write('/sys/kernel/config/nvmet/subsystems/a/namespaces/1/device_path', `/dev/${other.name}\n`);
    const volumes = [{ name: 'local-n1-a', path: '/dev/sda' }];
    return { machine, judge: () => refused(machine, disk, { volumes }) };
  }
});

describe('the use of a device is found under its other numbers:', () => {
  it('a partition of it, or the disk that it is a partition of', async () => {
    for (const used of ['disk', 'part'] as const) {
      const { machine, disk } = aMachine();
      const part = aPartition(machine, disk, MIB);
      const [one, other] = used === 'disk' ? [disk, part] : [part, disk];
      machine.strangers.push(stranger(one.number));
      expect(await refused(machine, other)).toMatchObject({ fact: 'isOpen' });
    }
  });

  it('a partition that overlaps it, and not one beside it', async () => {
    const { machine, disk } = aMachine();
    const part = aPartition(machine, disk, MIB, 2 * MIB);
    const beside = aPartition(machine, disk, 8 * MIB);
    machine.mount({ device: beside.number, mountPoint: '/beside' });
    expect(await refused(machine, part)).toBeUndefined();
    const overlapping = aPartition(machine, disk, 2 * MIB, 2 * MIB);
    machine.mount({ device: overlapping.number, mountPoint: '/data' });
    expect(await refused(machine, part)).toEqual({ fact: 'isMounted', at: '/data', under: overlapping.name });
  });

  it('the same disk by another way to it, whatever uses that', async () => {
    const { machine, disk } = aMachine(NAME);
    const twin = aDisk(machine, 'sdc', NAME);
    expect(await refused(machine, disk)).toBeUndefined();
    await using _held = await machine.host().devices.open('/dev/sdc', { access: 'read-write', exclusive: true });
    machine.strangers.push(stranger(twin.number));
    expect(await look(machine, disk)).toMatchObject({
      busyRelatives: { known: true, value: ['sdc'] },
      openers: { open: 'yes' },
    });
  });

  it('the same disk by another way, mounted where we do not see it', async () => {
    const { machine, disk } = aMachine(NAME);
    const twin = aDisk(machine, 'sdc', NAME);
    twin.described = { ...twin.described, holders: ['dm-0'] };
    expect(await refused(machine, disk)).toEqual({ fact: 'hasHolders', holders: ['dm-0'], under: 'sdc' });
    expect(await look(machine, disk)).toMatchObject({ busyRelatives: { value: ['sdc'] } });
  });

  it('the part of the same disk by another way that it is, and no other part', async () => {
    const { machine, disk } = aMachine({ serial: 's' });
    const twin = aDisk(machine, 'sdc', { serial: 's' });
    const part = aPartition(machine, disk, MIB);
    const same = aPartition(machine, twin, MIB);
    const beside = aPartition(machine, twin, 4 * MIB);
    machine.mount({ device: beside.number, mountPoint: '/beside' });
    const { relatives } = await look(machine, part);
    const names = relatives.known ? relatives.value.map(({ name }) => name) : [];
    expect(names.sort()).toEqual(['sdb', 'sdc', same.name]);
  });

  it('a node that is not the device of its name is not taken for it', async () => {
    const { machine, disk } = aMachine(NAME);
    aDisk(machine, 'sdc', NAME);
    machine.tree.remove('/dev/sdc');
    machine.tree.symlink('/dev/sdd', '/dev/sdc');
    aDisk(machine, 'sdd');
    expect(await refused(machine, disk)).toMatchObject({
      fact: 'useIsUnknown',
      why: [expect.stringMatching('/dev/sdc')],
    });
  });

  it('a swap area on a part of it', async () => {
    const { machine, disk } = aMachine();
    const part = aPartition(machine, disk, MIB);
    const used = { sizeBytes: MIB, usedBytes: 0, priority: -2 };
    machine.swaps.push({ path: `/dev/${part.name}`, kind: 'partition', ...used });
    expect(await look(machine, disk)).toMatchObject({ isHeld: false });
    expect(await refused(machine, disk)).toEqual({ fact: 'isSwap', under: part.name });
  });

  it('a filesystem that was mounted by a path that is not there any more', async () => {
    const { machine, disk } = aMachine();
    machine.mount({ device: disk.number, mountPoint: '/data', source: '/dev/root' });
    expect(await refused(machine, disk)).toEqual({ fact: 'isMounted', at: '/data', under: '' });
  });

  it('a mount that only process 1 sees', async () => {
    const { machine, disk } = aMachine();
    const host = machine.host();
    machine.mount({ device: disk.number, mountPoint: '/data' });
    const [mount] = machine.mounts.splice(0);
    const mounts = async (options?: { pid?: number }) => (options?.pid === 1 && mount ? [mount] : []);
    await using device = await host.devices.open('/dev/sdb', { access: 'read' });
    const { files, devices, tables } = host;
    const exec: Host['exec'] = (...call) => host.exec(...call);
    const given = { files, devices, tables: { ...tables, mounts }, exec, isInstalled: async () => true };
    expect((await observe(given, device, true, { trustInit: false, volumes: [] })).mounts).toEqual({
      known: true,
      value: [{ by: '/data', under: '' }],
    });
  });

  it('another descriptor of our own', async () => {
    const { machine, disk } = aMachine();
    const host = machine.host();
    await using device = await host.devices.open('/dev/sdb', { access: 'read-write', exclusive: true });
    await using _other = await host.devices.open(`/dev/${disk.name}`, { access: 'read' });
    const observed = await observe(host, device, true, { trustInit: false, volumes: [] });
    expect(refusalOf(observed)).toMatchObject({ fact: 'isOpen' });
  });

  it('a filesystem with a number of its own, by the path that was mounted', async () => {
    const { machine, disk } = aMachine();
    machine.mount({ device: '0:40', mountPoint: '/data', fsType: 'btrfs', source: '/dev/sdb' });
    expect(await refused(machine, disk)).toEqual({ fact: 'isMounted', at: '/data', under: '' });
  });

  it('what is behind a loop device, and another loop device on that', async () => {
    const { machine, disk } = aMachine();
    const loop = listed(machine, machine.addDisk({ name: 'loop0', sizeBytes: GIB }, '7:0'));
    const on = (name: string, number: DeviceNumber) =>
      machine.loops.push({
        name,
        number,
        backingFile: '/dev/sdb',
        backing: { kind: 'block-device', number: disk.number },
      });
    on('loop0', loop.number);
    expect(await refused(machine, loop)).toBeUndefined();
    expect(await refused(machine, aPartition(machine, loop, MIB))).toBeUndefined();
    expect(await refused(machine, disk)).toEqual({ fact: 'isBehindALoopDevice', loop: 'loop0', under: '' });
    on('loop1', '7:1');
    expect(await refused(machine, loop)).toEqual({ fact: 'isBehindALoopDevice', loop: 'loop1', under: 'sdb' });
  });

  it('a target of the kernel', async () => {
    const { machine, disk } = aMachine();
    const namespaces = '/sys/kernel/config/nvmet/subsystems/disks/namespaces';
    machine.tree.mkdir(`${namespaces}/1`);
    machine.tree.write(`${namespaces}/1/device_path`, '/dev/sdb\n');
    expect(await refused(machine, disk)).toEqual({ fact: 'isExported', by: 'the NVMe target disks', under: '' });
    machine.tree.write(`${namespaces}/1/device_path`, '/dev/of/the/host\n');
    expect(await refused(machine, disk)).toMatchObject({ fact: 'useIsUnknown' });
  });
});

describe('other volumes are found', () => {
  const volumes = (path: string, identity?: { sizeBytes: number; wwid: string }) => [
    { name: 'local-n1-x', path, identity },
  ];

  it('by what is recorded on them, though their path leads nowhere now', async () => {
    const { machine, disk } = aMachine(NAME);
    const recorded = { sizeBytes: GIB, wwid: 'naa.1' };
    expect(await refused(machine, disk, { volumes: volumes('/dev/gone', recorded) })).toEqual({
      fact: 'isUsedByAnotherVolume',
      volume: 'local-n1-x',
      path: '/dev/gone',
    });
    const other = volumes('/dev/gone', { ...recorded, wwid: 'naa.2' });
    expect(await refused(machine, disk, { volumes: other })).toBeUndefined();
  });

  /** The agent is in a container that sees the machine through its first process. */
  function inAContainer() {
    const world = aMachine();
    world.machine.tree.mkdir('/proc/1/root/proc');
    world.machine.tree.addDevice('/proc/1/root/dev/sdb', world.disk.number);
    return world;
  }

  it.each([
    ['as it is', '/dev/sdb'],
    ['by a link', '/mnt/disk'],
  ])('by where their path leads on the machine, %s, though it leads nowhere from here', async (_, path) => {
    const { machine, disk } = inAContainer();
    machine.tree.mkdir('/proc/1/root/mnt');
    machine.tree.symlink('/dev/sdb', '/proc/1/root/mnt/disk');
    const used = { fact: 'isUsedByAnotherVolume', volume: 'local-n1-x', path };
    expect(await refused(machine, disk, { volumes: volumes(path) })).toEqual(used);
    expect(await refused(machine, disk, { volumes: volumes('/mnt/other') })).toBeUndefined();
  });

  it('by where their path leads from here, though it leads nowhere on the machine', async () => {
    const { machine, disk } = inAContainer();
    machine.tree.symlink('/dev/sdb', '/here');
    expect(await refused(machine, disk, { volumes: volumes('/here') })).toMatchObject({
      fact: 'isUsedByAnotherVolume',
    });
  });

  it.each([['/mnt/circle'], ['/proc/1/root/mnt/circle']])(
    'or not known where %s leads: then it may be in use',
    async (circle) => {
      const { machine, disk } = inAContainer();
      machine.tree.mkdir('/mnt');
      machine.tree.mkdir('/proc/1/root/mnt');
      machine.tree.symlink('/mnt/circle', circle);
      expect(await refused(machine, disk, { volumes: volumes('/mnt/circle') })).toMatchObject({
        fact: 'useIsUnknown',
        why: [expect.stringMatching('ELOOP')],
      });
    },
  );

  it('from here only where process 1 cannot be looked at, if a person says that this is enough', async () => {
    const { machine, disk } = inAContainer();
    const error = new FileError('look at', '/proc/1/root/proc', 'EACCES');
    machine.faults.when(({ target }) => target === '/proc/1/root/proc', { kind: 'fail', error }, 2);
    const options = { volumes: volumes('/mnt/other') };
    expect(await refused(machine, disk, options)).toEqual({ fact: 'useIsUnknown', why: [error.message] });
    expect(await refused(machine, disk, { ...options, trustInit: true })).toBeUndefined();
  });

  it('or not known where their path does not answer, and that is asked once only', async () => {
    const { machine, disk, clock } = aMachine();
    const patience = new Patience(clock, 2);
    let asked = 0;
    const isGone = ({ target }: { target: string }) => target === '/nfs/gone' && ++asked > 0;
    machine.faults.when(isGone, { kind: 'hang' }, Number.POSITIVE_INFINITY);
    const options = { volumes: volumes('/nfs/gone'), patience };
    const first = refused(machine, disk, options);
    await clock.advance(STAT_PATIENCE_MS);
    const why = expect.stringMatching('the path /nfs/gone of the volume local-n1-x has not answered');
    expect(await first).toEqual({ fact: 'useIsUnknown', why: [why] });
    expect(await refused(machine, disk, options)).toEqual({ fact: 'useIsUnknown', why: [why] });
    expect(asked).toBe(1);
  });

  it('on what the device is built of', async () => {
    const { machine, disk } = aMachine();
    const lower = aDisk(machine, 'sdc');
    lower.described = { ...lower.described, holders: ['md0'] };
    const middle = aDisk(machine, 'md0');
    middle.described = { ...middle.described, holders: ['sdb'] };
    expect(await refused(machine, disk)).toBeUndefined();
    expect(await refused(machine, disk, { volumes: volumes('/dev/sdc') })).toMatchObject({
      fact: 'isUsedByAnotherVolume',
    });
  });
});

describe('what cannot be seen', () => {
  it('of the openers is unknown, unless it is process 1 and that is trusted', async () => {
    const { machine, disk } = aMachine();
    machine.unseen.push({ kind: 'process', pid: 1, command: 'systemd', code: 'EACCES', reason: 'init is hidden' });
    expect(await refused(machine, disk)).toEqual({ fact: 'useIsUnknown', why: ['init is hidden'] });
    expect(await refused(machine, disk, { trustInit: true })).toBeUndefined();
    machine.unseen.push({ kind: 'process', pid: 2, command: 'init', code: 'EACCES', reason: 'another is hidden' });
    expect(await refused(machine, disk, { trustInit: true })).toEqual({
      fact: 'useIsUnknown',
      why: ['another is hidden'],
    });
  });

  it('behind a loop device is unknown', async () => {
    const { machine, disk } = aMachine();
    const backing = { kind: 'unknown', reason: '/image was deleted' } as const;
    machine.loops.push({ name: 'loop0', number: '7:0', backingFile: '/image (deleted)', backing });
    expect(await refused(machine, disk)).toMatchObject({ why: [expect.stringMatching(/behind loop0.*was deleted/)] });
  });
});

describe('a loop device whose file was deleted', () => {
  it('is itself not wiped, nor a part of it: what is behind it may be in any use', async () => {
    const { machine } = aMachine();
    const loop = listed(machine, machine.addDisk({ name: 'loop0', sizeBytes: GIB }, '7:0'));
    const backing = { kind: 'unknown', reason: '/image was deleted' } as const;
    machine.loops.push({ name: 'loop0', number: loop.number, backingFile: '/image (deleted)', backing });
    for (const device of [loop, aPartition(machine, loop, MIB)])
      expect(await refused(machine, device)).toMatchObject({ fact: 'useIsUnknown' });
  });
});

describe('holding a device', () => {
  it('keeps others from it; when others keep us from it, it is only looked at', async () => {
    const { machine, disk } = aMachine();
    const one = await hold(machine.host(), '/dev/sdb', 'read-write');
    const other = await hold(machine.host(), '/dev/sdb', 'read-write');
    expect([one, other]).toMatchObject([{ isHeld: true }, { isHeld: false }]);
    if ('refusal' in other) throw new Error(other.refusal.fact);
    await expect(other.device.write(Buffer.alloc(512), 0)).rejects.toThrow();
    expect(await refused(machine, disk)).toMatchObject({ fact: 'isOpen' });
  });

  it('is refused for what is no block device or read-only', async () => {
    const { machine, disk } = aMachine();
    machine.tree.write('/file', '');
    expect(await hold(machine.host(), '/file', 'read-write')).toEqual({ refusal: { fact: 'isNotABlockDevice' } });
    disk.described = { ...disk.described, readOnly: true };
    expect(await hold(machine.host(), '/dev/sdb', 'read-write')).toEqual({ refusal: { fact: 'isReadOnly' } });
  });

  it.each(['denied', 'refused', 'unreadable', 'failed'] as const)(
    'is refused as unknown when it is %s',
    async (reason) => {
      const { machine } = aMachine();
      const error = new DeviceError('open', '/dev/sdb', reason, 'so it is');
      machine.faults.when(({ verb }) => verb === 'device.open', { kind: 'fail', error });
      expect(await hold(machine.host(), '/dev/sdb', 'read-write')).toEqual({
        refusal: { fact: 'useIsUnknown', why: [error.message] },
      });
    },
  );

  it.each(['missing', 'io'] as const)('fails when the device is %s', async (reason) => {
    const { machine } = aMachine();
    const error = new DeviceError('open', '/dev/sdb', reason, 'so it is');
    machine.faults.when(({ verb }) => verb === 'device.open', { kind: 'fail', error });
    await expect(hold(machine.host(), '/dev/sdb', 'read-write')).rejects.toBe(error);
  });
});
