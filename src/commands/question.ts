/** Asks the person at the terminal, and waits for one line. */
import { createInterface } from 'node:readline';
import { flag } from './flags/flag.ts';
import { onOff } from './flags/switch.ts';
import type { Terminal } from './line/command.ts';
import { UsageError } from './line/usage-error.ts';

/** Of every command that asks before it does what cannot be undone. */
export const yesFlag = flag('--yes', 'do not ask: for scripts', onOff, { default: 'false' });

export interface Confirmation {
  readonly question: string;
  /** What has to be typed. */
  readonly word: string;
  /** What is so when it was not, such as `nothing was removed`. */
  readonly otherwise: string;
}

export async function confirm(
  { question, word, otherwise }: Confirmation,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  if (!terminal.stdin.isTTY)
    throw new UsageError('there is nobody at a terminal to be asked: add --yes if you are sure');
  const typed = await ask(question, terminal, signal);
  if (typed !== word) throw new Error(`${otherwise}: ${word} was not typed`);
}

/** What was typed, without blanks around it; nothing when the person has left. Rejects when the signal is aborted. */
export async function ask(
  question: string,
  { stdin, stderr }: Terminal,
  signal: AbortSignal,
): Promise<string | undefined> {
  stderr.write(question);
  // Closed at the end, lest the process waits for more to be typed for ever.
  using lines = createInterface({ input: stdin, signal });
  let typed: string | undefined;
  for await (const line of lines) {
    typed = line.trim();
    break;
  }
  signal.throwIfAborted();
  return typed;
}
