/** The job itself on a protected cluster: from its start until all is exported, and then one change more. */
import { RawClient } from '../../../test/harness/raw-client.ts';
import { eventually } from '../../../test/harness/wait.ts';
import type { Contend } from '../../measure/contender.ts';
import { countHttpRequests } from '../../measure/http-requests.ts';
import type { Access } from '../../world/access.ts';
import type { JobInProcess } from '../../world/job-in-process.ts';
import { volumePath } from '../../world/volume.ts';
import type { Environment } from '../site.ts';
import { loadSdk, startSync } from '../sync-in-process.ts';

export interface Exporting {
  readonly access: Access;
  readonly environment: Environment;
}

/** The phases: until the caches are complete, from there until what is in them can be restored, and one export more after a change. */
export const READ = 'read';
export const EXPORT = 'export';
export const CHANGE = 'change';

/** What is counted: how long an export took from its first step to its last, and how much it was. */
export const SECONDS = 'seconds';
export const BYTES = 'bytes';
export const STORE_REQUESTS = 'requests to the store';

const PATIENCE = { timeout: 600_000, interval: 5 };

const exporting: Contend<Exporting> = async ({ access, environment }, meter) => {
  const sent = countHttpRequests();
  await loadSdk();
  await using admin = new RawClient(access);
  const job = await meter.measure(READ, () => startSync(access, environment));
  const untilExported = async (count: number): Promise<void> => {
    const enough = async () => (await job.counted('holdfast_sync_exports_total')) >= count;
    await eventually(enough, { ...PATIENCE, for: `${count} exports` });
  };
  const count = async (before: Exported): Promise<void> => {
    const now = await exportedBy(job);
    meter.count(SECONDS, now.seconds - before.seconds);
    meter.count(BYTES, await job.counted('holdfast_sync_export_bytes'));
    meter.count(STORE_REQUESTS, sent().node - before.requests);
  };
  const exportedBy = async (from: JobInProcess): Promise<Exported> => ({
    seconds: await from.counted('holdfast_sync_export_seconds_sum'),
    requests: sent().node,
  });

  await meter.measure(EXPORT, async () => {
    job.letGo();
    await untilExported(1);
  });
  await count({ seconds: 0, requests: 0 });
  const before = await exportedBy(job);
  await meter.measure(CHANGE, async () => {
    await admin.patch(volumePath(0), { metadata: { labels: { changed: `${Date.now()}` } } });
    await untilExported(2);
  });
  await count(before);
  await job.end();
};

interface Exported {
  readonly seconds: number;
  readonly requests: number;
}

export default exporting;
