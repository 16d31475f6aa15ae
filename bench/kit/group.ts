/** What the kit costs: its client, its caches, its queue and its start, each beside the least that the same work can cost. */
import type { Group } from '../measure/group.ts';
import { httpVersions } from './http-versions.ts';
import { listAndWatch } from './list-and-watch.ts';
import { load } from './load.ts';
import { manyKeys } from './many-keys.ts';
import { parallelPatches } from './parallel-patches.ts';
import { sequentialGets } from './sequential-gets.ts';
import { start } from './start.ts';

export const group: Group = {
  name: 'kit',
  about: 'The kit beside the least that the same work can cost, and beside the published Kubernetes client.',
  benchmarks: [listAndWatch, sequentialGets, parallelPatches, httpVersions, manyKeys, load, start],
};
