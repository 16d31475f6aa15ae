/** What a page is shown on: how much fits, and whether there are colours. */
import type { Terminal } from '../line/command.ts';
import { hasColours } from './colours.ts';

export interface Screen {
  /** Nothing where lines have no end: in a pipe, or a file. */
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  readonly hasColours: boolean;
  /** With the columns that not everybody wants. */
  readonly isWide: boolean;
}

/** A pipe, as scripts and tests have it. */
export const PLAIN: Screen = { columns: undefined, rows: undefined, hasColours: false, isWide: false };

/** A terminal that does not know its size says 0. */
export function screenOf(terminal: Terminal, isWide: boolean): Screen {
  const { isTTY, columns, rows } = terminal.stdout;
  return {
    columns: isTTY && columns ? columns : undefined,
    rows: isTTY && rows ? rows : undefined,
    hasColours: hasColours(terminal),
    isWide,
  };
}
