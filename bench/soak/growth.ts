/** Whether a process holds more in the second half of its time than in the first. */
import type { Row } from '../measure/row.ts';
import type { Sample } from './sample.ts';

interface Held {
  readonly figure: string;
  readonly unit: string;
  readonly of: (sample: Sample) => number;
  /** What is in the middle of all samples; nearly the most; or what is left when garbage has just been collected. */
  readonly share: number;
  /** What may come and go, however little there is. */
  readonly slack: number;
}

const HELD: readonly Held[] = [
  { figure: 'resident memory', unit: 'MB', of: ({ residentMb }) => residentMb, share: 0.9, slack: 10 },
  { figure: 'heap in use', unit: 'MB', of: ({ heapMb }) => heapMb, share: 0.1, slack: 4 },
  { figure: 'external memory', unit: 'MB', of: ({ externalMb }) => externalMb, share: 0.1, slack: 4 },
  { figure: 'file descriptors', unit: '', of: ({ descriptors }) => descriptors, share: 0.5, slack: 3 },
  { figure: 'handles', unit: '', of: ({ handles }) => handles, share: 0.5, slack: 3 },
  { figure: 'sockets', unit: '', of: ({ sockets }) => sockets, share: 0.5, slack: 3 },
];

/** A process that has just started has yet to fill its caches and to compile what it runs. */
const WARM_UP = 0.15;
const TOLERANCE = 1.1;

/** The limit is the first half, ours the second. */
export function growth(process: string, samples: readonly Sample[]): readonly Row[] {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP));
  const middle = Math.floor(warm.length / 2);
  const [first, second] = [warm.slice(0, middle), warm.slice(middle)];
  return HELD.map(({ figure, unit, of, share, slack }): Row => {
    const limit = quantile(first.map(of), share);
    const ours = quantile(second.map(of), share);
    const row = { what: process, figure: `${figure}, second half beside the first`, unit, limit, ours };
    return { ...row, ...(limit > 0 && { ratio: ours / limit }), target: { oursAtMost: limit * TOLERANCE + slack } };
  });
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
