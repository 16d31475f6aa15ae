/** The job itself on an empty recovery cluster: from its start until all is restored, then the look at what it has written, then polls. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RawClient } from '../../../test/harness/raw-client.ts';
import { eventually } from '../../../test/harness/wait.ts';
import type { Contend } from '../../measure/contender.ts';
import { countHttpRequests } from '../../measure/http-requests.ts';
import type { Meter } from '../../measure/meter.ts';
import type { Access } from '../../world/access.ts';
import { countRequests } from '../../world/api-requests.ts';
import type { JobInProcess } from '../../world/job-in-process.ts';
import type { Environment } from '../site.ts';
import { loadSdk, startSync } from '../sync-in-process.ts';

export interface Restoring {
  readonly access: Access;
  readonly environment: Environment;
  /** Volumes and claims together. */
  readonly objects: number;
  readonly polls: number;
}

/**
 * The phases: until the caches are complete; from there until the last object is written; until it has looked once more, because
 * something has changed that was restored; and a number of looks at the store when nothing has changed.
 */
export const READ = 'read';
export const RESTORE = 'restore';
export const AGAIN = 'look again';
export const POLL = 'poll';

/** What is counted. */
export const REQUESTS = 'requests for volumes, claims and namespaces';
export const STORE_REQUESTS = 'requests to the store';
export const CONDITIONAL = 'of these answered by 304';
export const API_REQUESTS = 'requests to the API server';

/** How often the store is polled, as the resource has to say. */
export const POLLING_MS = 1_000;

const PATIENCE = { timeout: 3_600_000, interval: 20 };
const OBJECTS = ['persistentvolumes', 'persistentvolumeclaims', 'namespaces'];
/** Whatever is asked of one object. */
const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'APPLY', 'DELETE'];

const restoring: Contend<Restoring> = async ({ access, environment, objects, polls }, meter) => {
  const sent = countHttpRequests();
  await loadSdk();
  await using admin = new RawClient(access);
  const asked = () => countRequests(admin, { resources: OBJECTS, verbs: VERBS });
  const before = await asked();
  const job = await meter.measure(READ, () => startSync(access, environment));
  const created = () => job.counted('holdfast_sync_written_objects_total', { what: 'created' });
  await meter.measure(RESTORE, async () => {
    job.letGo();
    await eventually(async () => (await created()) >= objects, { ...PATIENCE, for: `${objects} restored objects` });
  });
  // At once: the second look may begin at any moment, and what it takes is to be seen.
  await meter.measure(AGAIN, () => untilAtRest(job));
  meter.count(REQUESTS, (await asked()) - before);
  await pollFor(polls, job, meter, sent);
  await job.end();
};

/** Each look that finds an export reads three objects: the pointer, the manifest and the export. */
async function untilAtRest(job: JobInProcess): Promise<void> {
  const looks = async () => (await job.counted(STORE_SECONDS, { verb: 'get', result: 'found' })) / 3;
  const isIdle = async () => (await job.counted('controller_runtime_active_workers')) === 0;
  await eventually(async () => (await looks()) >= 2 && (await isIdle()), { ...PATIENCE, for: 'a second look' });
}

const STORE_SECONDS = 'holdfast_sync_store_request_seconds_count';

type Sent = ReturnType<typeof countHttpRequests>;

/** Begins just after a poll and ends in the middle between two: so many polls are due meanwhile. */
async function pollFor(polls: number, job: JobInProcess, meter: Meter, sent: Sent): Promise<void> {
  const unchanged = () => job.counted(STORE_SECONDS, { verb: 'get', result: 'unchanged' });
  const first = await unchanged();
  await eventually(async () => (await unchanged()) > first, { ...PATIENCE, for: 'a poll' });
  const [unchangedBefore, sentBefore] = [await unchanged(), sent()];
  await meter.measure(POLL, () => sleep((polls + 0.5) * POLLING_MS));
  const after = sent();
  meter.count(STORE_REQUESTS, (after.node - sentBefore.node) / polls);
  meter.count(CONDITIONAL, ((await unchanged()) - unchangedBefore) / polls);
  meter.count(API_REQUESTS, (after.undici - sentBefore.undici) / polls);
}

export default restoring;
