/** Points in time and spans of it. */
import { Duration, Timestamp } from './values.ts';

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2}))?$/i;

export function timestampFrom(text: string): Timestamp | undefined {
  const match = TIMESTAMP.exec(text);
  const [, date = '', time = '00:00:00', fraction = '', zone = 'Z'] = match ?? [];
  const millis = match ? Date.parse(`${date}T${time}${zone.toUpperCase()}`) : Number.NaN;
  if (Number.isNaN(millis)) return undefined;
  return new Timestamp(BigInt(millis) * 1_000_000n + BigInt(fraction.padEnd(9, '0')));
}

export function timestampText({ nanos }: Timestamp): string {
  const millis = Number((nanos - (((nanos % 1_000_000n) + 1_000_000n) % 1_000_000n)) / 1_000_000n);
  const fraction = ((nanos % NANOS_PER_SECOND) + NANOS_PER_SECOND) % NANOS_PER_SECOND;
  const shown = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`;
  return `${new Date(millis).toISOString().slice(0, 19)}${shown}Z`;
}

const NANOS_PER_SECOND = 1_000_000_000n;

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  ms: 1_000_000n,
  s: NANOS_PER_SECOND,
  m: 60n * NANOS_PER_SECOND,
  h: 3600n * NANOS_PER_SECOND,
};

export function durationFrom(text: string): Duration | undefined {
  const sign = text.startsWith('-') ? -1n : 1n;
  const rest = text.replace(/^[+-]/, '');
  if (rest === '0') return new Duration(0n);
  if (!/^(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h)|\.\d+(?:ns|us|µs|ms|s|m|h))+$/.test(rest)) return undefined;
  const parts = rest.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|ms|s|m|h)/g);
  const nanos = [...parts].reduce((sum, [, whole = '', fraction = '', unit = 's']) => {
    const scale = UNITS[unit] ?? 0n;
    const part = fraction === '' ? 0n : (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
    return sum + BigInt(whole || '0') * scale + part;
  }, 0n);
  return new Duration(sign * nanos);
}

export const durationText = ({ nanos }: Duration): string => {
  const [sign, magnitude] = nanos < 0n ? ['-', -nanos] : ['', nanos];
  const fraction = magnitude % NANOS_PER_SECOND;
  const shown = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`;
  return `${sign}${magnitude / NANOS_PER_SECOND}${shown}s`;
};
