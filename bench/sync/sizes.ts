/** How many volumes there are, each with its claim. */
import type { Bench } from '../measure/group.ts';

export const sizesOf = ({ quick, largest }: Bench): readonly number[] =>
  (quick ? [200, 1_000] : [1_000, 10_000, 50_000]).filter((size) => size <= largest);
