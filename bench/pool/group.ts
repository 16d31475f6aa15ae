/** What the storage agent costs, beside the least that can be done with the same bytes on the same disk. */
import type { Group } from '../measure/group.ts';
import { containerLimits } from './container-limits.ts';
import { drain } from './drain.ts';
import { memory } from './memory.ts';
import { putAndGet } from './put-and-get.ts';

export const group: Group = {
  name: 'pool',
  about:
    'Blobs that a storage agent takes, gives and hands over to others, beside a bare file server, an S3 server and a bare copy over ' +
    'loopback on the same disk in the same run.',
  benchmarks: [putAndGet, drain, memory, containerLimits],
};
