/** Runs programs where the machine's first process lives, from a container that shares its process ids. */
import type { CommandOptions, CommandResult, Commands } from './command.ts';
import type { Host } from './host.ts';
import { OF_INIT } from './host-root.ts';
import { STANDARD_PATH } from './program-path.ts';

/**
 * Its mounts, so that what is mounted is mounted for all; and its semaphores, by which LVM waits for udev. The programs are those of
 * the machine as well, with its configuration: what they make is what a person would make who logs in there.
 */
const ENTER = ['nsenter', '--target', '1', '--mount', '--ipc', '--'];

/** A program is looked for there by no program, since it may have none for that. A link may lead to where we cannot follow. */
export const inHostNamespaces = ({ exec, files }: Pick<Host, 'exec' | 'files'>): Commands => ({
  exec: (argv: readonly string[], options?: CommandOptions): Promise<CommandResult> =>
    exec([...ENTER, ...argv], options),
  isInstalled: async (program) => {
    const found = await Promise.all(STANDARD_PATH.map((directory) => files.lstat(`${OF_INIT}${directory}/${program}`)));
    return found.some((file) => file?.kind === 'file' || file?.kind === 'symlink');
  },
});
