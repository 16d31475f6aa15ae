/** Draws a page over the one before, on a terminal: each line is replaced where it stands, so that nothing flickers and the history stays. */
import type { Terminal } from '../line/command.ts';

const up = (lines: number): string => (lines > 0 ? `\u001b[${lines}A` : '');
const CLEAR_LINE_END = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
const CLEAR_ALL = '\u001b[2J\u001b[H';

export class InPlace {
  readonly #terminal: Terminal;
  #drawn = 0;
  #columns: number | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** No line is longer than the terminal is wide. What does not fit into its height is counted. */
  draw(lines: readonly string[]): void {
    const { stdout } = this.#terminal;
    const fitting = fitted(lines, stdout.rows);
    // Where it has another width now, or is not as high as what was drawn, nobody knows which line stands where.
    const isLower = this.#drawn > 0 && this.#drawn >= (stdout.rows || Number.POSITIVE_INFINITY);
    const isResized = isLower || (this.#columns !== undefined && this.#columns !== stdout.columns);
    const start = isResized ? CLEAR_ALL : `\r${up(this.#drawn)}`;
    stdout.write(`${start}${fitting.map((line) => `${line}${CLEAR_LINE_END}\n`).join('')}${CLEAR_BELOW}`);
    this.#drawn = fitting.length;
    this.#columns = stdout.columns;
  }
}

/** The cursor needs a line, too. */
function fitted(lines: readonly string[], rows: number | undefined): readonly string[] {
  if (!rows || lines.length < rows) return lines;
  const room = Math.max(1, rows - 2);
  const more = lines.length - room;
  return [...lines.slice(0, room), `… ${more} more lines`];
}
