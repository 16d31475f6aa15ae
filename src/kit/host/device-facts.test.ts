import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseSerialPage, readDeviceFacts } from './device-facts.ts';

const run = promisify(execFile);

let sysRoot = '';
beforeEach(async () => {
  sysRoot = await mkdtemp(join(tmpdir(), 'sys-'));
});
afterEach(() => rm(sysRoot, { recursive: true }));

describe('the facts about a device', () => {
  it('of a SCSI disk with partitions, one of which is used', async () => {
    await sys('devices/pci/sda', { ...disk('8:0'), 'device/wwid': 'naa.5000\n', 'device/model': 'ACME 1  \n' });
    await sysBytes('devices/pci/sda/device/vpd_pg80', Buffer.from('\0\x80\0\x06  S123', 'latin1'));
    await sys('devices/pci/sda/sda1', { ...partition('8:1', 1, 2048), 'holders/dm-0/dev': '253:0\n' });
    await sys('devices/pci/sda/sda2', partition('8:2', 2, 4096));
    await numbered('8:0', 'devices/pci/sda');
    expect(await readDeviceFacts(sysRoot, '8:0')).toEqual({
      number: '8:0',
      name: 'sda',
      sizeBytes: 131072 * 512,
      readOnly: false,
      rotational: true,
      logicalBlockBytes: 4096,
      discardMaxBytes: 0,
      writeZeroesMaxBytes: 4294966784,
      wwid: 'naa.5000',
      serial: 'S123',
      model: 'ACME 1',
      diskSequence: '7',
      holders: [],
      partitions: [
        { number: '8:1', name: 'sda1', startBytes: 2048 * 512, sizeBytes: 2048 * 512, holders: ['dm-0'] },
        { number: '8:2', name: 'sda2', startBytes: 4096 * 512, sizeBytes: 2048 * 512, holders: [] },
      ],
    });
  });

  it('of a partition are its own size and place, and the identity and limits of its disk', async () => {
    await sys('devices/pci/nvme0n1', { ...disk('259:0'), wwid: 'eui.1234\n', 'device/serial': 'N1 \n' });
    await sys('devices/pci/nvme0n1/nvme0n1p3', partition('259:3', 3, 2048));
    await numbered('259:3', 'devices/pci/nvme0n1/nvme0n1p3');
    expect(await readDeviceFacts(sysRoot, '259:3')).toMatchObject({
      name: 'nvme0n1p3',
      sizeBytes: 2048 * 512,
      logicalBlockBytes: 4096,
      wwid: 'eui.1234',
      serial: 'N1',
      partition: { disk: '259:0', index: 3, startBytes: 2048 * 512 },
      partitions: [],
    });
  });

  it('of a loop device name what is behind it, spaces and all', async () => {
    await sys('devices/virtual/loop3', { ...disk('7:3'), 'loop/backing_file': '/a b /c \n' });
    await numbered('7:3', 'devices/virtual/loop3');
    expect(await readDeviceFacts(sysRoot, '7:3')).toMatchObject({ loopBackingFile: '/a b /c ' });
  });

  it('leave out what the kernel does not say', async () => {
    await sys('devices/virtual/cciss!c0d0', disk('104:0'));
    await numbered('104:0', 'devices/virtual/cciss!c0d0');
    const facts = await readDeviceFacts(sysRoot, '104:0');
    expect(facts).toMatchObject({ name: 'cciss/c0d0' });
    for (const key of ['wwid', 'serial', 'model', 'partition', 'loopBackingFile'])
      expect(facts).not.toHaveProperty(key);
  });

  it('are none when there is no such device', async () => {
    expect(await readDeviceFacts(sysRoot, '8:0')).toBeUndefined();
  });

  it.each(['size', 'ro', 'queue/rotational', 'queue/logical_block_size', 'holders/.keep'])(
    'are unknown when %s cannot be read',
    async (missing) => {
      await sys('devices/sda', disk('8:0'));
      await rm(join(sysRoot, 'devices/sda', missing === 'holders/.keep' ? 'holders' : missing), { recursive: true });
      await numbered('8:0', 'devices/sda');
      await expect(readDeviceFacts(sysRoot, '8:0')).rejects.toMatchObject({
        name: 'DeviceError',
        reason: 'unreadable',
      });
    },
  );

  it.each(['', 'x', '-1', '1.5', '9007199254740993'])('are unknown when the size is %j', async (size) => {
    await sys('devices/sda', { ...disk('8:0'), size });
    await numbered('8:0', 'devices/sda');
    await expect(readDeviceFacts(sysRoot, '8:0')).rejects.toMatchObject({ reason: 'unreadable' });
  });

  describe('of a disk with a partition', () => {
    const SDA1 = { number: '8:1', name: 'sda1', startBytes: 2048 * 512, sizeBytes: 2048 * 512, holders: [] };
    beforeEach(async () => {
      await sys('devices/sda', disk('8:0'));
      await sys('devices/sda/sda1', partition('8:1', 1, 2048));
      await numbered('8:0', 'devices/sda');
    });

    it('do not have one that is gone before it is looked at', async () => {
      await symlink('nowhere', join(sysRoot, 'devices/sda/sda2'));
      expect(await readDeviceFacts(sysRoot, '8:0')).toMatchObject({ partitions: [SDA1] });
    });

    it('do not have one that goes while it is looked at', async () => {
      const going = join(sysRoot, 'devices/sda/sda2');
      const { partition: _, ...rest } = partition('8:2', 2, 4096);
      await sys('devices/sda/sda2', rest);
      await run('mkfifo', [join(going, 'partition')]);
      const facts = readDeviceFacts(sysRoot, '8:0');
      const reading = await open(join(going, 'partition'), 'w'); // as soon as it is read
      await rm(going, { recursive: true });
      await reading.write('2\n');
      await reading.close();
      expect(await facts).toMatchObject({ partitions: [SDA1] });
    });

    it.each(['dev', 'start', 'size', 'holders'])('are unknown when its %s cannot be read', async (missing) => {
      await rm(join(sysRoot, 'devices/sda/sda1', missing), { recursive: true });
      await expect(readDeviceFacts(sysRoot, '8:0')).rejects.toMatchObject({ reason: 'unreadable' });
    });
  });

  it('take a limit beyond counting for the largest number there is', async () => {
    await sys('devices/sda', { ...disk('8:0'), 'queue/discard_max_bytes': '18446744073709551104\n' });
    await numbered('8:0', 'devices/sda');
    expect(await readDeviceFacts(sysRoot, '8:0')).toMatchObject({ discardMaxBytes: Number.MAX_SAFE_INTEGER });
  });
});

