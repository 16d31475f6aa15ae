/** Sizes and spans of time as people say them. */

const UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** In the largest unit, with a decimal place where it is not whole. Never more than there is. */
export function inBytes(bytes: number): string {
  let [amount, unit] = [bytes, 0];
  while (amount >= 1024 && unit < UNITS.length - 1) [amount, unit] = [amount / 1024, unit + 1];
  return `${Math.floor(amount * 10) / 10}${UNITS[unit]}`;
}

export const ago = (ms: number): string => (ms < 1_000 ? 'just now' : `${inUnits(ms)} ago`);

const LENGTHS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** In the largest unit that there are two of, as people say it: 90 minutes, and not 1 hour. */
export function inUnits(ms: number): string {
  const [unit, length] = LENGTHS.find(([, each]) => ms >= 2 * each) ?? (['second', 1_000] as const);
  const count = Math.floor(ms / length);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
