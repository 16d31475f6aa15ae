/** How far something has come; without a number it only says that it goes on. */
import { clamp, percent } from '../words/numbers.ts';

interface ProgressProps {
  readonly label: string;
  /** 0 to 1. */
  readonly value?: number | undefined;
}

export function Progress({ label, value }: ProgressProps) {
  const share = value === undefined ? undefined : clamp(value, 0, 1) * 100;
  return (
    <div
      class={share === undefined ? 'progress going' : 'progress'}
      role="progressbar"
      tabIndex={-1}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share === undefined ? undefined : Math.round(share)}
      aria-valuetext={share === undefined ? 'going on' : percent(share)}
    >
      <span style={share === undefined ? {} : { width: `${share}%` }} />
    </div>
  );
}
