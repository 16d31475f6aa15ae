/** The list of volumes before there are any: the bar of filters, and as many rows as there is room for. */
import { Bone, numbered, uneven } from '../../parts/bones.tsx';
import { COLUMNS } from '../../volumes/query.ts';
import { COLUMN_TITLES } from '../volumes/columns.ts';

/** More than fit on a large screen: what does not is cut. */
const ROWS = 40;
/** As wide as they will be. */
const CHIPS = [7.1, 11.6, 8.7, 6.7, 7.6];
const FACETS = [4.9, 5.1, 5.8, 5, 5.4];
/** How much of its column the words of each take. */
const REM = { health: 5, name: 11, claim: 9, capacity: 3.5, class: 4, zone: 3, node: 5, source: 3, age: 5 } as const;

export function VolumesShape() {
  return (
    <div class="waiting volumes-awaited" aria-hidden="true">
      <div class="filters">
        <div class="search">
          <Bone rem={24} as="block" />
        </div>
        <div class="chips">
          {CHIPS.map((rem, index) => (
            <Bone key={index} rem={rem} as="pill" />
          ))}
        </div>
        <div class="facets">
          {FACETS.map((rem, index) => (
            <Bone key={index} rem={rem} as="pill" />
          ))}
        </div>
      </div>
      <div class="table">
        <div class="table-head">
          <div class="line head">
            {COLUMNS.map((column) => (
              <div key={column} class={`cell-${column}`}>
                {COLUMN_TITLES[column]}
              </div>
            ))}
          </div>
        </div>
        <div class="table-body">
          {numbered(ROWS).map((row) => (
            <div key={row} class="line">
              {COLUMNS.map((column, index) => (
                <div key={column} class={`cell-${column}`}>
                  <Bone rem={REM[column] * uneven(row + index)} />
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
