/** A cluster whose volumes are labelled, with the job at work in it: what the benchmarks begin with that look at what comes afterwards. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from '../../test/harness/control-plane.ts';
import type { Job } from '../world/job.ts';
import { countPatches } from '../world/labelled.ts';

const LOOK_MS = 1_000;

/** Waits until the API server has seen a write for each volume, the job has ended, or time is up. `look` is called again and again meanwhile. */
export async function untilLabelled(
  plane: ControlPlane,
  job: Job,
  { volumes, timeoutMs, look = () => {} }: { volumes: number; timeoutMs: number; look?: () => void },
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const before = await countPatches(plane.admin);
  while (job.isRunning && performance.now() < deadline) {
    look();
    if ((await countPatches(plane.admin)) - before >= volumes) return;
    await sleep(LOOK_MS);
  }
}
