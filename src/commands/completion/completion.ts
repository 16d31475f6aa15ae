/** `holdfast completion SHELL`: prints what a shell has to be told so that Tab completes commands, flags, their values and codes. */
import { runs } from '../flags/options.ts';
import type { Define } from '../line/command.ts';
import { completes } from '../line/completes.ts';
import { addExamples } from '../line/help.ts';
import { UsageError } from '../line/usage-error.ts';
import { isShell, SCRIPTS } from './scripts.ts';

export const define: Define = (command, terminal) => {
  command.usage('bash|zsh|fish').argument('<shell>', 'bash, zsh or fish');
  completes(command, () => Object.keys(SCRIPTS));
  addExamples(command, {
    'source <(holdfast completion bash)': 'in this shell; in ~/.bashrc for all that are started later',
    'source <(holdfast completion zsh)': 'the same in ~/.zshrc, after compinit',
    'holdfast completion fish > ~/.config/fish/completions/holdfast.fish': 'of fish',
  });
  runs(command, {}, terminal, () => {
    const [shell] = command.args;
    if (!isShell(shell))
      throw new UsageError(`there is no completion for ${JSON.stringify(shell)}: use bash, zsh or fish`);
    terminal.stdout.write(SCRIPTS[shell]);
  });
};
