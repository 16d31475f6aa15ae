/** The drills that the sync still tells of, and those that this console has seen. */
import type { SyncMoment } from '../../../src/console/model.ts';
import { Ago } from '../../parts/ago.tsx';
import { HealthMark } from '../../parts/health-mark.tsx';
import { took } from '../../words/time.ts';

export function Drills({ drills }: { readonly drills: readonly SyncMoment[] }) {
  if (drills.length === 0) return <p class="calm quiet-text">None is known.</p>;
  return (
    <ol class="drills">
      {drills.toReversed().map((drill) => (
        <li key={`${drill.at} ${drill.what}`}>
          <HealthMark health={drill.succeeded ? 'well' : 'failed'}>{drill.succeeded ? 'Passed' : 'Failed'}</HealthMark>
          <span>{drill.what}</span>
          <span class="quiet-text">
            <Ago at={drill.at} />
            {drill.seconds !== undefined && `, took ${took(drill.seconds)}`}
          </span>
        </li>
      ))}
    </ol>
  );
}
