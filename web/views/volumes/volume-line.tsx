/** One volume of the list. The whole line leads to its story. */
import type { ComponentChildren } from 'preact';
import type { VolumeRow } from '../../../src/console/model.ts';
import { addressIn, usePage } from '../../page.ts';
import { Ago } from '../../parts/ago.tsx';
import { HealthMark } from '../../parts/health-mark.tsx';
import { memo } from '../../parts/memo.ts';
import { bytes } from '../../words/bytes.ts';
import { HEALTH_WORDS } from '../../words/health.ts';

interface VolumeLineProps {
  readonly row: VolumeRow;
  readonly index: number;
  /** In pixels, from where rows are counted from. */
  readonly top: number;
  /** The one that Tab comes to. */
  readonly isCurrent: boolean;
  readonly onFocus: (index: number, name: string) => void;
}

export const VolumeLine = memo(({ row, index, top, isCurrent, onFocus }: VolumeLineProps) => {
  const page = usePage();
  return (
    // biome-ignore lint/a11y/useSemanticElements: the rows stand where they are seen, which those of a <table> cannot
    // biome-ignore lint/a11y/useFocusableInteractive: the link in it is
    <div class="line" role="row" aria-rowindex={index + 2} style={{ top: `${top}px` }}>
      {cell('health', <HealthMark health={row.health}>{row.note ?? HEALTH_WORDS[row.health]}</HealthMark>)}
      {cell(
        'name',
        <a
          href={addressIn(page, { view: 'volume', name: row.name })}
          data-row={index}
          tabIndex={isCurrent ? 0 : -1}
          onFocus={() => onFocus(index, row.name)}
          title={row.note === undefined ? row.name : `${row.name}: ${row.note}`}
        >
          {row.name}
        </a>,
      )}
      {cell('claim', row.claim ?? <span class="quiet-text">{row.phase}</span>)}
      {cell('capacity', bytes(row.capacityBytes))}
      {cell('class', row.storageClass)}
      {cell('zone', row.zone)}
      {cell('node', row.node)}
      {cell('source', row.source)}
      {cell('age', <Ago at={row.createdAt} />)}
    </div>
  );
});

/** No part of its own: there are nine in each row, and a screen of rows is drawn with every key that is pressed. */
function cell(name: string, children: ComponentChildren) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above
    <div role="cell" class={`cell-${name}`}>
      {children}
    </div>
  );
}
