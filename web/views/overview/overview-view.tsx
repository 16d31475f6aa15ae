/** Is my data safe? The answer first; then what needs a person, what is going on, and how far ahead trouble is. */
import type { Overview, Unknown, Verdict } from '../../../src/console/model.ts';
import { ActivityLine } from '../../parts/activity-line.tsx';
import { Ago } from '../../parts/ago.tsx';
import { HealthMark, HealthShape } from '../../parts/health-mark.tsx';
import { NeedCard } from '../../parts/need-card.tsx';
import { Section } from '../../parts/section.tsx';
import { count } from '../../words/numbers.ts';
import { ForecastTile } from './forecast-tile.tsx';
import { HealthBar } from './health-bar.tsx';
import { RpoTile } from './rpo-tile.tsx';

/** As the server says it of a job of which nothing is found: that is neither well nor not. */
const NOT_IN_USE = 'not in use here';

interface OverviewViewProps {
  readonly overview: Overview;
  readonly unknown: Unknown;
  /** What was well when it was heard last is not known to be. */
  readonly isHeard: boolean;
}

export function OverviewView({ overview, unknown, isHeard }: OverviewViewProps) {
  const { verdict, needs, activities, jobs, at } = overview;
  const isAllSeen = Object.keys(unknown).length === 0;
  return (
    <div class="overview">
      <VerdictHead verdict={verdict} at={at} isHeard={isHeard} />

      <div class="tiles">
        <HealthBar volumes={overview.volumesByHealth} unknown={unknown.volumes} />
        <RpoTile rpo={overview.rpo} unknown={unknown.syncs} />
        <ForecastTile forecasts={overview.forecasts} unknown={unknown.pools} />
      </div>

      <div class="columns">
        <Section title="Needs you" aside={<span class="count">{count(needs.length)}</span>}>
          {needs.length === 0 ? (
            <p class="calm">
              <HealthMark health={isAllSeen ? 'well' : 'unknown'}>
                {isAllSeen ? 'Nothing needs you.' : 'Nothing that can be seen needs you.'}
              </HealthMark>
            </p>
          ) : (
            <ul class="needs">
              {needs.map((need) => (
                <NeedCard key={need.id} need={need} />
              ))}
            </ul>
          )}
        </Section>

        <div>
          <Section title="Going on now" aside={<span class="count">{count(activities.length)}</span>}>
            {activities.length === 0 ? (
              <p class="calm quiet-text">
                {isAllSeen
                  ? 'Nothing is being wiped, drained, restored or made.'
                  : 'Nothing that can be seen is being wiped, drained, restored or made.'}
              </p>
            ) : (
              <ul class="activities">
                {activities.map((activity) => (
                  <li key={activity.id}>
                    <ActivityLine activity={activity} />
                  </li>
                ))}
              </ul>
            )}
          </Section>

          <Section title="Jobs">
            <ul class="jobs">
              {jobs.map(({ job, health, sentence }) => (
                <li key={job}>
                  {sentence === NOT_IN_USE ? <i aria-hidden="true">–</i> : <HealthMark health={health} isBare />}
                  <b>{job}</b>
                  <span>{sentence}</span>
                </li>
              ))}
            </ul>
          </Section>
        </div>
      </div>
    </div>
  );
}

interface VerdictHeadProps {
  readonly verdict: Verdict;
  readonly at: string;
  readonly isHeard: boolean;
}

function VerdictHead({ verdict, at, isHeard }: VerdictHeadProps) {
  const health = isHeard ? verdict.health : 'unknown';
  return (
    <header class={`verdict verdict-${health}`}>
      <HealthShape health={health} />
      <div>
        <p class="verdict-question">Is my data safe?</p>
        <h1>{isHeard ? verdict.sentence : 'That cannot be said now.'}</h1>
        <p class="quiet-text">
          {isHeard ? 'Last change ' : `What was heard last: ${verdict.sentence} `}
          <Ago at={at} />
        </p>
      </div>
    </header>
  );
}
