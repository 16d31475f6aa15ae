/** A drill that a person starts in the console: first asked whether they may do all of it, and never said to have done nothing when it has begun. */
import { NAMESPACES } from '../api/namespaces.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import { DRILL_LABEL, type DrillResult, PERSISTENT_VOLUME_SYNCS, type PersistentVolumeSync } from '../sync/contract.ts';
import { drill, noteDrill } from '../sync/recover/drill.ts';
import { drillCopies } from '../sync/recover/drill-copies.ts';
import { believed } from '../sync/recover/look-up.ts';
import type { ConsoleCluster } from './cluster.ts';
import type { ActionResult } from './model.ts';
import { type Doing, mayNot } from './own-rights.ts';
import { NO_STORE } from './recovery-plan.ts';
import { done, failed, messageOf } from './results.ts';

const PATIENCE_MS = 300_000;
const VERBS = ['create', 'list', 'delete'] as const;
const COPIED = [NAMESPACES, PERSISTENT_VOLUMES, PERSISTENT_VOLUME_CLAIMS];

const doingsOn = (sync: string): readonly Doing[] => [
  ...COPIED.flatMap((resource) => VERBS.map((verb) => ({ verb, resource }))),
  { verb: 'patch', resource: PERSISTENT_VOLUME_SYNCS, name: sync },
];

/** Throws only before anything was done. */
export async function holdDrill(
  cluster: ConsoleCluster,
  client: KubeClient,
  sync: PersistentVolumeSync,
  signal: AbortSignal,
): Promise<ActionResult> {
  const { clock, store } = cluster;
  const { name = '' } = sync.metadata;
  if (!store) return failed(NO_STORE);
  const missing = await mayNot(client, doingsOn(name), signal);
  if (missing.length > 0)
    return failed(`nothing was done: a drill needs rights that you do not have (${missing.join(', ')})`);
  const opened = await store.open(sync.spec.cloudProvider);
  try {
    const began = clock.monotonic();
    const { document, outline, key } = await believed({ sync, store: opened, keys: store.keys(), clock }, signal);
    const readMs = clock.monotonic() - began;
    const id = clock.now().getTime().toString(36);
    const copies = drillCopies({ document, outline, spec: sync.spec, sync: name }, id);
    const parts = { client, sync, clock, readMs, patienceMs: PATIENCE_MS, dryRun: false, progress: () => {} };
    return await begun(id, async () => {
      const result = await drill(copies, id, parts, signal);
      return ended(result, key, await noted(client, sync, result, signal));
    });
  } finally {
    await opened.close();
  }
}

/** It may have been stopped anywhere, and its end, in which it takes its copies away, may have failed as well. */
async function begun(id: string, hold: () => Promise<ActionResult>): Promise<ActionResult> {
  try {
    return await hold();
  } catch (error) {
    return failed(
      `the drill had begun when it failed: ${messageOf(error)}. Copies may be left, all of them with the label ${DRILL_LABEL}=${id}: ` +
        'holdfast sync drill --clean removes them',
    );
  }
}

/** Why it could not be written on the sync, if it could not. By then all copies are gone. */
async function noted(
  client: KubeClient,
  sync: PersistentVolumeSync,
  result: DrillResult,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await noteDrill(client, sync, result, signal);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function ended(result: DrillResult, key: string, unnoted: string | undefined): ActionResult {
  const { succeeded, seconds, volumes, claims, message } = result;
  const but = unnoted === undefined ? '' : `. It could not be noted on the sync: ${unnoted}`;
  const what = `a restore of ${volumes} volumes and ${claims} claims of ${key}`;
  return succeeded
    ? done(`${what} took ${seconds} s${but}`)
    : failed(`${what} failed after ${seconds} s, and its copies were removed: ${message}${but}`);
}
