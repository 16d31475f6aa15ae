/** A pool: how full, its agents, what is done with it, and when it will be full. */
import type { PoolRow } from '../../../src/console/model.ts';
import { addressIn, usePage } from '../../page.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ActivityLine } from '../../parts/activity-line.tsx';
import { HealthMark } from '../../parts/health-mark.tsx';
import { memo } from '../../parts/memo.ts';
import { bytesOf } from '../../words/bytes.ts';
import { counted, percent } from '../../words/numbers.ts';
import { span } from '../../words/time.ts';
import { AgentGauge } from './agent-gauge.tsx';
import { ForecastChart } from './forecast-chart.tsx';

export const PoolCard = memo(({ pool }: { readonly pool: PoolRow }) => {
  const page = usePage();
  const { name, health, phase, wanted, ready, agents, operation, cancel, troubles } = pool;
  return (
    <section class="card pool" aria-label={name}>
      <header>
        <HealthMark health={health} isBare />
        <h2>
          <a href={addressIn(page, { view: 'pool', name })}>{name}</a>
        </h2>
        <span class="tag">{phase}</span>
        <span class="quiet-text">
          {counted(wanted, 'agent')} wanted, {ready} ready
        </span>
      </header>
      {troubles.length > 0 && (
        <ul class="remarks">
          {troubles.map((trouble) => (
            <li key={trouble}>{trouble}</li>
          ))}
        </ul>
      )}
      {operation && (
        <div class="operation">
          <ActivityLine activity={operation} />
          <ActionButton action={cancel} />
        </div>
      )}
      <div class="pool-body">
        <div>
          <h3>Agents</h3>
          {agents.length === 0 ? (
            <p class="quiet-text">None yet.</p>
          ) : (
            <ul class="gauges">
              {agents.map((agent) => (
                <AgentGauge key={agent.pod} agent={agent} />
              ))}
            </ul>
          )}
        </div>
        <div>
          <h3>Use</h3>
          <Use pool={pool} />
          <ForecastChart pool={pool} />
        </div>
      </div>
    </section>
  );
});

function Use({ pool: { usedBytes, capacityBytes, usedPercent, secondsToFull } }: { readonly pool: PoolRow }) {
  if (usedBytes === undefined || capacityBytes === undefined) return <p class="quiet-text">Not told yet.</p>;
  return (
    <p class="pool-use">
      <b>{usedPercent === undefined ? '' : percent(usedPercent)}</b>
      <span>{bytesOf(usedBytes, capacityBytes)} used</span>
      <span class="quiet-text">
        {secondsToFull === undefined
          ? 'not on its way to full'
          : `full in ${span(secondsToFull)}, if it goes on like this`}
      </span>
    </p>
  );
}
