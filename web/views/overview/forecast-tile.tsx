/** Which pools are full first, and when. */
import type { Forecast, Health } from '../../../src/console/model.ts';
import { addressIn, usePage } from '../../page.ts';
import { HealthMark } from '../../parts/health-mark.tsx';
import { UnseenFigure } from '../../parts/unseen.tsx';
import { percent } from '../../words/numbers.ts';
import { span } from '../../words/time.ts';

const SHOWN = 3;
const DAY = 86_400;

interface ForecastTileProps {
  readonly forecasts: readonly Forecast[];
  /** Why pools are, where they are. */
  readonly unknown: string | undefined;
}

export function ForecastTile({ forecasts, unknown }: ForecastTileProps) {
  const page = usePage();
  const [first] = forecasts;
  return (
    <section class="tile" aria-label="Forecast">
      <h2>Next full pool</h2>
      {unknown !== undefined ? (
        <UnseenFigure why={unknown} />
      ) : first === undefined ? (
        <>
          <p class="figure figure-none">none</p>
          <p class="quiet-text">No pool is on its way to full.</p>
        </>
      ) : (
        <>
          <p class="figure">in {span(first.secondsToFull)}</p>
          <ul class="forecasts">
            {forecasts.slice(0, SHOWN).map(({ pool, usedPercent, secondsToFull }) => (
              <li key={pool}>
                <HealthMark health={urgency(secondsToFull)} isBare />
                <a href={addressIn(page, { view: 'pool', name: pool })}>{pool}</a>
                <span class="quiet-text">
                  {percent(usedPercent)} used, full in {span(secondsToFull)}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

const urgency = (secondsToFull: number): Health =>
  secondsToFull < DAY ? 'failed' : secondsToFull < 7 * DAY ? 'attention' : 'well';
