/** How a sync stands, as its conditions say. Some of them are bad news when they are true. */
import type { ConditionRow, Health } from '../../../src/console/model.ts';
import { Ago } from '../../parts/ago.tsx';
import { HealthMark } from '../../parts/health-mark.tsx';

export function Conditions({ conditions }: { readonly conditions: readonly ConditionRow[] }) {
  if (conditions.length === 0) return <p class="calm quiet-text">None are told yet.</p>;
  return (
    <ul class="conditions">
      {conditions.map((condition) => (
        <li key={condition.type}>
          <p>
            <HealthMark health={healthOf(condition)} isBare />
            <b>{condition.type}</b>
            <span class="tag">{condition.status}</span>
            <span class="quiet-text">
              {condition.reason}, <Ago at={condition.since} />
            </span>
          </p>
          {condition.message !== '' && <p class="quiet-text">{condition.message}</p>}
        </li>
      ))}
    </ul>
  );
}

/** Those that tell of trouble, or of waiting, by being true. */
const TROUBLE = ['Refused', 'Deposed'];
const WAITING = 'WaitingForExport';

function healthOf({ type, status }: ConditionRow): Health {
  if (status === 'Unknown') return 'unknown';
  const isTrue = status === 'True';
  if (type === WAITING) return isTrue ? 'busy' : 'well';
  return TROUBLE.includes(type) === isTrue ? 'attention' : 'well';
}
