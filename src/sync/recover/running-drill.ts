/**
 * That a drill is held, as an annotation on the resource: so that nobody takes its copies away meanwhile, or holds another one. It is renewed while
 * the drill lasts, and says for how long it counts, since a drill may be killed at any time.
 */
import { type Clock, sleep } from '../../kit/clock/clock.ts';
import { hasReason } from '../../kit/kube/api-error.ts';
import type { KubeClient } from '../../kit/kube/client.ts';
import {
  FIELD_MANAGER,
  PERSISTENT_VOLUME_SYNCS,
  type PersistentVolumeSync,
  RUNNING_DRILL_ANNOTATION,
} from '../contract.ts';

const RENEWED_EVERY_MS = 30_000;
const COUNTS_MS = 120_000;
const MOST_TRIES = 5;

/** Its name, and until when it counts; nothing when none is held. */
export interface RunningDrill {
  readonly id: string;
  readonly until: Date;
}

export function runningDrill({ metadata }: PersistentVolumeSync, now: Date): RunningDrill | undefined {
  const [id = '', time = ''] = metadata.annotations?.[RUNNING_DRILL_ANNOTATION]?.split(' ') ?? [];
  const until = new Date(time);
  return id !== '' && until.getTime() > now.getTime() ? { id, until } : undefined;
}

interface Parts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly sync: PersistentVolumeSync;
}

/** Rejects before anything is done while another one is held. */
export async function marked<T>(id: string, parts: Parts, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  await begin(id, parts, signal);
  const ended = new AbortController();
  const renewing = renew(id, parts, ended.signal);
  try {
    return await work();
  } finally {
    ended.abort();
    await renewing;
    // What stays counts for a short time only.
    await annotate(parts, null).catch(() => {});
  }
}

/** Of two that begin at once, the second finds the first. The operator writes to the resource, too: that is looked at again. */
async function begin(id: string, parts: Parts, signal: AbortSignal): Promise<void> {
  const { client, clock, sync } = parts;
  for (let tries = 1; ; tries += 1) {
    const now = await client.get(PERSISTENT_VOLUME_SYNCS, { name: sync.metadata.name ?? '' }, { signal });
    const other = runningDrill(now, clock.now());
    if (other) throw new Error(`drill ${other.id} is held already: wait until it has ended`);
    try {
      return await mark(id, parts, now.metadata.resourceVersion);
    } catch (error) {
      if (!hasReason(error, 'Conflict') || tries === MOST_TRIES) throw error;
    }
  }
}

const mark = (id: string, parts: Parts, resourceVersion?: string): Promise<void> =>
  annotate(parts, `${id} ${new Date(parts.clock.now().getTime() + COUNTS_MS).toISOString()}`, resourceVersion);

/** One that fails is made up for by the next. */
async function renew(id: string, parts: Parts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(parts.clock, RENEWED_EVERY_MS, signal).catch(() => {});
    if (!signal.aborted) await mark(id, parts).catch(() => {});
  }
}

/** Also when the person has had enough of it: no signal is asked. */
async function annotate({ client, sync }: Parts, text: string | null, resourceVersion?: string): Promise<void> {
  const { name = '', uid = '' } = sync.metadata;
  const annotations = { [RUNNING_DRILL_ANNOTATION]: text };
  const preconditions = { uid, ...(resourceVersion !== undefined && { resourceVersion }) };
  const options = { preconditions, fieldManager: FIELD_MANAGER };
  await client.mergePatch(PERSISTENT_VOLUME_SYNCS, { name }, { metadata: { annotations } }, options);
}
