/**
 * Makes lines of a page. In a pipe nothing is ever cut: programs read it. On a terminal every line fits: the cells of tables are cut,
 * sentences are broken. Nothing that came from outside can steer the terminal, or flood it.
 */
import { visible } from '../../kit/visible.ts';
import { coloured } from './colours.ts';
import { type Block, type Page, type Sentences, type Table, type Text, type Tone, textOf } from './page.ts';
import type { Screen } from './screen.ts';
import { columnWidths, cut, GAP, wrapped } from './widths.ts';

const LONGEST_CELL = 600;

/** One line, however it was sent to us. */
export function shown(text: string): string {
  const line = visible(text.trim());
  return line.length > LONGEST_CELL ? `${line.slice(0, LONGEST_CELL)}…` : line;
}

/** Each line ends in a new line. */
export const rendered = (page: Page, screen: Screen): string =>
  linesOf(page, screen)
    .map((line) => `${line}\n`)
    .join('');

/** An empty line stands between two blocks. */
export function linesOf(page: Page, screen: Screen): readonly string[] {
  const blocks = page.map((block) => blockLines(block, screen)).filter((lines) => lines.length > 0);
  return blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

function blockLines(block: Block, screen: Screen): readonly string[] {
  const body = 'sentences' in block ? sentenceLines(block, screen) : tableLines(block, screen);
  if (block.title === undefined) return body;
  const title = painted(
    screen.columns === undefined ? block.title : cut(block.title, screen.columns),
    'strong',
    screen,
  );
  return [title, ...(body.length > 0 ? body : [painted('none', 'dim', screen)])];
}

const sentenceLines = ({ sentences }: Sentences, screen: Screen): readonly string[] =>
  sentences.flatMap((sentence) => {
    const text = visible(textOf(sentence));
    const lines = screen.columns === undefined ? [text] : wrapped(text, screen.columns);
    return lines.map((line) => painted(line, toneOf(sentence), screen));
  });

function tableLines({ columns, rows }: Table, screen: Screen): readonly string[] {
  if (rows.length === 0) return [];
  const shownColumns = columns.flatMap((column, index) =>
    typeof column === 'string' || screen.isWide
      ? [{ head: typeof column === 'string' ? column : column.head, index }]
      : [],
  );
  const heads = shownColumns.map(({ head }) => head);
  const cells = rows.map((row) => shownColumns.map(({ index }) => row[index] ?? ''));
  const texts = cells.map((row) => row.map((cell) => shown(textOf(cell)) || '-'));
  const widths = columnWidths([heads, ...texts], screen.columns);
  const line = (row: readonly string[], tones: readonly (Tone | undefined)[]) => rowLine(row, tones, widths, screen);
  return [
    line(
      heads,
      heads.map(() => 'dim'),
    ),
    ...texts.map((row, index) => line(row, cells[index]?.map(toneOf) ?? [])),
  ];
}

/** Without a line that ends in blanks. */
function rowLine(
  row: readonly string[],
  tones: readonly (Tone | undefined)[],
  widths: readonly number[],
  screen: Screen,
): string {
  const lastFull = row.findLastIndex((cell) => cell !== '');
  const cells = row.slice(0, lastFull + 1).map((cell, column) => {
    const width = widths[column] ?? 0;
    const text = cut(cell, width);
    const blanks = column === lastFull ? '' : ' '.repeat(Math.max(0, width - text.length));
    return `${painted(text, tones[column], screen)}${blanks}`;
  });
  return cells.join(GAP);
}

const toneOf = (text: Text): Tone | undefined => (typeof text === 'string' ? undefined : text.tone);

const painted = (text: string, tone: Tone | undefined, { hasColours }: Screen): string =>
  tone === undefined || !hasColours ? text : coloured(text, tone);
