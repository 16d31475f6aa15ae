/** What a command is to the command line: a line in a list, and one file that is read only when the command is asked for. */
import type { Readable } from 'node:stream';
import type { Command } from 'commander';

/** Run: a job that keeps running. Look: reads and changes nothing. Act: changes something once. */
export type Group = 'run' | 'look' | 'act';

export interface CommandEntry {
  readonly group: Group;
  readonly name: string;
  /** One line for `holdfast --help`, without a full stop. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly define: Define }>;
  /** For programs, not for people: help does not name it. */
  readonly isHidden?: true;
}

/** Gives a command its flags, arguments, examples and action. */
export type Define = (command: Command, terminal: Terminal) => void;

/** The outside of the program as far as a command needs it. Node's `process` is one. */
export interface Terminal {
  /** What a person types. Unless it is a terminal, nobody is there to be asked. */
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Output {
  write(text: string): unknown;
  /** A person looks at it. */
  readonly isTTY?: boolean | undefined;
  /** Of a terminal: how much fits. */
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}