describe('a serial number page', () => {
  it('of any bytes gives a trimmed text or nothing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const serial = parseSerialPage(Buffer.from(bytes));
        if (serial !== undefined) expect(serial).toBe(serial.trim());
        expect(serial).not.toBe('');
      }),
    );
  });
});

function disk(dev: string): Record<string, string> {
  return {
    dev: `${dev}\n`,
    size: '131072\n',
    ro: '0\n',
    diskseq: '7\n',
    'queue/rotational': '1\n',
    'queue/logical_block_size': '4096\n',
    'queue/write_zeroes_max_bytes': '4294966784\n',
    'holders/': '',
  };
}

function partition(dev: string, index: number, start: number): Record<string, string> {
  return { dev: `${dev}\n`, partition: `${index}\n`, start: `${start}\n`, size: '2048\n', ro: '0\n', 'holders/': '' };
}

async function sys(directory: string, attributes: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(attributes))
    if (name.endsWith('/')) await mkdir(join(sysRoot, directory, name), { recursive: true });
    else await sysBytes(join(directory, name), text);
}

async function sysBytes(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(sysRoot, path)), { recursive: true });
  await writeFile(join(sysRoot, path), content);
}

async function numbered(number: string, directory: string): Promise<void> {
  await mkdir(join(sysRoot, 'dev/block'), { recursive: true });
  await symlink(join('../..', directory), join(sysRoot, 'dev/block', number));
}
