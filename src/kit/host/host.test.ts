import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { systemClock } from '../clock/clock.ts';
import { VirtualClock } from '../clock/virtual.ts';
import { type CommandsSubject, commandsContract } from './contract/commands.ts';
import { type FilesSubject, filesContract } from './contract/files.ts';
import { kernelIsQuiet } from './contract/kernel-is-quiet.ts';
import { realHost } from './host.ts';

commandsContract('real', async (): Promise<CommandsSubject> => {
  const directory = await mkdtemp(join(tmpdir(), 'host-'));
  const clock = new VirtualClock();
  const install = (name: string, body: string) =>
    writeFile(join(directory, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  await install('say', 'printf "%s\\n" "$@"');
  await install('complain', 'echo "$2" >&2; exit "$1"');
  await install('copy', 'exec /bin/cat');
  await install('flood', '/usr/bin/yes | /usr/bin/head -n 1000000 | /usr/bin/tr -d "\\n" | /usr/bin/tr y x');
  await install('die', 'kill -KILL $$');
  await install('hang', `: > ${directory}/hanging; exec sleep 1000`);
  return {
    commands: realHost({ clock, path: [directory, '/usr/bin', '/bin'] }),
    clock,
    hanging: async () =>
      void (await vi.waitFor(() => readFile(join(directory, 'hanging')), { timeout: 15_000, interval: 5 })),
    dispose: () => rm(directory, { recursive: true }),
  };
});

filesContract('real', async (): Promise<FilesSubject> => {
  const root = await mkdtemp(join(tmpdir(), 'files-'));
  const clock = new VirtualClock();
  return {
    files: realHost({ clock }).files,
    clock,
    root,
    symlink: (target, path) => symlink(target, path),
    fifo: async (path) => void (await realHost({ clock: systemClock }).exec(['mkfifo', path])),
    quiet: kernelIsQuiet,
    dispose: () => rm(root, { recursive: true }),
  };
});
