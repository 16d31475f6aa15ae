/** What every implementation of block devices must do, the real one and the simulated one. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alignedBuffer } from '../aligned-buffer.ts';
import { numbersOf, type OpenDevice } from '../block-device.ts';
import type { Host } from '../host.ts';
import { type Opener, openAnswer } from '../open-survey.ts';

export interface DevicesSubject {
  readonly host: Host;
  /** The path of a writable disk of `sizeBytes`, all zeroes, in use by nobody, with a logical block of 512 bytes. */
  readonly disk: string;
  readonly sizeBytes: number;
  /** A regular file. */
  readonly file: string;
  /** Makes a link. */
  symlink(target: string, path: string): Promise<string>;
  /** Makes the disk refuse writers. */
  makeReadOnly(): Promise<void>;
  /** Mounts the disk, which destroys what is on it, and gives back the mount point. */
  mount(): Promise<string>;
  /** Makes a partition of the first 1 MiB after the first and gives back its path. */
  addPartition(): Promise<string>;
  dispose(): Promise<void>;
}

const MIB = 2 ** 20;

export function devicesContract(name: string, make: () => Promise<DevicesSubject>): void {
  describe(`${name} block devices`, () => {
    let subject: DevicesSubject;
    let host: Host;
    beforeEach(async () => {
      subject = await make();
      host = subject.host;
    });
    afterEach(() => subject.dispose());

    it('are known by what the kernel says about the open descriptor', async () => {
      await using device = await host.devices.open(subject.disk, { access: 'read' });
      expect(await device.facts()).toMatchObject({
        number: (await host.files.stat(subject.disk))?.device,
        sizeBytes: subject.sizeBytes,
        readOnly: false,
        logicalBlockBytes: 512,
        holders: [],
        partitions: [],
      });
      expect(await host.devices.facts(device.number)).toEqual(await device.facts());
      expect(await host.devices.facts('4095:4095')).toBeUndefined();
    });

    it('stay the same device when the path becomes another', async () => {
      const link = await subject.symlink(subject.disk, 'by-path');
      await using device = await host.devices.open(link, { access: 'read' });
      await host.files.remove(link);
      await subject.symlink(subject.file, 'by-path');
      expect(device.number).toBe((await host.files.stat(subject.disk))?.device);
      await expect(host.devices.open(link, { access: 'read' })).rejects.toMatchObject({ reason: 'not-a-block-device' });
    });

    it.each([false, true])('give back what was written (direct: %s)', async (direct) => {
      await using device = await host.devices.open(subject.disk, { access: 'read-write', exclusive: true, direct });
      const written = alignedBuffer(MIB);
      written.fill('holdfast');
      await device.write(written, 3 * MIB);
      await device.sync();
      const aligned = alignedBuffer(MIB);
      await device.read(aligned, 3 * MIB);
      expect(aligned.equals(written)).toBe(true);
      const ordinary = Buffer.alloc(MIB + 8, 1).subarray(8);
      await device.read(ordinary, 2 * MIB);
      expect(ordinary.every((byte) => byte === 0)).toBe(true);
    });

    it('take ordinary memory for direct writes too', async () => {
      await using device = await host.devices.open(subject.disk, { access: 'read-write', direct: true });
      const odd = Buffer.alloc(4096 + 8, 7).subarray(8);
      await device.write(odd, 512);
      const back = Buffer.alloc(4096);
      await device.read(back, 512);
      expect(back.equals(odd)).toBe(true);
    });

    it('refuse a direct read or write between blocks', async () => {
      await using device = await host.devices.open(subject.disk, { access: 'read-write', direct: true });
      await expect(device.write(alignedBuffer(512), 100)).rejects.toMatchObject({
        name: 'DeviceError',
        reason: 'refused',
      });
      await expect(device.read(alignedBuffer(100), 0)).rejects.toMatchObject({ reason: 'refused' });
    });

    it('end where they end', async () => {
      await using device = await host.devices.open(subject.disk, { access: 'read-write' });
      const { sizeBytes } = await device.facts();
      await device.write(Buffer.alloc(512), sizeBytes - 512);
      await expect(device.write(Buffer.alloc(512), sizeBytes)).rejects.toMatchObject({ reason: 'out-of-range' });
      await expect(device.write(Buffer.alloc(1024), sizeBytes - 512)).rejects.toMatchObject({ reason: 'out-of-range' });
      await expect(device.read(Buffer.alloc(1024), sizeBytes - 512)).rejects.toMatchObject({ reason: 'out-of-range' });
    });

    it.each([Number.NaN, -1, -512, 0.5, 2 ** 53, Number.POSITIVE_INFINITY])(
      'have no byte at %s, and nothing is written elsewhere instead',
      async (position) => {
        await using device = await host.devices.open(subject.disk, { access: 'read-write' });
        await expect(device.write(Buffer.alloc(512, 'x'), position)).rejects.toThrow(RangeError);
        await expect(device.read(Buffer.alloc(512), position)).rejects.toThrow(RangeError);
        const start = Buffer.alloc(4096, 1);
        await device.read(start, 0);
        expect(start.every((byte) => byte === 0)).toBe(true);
      },
    );

    it('take no writes through a descriptor for reading', async () => {
      await using device = await host.devices.open(subject.disk, { access: 'read' });
      await expect(device.write(Buffer.alloc(512), 0)).rejects.toMatchObject({ name: 'DeviceError' });
    });

    it('are not opened where there are none', async () => {
      const dangling = await subject.symlink('gone', 'dangling');
      const open = (path: string) => host.devices.open(path, { access: 'read-write', exclusive: true });
      await expect(open(subject.file)).rejects.toMatchObject({ reason: 'not-a-block-device' });
      await expect(open('/dev/null')).rejects.toMatchObject({ reason: 'not-a-block-device' });
      await expect(open('/')).rejects.toMatchObject({ reason: 'not-a-block-device' });
      await expect(open(dangling)).rejects.toMatchObject({ reason: 'missing' });
    });

    it('that are read-only say so instead of opening for writing', async () => {
      await subject.makeReadOnly();
      await expect(host.devices.open(subject.disk, { access: 'read-write' })).rejects.toMatchObject({
        reason: 'read-only',
      });
      await using device = await host.devices.open(subject.disk, { access: 'read' });
      expect(await device.facts()).toMatchObject({ readOnly: true });
    });

    it('open exclusively only once, until closed, closing twice included', async () => {
      const open = () => host.devices.open(subject.disk, { access: 'read-write', exclusive: true });
      const first = await open();
      await expect(open()).rejects.toMatchObject({ name: 'DeviceError', reason: 'busy' });
      await using shared = await host.devices.open(subject.disk, { access: 'read-write' });
      await first.close();
      await first.close();
      expect(first.fd).toBe(-1);
      await using second = await open();
      expect(second.number).toBe(shared.number);
    });

    it('that are mounted are busy, and the mount table says where', async () => {
      const mountPoint = await subject.mount();
      await expect(host.devices.open(subject.disk, { access: 'read', exclusive: true })).rejects.toMatchObject({
        reason: 'busy',
      });
      const number = (await host.files.stat(subject.disk))?.device;
      const mounts = (await host.tables.mounts()).filter(({ device }) => device === number);
      expect(mounts.map((mount) => mount.mountPoint)).toEqual([mountPoint]);
    });

    it('have partitions, which lie within them and are held with them', async () => {
      const partition = await subject.addPartition();
      await using part = await host.devices.open(partition, { access: 'read-write', exclusive: true });
      const number = (await host.files.stat(subject.disk))?.device;
      const facts = await part.facts();
      expect(facts).toMatchObject({ sizeBytes: MIB, partition: { disk: number, index: 1, startBytes: MIB } });
      await expect(host.devices.open(subject.disk, { access: 'read', exclusive: true })).rejects.toMatchObject({
        reason: 'busy',
      });
      await using whole = await host.devices.open(subject.disk, { access: 'read' });
      expect((await whole.facts()).partitions).toEqual([
        { number: part.number, name: facts.name, startBytes: MIB, sizeBytes: MIB, holders: [] },
      ]);
      await part.write(Buffer.alloc(512, 'p'), 0);
      await part.sync();
      const seen = Buffer.alloc(512);
      await whole.read(seen, MIB);
      expect(seen.toString()).toBe('p'.repeat(512));
    });

    it('that are open in part are open, and so are those whose whole disk is', async () => {
      const partition = await subject.addPartition();
      const openersOf = async ({ path }: OpenDevice) => {
        await using device = await host.devices.open(path, { access: 'read' });
        const except = ({ fd }: Opener) => fd === device.fd;
        return openAnswer(await host.tables.openDevices(), numbersOf(await device.facts()), { except });
      };
      await using part = await host.devices.open(partition, { access: 'read' });
      await using whole = await host.devices.open(subject.disk, { access: 'read' });
      expect(await openersOf(whole)).toMatchObject({ open: 'yes', openers: [{ fd: whole.fd }, { fd: part.fd }] });
      expect(await openersOf(part)).toMatchObject({ open: 'yes', openers: [{ fd: part.fd }, { fd: whole.fd }] });
    });

    it('that this process has open are seen as its own', async () => {
      const survey = () => host.tables.openDevices();
      await using device = await host.devices.open(subject.disk, { access: 'read' });
      const own = openAnswer(await survey(), numbersOf(await device.facts()));
      expect(own).toMatchObject({ open: 'yes', openers: [{ fd: device.fd, self: true }] });
      const except = ({ self, fd }: Opener) => self && fd === device.fd;
      expect(openAnswer(await survey(), [device.number], { except }).open).not.toBe('yes');
    });
  });
}
