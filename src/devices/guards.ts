/**
 * What forbids to wipe a device. Pure: each guard is a function that is named after its fact, and they are tried in this order. The
 * ones that say how the device is used come first: whatever else is wrong with it, that is what a person has to know.
 */
import { normalize } from 'node:path/posix';
import { compareVersions } from '../kit/cache/resource-version.ts';
import type { Opener } from '../kit/host/open-survey.ts';
import type { Known } from '../kit/known.ts';
import { contentInWords } from './content-in-words.ts';
import type { WipeMethod } from './contract.ts';
import { describe, type Identity, identityOf, isSame, isSameOrGrown, mayBeOne } from './identity.ts';
import { isSameCluster, type LedgerEntry } from './ledger/entry.ts';
import type { Observed } from './observed.ts';
import { canBeApproved, type Refusal } from './refusals.ts';

/** What the wipe is for, and what is known about whose data is on the device. */
export interface Purpose {
  readonly deviceDir: string;
  readonly method: WipeMethod;
  /** Of the cluster that we serve. */
  readonly cluster: string;
  /** Without one the device has never been handed out, or nobody knows any more. */
  readonly entry?: LedgerEntry | undefined;
  /** That the entry is about this very disk is certain: it has a name, or has been in this machine, which has not been off, since then. */
  readonly isEntryCertain: boolean;
  /** The entry is about a disk without a name that was put into this machine, which has not been off since, at another time than this one. */
  readonly isInsertedAnew?: boolean | undefined;
  /** The volume that is recycled; without one a new volume is to be made. */
  readonly recycles?: Recycled | undefined;
  /** Data that we have not put there may be wiped. */
  readonly wipeExisting: boolean;
  /** The facts despite which a person said that this device may be wiped. */
  readonly approved: ReadonlySet<string>;
}

export interface Recycled {
  readonly name: string;
  readonly uid: string;
  /** As it was read last. */
  readonly resourceVersion: string;
  /** The uid of the claim that has released it. */
  readonly claim?: string | undefined;
  readonly volumeMode: 'Filesystem' | 'Block';
  readonly fsType?: string | undefined;
  readonly capacityBytes?: number | undefined;
  /** What was recorded on the volume when it was made. */
  readonly identity?: Identity | undefined;
  /** Made after the ledger was begun, so that the ledger must know it. */
  readonly isYoungerThanTheLedger: boolean;
}

export type Guard = (observed: Observed, purpose: Purpose) => Refusal | undefined;

/** The first fact that forbids the wipe. An approval lifts the one that it was given for, if a person can know better. */
export const whyNotToWipe = (observed: Observed, purpose: Purpose, guards = GUARDS): Refusal | undefined =>
  refusalsOf(observed, purpose, guards).find((refusal) => !isLifted(refusal, purpose));

/** What an approval has to be made use of for. */
export const liftedOf = (observed: Observed, purpose: Purpose): readonly Refusal[] =>
  refusalsOf(observed, purpose, GUARDS).filter((refusal) => isLifted(refusal, purpose));

const refusalsOf = (observed: Observed, purpose: Purpose, guards: readonly Guard[]): readonly Refusal[] =>
  guards.map((guard) => guard(observed, purpose)).filter((refusal) => refusal !== undefined);

const isLifted = (refusal: Refusal, { approved }: Purpose): boolean =>
  canBeApproved(refusal) && approved.has(refusal.fact);

/** To be asked before the device is opened, too: opening one that is none of our business can do things. */
export const isOutsideTheDeviceDirectory = (
  { path }: Pick<Observed, 'path'>,
  { deviceDir }: Pick<Purpose, 'deviceDir'>,
): Refusal | undefined => (isBelow(path, deviceDir) ? undefined : { fact: 'isOutsideTheDeviceDirectory', deviceDir });

/**
 * By its spelling alone: a path that has to be worked out is not one that we wrote. Neither is one below a directory with `..` in it,
 * since where that leads depends on links.
 */
function isBelow(path: string, directory: string): boolean {
  const isPlain = !path
    .split('/')
    .slice(1)
    .some((part) => ['', '.', '..'].includes(part));
  return isPlain && !directory.split('/').includes('..') && path.startsWith(withSlash(normalize(directory)));
}

const withSlash = (directory: string): string => `${directory.replace(/\/+$/, '')}/`;

const isReadOnly: Guard = ({ facts }) => (facts.readOnly ? { fact: 'isReadOnly' } : undefined);

/** Wiping it would take the partitions that it lists from whoever uses them. The kernel shows just the sectors of its table. */
const isAnExtendedPartition: Guard = ({ facts }) =>
  facts.partition && facts.sizeBytes <= EXTENDED_BYTES ? { fact: 'isAnExtendedPartition' } : undefined;

const EXTENDED_BYTES = 4096;

const isMounted: Guard = ({ mounts }) => {
  const mount = seenOf(mounts)?.[0];
  return mount && { fact: 'isMounted', at: mount.by, under: mount.under };
};

