/** Which rows of a long list are to be drawn: those that are seen, and some around them. */

export interface RowWindow {
  readonly first: number;
  /** One after the last. */
  readonly end: number;
}

const AROUND = 4;

export function rowsSeen(rows: number, rowHeight: number, scrolled: number, height: number): RowWindow {
  const top = Math.max(0, Math.floor(scrolled / rowHeight) - AROUND);
  const bottom = Math.ceil((scrolled + height) / rowHeight) + AROUND;
  return { first: Math.max(0, Math.min(top, rows - 1)), end: Math.min(rows, bottom) };
}

/** The row that Tab comes to: the last one that had the focus as long as it is drawn, else the first that is seen. */
export function rowToReach(row: number, { first, end }: RowWindow, rowHeight: number, scrolled: number): number {
  return row >= first && row < end ? row : Math.min(end - 1, Math.ceil(scrolled / rowHeight));
}

/** Where to scroll so that a row is seen; where it is seen already nothing moves. */
export function scrolledTo(row: number, rowHeight: number, scrolled: number, height: number): number {
  const top = row * rowHeight;
  if (top < scrolled) return top;
  if (top + rowHeight > scrolled + height) return top + rowHeight - height;
  return scrolled;
}

/** The row that a key leads to, or nothing if it is no such key. */
export function rowAfter(key: string, row: number, rows: number, rowsOnPage: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: rowsOnPage,
    PageUp: -rowsOnPage,
    Home: -rows,
    End: rows,
  };
  const step = steps[key];
  return step === undefined ? undefined : Math.min(rows - 1, Math.max(0, row + step));
}
