/** A drill: makes the copies, waits until every claim has its volume, and takes them away again, whatever happens in between. */
import { NAMESPACES } from '../../api/namespaces.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { type Clock, sleep } from '../../kit/clock/clock.ts';
import { fewAtATime } from '../../kit/few-at-a-time.ts';
import type { KubeClient } from '../../kit/kube/client.ts';
import type { KubeObject, Resource } from '../../kit/kube/resource.ts';
import {
  DRILL_ANNOTATION,
  DRILL_LABEL,
  type DrillResult,
  FIELD_MANAGER,
  PERSISTENT_VOLUME_SYNCS,
  type PersistentVolumeSync,
} from '../contract.ts';
import { timeOf } from '../status.ts';
import type { DrillCopies } from './drill-copies.ts';
import { leftoversOf, removeLeftovers } from './drill-leftovers.ts';
import { marked } from './running-drill.ts';

export interface DrillParts {
  readonly client: KubeClient;
  readonly sync: PersistentVolumeSync;
  readonly clock: Clock;
  /** How long it took to read and verify the export, which is part of a recovery. */
  readonly readMs: number;
  /** How long to wait for claims to be bound. */
  readonly patienceMs: number;
  /** Only asks the server whether it would take the copies. */
  readonly dryRun: boolean;
  readonly progress: (line: string) => void;
}

const PARALLEL = 32;
const LOOK_EVERY_MS = 500;
/** Where claims are tried in a dry run, in which their own namespaces are not there. */
const ANY_NAMESPACE = 'default';

/** Rejects before anything is made where another drill is held, or there is nothing to copy. */
export async function drill(
  copies: DrillCopies,
  id: string,
  parts: DrillParts,
  signal: AbortSignal,
): Promise<DrillResult> {
  if (copies.volumes.length === 0)
    throw new Error('no volume of the export can have a read-only copy: there is nothing to try');
  if (parts.dryRun) return await held(copies, id, parts, signal);
  return await marked(id, parts, signal, () => held(copies, id, parts, signal));
}

async function held(copies: DrillCopies, id: string, parts: DrillParts, signal: AbortSignal): Promise<DrillResult> {
  const { clock, dryRun, readMs } = parts;
  const began = clock.monotonic() - readMs;
  const result = (succeeded: boolean, message?: string): DrillResult => ({
    at: timeOf(clock.now()),
    seconds: Math.round((clock.monotonic() - began) / 100) / 10,
    volumes: copies.volumes.length,
    claims: copies.claims.length,
    succeeded,
    ...(message && { message }),
  });
  try {
    await make(copies, parts, signal);
    const unbound = dryRun ? 0 : await untilBound(copies, id, parts, signal);
    return unbound === 0
      ? result(true, dryRun ? 'dry run: bound was nothing' : undefined)
      : result(false, `${unbound} of ${copies.claims.length} claims were not bound to their volumes in time`);
  } catch (error) {
    if (signal.aborted) throw error;
    return result(false, error instanceof Error ? error.message : String(error));
  } finally {
    // Also when the person has had enough of it: the signal is not asked.
    if (!dryRun) await removeLeftovers(parts.client, await leftoversOf(parts.client, id), parts.progress);
  }
}

async function make(
  { namespaces, volumes, claims }: DrillCopies,
  parts: DrillParts,
  signal: AbortSignal,
): Promise<void> {
  const { client, dryRun, progress } = parts;
  let made = 0;
  const total = namespaces.length + volumes.length + claims.length;
  const create = async (resource: Resource, objects: readonly KubeObject[]) => {
    await fewAtATime(PARALLEL, objects, async (object) => {
      signal.throwIfAborted();
      await client.create(resource, object, { fieldManager: FIELD_MANAGER, dryRun, signal });
      made += 1;
      progress(`${made} of ${total} copies made`);
    });
  };
  const tried = claims.map((claim) => ({ ...claim, metadata: { ...claim.metadata, namespace: ANY_NAMESPACE } }));
  await create(NAMESPACES, namespaces);
  await create(PERSISTENT_VOLUMES, volumes);
  await create(PERSISTENT_VOLUME_CLAIMS, dryRun ? tried : claims);
}

/** How many claims are not bound when patience ends. */
async function untilBound(
  { claims }: DrillCopies,
  id: string,
  parts: DrillParts,
  signal: AbortSignal,
): Promise<number> {
  const { client, clock, patienceMs, progress } = parts;
  const until = clock.monotonic() + patienceMs;
  for (;;) {
    let bound = 0;
    for await (const page of client.pages(PERSISTENT_VOLUME_CLAIMS, { labelSelector: `${DRILL_LABEL}=${id}`, signal }))
      bound += page.filter(({ status }) => status?.phase === 'Bound').length;
    progress(`${bound} of ${claims.length} claims are bound`);
    if (bound >= claims.length || clock.monotonic() >= until) return claims.length - bound;
    await sleep(clock, LOOK_EVERY_MS, signal);
  }
}

/** On the resource, whose controller shows it in the status. */
export async function noteDrill(
  client: KubeClient,
  { metadata }: PersistentVolumeSync,
  result: DrillResult,
  signal: AbortSignal,
): Promise<void> {
  const { name = '', uid = '' } = metadata;
  const annotations = { [DRILL_ANNOTATION]: JSON.stringify(result) };
  const options = { preconditions: { uid }, fieldManager: FIELD_MANAGER, signal };
  await client.mergePatch(PERSISTENT_VOLUME_SYNCS, { name }, { metadata: { annotations } }, options);
}
