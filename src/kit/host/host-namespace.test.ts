import { expect, test } from 'vitest';
import type { CommandOptions } from './command.ts';
import { NO_OUTPUT } from './command.ts';
import { inHostNamespaces } from './host-namespace.ts';

function recorded(code = 0) {
  const calls: { readonly argv: readonly string[]; readonly options: CommandOptions | undefined }[] = [];
  const commands = inHostNamespaces({
    exec: async (argv, options) => {
      calls.push({ argv, options });
      return { code, ...NO_OUTPUT };
    },
    isInstalled: async () => true,
  });
  return { calls, commands };
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

test.each([
  [0, true],
  [1, false],
])('looks there for a program: %s', async (code, isInstalled) => {
  const { commands, calls } = recorded(code);
  expect(await commands.isInstalled('cryptsetup')).toBe(isInstalled);
  expect(calls[0]?.argv.slice(-2)).toEqual(['which', 'cryptsetup']);
});
