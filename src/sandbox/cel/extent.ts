/** From how little to how much: of members, of letters, of work. What is too large to count is as large as can be. */

export interface Extent {
  readonly min: number;
  readonly max: number;
}

export const MOST = 2 ** 64;
const capped = (amount: number): number => Math.min(amount, MOST);

export const fixed = (amount: number): Extent => ({ min: amount, max: amount });
export const UNKNOWN: Extent = { min: 0, max: MOST };
export const NOTHING: Extent = fixed(0);
export const ONE: Extent = fixed(1);

export const sum = (...all: readonly Extent[]): Extent => ({
  min: capped(all.reduce((total, { min }) => total + min, 0)),
  max: capped(all.reduce((total, { max }) => total + max, 0)),
});

export const product = (one: Extent, other: Extent): Extent => ({
  min: times(one.min, other.min),
  max: times(one.max, other.max),
});

const times = (one: number, other: number): number => (one === 0 || other === 0 ? 0 : capped(one * other));

export const scaled = ({ min, max }: Extent, factor: number): Extent => ({
  min: capped(Math.ceil(min * factor)),
  max: capped(Math.ceil(max * factor)),
});

/** Whichever of the two it will be. */
export const either = (one: Extent, other: Extent): Extent => ({
  min: Math.min(one.min, other.min),
  max: Math.max(one.max, other.max),
});
