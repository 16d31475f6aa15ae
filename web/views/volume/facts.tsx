/** What is so of a thing, by name. */
import type { Fact } from '../../../src/console/model.ts';
import { linkIn, usePage } from '../../page.ts';

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  const page = usePage();
  return (
    <dl class="facts">
      {facts.map(({ name, value, link }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{link === undefined ? value : <a href={linkIn(page, link)}>{value}</a>}</dd>
        </div>
      ))}
    </dl>
  );
}
