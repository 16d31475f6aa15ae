/** Rows on how the cost of one thing grows with how many there are. */
import { CPU, PEAK, perItem, type Quantity, WALL } from './compare.ts';
import type { Runs } from './figures.ts';
import type { Row } from './row.ts';

/** What came of one size. */
export interface Sized {
  readonly size: number;
  readonly limit: Runs;
  readonly ours: Runs;
}

export interface GrowthOf {
  readonly phase: string;
  /** In the singular. */
  readonly item: string;
}

const NOT_MUCH_MORE = { ratioAtMost: 1.3 };

/** From each size to the next: CPU time may not grow at all, and time on the wall only as it does for the limit, which is how the server grows. */
export function growth(outcomes: readonly Sized[], of: GrowthOf): readonly Row[] {
  return steps(outcomes).flatMap(([fewer, more]) => [
    growthRow(CPU, fewer, more, of, 1),
    growthRow(WALL, fewer, more, of, factor(WALL, fewer, more, of.phase, 'limit')),
  ]);
}

/** What each further item takes in memory at the peak: no more from a larger size to the next than from a smaller one. */
export function memoryGrowth(outcomes: readonly Sized[], { phase, item }: GrowthOf): readonly Row[] {
  const slopes = steps(outcomes).map(([fewer, more]) => ({
    what: whatGrows(fewer, more, item),
    kb: ((peak(more, phase) - peak(fewer, phase)) * 1024) / (more.size - fewer.size),
  }));
  return slopes.map(({ what, kb }, index): Row => {
    const before = slopes[index - 1]?.kb;
    const linear = before !== undefined && { limit: before, ratio: kb / before, target: NOT_MUCH_MORE };
    return { what, figure: `peak memory per further ${item}`, unit: 'KB', ours: kb, ...linear };
  });
}

const steps = (outcomes: readonly Sized[]): readonly (readonly [Sized, Sized])[] =>
  outcomes.slice(1).map((more, index) => [outcomes[index] ?? more, more]);

function growthRow(quantity: Quantity, fewer: Sized, more: Sized, { phase, item }: GrowthOf, limit: number): Row {
  const ours = factor(quantity, fewer, more, phase, 'ours');
  return {
    what: whatGrows(fewer, more, item),
    figure: `${quantity.name} per ${item}`,
    unit: '×',
    limit,
    ours,
    ratio: ours / limit,
    target: NOT_MUCH_MORE,
  };
}

/** How many times as much an item costs where there are more. */
function factor(quantity: Quantity, fewer: Sized, more: Sized, phase: string, who: 'limit' | 'ours'): number {
  const cost = (outcome: Sized) => outcome[who].median(phase, perItem(quantity, 'item', outcome.size).of);
  return cost(more) / cost(fewer);
}

const peak = ({ ours }: Sized, phase: string): number => ours.median(phase, PEAK.of);

const whatGrows = (fewer: Sized, more: Sized, item: string): string =>
  `growth from ${fewer.size.toLocaleString('en')} to ${more.size.toLocaleString('en')} ${item}s`;
