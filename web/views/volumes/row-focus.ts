/** The focus in the list of volumes. It is of a volume: the element that has it may be one in which another volume stands by now. */
import type { VolumeRow } from '../../../src/console/model.ts';
import type { RowWindow } from '../../volumes/window.ts';

export function focusRow(box: HTMLElement, row: number): void {
  const link = box.querySelector<HTMLElement>(`[data-row="${row}"]`);
  // Nobody would be told that what has it says something else now.
  if (link === document.activeElement) link?.blur();
  link?.focus({ preventScroll: true });
}

/** Goes with the volume to the row where that is now; where it is none that is drawn, no other has the focus in its stead. */
export function followFocus(
  box: HTMLElement,
  volume: string | undefined,
  rows: readonly VolumeRow[],
  drawn: RowWindow,
) {
  const link = document.activeElement;
  if (!(link instanceof HTMLElement) || link.dataset.row === undefined || !box.contains(link)) return;
  if (rows[Number(link.dataset.row)]?.name === volume) return;
  link.blur();
  const moved = rows.slice(drawn.first, drawn.end).findIndex(({ name }) => name === volume);
  if (moved !== -1) focusRow(box, drawn.first + moved);
}
