/** What the job "sync" costs on both sides, beside the least that the same work can cost. */
import type { Group } from '../measure/group.ts';
import { deploymentLimits } from './deployment-limits.ts';
import { exportAll } from './export.ts';
import { restoreAll } from './restore.ts';

export const group: Group = {
  name: 'sync',
  about:
    'Volumes and claims that are exported by one cluster and restored by another, on real API servers and a real S3 server, beside ' +
    'one bare PUT of the same bytes and bare creations of the same objects.',
  benchmarks: [exportAll, restoreAll, deploymentLimits],
};
