/** What a pool used over time, what it has, and the line to full. */
import { useMemo } from 'preact/hooks';
import type { Options } from 'uplot';
import type { PoolRow } from '../../../src/console/model.ts';
import { Chart, type Colours } from '../../parts/chart.tsx';
import { forecastLines } from '../../pools/forecast.ts';
import { bytes } from '../../words/bytes.ts';
import { percent } from '../../words/numbers.ts';
import { span } from '../../words/time.ts';

const HEIGHT = 200;

export function ForecastChart({ pool }: { readonly pool: PoolRow }) {
  const { history, secondsToFull, name } = pool;
  const data = useMemo(() => {
    const { at, used, capacity, projected } = forecastLines(history, secondsToFull);
    return [at, used, capacity, projected].map((line) => [...line]) as [number[], ...(number | null)[][]];
  }, [history, secondsToFull]);
  if (data[0].length < 2) return <p class="quiet-text">{wordsForOne(pool)}</p>;
  return (
    <figure class="chart">
      <Chart label={wordsFor(pool)} data={data} options={optionsFor} height={HEIGHT} name={name} />
      <figcaption>
        <span class="key key-used">used</span>
        <span class="key key-capacity">capacity</span>
        {secondsToFull !== undefined && <span class="key key-projected">if it goes on like this</span>}
      </figcaption>
    </figure>
  );
}

function wordsFor({ name, usedPercent, secondsToFull }: PoolRow): string {
  const used = usedPercent === undefined ? '' : `, ${percent(usedPercent)} used`;
  const full = secondsToFull === undefined ? ', not on its way to full' : `, full in ${span(secondsToFull)}`;
  return `Use of ${name} over time${used}${full}`;
}

/** Nobody remembers how full a pool was before this console looked. */
const wordsForOne = ({ usedBytes, capacityBytes }: PoolRow): string =>
  usedBytes === undefined || capacityBytes === undefined
    ? 'There is a chart once it is known how full the pool is.'
    : `${bytes(usedBytes)} of ${bytes(capacityBytes)} are used. There is a chart once this console has looked twice.`;

/** Of bytes, whose round numbers are powers of two. */
const STEPS = Array.from({ length: 60 }, (_, power) => 2 ** power);

function optionsFor({ accent, text, quiet, line, attention, font }: Colours): Omit<Options, 'width' | 'height'> {
  const axis = {
    stroke: quiet,
    font: `12px ${font}`,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1 },
  };
  return {
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    scales: { y: { range: (_, __, max) => [0, (max ?? 1) * 1.08] } },
    axes: [
      { ...axis, size: 32, values: (_, times, __, ___, step) => times.map((time) => clockTime(time, step)) },
      { ...axis, size: 76, incrs: STEPS, values: (_, sizes) => sizes.map((size) => bytes(size)) },
    ],
    series: [
      {},
      { stroke: accent, width: 2, fill: `${accent}22`, points: { show: false } },
      { stroke: text, width: 1, dash: [2, 3], points: { show: false } },
      { stroke: attention, width: 2, dash: [6, 4], points: { show: false } },
    ],
  };
}

const MINUTE = { hour: '2-digit', minute: '2-digit' } as const;
const SECOND = { ...MINUTE, second: '2-digit' } as const;

const clockTime = (at: number, step: number): string =>
  new Date(at * 1000).toLocaleTimeString('sv-SE', step < 60 ? SECOND : MINUTE);
