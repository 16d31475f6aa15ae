/** What happened to a volume, the newest first. */
import type { Moment } from '../../../src/console/model.ts';
import { Ago } from '../../parts/ago.tsx';
import { HealthMark } from '../../parts/health-mark.tsx';

export function Moments({ moments }: { readonly moments: readonly Moment[] }) {
  if (moments.length === 0) return <p class="calm quiet-text">Nothing is known of its past.</p>;
  return (
    <ol class="moments">
      {moments.toReversed().map((moment) => (
        <li key={`${moment.at} ${moment.what}`} class={moment.isWarning ? 'warning' : ''}>
          <p class="quiet-text">
            <Ago at={moment.at} />
            {moment.by !== undefined && ` by ${moment.by}`}
            {moment.times !== undefined && moment.times > 1 && `, ${moment.times} times`}
          </p>
          <p>
            {moment.isWarning && <HealthMark health="attention" isBare />}
            {moment.what}
          </p>
        </li>
      ))}
    </ol>
  );
}
