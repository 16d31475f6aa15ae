/** Which rows of a long list are to be drawn: those that are seen, and some around them. */

export interface RowWindow {
  readonly first: number;
  /** One after the last. */
  readonly end: number;
}

const AROUND = 2;

export function rowsSeen(rows: number, rowHeight: number, scrolled: number, height: number): RowWindow {
  const top = Math.max(0, Math.floor(scrolled / rowHeight) - AROUND);
  const bottom = Math.ceil((scrolled + height) / rowHeight) + AROUND;
  return { first: Math.max(0, Math.min(top, rows - 1)), end: Math.min(rows, bottom) };
}

/** What is drawn, and the row that places are counted from: a row's place is where in the document it stands. */
export interface Drawn extends RowWindow {
  readonly origin: number;
}

export const placeOf = (row: number, { origin }: Drawn): number => row - origin;

/**
 * Rows that stay drawn keep their places. Where none does, the new ones take the places of the old: to say something else in an element
 * takes a browser a fraction of what another element takes.
 */
export function drawnNext(before: Drawn, { first, end }: RowWindow): Drawn {
  const someStay = first < before.end && end > before.first;
  return { first, end, origin: someStay ? before.origin : first - placeOf(before.first, before) };
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
