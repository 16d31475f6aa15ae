import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { parseConfig } from '../../src/devices/config.ts';
import { discover } from '../../src/devices/discovery.ts';
import { systemClock } from '../../src/kit/clock/clock.ts';
import { realHost } from '../../src/kit/host/host.ts';
import { aLoopDevice, type LoopDevice } from './loop-device.ts';

const MIB = 2 ** 20;
const host = realHost({ clock: systemClock });

async function discovered(deviceDir: string, deviceNameFilter = '.*') {
  const parsed = parseConfig({ deviceDir, deviceNameFilter, volumeMode: 'Block' });
  if ('faults' in parsed) throw new Error(parsed.faults.join('; '));
  const discovery = await discover(host, 'n1', parsed, systemClock);
  if ('fault' in discovery) throw new Error(discovery.fault);
  return discovery;
}

/** Each as its name in the directory, and its size or why it is none. */
async function sizesIn(directory: string, filter?: string) {
  const { devices, unseen } = await discovered(directory, filter);
  expect(unseen).toEqual([]);
  return devices.map(({ path, device }) => [
    path.slice(directory.length + 1),
    'fault' in device ? device.fault : device.facts.sizeBytes,
  ]);
}

async function aDirectory() {
  const path = await mkdtemp(join(tmpdir(), 'by-path-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

/** One that the kernel shows as `loopNp1`. */
async function partitioned(loop: LoopDevice): Promise<string> {
  await host.exec(['addpart', loop.path, '1', '2048', '4096']);
  loop.undo.defer(async () => void (await host.exec(['delpart', loop.path, '1'])));
  const path = `${loop.path}p1`;
  await vi.waitFor(async () => expect(await host.files.stat(path)).toMatchObject({ kind: 'block-device' }), {
    timeout: 10_000,
  });
  return path;
}

describe('the real devices of a directory', () => {
  test('are found by links as udev makes them, with their partitions, under the names of volumes', async () => {
    await using directory = await aDirectory();
    await using first = await aLoopDevice(8 * MIB);
    await using second = await aLoopDevice(16 * MIB + 512);
    const byPath = join(directory.path, 'disk/by-path');
    await mkdir(byPath, { recursive: true });
    await symlink(first.path, join(directory.path, basename(first.path)));
    await symlink(`../../${basename(first.path)}`, join(byPath, 'pci-0000:3b:00.0-ata-1'));
    await symlink(await partitioned(first), join(byPath, 'pci-0000:3b:00.0-ata-1-part1'));
    await symlink(second.path, join(byPath, 'pci-0000:3b:00.0-ata-2'));
    await symlink(second.path, join(byPath, 'usb-0:1'));
    const { devices } = await discovered(`${byPath}/`, '^pci-');
    expect(devices).toMatchObject([
      {
        path: join(byPath, 'pci-0000:3b:00.0-ata-1'),
        volume: 'local-n1-pci-0000-3b-00.0-ata-1',
        device: { facts: { sizeBytes: 8 * MIB, partitions: [{ name: `${basename(first.path)}p1` }] } },
      },
      {
        path: join(byPath, 'pci-0000:3b:00.0-ata-1-part1'),
        volume: 'local-n1-pci-0000-3b-00.0-ata-1-part1',
        device: { facts: { sizeBytes: 2 * MIB, partition: { index: 1, startBytes: MIB } } },
      },
      {
        path: join(byPath, 'pci-0000:3b:00.0-ata-2'),
        volume: 'local-n1-pci-0000-3b-00.0-ata-2',
        device: { facts: { sizeBytes: 16 * MIB + 512 } },
      },
    ]);
  });

  test('are found under names with every character that a name can have', async () => {
    await using directory = await aDirectory();
    await using loop = await aLoopDevice(MIB);
    const odd = [...Array.from({ length: 127 }, (_, i) => i + 1), 0x80, 0xff, 0x20ac, 0x202e, 0x1f600].map((code) =>
      String.fromCodePoint(code),
    );
    const names = odd.filter((char) => char !== '/').map((char) => `a${char}b`);
    for (const name of names) await symlink(loop.path, join(directory.path, name));
    expect(await sizesIn(directory.path)).toEqual(names.toSorted().map((name) => [name, MIB]));
    const { devices } = await discovered(directory.path);
    expect(devices.find(({ path }) => path.endsWith('/a\nb'))?.volume).toBe('local-n1-a-b');
  });

  test('do not suffer from what is beside them', async () => {
    await using directory = await aDirectory();
    await using loop = await aLoopDevice(MIB);
    const at = (name: string) => join(directory.path, name);
    await symlink(loop.path, at('good'));
    await symlink('/dev/no-such-device', at('dangling'));
    await symlink('self', at('self'));
    await symlink('/dev/null', at('null'));
    await symlink('/', at('root'));
    await writeFile(at('file'), 'x');
    expect(await sizesIn(directory.path)).toEqual([
      ['dangling', 'it is a link that leads nowhere'],
      ['file', 'it is not a block device'],
      ['good', MIB],
      ['null', 'it is not a block device'],
      ['self', 'it is a link that leads nowhere'],
    ]);
  });

  test('whose names are not UTF-8 are said not to be seen, and the others are found', async () => {
    await using directory = await aDirectory();
    await using loop = await aLoopDevice(MIB);
    const raw = Buffer.concat([Buffer.from(`${directory.path}/disk-`), Buffer.from([0xff])]);
    await symlink(loop.path, raw);
    await symlink(loop.path, join(directory.path, 'good'));
    const { devices, unseen } = await discovered(directory.path);
    expect(devices.map(({ path }) => basename(path))).toEqual(['good']);
    expect(unseen).toEqual([expect.stringContaining('its name is not UTF-8')]);
  });

  test('that have no medium have no size', async () => {
    await using directory = await aDirectory();
    await using loop = await aLoopDevice(MIB);
    await symlink(loop.path, join(directory.path, 'a'));
    await truncate(loop.backing, 0);
    await host.exec(['losetup', '--set-capacity', loop.path]);
    expect(await sizesIn(directory.path)).toEqual([['a', 'it has no size: there is no medium in it']]);
  });

  test('are found in their new size', async () => {
    await using directory = await aDirectory();
    await using loop = await aLoopDevice(MIB);
    await symlink(loop.path, join(directory.path, 'a'));
    expect(await sizesIn(directory.path)).toEqual([['a', MIB]]);
    await truncate(loop.backing, 3 * MIB);
    await host.exec(['losetup', '--set-capacity', loop.path]);
    expect(await sizesIn(directory.path)).toEqual([['a', 3 * MIB]]);
  });
});
