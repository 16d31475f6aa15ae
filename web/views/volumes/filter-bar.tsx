/** The search, the health that is wanted as chips, and everything else in menus. */
import { useMemo } from 'preact/hooks';
import type { Health, VolumeRow } from '../../../src/console/model.ts';
import { HealthMark } from '../../parts/health-mark.tsx';
import { Icon } from '../../parts/icon.tsx';
import { FACET_TITLES, FACETS, facetCounts, valueInWords } from '../../volumes/facets.ts';
import { cleared, isNarrowed, toggled, type VolumeQuery, withText } from '../../volumes/query.ts';
import { HEALTH_WORDS, HEALTHS } from '../../words/health.ts';
import { count } from '../../words/numbers.ts';
import { FacetMenu } from './facet-menu.tsx';
import { SEARCH_ID } from './search-id.ts';

interface FilterBarProps {
  readonly query: VolumeQuery;
  readonly volumes: ReadonlyMap<string, VolumeRow>;
  readonly onQuery: (query: VolumeQuery) => void;
}

interface SearchedBarProps extends FilterBarProps {
  /** Goes on from the search to what was found. */
  readonly onFound: () => void;
}

export function FilterBar({ query, volumes, onQuery, onFound }: SearchedBarProps) {
  const pressed = (event: KeyboardEvent) => {
    const isEscape = event.key === 'Escape';
    if (!isEscape && event.key !== 'ArrowDown' && event.key !== 'Enter') return;
    event.preventDefault();
    if (isEscape && query.text !== '') onQuery(withText(query, ''));
    else onFound();
  };
  return (
    <search class="filters">
      <div class="search">
        <Icon name="search" />
        <input
          id={SEARCH_ID}
          type="search"
          placeholder="Search ( / )"
          aria-label="Search volumes"
          value={query.text}
          onInput={(event) => onQuery(withText(query, event.currentTarget.value))}
          onKeyDown={pressed}
        />
      </div>
      <HealthChips query={query} volumes={volumes} onQuery={onQuery} />
      <div class="facets">
        {FACETS.filter((facet) => facet !== 'health').map((facet) => (
          <FacetMenu
            key={facet}
            facet={facet}
            volumes={volumes}
            chosen={query.chosen[facet]}
            onToggle={(value) => onQuery(toggled(query, facet, value))}
          />
        ))}
        {isNarrowed(query) && (
          <button type="button" class="quiet" onClick={() => onQuery(cleared(query))}>
            <Icon name="close" />
            Clear
          </button>
        )}
      </div>
      <ChosenChips query={query} onQuery={onQuery} />
    </search>
  );
}

function HealthChips({ query, volumes, onQuery }: FilterBarProps) {
  const counts = useMemo(() => facetCounts(volumes.values(), 'health'), [volumes]);
  const isOffered = (health: Health): boolean => counts.has(health) || query.chosen.health.includes(health);
  return (
    <fieldset class="chips">
      <legend class="unseen">Health</legend>
      {HEALTHS.filter(isOffered).map((health) => (
        <button
          key={health}
          type="button"
          class="chip"
          aria-pressed={query.chosen.health.includes(health)}
          onClick={() => onQuery(toggled(query, 'health', health))}
        >
          <HealthMark health={health}>{HEALTH_WORDS[health]}</HealthMark>
          <span class="chip-count">{count(counts.get(health) ?? 0)}</span>
        </button>
      ))}
    </fieldset>
  );
}

function ChosenChips({ query, onQuery }: Pick<FilterBarProps, 'query' | 'onQuery'>) {
  const chosen = FACETS.filter((facet) => facet !== 'health').flatMap((facet) =>
    query.chosen[facet].map((value) => ({ facet, value })),
  );
  if (chosen.length === 0) return null;
  return (
    <div class="chips chosen">
      {chosen.map(({ facet, value }) => (
        <button
          key={`${facet} ${value}`}
          type="button"
          class="chip"
          aria-label={`No longer ${FACET_TITLES[facet]} ${valueInWords(value)}`}
          onClick={() => onQuery(toggled(query, facet, value))}
        >
          <span class="chip-facet">{FACET_TITLES[facet]}</span> {valueInWords(value)}
          <Icon name="close" />
        </button>
      ))}
    </div>
  );
}
