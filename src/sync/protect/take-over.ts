/** Makes this cluster the writer: raises the epoch, and whoever wrote before gets a 412 and stops. For a person to decide. */
import type { Clock } from '../../kit/clock/clock.ts';
import { Retry } from '../../kit/controller/outcome.ts';
import { type Log, silentLog } from '../../kit/observe/log.ts';
import type { Keys } from '../export/keys.ts';
import { type Pointer, SCHEMA_VERSION, type Writer } from '../export/manifest.ts';
import type { ObjectStore } from '../store/store.ts';
import { ConditionalWrites, probeFences } from './conditional-writes.ts';
import { ManifestFiles } from './manifest-files.ts';
import { PointerFile } from './pointer-file.ts';
import { following } from './writer.ts';

export interface TakeOverParts {
  readonly store: ObjectStore;
  readonly cluster: string;
  readonly clusterUid: string;
  /** What is written is signed when there is a key to sign with. */
  readonly keys: Keys;
  readonly clock: Clock;
  /**
   * The key of the manifest that has to be the newest still, because what it speaks of is what this cluster has. Null for an export of the
   * original: nobody may have made a pointer since.
   */
  readonly restored?: string | null;
  /** The highest that this cluster knows of, also when the store does not any more. */
  readonly knownEpoch?: number;
  readonly log?: Log;
}

export interface TakenOver extends Writer {
  /** Who wrote before; missing when nobody did. This cluster itself when it was the writer already, and nothing was written. */
  readonly before: Writer | undefined;
  /** Stays the newest export until the first of this cluster. */
  readonly newest: Pointer['newest'];
  /** Whether the store keeps the one before out. */
  readonly fenced: boolean;
}

/** Thrown before anything is written: what is new would be lost to all that follow this cluster. */
class ExportHasCome extends Error {
  override readonly name = 'ExportHasCome';

  constructor(cluster: string) {
    super(
      `there is another export of ${cluster} now than the one that was looked at: nothing was changed. Run it again`,
    );
  }
}

const MOST_ROUNDS = 5;

export async function takeOver(parts: TakeOverParts, signal: AbortSignal): Promise<TakenOver> {
  const { store, cluster, clusterUid, keys } = parts;
  const { isFenced: fenced, cleanUp } = await probeFences(store, { cluster }, { probing: signal, cleaning: signal });
  await cleanUp();
  const writes = new ConditionalWrites(store, fenced);
  const file = new PointerFile({ store, keys, cluster });
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
    const from = await file.read(signal);
    if (from?.pointer.clusterUid === clusterUid) return taken(from.pointer, from.pointer, fenced);
    const before = from?.pointer ?? (await lost(parts, signal));
    if (!isStillNewest(parts, before)) throw new ExportHasCome(cluster);
    const pointer = raised(parts, before);
    const moved = await file.move(pointer, { from, isSigned: keys.signing !== undefined, writes }, signal);
    if (moved) return taken(pointer, before, fenced);
  }
  throw new Retry(`the pointer of ${cluster} in ${store.description} was moved ${MOST_ROUNDS} times by somebody else`);
}

type Before = Pick<Pointer, 'clusterUid' | 'epoch' | 'newest' | 'confirmedAt'>;

function isStillNewest({ restored }: TakeOverParts, before: Before | undefined): boolean {
  if (restored === undefined) return true;
  return restored === null ? before === undefined : before?.newest?.key === restored;
}

/** What the pointer would say if it had not got lost; nothing where nobody has written yet. */
async function lost(parts: TakeOverParts, signal: AbortSignal): Promise<Before | undefined> {
  const files = new ManifestFiles({ log: silentLog, ...parts });
  const last = await files.last(parts.cluster, signal);
  if (last === undefined) return undefined;
  const { clusterUid, epoch, createdAt: confirmedAt } = last.manifest;
  return { clusterUid, epoch, newest: await files.lastComplete(last, signal), confirmedAt };
}

/** It confirms nothing: what was exported last is as old as it was. */
function raised({ cluster, clusterUid, clock, knownEpoch = 0 }: TakeOverParts, before: Before | undefined): Pointer {
  return {
    schemaVersion: SCHEMA_VERSION,
    cluster: cluster.toLowerCase(),
    clusterUid,
    epoch: following('epoch', Math.max(before?.epoch ?? 0, knownEpoch), cluster),
    newest: before?.newest ?? null,
    confirmedAt: before?.confirmedAt ?? clock.now().toISOString(),
  };
}

const taken = ({ clusterUid, epoch, newest }: Pointer, before: Writer | undefined, fenced: boolean): TakenOver => ({
  clusterUid,
  epoch,
  before: before && { clusterUid: before.clusterUid, epoch: before.epoch },
  newest,
  fenced,
});
