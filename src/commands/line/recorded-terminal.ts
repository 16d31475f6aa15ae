/** For tests: a terminal that remembers what was written to it, and at which somebody may type. */
import { Readable } from 'node:stream';
import type { Terminal } from './command.ts';

export interface RecordedTerminal extends Terminal {
  readonly written: { out: string; err: string };
}

/** Nobody is there to type, unless it is said what. */
export function aTerminal(env: Terminal['env'] = {}, typed?: string): RecordedTerminal {
  const written = { out: '', err: '' };
  return {
    written,
    stdin: Object.assign(Readable.from(typed === undefined ? [] : [typed]), { isTTY: typed !== undefined }),
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
