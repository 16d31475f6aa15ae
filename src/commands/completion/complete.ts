/** `holdfast __complete -- WORD...`: asked by shells, not by people. Says what the last word could become. */
import { commands } from '../commands.ts';
import type { Define } from '../line/command.ts';
import { candidatesFor, printed } from './candidates.ts';

export const define: Define = (command, terminal) => {
  command.argument('[word...]').action(async () => {
    terminal.stdout.write(printed(await candidatesFor(commands, command.args, terminal)));
  });
};
