/** Writes a number as Go does. Where Prometheus takes it as text, such as in the name of a bucket, it matters which way it is written. */

/** Shortest form, with an exponent below 1e-4 and from 1e6 on, of two digits at least: `1e-08` where JavaScript writes `1e-8`. */
export function goFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  if (Number(exponent) >= -4 && Number(exponent) < 6) return String(value);
  return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}
