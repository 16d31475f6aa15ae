import { expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import type { CommandOptions } from './command.ts';
import { NO_OUTPUT } from './command.ts';
import { inHostNamespaces } from './host-namespace.ts';
import { OF_INIT } from './host-root.ts';
import { SimulatedMachine } from './simulated/machine.ts';

function recorded() {
  const calls: { readonly argv: readonly string[]; readonly options: CommandOptions | undefined }[] = [];
  const machine = new SimulatedMachine(new VirtualClock());
  const commands = inHostNamespaces({
    files: machine.host().files,
    exec: async (argv, options) => {
      calls.push({ argv, options });
      return { code: 0, ...NO_OUTPUT };
    },
  });
  return { calls, commands, machine };
}

test('runs a program among the mounts and semaphores of the first process, and hands on how', async () => {
  const { calls, commands } = recorded();
  await commands.exec(['lvs', '--units', 'b'], { input: 'key', timeoutMs: 5 });
  expect(calls).toEqual([
    {
      argv: ['nsenter', '--target', '1', '--mount', '--ipc', '--', 'lvs', '--units', 'b'],
      options: { input: 'key', timeoutMs: 5 },
    },
  ]);
});

test('looks there for a program, also for one that is a link, and needs none for that', async () => {
  const { commands, calls, machine } = recorded();
  const { tree } = machine;
  tree.mkdir(`${OF_INIT}/usr/sbin`);
  tree.write(`${OF_INIT}/usr/sbin/cryptsetup`, '');
  tree.mkdir(`${OF_INIT}/sbin`);
  tree.symlink('/etc/alternatives/lvm', `${OF_INIT}/sbin/lvm`);
  tree.mkdir(`${OF_INIT}/usr/sbin/directory`);
  const installed = ['cryptsetup', 'lvm', 'directory', 'none'].map((program) => commands.isInstalled(program));
  expect(await Promise.all(installed)).toEqual([true, true, false, false]);
  expect(calls).toEqual([]);
});
