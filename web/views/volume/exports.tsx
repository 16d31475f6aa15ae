/** The exports that hold a volume. */
import type { ExportMark } from '../../../src/console/model.ts';
import { addressIn, usePage } from '../../page.ts';
import { Ago } from '../../parts/ago.tsx';
import { Section } from '../../parts/section.tsx';

export function Exports({ exports }: { readonly exports: readonly ExportMark[] }) {
  const page = usePage();
  if (exports.length === 0) return null;
  return (
    <Section title="Exports that hold it">
      <ul class="exports">
        {exports.map(({ sync, key, exportedAt }) => (
          <li key={`${sync} ${key}`}>
            <a href={addressIn(page, { view: 'sync', name: sync })}>{sync}</a>
            <code>{key}</code>
            <span class="quiet-text">
              <Ago at={exportedAt} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
