import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { FileError } from '../kit/host/file-error.ts';
import { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import { parseConfig } from './config.ts';
import { decide } from './decide.ts';
import { type DiscoveryHost, discover, type Found } from './discovery.ts';

const MIB = 2 ** 20;
const DIRECTORY = '/dev/disk/by-path';

let clock: VirtualClock;
let machine: SimulatedMachine;
beforeEach(() => {
  clock = new VirtualClock();
  machine = new SimulatedMachine(clock);
  machine.tree.mkdir(DIRECTORY);
});

const settings = (data: Readonly<Record<string, string>> = {}) => {
  const parsed = parseConfig({ deviceDir: DIRECTORY, deviceNameFilter: '.*', volumeMode: 'Block', ...data });
  if ('faults' in parsed) throw new Error(parsed.faults.join('; '));
  return parsed;
};
const look = (data?: Readonly<Record<string, string>>, host: DiscoveryHost = machine.host()) =>
  discover(host, 'n1', settings(data), clock);
async function found(data?: Readonly<Record<string, string>>): Promise<readonly Found[]> {
  const discovery = await look(data);
  if ('fault' in discovery) throw new Error(discovery.fault);
  expect(discovery.unseen).toEqual([]);
  return discovery.devices;
}
const told = (devices: readonly Found[]) =>
  devices.map(({ path, device }) => [
    path.slice(DIRECTORY.length + 1),
    'fault' in device ? device.fault : device.facts.name,
  ]);

let disks = 0;
function aDisk(link: string, name = `sd${disks++}`, sizeBytes = MIB): string {
  machine.addDisk({ name, sizeBytes });
  machine.tree.symlink(`/dev/${name}`, `${DIRECTORY}/${link}`);
  return name;
}

describe('the devices that are found', () => {
  test('are those that links lead to, in directories of any depth, sorted by path, under the path that was found', async () => {
    aDisk('b', 'sdb');
    machine.tree.mkdir(`${DIRECTORY}/a/deep`);
    aDisk('a/deep/c', 'sdc', 2 * MIB);
    machine.tree.symlink('../../../sda', `${DIRECTORY}/a/d`);
    machine.addDisk({ name: 'sda', sizeBytes: MIB });
    machine.tree.symlink(`${DIRECTORY}/a/d`, `${DIRECTORY}/via`);
    expect(await found()).toMatchObject([
      { path: `${DIRECTORY}/a/d`, volume: 'local-n1-d', device: { facts: { name: 'sda' } } },
      { path: `${DIRECTORY}/a/deep/c`, volume: 'local-n1-c', device: { facts: { name: 'sdc', sizeBytes: 2 * MIB } } },
      { path: `${DIRECTORY}/b`, volume: 'local-n1-b', device: { facts: { name: 'sdb' } } },
      { path: `${DIRECTORY}/via`, volume: 'local-n1-via', device: { facts: { name: 'sda' } } },
    ]);
  });

  test('are nodes of devices, too, and partitions', async () => {
    const disk = machine.addDisk({ name: 'sda', sizeBytes: MIB });
    machine.addPartition(disk, { startBytes: 4096, sizeBytes: 8192 });
    const devices = await found({ deviceDir: '/dev', deviceNameFilter: '^sda' });
    expect(devices).toMatchObject([
      { path: '/dev/sda', device: { facts: { sizeBytes: MIB } } },
      { path: '/dev/sda1', device: { facts: { sizeBytes: 8192, partition: { index: 1 } } } },
    ]);
  });

  test('are those whose own name the filter accepts, wherever in it', async () => {
    machine.tree.mkdir(`${DIRECTORY}/ata-9`);
    for (const name of ['pci-ata-1', 'ata-2', 'usb-3', 'ata-9/usb-4']) aDisk(name);
    expect((await found({ deviceNameFilter: 'ata' })).map(({ volume }) => volume)).toEqual([
      'local-n1-ata-2',
      'local-n1-pci-ata-1',
    ]);
  });

  test('are not directories, nor what is behind a link to one', async () => {
    machine.tree.mkdir('/elsewhere');
    machine.tree.symlink('/elsewhere', `${DIRECTORY}/link`);
    machine.tree.symlink('..', `${DIRECTORY}/up`);
    expect(await found()).toEqual([]);
  });

  test('are found in a directory that is a link, and in one with a slash at its end', async () => {
    aDisk('a', 'sda');
    machine.tree.symlink(DIRECTORY, '/disks');
    for (const deviceDir of ['/disks', '/disks/', '/disks//'])
      expect(await found({ deviceDir })).toMatchObject([{ path: '/disks/a', device: { facts: { name: 'sda' } } }]);
  });

  test('are found under every odd name', async () => {
    const names = [
      'a b',
      'ü',
      '😀',
      'a\nb',
      '"',
      "'",
      '\\',
      '$(x)',
      '`x`',
      '-rf',
      '*',
      '%s',
      '..a',
      '\u202e',
      'a:b',
      '\x7f',
    ];
    for (const name of names) aDisk(name);
    expect((await found()).map(({ path }) => path.slice(DIRECTORY.length + 1))).toEqual(names.toSorted());
  });

  test('that come to the same name are both found, and neither becomes a volume', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom('a:b', 'a b', 'A-B', 'a_b', 'a--b', 'b', 'B', 'c'), { minLength: 1 }),
        async (names) => {
          machine = new SimulatedMachine(clock);
          machine.tree.mkdir(DIRECTORY);
          for (const name of names) aDisk(name);
          const devices = await found();
          expect(devices).toHaveLength(names.length);
          for (const [name, twins = []] of Map.groupBy(devices, ({ volume }) => volume)) {
            const seen = { node: { name: 'n1', uid: 'n' }, name, ...settings(), found: twins };
            const [only, other] = twins;
            const paths = twins.map(({ path }) => path);
            if (only && other) expect(decide(seen)).toEqual({ do: 'tell', because: { fact: 'nameIsShared', paths } });
            else expect(decide(seen)).toMatchObject({ do: 'make', wanted: { name, path: only?.path } });
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('a device that cannot be used', () => {
  test('is told with its reason, and the others are found', async () => {
    aDisk('good', 'sdg');
    machine.tree.symlink('/dev/none', `${DIRECTORY}/dangling`);
    machine.tree.symlink('loop2', `${DIRECTORY}/loop1`);
    machine.tree.symlink('loop1', `${DIRECTORY}/loop2`);
    machine.tree.write(`${DIRECTORY}/file`, 'x');
    machine.tree.addDevice('/dev/null', '1:3', 'character-device');
    machine.tree.symlink('/dev/null', `${DIRECTORY}/null`);
    machine.tree.addFifo(`${DIRECTORY}/pipe`);
    aDisk('empty', 'sr0', 0);
    machine.tree.addDevice('/dev/left-over', '8:240');
    machine.tree.symlink('/dev/left-over', `${DIRECTORY}/left-over`);
    expect(told(await found())).toEqual([
      ['dangling', 'it is a link that leads nowhere'],
      ['empty', 'it has no size: there is no medium in it'],
      ['file', 'it is not a block device'],
      ['good', 'sdg'],
      ['left-over', 'the kernel has no device 8:240'],
      ['loop1', 'it is a link that leads nowhere'],
      ['loop2', 'it is a link that leads nowhere'],
      ['null', 'it is not a block device'],
      ['pipe', 'it is not a block device'],
    ]);
  });

  test('since its size cannot be read, is told, and the others are found', async () => {
    for (const name of ['a', 'b', 'c']) aDisk(name, `sd${name}`);
    const number = (await found())[1]?.device;
    const target = number && 'facts' in number ? number.facts.number : '';
    machine.faults.when((operation) => operation.verb === 'device.facts' && operation.target === target, {
      kind: 'fail',
    });
    expect(told(await found())).toEqual([
      ['a', 'sda'],
      ['b', expect.stringContaining('EIO')],
      ['c', 'sdc'],
    ]);
  });

  test('since it does not answer, is told after ten seconds, and the others are found', async () => {
    for (const name of ['a', 'b']) aDisk(name, `sd${name}`);
    machine.faults.when(({ verb }) => verb === 'device.facts', { kind: 'hang' });
    const looking = found();
    await clock.advance(10_000);
    expect(told(await looking)).toEqual([
      ['a', expect.stringMatching(/^the kernel has not said anything about 8:\d+ for 10 seconds$/)],
      ['b', 'sdb'],
    ]);
  });
});

describe('what cannot be looked at', () => {
  const denied = (path: string) => new FileError('list', path, 'EACCES');

  test('is said, and the rest is found', async () => {
    aDisk('a', 'sda');
    machine.tree.mkdir(`${DIRECTORY}/secret`);
    const path = `${DIRECTORY}/secret`;
    machine.faults.when(({ verb, target }) => verb === 'file.list' && target === path, {
      kind: 'fail',
      error: denied(path),
    });
    expect(await look()).toMatchObject({
      devices: [{ path: `${DIRECTORY}/a` }],
      unseen: [expect.stringMatching(/^"\/dev\/disk\/by-path\/secret": .*EACCES/)],
    });
  });

  test('is not what goes while it is looked for', async () => {
    for (const name of ['a', 'b', 'c']) aDisk(name, `sd${name}`);
    for (const verb of ['file.lstat', 'file.readlink', 'file.list']) {
      machine.tree.mkdir(`${DIRECTORY}/b2`);
      const error = new FileError('look at', `${DIRECTORY}/b`, 'ENOENT');
      machine.faults.when((operation) => operation.verb === verb && operation.target.startsWith(`${DIRECTORY}/b`), {
        kind: 'fail',
        error,
      });
      expect(told(await found())).toContainEqual(['c', 'sdc']);
    }
  });

  test.each([
    ['does not exist', () => {}, 'deviceDir "/dev/disks" does not exist on this node'],
    ['is a file', () => machine.tree.write('/dev/disks', ''), 'deviceDir "/dev/disks" is not a directory on this node'],
    [
      'is a link that leads nowhere',
      () => machine.tree.symlink('x', '/dev/disks'),
      'deviceDir "/dev/disks" does not exist on this node',
    ],
    [
      'is a link to itself',
      () => machine.tree.symlink('disks', '/dev/disks'),
      /^deviceDir "\/dev\/disks" cannot be looked at: .*ELOOP/,
    ],
    [
      'may not be read',
      () => {
        machine.tree.mkdir('/dev/disks');
        machine.faults.when(({ verb }) => verb === 'file.list', { kind: 'fail', error: denied('/dev/disks') });
      },
      /^deviceDir "\/dev\/disks" cannot be looked at: .*EACCES/,
    ],
    [
      'goes meanwhile',
      () => {
        machine.tree.mkdir('/dev/disks');
        const error = new FileError('list', '/dev/disks', 'ENOENT');
        machine.faults.when(({ verb }) => verb === 'file.list', { kind: 'fail', error });
      },
      /^deviceDir "\/dev\/disks" cannot be looked at: .*ENOENT/,
    ],
  ])('is a directory that %s', async (_what, prepare, fault) => {
    prepare();
    const outcome = await look({ deviceDir: '/dev/disks' });
    expect('fault' in outcome && outcome.fault).toMatch(fault);
  });

  test('is no reason to hide a defect', async () => {
    const host = machine.host();
    const broken = {
      devices: host.devices,
      files: { ...host.files, walk: () => Promise.reject(new TypeError('oops')) },
    };
    await expect(look({}, broken)).rejects.toThrow(TypeError);
  });
});

describe('many devices', () => {
  async function cost(count: number): Promise<number> {
    machine = new SimulatedMachine(clock);
    machine.tree.mkdir(DIRECTORY);
    for (let i = 0; i < count; i += 1) aDisk(`d${i}`);
    expect(await found()).toHaveLength(count);
    return machine.calls.length;
  }

  test('take as many calls each as one does', async () => {
    const [none, ten, thousand] = [await cost(0), await cost(10), await cost(1_000)];
    expect((thousand - none) / 1_000).toBe((ten - none) / 10);
    expect((ten - none) / 10).toBeLessThanOrEqual(4);
  });

  test('are asked for a few at a time', async () => {
    for (let i = 0; i < 100; i += 1) aDisk(`d${i}`);
    const host = machine.host();
    let [now, most] = [0, 0];
    const facts: DiscoveryHost['devices']['facts'] = async (number) => {
      most = Math.max(most, ++now);
      const answer = await host.devices.facts(number);
      now -= 1;
      return answer;
    };
    await look({}, { files: host.files, devices: { facts } });
    expect(most).toBe(32);
  });
});
