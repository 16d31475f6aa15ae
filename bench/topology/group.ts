/** What the job "topology" costs, beside the least that the same work can cost, and whether it keeps what its deployment promises. */
import type { Group } from '../measure/group.ts';
import { deploymentLimits } from './deployment-limits.ts';
import { labelAll } from './label-all.ts';
import { newVolume } from './new-volume.ts';

export const group: Group = {
  name: 'topology',
  about:
    'Volumes that get the zone and region of the nodes that use them, beside the least that the same work can cost.',
  benchmarks: [deploymentLimits, newVolume, labelAll],
};
