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
  /** In pixels, from the top of all rows. */
  readonly top: number;
  /** The one that Tab comes to. */
  readonly isCurrent: boolean;
  readonly onFocus: (index: number) => void;
}

export const VolumeLine = memo(({ row, index, top, isCurrent, onFocus }: VolumeLineProps) => {
  const page = usePage();
  return (
    // biome-ignore lint/a11y/useSemanticElements: the rows stand where they are seen, which those of a <table> cannot
    // biome-ignore lint/a11y/useFocusableInteractive: the link in it is
    <div class="line" role="row" aria-rowindex={index + 2} style={{ transform: `translateY(${top}px)` }}>
      <Cell name="health">
        <HealthMark health={row.health}>{row.note ?? HEALTH_WORDS[row.health]}</HealthMark>
      </Cell>
      <Cell name="name">
        <a
          href={addressIn(page, { view: 'volume', name: row.name })}
          data-row={index}
          tabIndex={isCurrent ? 0 : -1}
          onFocus={() => onFocus(index)}
          title={row.name}
        >
          {row.name}
        </a>
      </Cell>
      <Cell name="claim">{row.claim ?? <span class="quiet-text">{row.phase}</span>}</Cell>
      <Cell name="capacity">{bytes(row.capacityBytes)}</Cell>
      <Cell name="class">{row.storageClass}</Cell>
      <Cell name="zone">{row.zone}</Cell>
      <Cell name="node">{row.node}</Cell>
      <Cell name="source">{row.source}</Cell>
      <Cell name="age">
        <Ago at={row.createdAt} />
      </Cell>
    </div>
  );
});

function Cell({ name, children }: { readonly name: string; readonly children?: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above
    <div role="cell" class={`cell-${name}`}>
      {children}
    </div>
  );
}
