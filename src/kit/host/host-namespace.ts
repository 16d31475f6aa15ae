/** Runs programs where the machine's first process lives, from a container that shares its process ids. */
import type { CommandOptions, CommandResult, Commands } from './command.ts';

/**
 * Its mounts, so that what is mounted is mounted for all; and its semaphores, by which LVM waits for udev. The programs are those of
 * the machine as well, with its configuration: what they make is what a person would make who logs in there.
 */
const ENTER = ['nsenter', '--target', '1', '--mount', '--ipc', '--'];

/** In the machine's namespaces it is looked for as `exec` does: by its own search path. */
export const inHostNamespaces = (commands: Commands): Commands => ({
  exec: (argv: readonly string[], options?: CommandOptions): Promise<CommandResult> =>
    commands.exec([...ENTER, ...argv], options),
  isInstalled: async (program) => {
    const { code } = await commands.exec([...ENTER, 'which', program], { successCodes: [0, 1, 2] });
    return code === 0;
  },
});
