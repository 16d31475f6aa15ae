/** What grows with a cluster, and how. */
import type { Group } from '../measure/group.ts';
import { curves, drawn } from './curves.ts';

export const group: Group = {
  name: 'scale',
  about:
    'What each job takes in clusters of 1,000, 10,000 and 100,000 volumes, with up to 5,000 nodes, in the sandbox: CPU time, memory and requests. ' +
    'What follows from it is in [docs/scale.md](../../docs/scale.md).',
  charts: { 'scale.svg': { about: 'CPU time, memory and requests of each job by the number of volumes', of: drawn } },
  benchmarks: curves,
};
