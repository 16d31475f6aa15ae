/** Rows in columns that stand below each other, as kubectl prints them. */

const GAP = '   ';

/** Without a line that ends in blanks. The first row is the heading. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}
