/** All volumes by health, as one bar and as words that lead to them. */
import type { Health } from '../../../src/console/model.ts';
import { addressIn, usePage } from '../../page.ts';
import { HealthMark } from '../../parts/health-mark.tsx';
import { UnseenFigure } from '../../parts/unseen.tsx';
import { HEALTH_WORDS, HEALTHS } from '../../words/health.ts';
import { count } from '../../words/numbers.ts';

interface HealthBarProps {
  readonly volumes: Readonly<Record<Health, number>>;
  /** Why they are, where they are. */
  readonly unknown: string | undefined;
}

export function HealthBar({ volumes, unknown }: HealthBarProps) {
  return (
    <section class="tile tile-wide" aria-label="Volumes by health">
      <h2>Volumes</h2>
      {unknown === undefined ? <Counts volumes={volumes} /> : <UnseenFigure why={unknown} />}
    </section>
  );
}

function Counts({ volumes }: Pick<HealthBarProps, 'volumes'>) {
  const page = usePage();
  const all = HEALTHS.reduce((sum, health) => sum + volumes[health], 0);
  const present = HEALTHS.filter((health) => volumes[health] > 0);
  return (
    <>
      <p class="figure">{count(all)}</p>
      <div class="health-bar" aria-hidden="true">
        {present.map((health) => (
          <span key={health} class={`fill-${health}`} style={{ flexGrow: volumes[health] }} />
        ))}
      </div>
      <ul class="legend">
        {(present.length > 0 ? present : (['well'] as const)).map((health) => (
          <li key={health}>
            <a href={addressIn(page, { view: 'volumes' }, new URLSearchParams({ health }))}>
              <HealthMark
                health={health}
              >{`${count(volumes[health])} ${HEALTH_WORDS[health].toLowerCase()}`}</HealthMark>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
