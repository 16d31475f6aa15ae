/** Asks the person at the terminal, and waits for one line. */
import { createInterface } from 'node:readline';
import type { Terminal } from './line/command.ts';

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
