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
    judged('PersistentVolumeClaim', key, seen.claims, dataWouldBeLost(seen, key), volumeOf(seen, key)),
  );
  const leaving = new Set(judgedClaims.filter(({ why }) => !why).map(({ key }) => key));
  const judgedVolumes = volumes.keys.map((key) => {
    const { claim = '', claimUid } = seen.volumes.get(key) ?? {};
    const needs = {
      ...(leaving.has(claim) && { needs: { kind: 'PersistentVolumeClaim', key: claim } as const }),
      ...(claimUid !== undefined && { claimUid }),
    };
    const why = volumeIsInUse(seen, key, leaving) ?? volumeIsNotRetained(seen, key);
    return judged('PersistentVolume', key, seen.volumes, why, needs);
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
  more: Pick<Removal, 'needs' | 'claimUid' | 'volumeName'>,
): Judged {
  const identity = local.identityOf(key);
  return { kind, key, why, removal: identity ? [{ kind, key, ...identity, ...more }] : [] };
}

function volumeOf({ claims }: Seen, key: string): Pick<Removal, 'volumeName'> {
  const { volumeName } = claims.get(key) ?? {};
  return volumeName === undefined ? {} : { volumeName };
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
    { kind: 'PersistentVolume', key: volumeName },
  );
}

/** Whoever made it deletes what is in it when it goes. Ours have the policy Retain, unless somebody has changed it or it was adopted just now. */
function volumeIsNotRetained({ volumes }: Seen, key: string): Refusal | undefined {
  const { reclaimPolicy } = volumes.get(key) ?? {};
  if (reclaimPolicy === 'Retain') return undefined;
  return refusal(
    'dataWouldBeLost',
    `volume ${key} is no longer in the export, and its data would go with it: its reclaim policy is ${reclaimPolicy}`,
  );
}

/**
 * Once its deletion is asked for there is no way back, and it would go as soon as that claim does. One that is still bound is in use, also when
 * its claim has not been seen.
 */
function volumeIsInUse({ volumes, claims }: Seen, key: string, leaving: ReadonlySet<string>): Refusal | undefined {
  const { claim, claimUid, phase } = volumes.get(key) ?? {};
  if (claim === undefined || claimUid === undefined || leaving.has(claim)) return undefined;
  const isThere = claims.identityOf(claim)?.uid === claimUid && !claims.get(claim)?.isDeleting;
  if (!isThere && phase !== 'Bound') return undefined;
  return refusal('volumeIsInUse', `volume ${key} is no longer in the export, and claim ${claim} is bound to it still`, {
    kind: 'PersistentVolumeClaim',
    key: claim,
  });
}
