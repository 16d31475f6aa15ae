/** A job in the process of a contender, from its start until it has done what there is to do. */
import type { ProgramParts } from '../../src/kit/manager/program.ts';
import type { Runnable } from '../../src/kit/manager/stage.ts';
import { eventually } from '../../test/harness/wait.ts';
import type { Meter } from '../measure/meter.ts';
import type { Access } from '../world/access.ts';
import { JobInProcess } from '../world/job-in-process.ts';

export interface Measured {
  readonly name: string;
  readonly access: Access;
  readonly setUp: (parts: ProgramParts) => readonly Runnable[];
  readonly isDone: (job: JobInProcess) => Promise<boolean>;
}

/** The phase from the start to the end of the work. */
export const WORK = 'work';
export const REQUESTS = 'requests';
export const WRITES = 'writes';

const WRITING = ['POST', 'PUT', 'PATCH', 'DELETE'];
const PATIENCE = { timeout: 3_600_000, interval: 250 };

export async function measured({ name, access, setUp, isDone }: Measured, meter: Meter): Promise<JobInProcess> {
  const job = await meter.measure(WORK, async () => {
    const started = new JobInProcess(name, access, setUp);
    await started.hasRead();
    started.letGo();
    await eventually(() => isDone(started), { ...PATIENCE, for: `${name} to be done` });
    return started;
  });
  const requests = (method?: string) => job.counted('rest_client_requests_total', method ? { method } : {});
  const writes = await Promise.all(WRITING.map(requests));
  meter.count(REQUESTS, await requests());
  meter.count(
    WRITES,
    writes.reduce((sum, each) => sum + each, 0),
  );
  return job;
}
