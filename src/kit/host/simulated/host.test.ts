import { VirtualClock } from '../../clock/virtual.ts';
import { type CommandsSubject, commandsContract } from '../contract/commands.ts';
import { type DevicesSubject, devicesContract } from '../contract/devices.ts';
import { type FilesSubject, filesContract } from '../contract/files.ts';
import { SimulatedMachine } from './machine.ts';

commandsContract('simulated', async (): Promise<CommandsSubject> => {
  const clock = new VirtualClock();
  const machine = new SimulatedMachine(clock);
  machine.install('say', ({ args }) => ({ stdout: args.map((text) => `${text}\n`).join('') }));
  machine.install('complain', ({ args: [code, text] }) => ({ code: Number(code), stderr: `${text}\n` }));
  machine.install('copy', ({ input }) => ({ stdout: input }));
  machine.install('flood', () => ({ stdout: 'x'.repeat(1_000_000) }));
  machine.install('die', () => ({ signal: 'SIGKILL' }));
  machine.install('hang', () => new Promise(() => {}));
  return { commands: machine.host(), clock, hanging: async () => {}, dispose: async () => {} };
});

filesContract('simulated', async (): Promise<FilesSubject> => {
  const clock = new VirtualClock();
  const machine = new SimulatedMachine(clock);
  machine.tree.mkdir('/root');
  return {
    files: machine.host().files,
    clock,
    root: '/root',
    symlink: async (target, path) => machine.tree.symlink(target, path),
    fifo: async (path) => machine.tree.addFifo(path),
    quiet: async () => {},
    dispose: async () => {},
  };
});

devicesContract('simulated', async (): Promise<DevicesSubject> => {
  const machine = new SimulatedMachine(new VirtualClock());
  const disk = machine.addDisk({ name: 'sda', sizeBytes: 2 ** 40 });
  machine.tree.write('/file', 'not a disk');
  machine.tree.addDevice('/dev/null', '1:3', 'character-device');
  return {
    host: machine.host(),
    disk: '/dev/sda',
    sizeBytes: 2 ** 40,
    file: '/file',
    async symlink(target, name) {
      machine.tree.symlink(target, `/${name}`);
      return `/${name}`;
    },
    async makeReadOnly() {
      disk.described = { ...disk.described, readOnly: true };
    },
    async mount() {
      machine.mount({ device: disk.number, mountPoint: '/data' });
      return '/data';
    },
    addPartition: async () => `/dev/${machine.addPartition(disk, { startBytes: 2 ** 20, sizeBytes: 2 ** 20 }).name}`,
    dispose: async () => {},
  };
});
