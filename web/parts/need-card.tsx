/** Something that needs a person: what is wrong, what to do, what to type, and a button where it can be done here. */
import type { Need } from '../../src/console/model.ts';
import { linkIn, usePage } from '../page.ts';
import { ActionButton } from './action-button.tsx';
import { Copyable } from './copyable.tsx';
import { HealthMark } from './health-mark.tsx';

export function NeedCard({ need }: { readonly need: Need }) {
  const page = usePage();
  const { severity, what, remedy, command, link, action, job } = need;
  return (
    <li class={`need need-${severity}`}>
      <p class="need-head">
        <HealthMark health={severity === 'urgent' ? 'failed' : 'attention'}>
          {severity === 'urgent' ? 'Urgent' : 'Soon'}
        </HealthMark>
        <span class="tag">{job}</span>
      </p>
      <p class="need-what">{link === undefined ? what : <a href={linkIn(page, link)}>{what}</a>}</p>
      <p class="need-remedy">{remedy}</p>
      {command !== undefined && <Copyable text={command} />}
      <ActionButton action={action} />
    </li>
  );
}
