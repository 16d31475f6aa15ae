/** The row of what could not be measured here. A figure that could not be taken meets no target. */
import type { Bench } from './group.ts';
import type { Row } from './row.ts';

export function notMeasured(what: string, why: string, { progress }: Bench): Row {
  progress(`  ${why}`);
  return { what, figure: `not measured: ${why}`, unit: '', ours: Number.NaN, target: { oursAtMost: 0 } };
}
