/** Flags that hold a length of time, written as Go programs write it. */
import { type Duration, parseDuration } from '../../kit/duration.ts';
import { InvalidValue } from '../../kit/invalid-value.ts';
import type { Kind } from './flag.ts';

/** For waits and intervals that may also be switched off with `0`. */
export const duration: Kind<Duration> = {
  placeholder: 'duration',
  allowed: 'a duration that is not negative',
  example: '1h30m',
  parse(text) {
    const parsed = parseDuration(text);
    if (parsed.nanoseconds < 0n) throw new InvalidValue('duration', text, 'it is negative');
    return parsed;
  },
};

/** For intervals that would spin at `0`. */
export const positiveDuration: Kind<Duration> = {
  ...duration,
  allowed: 'a duration above 0',
  parse(text) {
    const parsed = duration.parse(text);
    if (parsed.nanoseconds === 0n) throw new InvalidValue('duration', text, 'it is not above 0');
    return parsed;
  },
};
