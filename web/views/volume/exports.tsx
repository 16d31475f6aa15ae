/** The exports that hold a volume: the latest at once, and the others if somebody wants to see them. */
import { useState } from 'preact/hooks';
import type { VolumeStory } from '../../../src/console/model.ts';
import { addressIn, usePage } from '../../page.ts';
import { Ago } from '../../parts/ago.tsx';
import { Section } from '../../parts/section.tsx';
import { counted } from '../../words/numbers.ts';

const LATEST = 5;

export function Exports({ story: { exports, exportsNotLookedAt = 0 } }: { readonly story: VolumeStory }) {
  const page = usePage();
  const [showsAll, setShowsAll] = useState(false);
  if (exports.length === 0) return <NoExport notLookedAt={exportsNotLookedAt} />;
  const shown = showsAll ? exports : exports.slice(0, LATEST);
  return (
    <Section title="Exports that hold it">
      <ul class="exports">
        {shown.map(({ sync, key, exportedAt }) => (
          <li key={`${sync} ${key}`}>
            <a href={addressIn(page, { view: 'sync', name: sync })}>{sync}</a>
            <code>{key}</code>
            <span class="quiet-text">
              <Ago at={exportedAt} />
            </span>
          </li>
        ))}
      </ul>
      <div class="exports-more">
        {exports.length > LATEST && (
          <button type="button" class="quiet" onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? 'Show the latest' : `Show all ${exports.length}`}
          </button>
        )}
        {exportsNotLookedAt > 0 && (
          <p class="quiet-text">
            {counted(exportsNotLookedAt, 'other export')} in the object store{' '}
            {exportsNotLookedAt === 1 ? 'was' : 'were'} not looked into.
          </p>
        )}
      </div>
    </Section>
  );
}

/** That nothing holds it is worth as much to know as what does. */
function NoExport({ notLookedAt }: { readonly notLookedAt: number }) {
  return (
    <Section title="Exports that hold it">
      <p class="quiet-text">
        {notLookedAt > 0
          ? `None of those that were looked into; ${counted(notLookedAt, 'other')} in the object store ${notLookedAt === 1 ? 'was' : 'were'} not.`
          : 'None: if this cluster is lost, nothing says how to make this volume again.'}
      </p>
    </Section>
  );
}
