/** The values of a facet to choose from, with how many volumes each has. Escape closes it, and so does whatever is done elsewhere. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { VolumeRow } from '../../../src/console/model.ts';
import { Icon } from '../../parts/icon.tsx';
import { compareValues, FACET_TITLES, type Facet, facetCounts, valueInWords } from '../../volumes/facets.ts';
import { rowAfter } from '../../volumes/window.ts';
import { count } from '../../words/numbers.ts';

interface FacetMenuProps {
  readonly facet: Facet;
  readonly volumes: ReadonlyMap<string, VolumeRow>;
  readonly chosen: readonly string[];
  readonly onToggle: (value: string) => void;
}

/** More than these are searched for, and not looked through. */
const MANY = 12;
const SHOWN = 200;

export function FacetMenu({ facet, volumes, chosen, onToggle }: FacetMenuProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  useClosing(menu);
  return (
    <details
      class="facet"
      ref={menu}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      onKeyDown={moveWithin}
      onFocusOut={closeBehind}
    >
      <summary>
        {FACET_TITLES[facet]}
        {chosen.length > 0 && <span class="chip-count">{chosen.length}</span>}
        <Icon name="down" />
      </summary>
      {isOpen && <Values facet={facet} volumes={volumes} chosen={chosen} onToggle={onToggle} />}
    </details>
  );
}

/** Counted only while somebody looks. */
function Values({ facet, volumes, chosen, onToggle }: FacetMenuProps) {
  const values = useMemo(() => facetCounts(volumes.values(), facet), [volumes, facet]);
  const [text, setText] = useState('');
  const wanted = text.toLowerCase();
  const found = [...values]
    .filter(([value]) => valueInWords(value).toLowerCase().includes(wanted))
    .sort(([a], [b]) => compareValues(a, b));
  return (
    <div class="facet-values">
      {values.size > MANY && (
        <input
          type="search"
          aria-label={`Search ${FACET_TITLES[facet]}`}
          placeholder="Search…"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      )}
      <ul>
        {found.slice(0, SHOWN).map(([value, volumes], index) => (
          <li key={value}>
            <label>
              <input
                type="checkbox"
                tabIndex={index === 0 ? 0 : -1}
                checked={chosen.includes(value)}
                onChange={() => onToggle(value)}
              />
              <span>{valueInWords(value)}</span>
              <span class="quiet-text">{count(volumes)}</span>
            </label>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="quiet-text">None is called that.</p>}
      {found.length > SHOWN && <p class="quiet-text">{`and ${count(found.length - SHOWN)} more: search`}</p>}
    </div>
  );
}

const VALUES_ON_PAGE = 8;

/** Down opens it and goes into it; arrows, Page Up, Page Down, Home and End go through the values, which are one stop for Tab. */
function moveWithin(event: KeyboardEvent): void {
  const menu = event.currentTarget as HTMLDetailsElement;
  const values = [...menu.querySelectorAll<HTMLInputElement>('.facet-values input')];
  const at = values.indexOf(event.target as HTMLInputElement);
  // What is typed there has a beginning and an end of its own.
  const isTitleOrSearch = at === -1 || values[at]?.type === 'search';
  if (isTitleOrSearch && event.key !== 'ArrowDown') return;
  const next = rowAfter(event.key, at, values.length, VALUES_ON_PAGE);
  if (next === undefined) return;
  event.preventDefault();
  menu.open = true;
  values[next]?.focus();
}

/** Whoever goes on to something else does not want it to lie above that. */
function closeBehind(event: FocusEvent): void {
  const menu = event.currentTarget as HTMLDetailsElement;
  if (event.relatedTarget instanceof Node && !menu.contains(event.relatedTarget)) menu.open = false;
}

function useClosing(menu: { readonly current: HTMLDetailsElement | null }): void {
  useEffect(() => {
    const clicked = ({ target }: Event) => {
      if (menu.current?.open && !(target instanceof Node && menu.current.contains(target))) menu.current.open = false;
    };
    const pressed = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape' || !menu.current?.open) return;
      menu.current.open = false;
      menu.current.querySelector('summary')?.focus();
    };
    addEventListener('click', clicked);
    addEventListener('keydown', pressed);
    return () => {
      removeEventListener('click', clicked);
      removeEventListener('keydown', pressed);
    };
  }, [menu]);
}
