/** Tells of every program that is run, and how it ended. */
import { CommandError, type Commands, programOf } from './command.ts';

export type CommandEnd = 'done' | 'failed' | 'not run';

export const countedCommands = (commands: Commands, ran: (program: string, end: CommandEnd) => void): Commands => ({
  async exec(argv, options) {
    const program = programOf(argv);
    try {
      const result = await commands.exec(argv, options);
      ran(program, 'done');
      return result;
    } catch (error) {
      ran(program, error instanceof CommandError && error.mayHaveActed ? 'failed' : 'not run');
      throw error;
    }
  },
  isInstalled: (program) => commands.isInstalled(program),
});
