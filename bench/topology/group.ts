/** What the job "topology" costs, beside the least that the same work can cost, and whether it keeps what its deployment promises. */
import type { Group } from '../measure/group.ts';
import { labelAll } from './label-all.ts';

export const group: Group = {
  name: 'topology',
  about:
    'Volumes that get the zone and region of the nodes that use them, beside the least that the same work can cost.',
  benchmarks: [labelAll],
};
