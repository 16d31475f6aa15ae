/** Whether an export has lost so much of what was restored that it is more likely a mistake than what somebody wants. */
import { DEFAULT_DELETION_COUNT, DEFAULT_DELETION_PERCENT, type SyncSpec } from '../contract.ts';

/** Of one kind of objects. */
export interface Losses {
  readonly what: 'volumes' | 'claims';
  /** Those that are here and not being deleted. */
  readonly restored: number;
  /** Those of them that are no longer in the export. */
  readonly lost: number;
}

export type BreakerSettings = Pick<SyncSpec, 'allowMassDeletion' | 'massDeletion'>;

/** What is too much, in words; nothing when it is not. */
export function tooManyLosses(losses: readonly Losses[], settings: BreakerSettings): string | undefined {
  if (settings.allowMassDeletion) return undefined;
  const { moreThan = DEFAULT_DELETION_COUNT, morePercentThan = DEFAULT_DELETION_PERCENT } = settings.massDeletion ?? {};
  const isTooMany = ({ restored, lost }: Losses): boolean =>
    lost > 0 && (lost >= restored || (lost > moreThan && lost * 100 > restored * morePercentThan));
  const found = losses.find(isTooMany);
  return found && `${found.lost} of the ${found.restored} ${found.what} that were restored are no longer in the export`;
}
