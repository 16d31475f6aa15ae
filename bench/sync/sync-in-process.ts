/** The job sync in the process of a contender. */
import { sync } from '../../src/sync/controller.ts';
import { keysFrom } from '../../src/sync/export/keys.ts';
import { openStore } from '../../src/sync/store/open.ts';
import type { Access } from '../world/access.ts';
import { JobInProcess } from '../world/job-in-process.ts';
import type { Environment } from './site.ts';

/** Resolves when its caches are complete. */
export async function startSync(access: Access, environment: Environment): Promise<JobInProcess> {
  const settings = {
    openStore: (provider: string) => openStore(provider, environment),
    keys: () => keysFrom(environment),
  };
  const job = new JobInProcess('sync', access, (parts) => sync(parts, settings));
  await job.hasRead();
  return job;
}

/** The SDK out of hundreds of files: a bundle has it in one, and loads it in a fraction of the time. */
export async function loadSdk(): Promise<void> {
  await import('../../src/sync/store/s3.ts');
}
