/** What a sync has done: as marks on lanes of time, and the latest in words. */
import { useState } from 'preact/hooks';
import type { SyncMoment } from '../../../src/console/model.ts';
import { useTold } from '../../live/clock.ts';
import { Ago } from '../../parts/ago.tsx';
import { HealthMark } from '../../parts/health-mark.tsx';
import { beginOf, type Lane, lanesOf } from '../../sync/lanes.ts';
import { counted } from '../../words/numbers.ts';
import { absolute, span, took } from '../../words/time.ts';

const LATEST = 6;
/** The marks move once in ten seconds: nobody sees them creep. */
const STEP_MS = 10_000;

export function Timeline({ moments }: { readonly moments: readonly SyncMoment[] }) {
  const now = useTold((time) => Math.ceil(time / STEP_MS) * STEP_MS);
  const [showsAll, setShowsAll] = useState(false);
  if (moments.length === 0) return <p class="calm quiet-text">Nothing has happened since this console looks.</p>;
  const shown = showsAll ? moments : moments.slice(-LATEST);
  return (
    <>
      <div class="lanes">
        {lanesOf(moments, now).map((lane) => (
          <LaneLine key={lane.title} lane={lane} />
        ))}
        <p class="lanes-axis quiet-text" aria-hidden="true">
          <span>{span((now - beginOf(moments, now)) / 1000)} ago</span>
          <span>now</span>
        </p>
      </div>
      <ol class="sync-moments">
        {shown.toReversed().map((moment) => (
          <li key={`${moment.at} ${moment.kind} ${moment.what}`}>
            <span class="quiet-text">
              <Ago at={moment.at} />
            </span>
            <HealthMark health={moment.succeeded ? 'well' : 'failed'}>{moment.kind}</HealthMark>
            <span>{moment.what}</span>
            <span class="quiet-text">{moment.seconds === undefined ? '' : `took ${took(moment.seconds)}`}</span>
          </li>
        ))}
      </ol>
      {moments.length > LATEST && (
        <button type="button" class="quiet" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show the latest' : `Show all ${moments.length}`}
        </button>
      )}
    </>
  );
}

function LaneLine({ lane: { title, marks } }: { readonly lane: Lane }) {
  const failed = marks.filter(({ moment }) => !moment.succeeded).length;
  const words = `${title}: ${counted(marks.length, 'time')}${failed > 0 ? `, ${failed} of them failed` : ''}`;
  return (
    <div class="lane">
      <span class="lane-title">{title}</span>
      <div class="lane-track" role="img" aria-label={words}>
        {marks.map(({ moment, x }) => (
          <span
            key={`${moment.at} ${moment.what}`}
            class={moment.succeeded ? `mark mark-${moment.kind}` : 'mark mark-failed'}
            style={{ left: `${x * 100}%` }}
            title={`${moment.what} (${absolute(moment.at)})`}
          />
        ))}
      </div>
    </div>
  );
}
