import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { FileError } from '../kit/host/file-error.ts';
import { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import { readExports } from './exports.ts';

let machine = new SimulatedMachine(new VirtualClock());
beforeEach(() => {
  machine = new SimulatedMachine(new VirtualClock());
});

describe('what the kernel serves to other machines', () => {
  it('is nothing where neither target is loaded', async () => {
    expect(await read()).toEqual([]);
  });

  it.each(['/sys/kernel/config', '/proc/1/root/sys/kernel/config'])('is read from %s', async (config) => {
    put(`${config}/nvmet/subsystems/nqn.a/namespaces/1/device_path`, '/dev/sdb\n');
    put(`${config}/nvmet/subsystems/nqn.a/namespaces/2/device_path`, '(null)\n');
    put(`${config}/target/core/fileio_0/disk/info`, FILE_INFO);
    put(`${config}/target/core/fileio_0/hba_info`, 'HBA Index: 1\n');
    put(`${config}/target/core/iblock_1/disk/info`, 'Status: ACTIVATED\n');
    expect(await read()).toEqual([
      { path: '/dev/sdb', by: 'the NVMe target nqn.a' },
      { path: '/dev/disk/by-id/a b', by: 'the SCSI target disk' },
    ]);
  });

  it.each(['nvmet', 'target_core_file'])('is unknown where %s is loaded and cannot be seen', async (module) => {
    machine.tree.mkdir(`/sys/module/${module}`);
    await expect(read()).rejects.toThrow(`${module} is loaded, and its configuration is not seen`);
  });

  it('is unknown where the module may be loaded and that of the host may not be looked at', async () => {
    machine.tree.mkdir('/sys/module/nvmet');
    const error = new FileError('look at', '/proc/1/root', 'EACCES');
    machine.faults.when(({ target }) => target.startsWith('/proc/1/'), { kind: 'fail', error }, 99);
    await expect(read()).rejects.toThrow('nvmet is loaded');
  });

  it('is nothing where no module is loaded and that of the host may not be looked at', async () => {
    const error = new FileError('look at', '/proc/1/root', 'EACCES');
    machine.faults.when(({ target }) => target.startsWith('/proc/1/'), { kind: 'fail', error }, 99);
    expect(await read()).toEqual([]);
  });
});

const FILE_INFO = `Status: ACTIVATED  Max Queue Depth: 0  SectorSize: 512  HwMaxSectors: 16384
        TCM FILEIO ID: 0        File: /dev/disk/by-id/a b  Size: 1048576  Mode: O_DSYNC Async: 0
`;

const read = () => readExports(machine.host().files);

function put(path: string, text: string): void {
  machine.tree.mkdir(path.slice(0, path.lastIndexOf('/')));
  machine.tree.write(path, text);
}

it('can be read whatever the kernel shows of it, and is never a path that is none', async () => {
  const name = fc.string({ minLength: 1, unit: fc.constantFrom(...'abc.0_ -') }).filter((each) => !/^\.+$/.test(each));
  await fc.assert(
    fc.asyncProperty(name, fc.string(), fc.string(), async (each, path, info) => {
      machine = new SimulatedMachine(new VirtualClock());
      put(`/sys/kernel/config/nvmet/subsystems/${each}/namespaces/1/device_path`, path);
      put(`/sys/kernel/config/target/core/fileio_0/${each}/info`, info);
      put(`/sys/kernel/config/target/core/fileio_1/${each}/info`, `Status: x  File: ${path} Size: 1`);
      for (const found of await read()) expect(found.path.startsWith('/')).toBe(true);
    }),
  );
});
