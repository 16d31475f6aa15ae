/** How wide the columns of a table are, so that a line of it fits where it is shown. Pure. */

export const GAP = '   ';

/** What is left of a column at the least, if it was wider. The last one has the long texts, and gives way first. */
const LEAST = { last: 24, others: 10, anyhow: 1 };

/** As wide as what is in them; where there is an end of the line, as narrow as it takes. */
export function columnWidths(
  rows: readonly (readonly string[])[],
  lineWidth = Number.POSITIVE_INFINITY,
): readonly number[] {
  const widths = naturalWidths(rows);
  const last = widths.length - 1;
  const isLast = (column: number) => column === last;
  narrow(widths, lineWidth, (column) => (isLast(column) ? LEAST.last : undefined));
  narrow(widths, lineWidth, (column) => (isLast(column) ? undefined : LEAST.others));
  narrow(widths, lineWidth, () => LEAST.anyhow);
  return widths;
}

function naturalWidths(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return widths;
}

/** Takes from the widest that may give, again and again, until the line fits. */
function narrow(widths: number[], lineWidth: number, least: (column: number) => number | undefined): void {
  for (let over = lengthOf(widths) - lineWidth; over > 0; over = lengthOf(widths) - lineWidth) {
    const room = widths.map((width, column) => width - (least(column) ?? width));
    const widest = widths.reduce(
      (best, width, column) => {
        if ((room[column] ?? 0) <= 0) return best;
        return best === undefined || width > (widths[best] ?? 0) ? column : best;
      },
      undefined as number | undefined,
    );
    if (widest === undefined) return;
    const next = Math.max(0, ...widths.filter((width, column) => column !== widest && width < (widths[widest] ?? 0)));
    const step = Math.min(over, room[widest] ?? 0, Math.max(1, (widths[widest] ?? 0) - next));
    widths[widest] = (widths[widest] ?? 0) - step;
  }
}

const lengthOf = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, widths.length - 1);

/** What does not fit ends in an ellipsis. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  const kept = text.slice(0, Math.max(0, width - 1)).trimEnd();
  // Half of a character is none.
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}

/** In lines that are no longer than this, broken between words where there are any; all but the first are moved in. */
export function wrapped(text: string, lineWidth: number, indent = '  '): readonly string[] {
  if (text.length <= lineWidth || lineWidth <= indent.length + 1) return [text];
  const space = text.lastIndexOf(' ', lineWidth);
  const isWord = space <= indent.length || text.slice(0, space).trim() === '';
  const end = isWord ? lineWidth : space;
  return [text.slice(0, end).trimEnd(), ...wrapped(`${indent}${text.slice(end).trimStart()}`, lineWidth, indent)];
}
