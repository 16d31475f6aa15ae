/** A word where a subcommand could stand, and that is none. */
import type { Command } from 'commander';
import { nearest } from '../nearest.ts';
import { UsageError } from './usage-error.ts';

/** `what` is what the subcommands are, such as `job`. */
export function refuseStranger(command: Command, what: string): void {
  const [typed] = command.args;
  if (typed === undefined) return;
  const known = command.commands.map((sub) => sub.name());
  const [near] = nearest(typed, known);
  const hint = near === undefined ? `there are ${known.join(', ')}` : `did you mean ${near}?`;
  throw new UsageError(`there is no ${what} ${JSON.stringify(typed.slice(0, 100))}; ${hint}`);
}
