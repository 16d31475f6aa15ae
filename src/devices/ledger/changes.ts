/** How an entry of the ledger goes on when something happens. Pure. Each gives the entry itself back when nothing is new in it. */
import { isDeepStrictEqual } from 'node:util';
import { compareVersions } from '../../kit/cache/resource-version.ts';
import {
  type Clean,
  type HandedOut,
  isSameCluster,
  type LedgerEntry,
  type Sighting,
  type WipeRecord,
} from './entry.ts';

type Before = LedgerEntry | undefined;

/** The device was found, and is known to be the one of this entry. */
export function afterFinding(entry: Before, device: Sighting): LedgerEntry {
  return next(entry, { ...sightingOf(device), ...volumeOf(entry), ...stateOf(entry) });
}

/**
 * A volume of the device was seen. Of a device that is not in the ledger, or of which it is only known that a volume was to be made,
 * it is adopted. Else two things change what is known, and nothing else does:
 *
 * - The same volume in a newer state. An older state says nothing new, and another volume cannot take its place by being there.
 * - That somebody has the device of whom we did not know, whatever the version and whichever volume it is by: an etcd that was restored
 *   says so of an owner whom we have seen leave, and who now relies on it again. To believe that costs a question to a person at worst;
 *   not to believe it costs him his data when that volume is lost without a word. Somebody who is known to have it is not replaced by
 *   this: he was not seen to leave.
 */
export function afterSeeing(entry: Before, device: Sighting, volume: HandedOut): LedgerEntry {
  const last = entry?.volume;
  if (entry && last && !canFollow(last, volume))
    return isHeldAgain(last, volume) ? { ...sightingOf(entry), volume: heldAgain(last, volume) } : entry;
  /** Whoever has it now may have put something there. */
  const state = last?.uid === volume.uid && volume.phase === 'Released' ? stateOf(entry) : {};
  /** Which cluster it is stays known when the right to ask is lost. */
  const cluster = volume.cluster || last?.cluster || '';
  return next(entry, { ...sightingOf(entry ?? device), volume: { ...volume, cluster }, ...state });
}

function canFollow(last: HandedOut, volume: HandedOut): boolean {
  if (!isSameCluster(last.cluster, volume.cluster)) return false;
  if (last.uid === '') return true;
  if (last.uid !== volume.uid || compareVersions(volume.resourceVersion, last.resourceVersion) <= 0) return false;
  return !isReleaseOfAnother(last, volume);
}

const isHeldAgain = (last: HandedOut, volume: HandedOut): boolean =>
  volume.phase === 'Bound' && last.phase !== 'Bound' && isSameCluster(last.cluster, volume.cluster);

/**
 * The same volume goes on from the state that it is in again, so that its release counts. That of another volume does not: the ledger
 * keeps the name of the one that we handed out.
 */
function heldAgain(last: HandedOut, { uid, resourceVersion, phase, claim }: HandedOut): HandedOut {
  const { name, cluster } = last;
  const version = uid === last.uid ? resourceVersion : last.resourceVersion;
  return { name, uid: last.uid, phase, ...(claim !== undefined && { claim }), resourceVersion: version, cluster };
}

/** Released by another claim than the one that has it: that was before, and a restored etcd has brought it back and counted on. */
const isReleaseOfAnother = (last: HandedOut, { phase, claim }: HandedOut): boolean =>
  last.phase === 'Bound' && phase === 'Released' && last.claim !== undefined && last.claim !== claim;

/** A volume is about to be made: from now on it may be there, and somebody may have the device. */
export function afterHandingOut(device: Sighting, name: string, cluster: string): LedgerEntry {
  return { ...sightingOf(device), volume: { name, uid: '', phase: 'Pending', resourceVersion: '', cluster } };
}

/** The device is about to be written to, or has been as far as this says. */
export function afterWiping(entry: Before, device: Sighting, wipe: WipeRecord): LedgerEntry {
  return next(entry, { ...sightingOf(device), ...volumeOf(entry), wipe });
}

export function afterCleaning(entry: Before, device: Sighting, clean: Clean): LedgerEntry {
  return next(entry, { ...sightingOf(device), ...volumeOf(entry), clean });
}

const sightingOf = ({ identity, path, boot, diskSequence }: Sighting): Sighting => ({
  identity,
  path,
  boot,
  ...(diskSequence !== undefined && { diskSequence }),
});

const volumeOf = (entry: Before) => (entry?.volume ? { volume: entry.volume } : {});

const stateOf = (entry: Before) => ({
  ...(entry?.wipe && { wipe: entry.wipe }),
  ...(entry?.clean && { clean: entry.clean }),
});

const next = (before: Before, after: LedgerEntry): LedgerEntry =>
  before && isDeepStrictEqual(before, after) ? before : after;
