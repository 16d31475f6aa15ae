/** All volumes: searched, filtered and sorted, however many there are. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { VolumeRow } from '../../../src/console/model.ts';
import { addressIn, listPlaceIn, usePage } from '../../page.ts';
import { Empty } from '../../parts/empty.tsx';
import { placeOf } from '../../route.ts';
import { filtered } from '../../volumes/filter.ts';
import { cleared, isNarrowed, orderedBy, paramsOf, queryOf, type VolumeQuery } from '../../volumes/query.ts';
import { orderToCome, sorted } from '../../volumes/sort.ts';
import { count, counted } from '../../words/numbers.ts';
import { FilterBar } from './filter-bar.tsx';
import { VolumeTable } from './volume-table.tsx';

interface VolumesViewProps {
  readonly volumes: ReadonlyMap<string, VolumeRow>;
  readonly params: URLSearchParams;
}

export function VolumesView({ volumes, params }: VolumesViewProps) {
  const [query, setQuery] = useQuery(params);
  const all = useMemo(() => sorted(volumes, query.order), [volumes, query.order]);
  const rows = useMemo(() => filtered(all, query), [all, query]);
  useEffect(() => sortAhead(volumes), []);
  const clear = () => setQuery(cleared(query));
  const page = usePage();
  const asked = paramsOf(query);
  const before = listPlaceIn(page);
  const shown =
    rows.length === all.length
      ? counted(all.length, 'volume')
      : `${count(rows.length)} of ${counted(all.length, 'volume')}`;

  return (
    <div class="volumes">
      <header class="view-head">
        <h1>Volumes</h1>
        <p class="quiet-text" role="status">
          {shown}
        </p>
      </header>
      {(all.length > 0 || isNarrowed(query)) && (
        <FilterBar query={query} volumes={volumes} onQuery={setQuery} onFound={focusRow} />
      )}
      {rows.length > 0 ? (
        <VolumeTable
          rows={rows}
          order={query.order}
          onOrder={(by) => setQuery(orderedBy(query, by))}
          from={before?.params.toString() === asked.toString() ? before : undefined}
          onPlace={(place) => {
            page.list.current = { ...place, cluster: page.cluster, params: asked };
          }}
        />
      ) : isNarrowed(query) ? (
        <Empty icon="search" title="No volume is like that">
          <button type="button" class="button" onClick={clear}>
            Clear the filters
          </button>
        </Empty>
      ) : (
        <Empty icon="volumes" title="There are no volumes yet">
          <p>They are shown as soon as the cluster has a PersistentVolume.</p>
        </Empty>
      )}
    </div>
  );
}

/** The one that Tab would come to, if there is one. */
function focusRow(): void {
  document.querySelector<HTMLElement>('[data-row][tabindex="0"]')?.focus();
}

const PAUSE_MS = 20;

/** One order after another, with time between them for what a person does. */
function sortAhead(volumes: VolumesViewProps['volumes']): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const next = () => {
    const order = orderToCome();
    if (!order) return;
    sorted(volumes, order);
    timer = setTimeout(next, PAUSE_MS);
  };
  timer = setTimeout(next, PAUSE_MS);
  return () => clearTimeout(timer);
}

const ADDRESS_MS = 300;

/** What is asked for is in the address, so that it can be sent to others; it is written when the typing rests. */
function useQuery(params: URLSearchParams): readonly [VolumeQuery, (query: VolumeQuery) => void] {
  const page = usePage();
  const [query, setQuery] = useState(() => queryOf(params));
  useEffect(() => setQuery(queryOf(params)), [params]);
  useEffect(() => {
    const timer = setTimeout(() => {
      const address = addressIn(page, { view: 'volumes' }, paramsOf(query));
      // Whoever has gone on, and is not drawn there yet, is not brought back.
      const isHere = placeOf(location.hash).route.view === 'volumes';
      if (isHere && location.hash !== address) history.replaceState(null, '', address);
    }, ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [query, page]);
  return [query, setQuery];
}
