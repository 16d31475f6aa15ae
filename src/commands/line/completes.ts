/** What may stand where a command takes arguments that are no flags: for shells that complete what is typed. */
import type { Command } from 'commander';

const ARGUMENTS = new WeakMap<Command, () => readonly string[]>();

/** `words` is only asked when somebody completes. */
export const completes = (command: Command, words: () => readonly string[]): void => void ARGUMENTS.set(command, words);

export const argumentsOf = (command: Command): readonly string[] => ARGUMENTS.get(command)?.() ?? [];