const isSwap: Guard = ({ swaps }) => {
  const swap = seenOf(swaps)?.[0];
  return swap && { fact: 'isSwap', under: swap.under };
};

const hasHolders: Guard = ({ facts, relatives }) => {
  if (facts.holders.length > 0) return { fact: 'hasHolders', holders: facts.holders, under: '' };
  const held = [...facts.partitions, ...(seenOf(relatives) ?? [])].find(({ holders }) => holders.length > 0);
  return held && { fact: 'hasHolders', holders: held.holders, under: held.name };
};

const isBehindALoopDevice: Guard = ({ loops }) => {
  const loop = seenOf(loops)?.[0];
  return loop && { fact: 'isBehindALoopDevice', loop: loop.by, under: loop.under };
};

const isExported: Guard = ({ exports }) => {
  const target = seenOf(exports)?.[0];
  return target && { fact: 'isExported', ...target };
};

const isOpen: Guard = ({ openers }) =>
  openers.open === 'yes' ? { fact: 'isOpen', by: namesOf(openers.openers) } : undefined;

const namesOf = (openers: readonly Opener[]): readonly string[] => [
  ...new Set(openers.map(({ pid, command }) => `process ${pid} (${command})`)),
];

const isHeldExclusively: Guard = ({ isHeld, busyRelatives }) => {
  const under = isHeld ? seenOf(busyRelatives)?.[0] : '';
  return under === undefined ? undefined : { fact: 'isHeldExclusively', under };
};

/** What could not be looked at may be where it is used. */
const useIsUnknown: Guard = (observed) => {
  const { relatives, mounts, swaps, loops, exports, busyRelatives, otherVolumes, openers, hiddenLoops } = observed;
  const looks = [relatives, mounts, swaps, loops, exports, busyRelatives, otherVolumes];
  const unseen = openers.open === 'unknown' ? openers.unseen.map(({ reason }) => reason) : [];
  const why = [...new Set([...looks.flatMap(faultOf), ...hiddenLoops, ...unseen])];
  return why.length > 0 ? { fact: 'useIsUnknown', why } : undefined;
};

/**
 * The path may be another disk since the last boot, or the disk may have been swapped for another one. What counts is what was
 * recorded. The capacity of a volume is put right by each pass, so that it says something only where nothing was recorded.
 */
const isAnotherDevice: Guard = ({ facts }, { recycles, entry, isInsertedAnew }) => {
  if (!recycles) return undefined;
  const found = identityOf(facts);
  const inLedger = entry?.volume?.uid === recycles.uid ? entry.identity : undefined;
  if (inLedger && isInsertedAnew)
    return anotherDevice(`${inWords(inLedger)}, since then taken out and put in again, or replaced`, found);
  const recorded = [recycles.identity, inLedger].filter((one) => one !== undefined);
  const wrong = recorded.find((one) => !isSameOrGrown(one, found));
  if (wrong) return anotherDevice(inWords(wrong), found);
  const { capacityBytes } = recycles;
  if (recorded.length > 0 || capacityBytes === found.sizeBytes) return undefined;
  return anotherDevice(capacityBytes === undefined ? 'of unknown size' : `of ${capacityBytes} bytes`, found);
};

const anotherDevice = (recorded: string, found: Identity): Refusal => ({
  fact: 'isAnotherDevice',
  recorded,
  found: inWords(found),
});

const inWords = (identity: Identity): string => `${describe(identity)}, ${identity.sizeBytes} bytes`;

const isUsedByAnotherVolume: Guard = ({ otherVolumes }) => {
  const other = seenOf(otherVolumes)?.[0];
  return other && { fact: 'isUsedByAnotherVolume', volume: other.name, path: other.path };
};

/** A volume that says to be ours and that the ledger does not know under this uid: somebody made it, or etcd was restored. */
const ledgerNamesAnotherVolume: Guard = (_observed, { recycles, entry }) => {
  const last = entry?.volume;
  if (!recycles || !last || last.uid === recycles.uid) return undefined;
  return { fact: 'ledgerNamesAnotherVolume', volume: last.name, uid: last.uid };
};

const wasNotMadeByUs: Guard = (_observed, { recycles, entry }) =>
  recycles?.isYoungerThanTheLedger && !entry?.volume ? { fact: 'wasNotMadeByUs' } : undefined;

/**
 * The volume was seen in a newer state, bound, than the one in which it is released now: etcd was restored from an older state, and
 * its present owner has not left. A restored etcd counts on and can come past the version that we saw; the claim still tells.
 */
const releaseIsOlderThanTheLedger: Guard = (_observed, { recycles, entry }) => {
  const last = entry?.volume;
  if (!recycles || last?.uid !== recycles.uid || last.phase !== 'Bound') return undefined;
  const isOlder = compareVersions(last.resourceVersion, recycles.resourceVersion) > 0;
  const isOfAnother = last.claim !== undefined && last.claim !== recycles.claim;
  if (!isOlder && !isOfAnother) return undefined;
  return { fact: 'releaseIsOlderThanTheLedger', volume: last.name, claim: last.claim };
};

