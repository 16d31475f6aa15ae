/** The job itself, put together as its command does it, from its start until every volume is labelled. */
import { DEFAULT_POLICY } from '../../../src/topology/contract.ts';
import { topology } from '../../../src/topology/controller.ts';
import { RawClient } from '../../../test/harness/raw-client.ts';
import { eventually } from '../../../test/harness/wait.ts';
import type { Contend } from '../../measure/contender.ts';
import type { Access } from '../../world/access.ts';
import { JobInProcess } from '../../world/job-in-process.ts';
import { countLabelled, countPatches } from '../../world/labelled.ts';

export interface LabelAll {
  readonly access: Access;
  readonly volumes: number;
}

/** The phases: until the caches are complete, and from there until the last volume is labelled. */
export const READ = 'read';
export const LABEL = 'label';

const SETTINGS = { policy: DEFAULT_POLICY, selector: '', narrowAfterMs: 30_000, resyncMs: 3_600_000, dryRun: false };
const PATIENCE = { timeout: 1_200_000, interval: 20 };

const labelAll: Contend<LabelAll> = async ({ access, volumes }, meter) => {
  await using admin = new RawClient(access);
  const before = await countPatches(admin);
  const job = await meter.measure(READ, async () => {
    const started = new JobInProcess('topology', access, (parts) => topology(parts, SETTINGS));
    await started.hasRead();
    return started;
  });
  const written = () => job.counted('holdfast_topology_writes_total', { result: 'written' });
  await meter.measure(LABEL, async () => {
    job.letGo();
    await eventually(async () => (await written()) >= volumes, { ...PATIENCE, for: `${volumes} labelled volumes` });
  });
  meter.count('requests', await job.counted('rest_client_requests_total'));
  meter.count('writes', (await countPatches(admin)) - before);
  meter.count('labelled', await countLabelled(admin));
  await job.end();
};

export default labelAll;
