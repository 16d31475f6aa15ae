/** Spans and moments as people read them. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `45 s`, `12 min`, `3 h 20 min`, `5 d`: as exact as it helps. */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 2 * MINUTE) return `${whole} s`;
  if (whole < 2 * HOUR) return `${Math.floor(whole / MINUTE)} min`;
  if (whole < 10 * HOUR) return twoUnits(whole, HOUR, 'h', MINUTE, 'min');
  if (whole < 2 * DAY) return `${Math.floor(whole / HOUR)} h`;
  if (whole < 10 * DAY) return twoUnits(whole, DAY, 'd', HOUR, 'h');
  return `${Math.floor(whole / DAY)} d`;
}

function twoUnits(seconds: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ''}`;
}

/** How long something took: short times are worth a decimal. */
export const took = (seconds: number): string => (seconds < 10 ? `${Math.round(seconds * 10) / 10} s` : span(seconds));

/** A clock that may be behind the cluster's makes nothing of the future. */
export const ago = (at: number, now: number): string =>
  now - at < 2_000 ? 'just now' : `${span((now - at) / 1000)} ago`;

/** `12 s`, `4 min 12 s`, `1 h 4 min 12 s`: counts up by the second, for what has to be watched, and is not taken for a clock. */
export function counter(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole >= 2 * DAY) return span(whole);
  const [hours, minutes] = [Math.floor(whole / HOUR), Math.floor((whole % HOUR) / MINUTE)];
  return [hours > 0 && `${hours} h`, whole >= MINUTE && `${minutes} min`, `${whole % MINUTE} s`]
    .filter(Boolean)
    .join(' ');
}

/** In the reader's own zone, which is named. What is no time is shown as it is. */
export function absolute(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  return `${day} ${time}${zoneOf(date)}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

function zoneOf(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  if (minutes === 0) return ' UTC';
  const sign = minutes < 0 ? '−' : '+';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return ` UTC${sign}${hours}${rest > 0 ? `:${two(rest)}` : ''}`;
}