/** It has vanished without our seeing that it was released: whoever had it may still want it back. */
const ownerWasNotSeenToLeave: Guard = (_observed, { recycles, entry }) => {
  const last = entry?.volume;
  if (recycles || last?.phase !== 'Bound') return undefined;
  return { fact: 'ownerWasNotSeenToLeave', volume: last.name, uid: last.uid };
};

const belongsToAnotherCluster: Guard = (_observed, { cluster, entry }) => {
  const last = entry?.volume;
  if (!last || isSameCluster(last.cluster, cluster)) return undefined;
  return { fact: 'belongsToAnotherCluster', volume: last.name, cluster: last.cluster };
};

/** What is on a device of ours is its last owner's, who has left. On any other it is somebody's. */
const hasForeignData: Guard = (observed, purpose) => {
  const what = contentInWords(observed);
  if (what === undefined || purpose.wipeExisting) return undefined;
  const signature = seenOf(observed.signature);
  const isNobodys =
    signature === undefined ? !wasUsedSinceTheWipe(observed, purpose) : isOfTheLastOwner(signature, purpose);
  return isNobodys ? undefined : { fact: 'hasForeignData', what };
};

/** Raw data cannot be told from what was always there, except where there was nothing when we last had it. */
function wasUsedSinceTheWipe(observed: Observed, { entry, recycles, method }: Purpose): boolean {
  const found = identityOf(observed.facts);
  if (!entry || !(isSame(entry.identity, found) || mayBeOne(entry.identity, found))) return false;
  if (entry.clean) return !isAsWiped(observed, entry.clean.receipt.method);
  const wasUnused = !recycles && !entry.wipe && UNUSED.has(entry.volume?.phase);
  return wasUnused && method !== 'random-all' && !observed.isHeadBlank;
}

/**
 * The phases of a volume that nobody has had yet, as far as we have seen. By which method its device was wiped before is not
 * remembered: it is taken to have been that of now.
 */
const UNUSED: ReadonlySet<string | undefined> = new Set(['Pending', 'Available']);

/** Whether it looks as the method has left it, as far as that can be seen. Of a head that was wiped, the end of the device tells nothing. */
export function isAsWiped({ signature, isBlank, isHeadBlank }: Observed, method: WipeMethod): boolean {
  if (!signature.known || signature.value !== undefined) return false;
  switch (method) {
    case 'random-all':
      return true;
    case 'zero-all':
      return isBlank;
    case 'zero-head':
    case 'discard':
      return isHeadBlank;
  }
}

const contentIsUnknown: Guard = ({ signature }, purpose) => {
  if (signature.known || purpose.wipeExisting || wasReleased(purpose)) return undefined;
  return { fact: 'contentIsUnknown', why: signature.why };
};

/**
 * Where the ledger is lost, a volume with a filesystem has that one on it; what is on a raw volume is its owner's affair. What is on a
 * device that we have wiped since is somebody else's.
 */
function isOfTheLastOwner(signature: string, purpose: Purpose): boolean {
  if (purpose.entry?.clean) return false;
  if (wasReleased(purpose)) return true;
  const { recycles } = purpose;
  return recycles !== undefined && (recycles.volumeMode === 'Block' || recycles.fsType === signature);
}

/**
 * We handed it out, and have seen that its owner left it; or have begun to wipe it since. That of an owner who was not seen to leave
 * is refused before this is asked: then a person has said that he has left.
 */
function wasReleased({ entry, recycles, isEntryCertain }: Purpose): boolean {
  if (recycles) return entry?.volume?.uid === recycles.uid;
  const phase = entry?.volume?.phase;
  return isEntryCertain && (entry?.wipe !== undefined || phase === 'Released' || phase === 'Bound');
}

const methodIsNotOffered: Guard = ({ facts }, { method }) =>
  method === 'discard' && facts.discardMaxBytes === 0 ? { fact: 'methodIsNotOffered', method } : undefined;

/** What the node alone can tell. It comes first whatever volumes there are. */
export const GUARDS_OF_THE_NODE: readonly Guard[] = [
  isOutsideTheDeviceDirectory,
  isReadOnly,
  isAnExtendedPartition,
  isMounted,
  isSwap,
  hasHolders,
  isBehindALoopDevice,
  isExported,
  isOpen,
  isHeldExclusively,
  useIsUnknown,
  isAnotherDevice,
];

/** That a volume is somebody's comes before what a person may approve of: who approves of wiping what is on it may not know of that. */
export const GUARDS: readonly Guard[] = [
  ...GUARDS_OF_THE_NODE,
  isUsedByAnotherVolume,
  ledgerNamesAnotherVolume,
  wasNotMadeByUs,
  releaseIsOlderThanTheLedger,
  ownerWasNotSeenToLeave,
  belongsToAnotherCluster,
  hasForeignData,
  contentIsUnknown,
  methodIsNotOffered,
];

const seenOf = <T>(seen: Known<T>): T | undefined => (seen.known ? seen.value : undefined);
const faultOf = (seen: Known<unknown>): readonly string[] => (seen.known ? [] : [seen.why]);
