/** Rows as a table that reads well in a terminal and is Markdown. */
import { meetsTarget, type Row, type Target } from './row.ts';

const HEAD = ['what', 'figure', 'limit', 'ours', 'ours / limit', 'target', 'published client', ''];

export function table(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(3, ...cells.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (isText(column) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  const [head = [], ...body] = cells;
  return [line(head), rule, ...body.map(line)].join('\n');
}

/** One for each column of the head. */
export function cellsOf(row: Row): readonly string[] {
  const { what, figure, unit, limit, ours, published, ratio, target } = row;
  const value = (number: number | undefined) => (number === undefined ? '' : `${short(number)} ${unit}`.trimEnd());
  const met = meetsTarget(row);
  return [
    what,
    figure,
    value(limit),
    value(ours),
    ratio === undefined ? '' : `${ratio.toFixed(2)}×`,
    target ? targetCell(target, value) : '',
    value(published),
    met === undefined ? '' : met ? 'met' : 'MISSED',
  ];
}

function targetCell(target: Target, value: (number: number) => string): string {
  if ('oursAtMost' in target) return `≤ ${value(target.oursAtMost)}`;
  return 'oursAtLeast' in target ? `≥ ${value(target.oursAtLeast)}` : `≤ ${target.ratioAtMost}×`;
}

/** Three digits say all that a benchmark knows. */
const short = (number: number): string =>
  number >= 100 ? Math.round(number).toLocaleString('en') : String(Number(number.toPrecision(3)));

const isText = (column: number): boolean => column < 2 || column === HEAD.length - 1;

const pad = (cell: string, width: number, column: number): string =>
  isText(column) ? cell.padEnd(width) : cell.padStart(width);
