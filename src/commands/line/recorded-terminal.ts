/** For tests: a terminal that remembers what was written to it. */
import type { Terminal } from './command.ts';

export interface RecordedTerminal extends Terminal {
  readonly written: { out: string; err: string };
}

export function aTerminal(env: Terminal['env'] = {}): RecordedTerminal {
  const written = { out: '', err: '' };
  return {
    written,
    env,
    stdout: {
      write(text) {
        written.out += text;
      },
    },
    stderr: {
      write(text) {
        written.err += text;
      },
    },
  };
}
