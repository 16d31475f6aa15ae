/** What is measured of blobs that come, go or move. */
import type { Quantity } from '../measure/compare.ts';
import { SERVER_CPU } from './cpu.ts';

export const timePerBlob = (blobs: number): Quantity => ({
  name: 'time on the wall per blob',
  unit: 'ms',
  of: ({ wallSeconds }) => (wallSeconds / blobs) * 1e3,
});

export const throughput = (bytes: number): Quantity => ({
  name: 'throughput',
  unit: 'MB/s',
  of: ({ wallSeconds }) => bytes / 1e6 / wallSeconds,
});

/** Of who serves, or of both ends of a copy. */
export const cpuPerBlob = (blobs: number): Quantity => ({
  name: 'CPU time of the server per blob',
  unit: 'ms',
  of: ({ counts }) => ((counts[SERVER_CPU] ?? Number.NaN) / blobs) * 1e3,
});
