/** The table of volumes. Only the rows that are seen are in the document; its height and its scrollbar are of all of them. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { VolumeRow } from '../../../src/console/model.ts';
import { Icon } from '../../parts/icon.tsx';
import { memo } from '../../parts/memo.ts';
import { COLUMNS, type Column, type Order } from '../../volumes/query.ts';
import {
  type Drawn,
  drawnNext,
  placeOf,
  type RowWindow,
  rowAfter,
  rowsSeen,
  rowToReach,
  scrolledTo,
} from '../../volumes/window.ts';
import { COLUMN_TITLES } from './columns.ts';
import { focusRow, followFocus } from './row-focus.ts';
import { VolumeLine } from './volume-line.tsx';

interface VolumeTableProps {
  readonly rows: readonly VolumeRow[];
  readonly order: Order;
  readonly onOrder: (by: Column) => void;
  /** Where one comes back to, if one does. */
  readonly from: TablePlace | undefined;
  readonly onPlace: (place: TablePlace) => void;
}

interface TablePlace {
  readonly scrolled: number;
  readonly row: number;
}

export function VolumeTable({ rows, order, onOrder, from, onPlace }: VolumeTableProps) {
  const box = useRef<HTMLDivElement>(null);
  const { rowHeight, height } = useMeasure(box);
  const [scrolled, setScrolled] = useState(from?.scrolled ?? 0);
  const [current, setCurrent] = useState(from?.row ?? 0);
  /** The row that a key has led to, until it is there to have the focus. */
  const wanted = useRef<number | undefined>(undefined);
  /** The volume whose row had the focus last. */
  const held = useRef<string | undefined>(undefined);
  const seen = rowsSeen(rows.length, rowHeight, scrolled, height);
  const drawn = useDrawn(seen);
  const chosen = Math.min(current, rows.length - 1);
  const reached = rowToReach(chosen, seen, rowHeight, scrolled);

  useLayoutEffect(() => {
    if (!box.current || !from) return;
    box.current.scrollTop = from.scrolled;
    if (isNothingFocused()) wanted.current = chosen;
  }, []);
  useEffect(() => onPlace({ scrolled, row: chosen }), [scrolled, chosen]);

  // Before the browser notices that the row which had it is gone.
  useLayoutEffect(() => {
    if (!box.current) return;
    if (wanted.current !== chosen) followFocus(box.current, held.current, rows, seen);
    else {
      wanted.current = undefined;
      focusRow(box.current, chosen);
    }
  });
  const focused = useCallback((row: number, name: string) => {
    held.current = name;
    setCurrent(row);
  }, []);

  const move = (event: KeyboardEvent) => {
    const next = rowAfter(event.key, reached, rows.length, Math.max(1, Math.floor(height / rowHeight) - 1));
    if (next === undefined || !box.current) return;
    event.preventDefault();
    box.current.scrollTop = scrolledTo(next, rowHeight, box.current.scrollTop, height);
    wanted.current = next;
    setScrolled(box.current.scrollTop);
    setCurrent(next);
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: the rows stand where they are seen, which those of a <table> cannot
    <div class="table" role="table" aria-label="Volumes" aria-rowcount={rows.length + 1}>
      <Head order={order} onOrder={onOrder} />
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div
        class="table-body"
        role="rowgroup"
        ref={box}
        onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}
        onKeyDown={move}
      >
        <div role="presentation" class="table-space" style={{ height: `calc(${rows.length} * var(--row-height))` }}>
          <div
            role="presentation"
            class="table-rows"
            style={{ transform: `translateY(${drawn.origin * rowHeight}px)` }}
          >
            {rows.slice(seen.first, seen.end).map((row, index) => {
              const place = placeOf(seen.first + index, drawn);
              return (
                <VolumeLine
                  key={place}
                  row={row}
                  index={seen.first + index}
                  top={place * rowHeight}
                  isCurrent={seen.first + index === reached}
                  onFocus={focused}
                />
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

/** What had the focus is gone, or it is all of the page that has it. */
const isNothingFocused = (): boolean =>
  document.activeElement === document.body || document.activeElement?.id === 'main';

function useDrawn(seen: RowWindow): Drawn {
  const drawn = useRef<Drawn>({ first: 0, end: 0, origin: 0 });
  drawn.current = drawnNext(drawn.current, seen);
  return drawn.current;
}

const Head = memo(({ order, onOrder }: Pick<VolumeTableProps, 'order' | 'onOrder'>) => {
  const sortOf = (column: Column) =>
    order.by !== column ? 'none' : order.descending ? ('descending' as const) : ('ascending' as const);
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above
    <div class="table-head" role="rowgroup">
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
      <div class="line head" role="row" aria-rowindex={1}>
        {COLUMNS.map((column) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: the button in it is
          <div key={column} role="columnheader" class={`cell-${column}`} aria-sort={sortOf(column)}>
            <button type="button" onClick={() => onOrder(column)}>
              {COLUMN_TITLES[column]}
              {order.by === column && <Icon name={order.descending ? 'up' : 'down'} />}
            </button>
          </div>
        ))}
      </div>
    </div>
  );
});

/** Rows are higher on narrow screens: the style sheet says how high, and the box how many there is room for. */
function useMeasure(box: { readonly current: HTMLDivElement | null }): { rowHeight: number; height: number } {
  const [measure, setMeasure] = useState({ rowHeight: 36, height: 600 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = () => {
      const rowHeight = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row-height')) || 36;
      setMeasure({ rowHeight, height: element.clientHeight });
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    look();
    return () => observer.disconnect();
  }, [box]);
  return measure;
}
