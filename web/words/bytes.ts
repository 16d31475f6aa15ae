/** Sizes as people read them: `1.5 TiB`. */

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** Three digits at most, and never more than there is. */
export function bytes(count: number): string {
  let [amount, unit] = [Math.max(0, count), 0];
  while (amount >= 1024 && unit < UNITS.length - 1) [amount, unit] = [amount / 1024, unit + 1];
  const shown = amount < 100 ? Math.floor(amount * 10) / 10 : Math.floor(amount);
  return `${shown} ${UNITS[unit]}`;
}

/** `265 of 400 GiB`, with the unit once where both have the same. */
export function bytesOf(part: number, all: number): string {
  const [figure = '', unit = ''] = bytes(part).split(' ');
  const whole = bytes(all);
  return `${whole.endsWith(` ${unit}`) ? figure : `${figure} ${unit}`} of ${whole}`;
}
