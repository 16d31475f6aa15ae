/** Counts and shares as people read them. */

const grouped = new Intl.NumberFormat('en-GB');

export const count = (value: number): string => grouped.format(value);

/** `1 volume`, `10,000 volumes`. */
export const counted = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

/** Of 100. Nothing that is not full is called 100%, nor anything that is not empty 0%. */
export function percent(value: number): string {
  if (value > 0 && value < 1) return '<1%';
  if (value > 99 && value < 100) return '>99%';
  return `${Math.round(value)}%`;
}

export const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));
