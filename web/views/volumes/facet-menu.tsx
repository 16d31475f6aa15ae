/** The values of a facet to choose from, with how many volumes each has. Escape and a click elsewhere close it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { count } from '../../words/numbers.ts';

interface FacetMenuProps {
  readonly title: string;
  readonly values: ReadonlyMap<string, number>;
  readonly chosen: readonly string[];
  readonly onToggle: (value: string) => void;
}

/** More than these are searched for, and not looked through. */
const MANY = 12;
const SHOWN = 200;

export function FacetMenu({ title, values, chosen, onToggle }: FacetMenuProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  useClosing(menu);
  return (
    <details class="facet" ref={menu} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title}
        {chosen.length > 0 && <span class="chip-count">{chosen.length}</span>}
        <Icon name="down" />
      </summary>
      {isOpen && <Values title={title} values={values} chosen={chosen} onToggle={onToggle} />}
    </details>
  );
}

function Values({ title, values, chosen, onToggle }: FacetMenuProps) {
  const [text, setText] = useState('');
  const wanted = text.toLowerCase();
  const found = [...values]
    .filter(([value]) => value.toLowerCase().includes(wanted))
    .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
  return (
    <div class="facet-values">
      {values.size > MANY && (
        <input
          type="search"
          aria-label={`Search ${title}`}
          placeholder="Search…"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      )}
      <ul>
        {found.slice(0, SHOWN).map(([value, volumes]) => (
          <li key={value}>
            <label>
              <input type="checkbox" checked={chosen.includes(value)} onChange={() => onToggle(value)} />
              <span>{value}</span>
              <span class="quiet-text">{count(volumes)}</span>
            </label>
          </li>
        ))}
      </ul>
      {found.length > SHOWN && <p class="quiet-text">{`and ${count(found.length - SHOWN)} more: search`}</p>}
    </div>
  );
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
