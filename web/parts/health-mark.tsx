/** Health as a shape, a colour and a word: each of them is enough. */
import type { Health } from '../../src/console/model.ts';
import { HEALTH_WORDS } from '../words/health.ts';

const SHAPES: Readonly<Record<Health, string>> = {
  well: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM4.8 8.3l2.2 2.2 4.2-4.7',
  busy: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM8 4.5V8l2.5 1.7',
  attention: 'M8 1.8 15 14H1zM8 6.2v3.6M8 11.8v.1',
  failed: 'M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3zM5.7 5.7l4.6 4.6M10.3 5.7l-4.6 4.6',
  unknown: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM6.2 6.2c.2-2.4 3.7-2.3 3.6 0 0 1.5-1.8 1.5-1.8 3M8 11.3v.1',
};

interface HealthMarkProps {
  readonly health: Health;
  /** Instead of the health's own word. */
  readonly children?: string;
  /** For where the word stands beside it already, or there is no room: it is still read out. */
  readonly isBare?: boolean;
}

export function HealthMark({ health, children = HEALTH_WORDS[health], isBare = false }: HealthMarkProps) {
  return (
    <span class={`health health-${health}`} title={isBare ? children : undefined}>
      <HealthShape health={health} />
      <span class={isBare ? 'unseen' : ''}>{children}</span>
    </span>
  );
}

export function HealthShape({ health }: { readonly health: Health }) {
  return (
    <svg class={`icon shape-${health}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={SHAPES[health]} />
    </svg>
  );
}
