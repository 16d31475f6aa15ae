/** An agent as a ring: filled as far as its disk is, or, while it leaves, as far as its drain has come. */
import type { AgentRow, Health } from '../../../src/console/model.ts';
import { HealthMark } from '../../parts/health-mark.tsx';
import { gaugeOf } from '../../pools/gauge.ts';
import { bytes, bytesOf } from '../../words/bytes.ts';
import { percent } from '../../words/numbers.ts';

const WORDS: Readonly<Record<AgentRow['state'], string>> = {
  Initializing: 'Starting',
  Ready: 'Ready',
  Unknown: 'Unknown',
  Decommissioning: 'Draining',
  Decommissioned: 'Drained',
};

const CIRCUMFERENCE = 2 * Math.PI * 20;

export function AgentGauge({ agent }: { readonly agent: AgentRow }) {
  const { pod, state, node, claim, capacityBytes, usedBytes } = agent;
  const health = healthOf(agent);
  const gauge = gaugeOf(agent);
  const share = gauge.of === 'nothing' ? 0 : gauge.share;
  return (
    <li class="gauge" title={claim}>
      <svg class={`ring ring-${health}`} viewBox="0 0 48 48" aria-hidden="true" focusable="false">
        <circle class="ring-track" cx="24" cy="24" r="20" />
        <circle
          class="ring-share"
          cx="24"
          cy="24"
          r="20"
          stroke-dasharray={`${share * CIRCUMFERENCE} ${CIRCUMFERENCE}`}
        />
        <text x="24" y="24">
          {gauge.of === 'nothing' ? '–' : percent(share * 100)}
        </text>
      </svg>
      <div>
        <p class="gauge-pod">{pod}</p>
        <HealthMark health={health}>{WORDS[state]}</HealthMark>
        <p class="gauge-place quiet-text">
          <span>{node}</span>
          {capacityBytes !== undefined && (
            <span>{usedBytes === undefined ? bytes(capacityBytes) : bytesOf(usedBytes, capacityBytes)}</span>
          )}
        </p>
      </div>
    </li>
  );
}

function healthOf({ state, isReady }: AgentRow): Health {
  if (state === 'Unknown') return 'unknown';
  if (state === 'Ready') return isReady ? 'well' : 'attention';
  return 'busy';
}
