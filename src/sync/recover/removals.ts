/** What was restored and is no longer in the export: what of it can be removed, and what has to stay for now. Pure. */
import type { Losses } from './breaker.ts';
import type { LocalClaims, LocalVolumes } from './local.ts';
import type { Kind, RefusedTarget, Removal, Target } from './plan.ts';
import { type Refusal, refusal } from './refusals.ts';
import type { Seen } from './seen.ts';

export interface Removals {
  /** Claims before volumes, which are in use until then. */
  readonly remove: readonly Removal[];
  readonly refused: readonly RefusedTarget[];
  /** Counted before anything was refused. */
  readonly losses: readonly Losses[];
}

export function removals(seen: Seen): Removals {
  const claims = lost(seen, seen.claims, seen.outline.claims);
  const volumes = lost(seen, seen.volumes, seen.outline.volumes);
  const judgedClaims = claims.keys.map((key) =>
    judged('PersistentVolumeClaim', key, seen.claims, dataWouldBeLost(seen, key)),
  );
  const leaving = new Set(judgedClaims.filter(({ why }) => !why).map(({ key }) => key));
  const judgedVolumes = volumes.keys.map((key) => {
    const claim = seen.volumes.get(key)?.claim ?? '';
    const needs = leaving.has(claim) ? ({ kind: 'PersistentVolumeClaim', key: claim } as const) : undefined;
    return judged('PersistentVolume', key, seen.volumes, volumeIsInUse(seen, key, leaving), needs);
  });
  const all = [...judgedClaims, ...judgedVolumes];
  return {
    remove: all.flatMap(({ why, removal }) => (why ? [] : removal)),
    refused: all.flatMap(({ kind, key, why }) => (why ? { kind, key, ...why } : [])),
    losses: [
      { what: 'volumes', restored: volumes.restored, lost: volumes.keys.length },
      { what: 'claims', restored: claims.restored, lost: claims.keys.length },
    ],
  };
}

interface Judged extends Target {
  readonly why: Refusal | undefined;
  readonly removal: readonly Removal[];
}

function judged(
  kind: Kind,
  key: string,
  local: LocalVolumes | LocalClaims,
  why: Refusal | undefined,
  needs?: Target,
): Judged {
  const identity = local.identityOf(key);
  return { kind, key, why, removal: identity ? [{ kind, key, ...identity, ...(needs && { needs }) }] : [] };
}

/** What is being deleted is neither restored any more nor lost. */
function lost({ sync }: Seen, local: LocalVolumes | LocalClaims, exported: ReadonlyMap<string, unknown>) {
  const restored = local.keysBy('recovery', sync).filter((key) => !local.get(key)?.isDeleting);
  return { restored: restored.length, keys: restored.filter((key) => !exported.has(key)).toSorted() };
}

/** A claim that was left to a StorageClass here may have a volume whose data is nowhere else, and goes with the claim. */
function dataWouldBeLost({ claims, volumes }: Seen, key: string): Refusal | undefined {
  const { volumeName = '' } = claims.get(key) ?? {};
  const { reclaimPolicy = 'Retain' } = volumes.get(volumeName) ?? {};
  if (reclaimPolicy === 'Retain') return undefined;
  return refusal(
    'dataWouldBeLost',
    `claim ${key} is no longer in the export, and its volume ${volumeName} goes with it: its reclaim policy is ${reclaimPolicy}`,
  );
}

/** Once its deletion is asked for there is no way back, and it would go as soon as that claim does. */
function volumeIsInUse({ volumes, claims }: Seen, key: string, leaving: ReadonlySet<string>): Refusal | undefined {
  const { claim, claimUid } = volumes.get(key) ?? {};
  if (claim === undefined || claimUid === undefined || leaving.has(claim)) return undefined;
  const isThere = claims.identityOf(claim)?.uid === claimUid && !claims.get(claim)?.isDeleting;
  if (!isThere) return undefined;
  return refusal(
    'volumeIsInUse',
    `volume ${key} is no longer in the export, and claim ${claim}, which stays, is bound to it`,
  );
}
