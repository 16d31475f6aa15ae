/** A volume that comes into a cluster in which all others are labelled: how soon it is, too. */
import type { Benchmark } from '../measure/group.ts';
import { Job } from '../world/job.ts';
import { World } from '../world/world.ts';
import { arrivals } from './arrivals.ts';
import { delayRows } from './delays.ts';
import { untilLabelled } from './steady-cluster.ts';

export const newVolume: Benchmark = {
  name: 'a new volume',
  about:
    'creates volumes with claims and pods in a steady cluster, one at a time after pauses of up to 200 ms, and measures from the moment ' +
    'at which the API server has answered that the pod is ready to the moment at which a watch shows the labels. The job is the bundle ' +
    'in a process of its own, without limits.',
  isRunOnce: true,
  async run({ quick, progress }) {
    const size = quick ? 500 : 10_000;
    const count = quick ? 20 : 500;
    await using world = new World();
    const plane = await world.plane();
    const volumes = await world.volumes();
    progress(`  making ${size} volumes with claims and pods`);
    await volumes.growTo(size);
    await using job = await Job.start({ plane, name: 'topology' });
    await untilLabelled(plane, job, { volumes: size, timeoutMs: 600_000 });
    progress(`  adding ${count} volumes`);
    const delays = await arrivals(plane, volumes, count);
    if (!job.isRunning) throw new Error(`the job has ended: ${job.lastWords()}`);
    return delayRows(`a new volume beside ${size.toLocaleString('en')}`, delays);
  },
};
