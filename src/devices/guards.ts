/**
 * What forbids to wipe a device. Pure: each guard is a function that is named after its fact, and they are tried in this order. The
 * ones that say how the device is used come first: whatever else is wrong with it, that is what a person has to know.
 */
import type { Loop } from '../kit/host/loops.ts';
import type { Opener } from '../kit/host/open-survey.ts';
import type { WipeMethod } from './contract.ts';
import { describe, type Identity, identityOf, isSame } from './identity.ts';
import type { LedgerEntry } from './ledger/entry.ts';
import type { Known, Observed } from './observed.ts';
import type { Refusal } from './refusals.ts';

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
  /** The volume that is recycled; without one a new volume is to be made. */
  readonly recycles?: Recycled | undefined;
  /** Data that we have not put there may be wiped. */
  readonly wipeExisting: boolean;
  /** A person said that this device may be wiped. */
  readonly isApproved: boolean;
}

export interface Recycled {
  readonly name: string;
  readonly uid: string;
  readonly volumeMode: 'Filesystem' | 'Block';
  readonly fsType?: string | undefined;
  readonly capacityBytes?: number | undefined;
  /** What was recorded on the volume when it was made. */
  readonly identity?: Identity | undefined;
  /** Made after the ledger was begun, so that the ledger must know it. */
  readonly isYoungerThanTheLedger: boolean;
}

type Guard = (observed: Observed, purpose: Purpose) => Refusal | undefined;

/** The first fact that forbids the wipe. */
export function whyNotToWipe(observed: Observed, purpose: Purpose): Refusal | undefined {
  for (const guard of GUARDS) {
    const refusal = guard(observed, purpose);
    if (refusal) return refusal;
  }
  return undefined;
}

export const isOutsideTheDeviceDirectory: Guard = ({ path }, { deviceDir }) =>
  isBelow(path, deviceDir) ? undefined : { fact: 'isOutsideTheDeviceDirectory', deviceDir };

/** By its spelling alone: a path that has to be worked out is not one that we wrote. */
function isBelow(path: string, directory: string): boolean {
  const parts = path.split('/').slice(1);
  return path.startsWith(withSlash(directory)) && !parts.some((part) => part === '' || part === '.' || part === '..');
}

const withSlash = (directory: string): string => `${directory.replace(/\/+$/, '')}/`;

export const isReadOnly: Guard = ({ facts }) => (facts.readOnly ? { fact: 'isReadOnly' } : undefined);

export const isMounted: Guard = ({ mounts }) => {
  const mount = seenOf(mounts)?.[0];
  return mount && { fact: 'isMounted', ...mount };
};

export const isSwap: Guard = ({ swaps, facts }) => {
  const under = seenOf(swaps)?.[0];
  return under === undefined ? undefined : { fact: 'isSwap', under: under === facts.name ? '' : under };
};

export const hasHolders: Guard = ({ facts }) => {
  const { holders, partitions } = facts;
  if (holders.length > 0) return { fact: 'hasHolders', holders, under: '' };
  const held = partitions.find((partition) => partition.holders.length > 0);
  return held && { fact: 'hasHolders', holders: held.holders, under: held.name };
};

export const isBehindALoopDevice: Guard = ({ loops, facts }) => {
  const loop = seenOf(loops)?.find(isOn(facts.number, ...facts.partitions.map(({ number }) => number)));
  return loop && { fact: 'isBehindALoopDevice', loop: loop.name, under: '' };
};

const isOn =
  (...numbers: readonly string[]) =>
  ({ backing }: Loop): boolean =>
    backing.kind === 'block-device' && numbers.includes(backing.number);

export const isOpen: Guard = ({ openers }) =>
  openers.open === 'yes' ? { fact: 'isOpen', by: namesOf(openers.openers) } : undefined;

const namesOf = (openers: readonly Opener[]): readonly string[] => [
  ...new Set(openers.map(({ pid, command }) => `process ${pid} (${command})`)),
];

export const isHeldExclusively: Guard = ({ isHeld }) => (isHeld ? undefined : { fact: 'isHeldExclusively' });

/** What could not be looked at may be where it is used. */
export const useIsUnknown: Guard = ({ mounts, swaps, loops, openers }) => {
  const unseen = openers.open === 'unknown' ? openers.unseen.map(({ reason }) => reason) : [];
  const hidden = (seenOf(loops) ?? []).flatMap(({ name, backing }) =>
    backing.kind === 'unknown' ? [`what is behind ${name} cannot be seen (${backing.reason})`] : [],
  );
  const why = [...faultOf(mounts), ...faultOf(swaps), ...faultOf(loops), ...hidden, ...unseen];
  return why.length > 0 ? { fact: 'useIsUnknown', why } : undefined;
};

/** The path may be another disk since the last boot, or the disk may have been swapped for another one. */
export const isAnotherDevice: Guard = ({ facts }, { recycles, entry }) => {
  if (!recycles) return undefined;
  const found = identityOf(facts);
  for (const recorded of [recycles.identity, entry?.volume?.uid === recycles.uid ? entry.identity : undefined]) {
    if (recorded && !isSame(recorded, found)) return anotherDevice(recorded, found);
  }
  const { capacityBytes } = recycles;
  if (capacityBytes === undefined || capacityBytes === found.sizeBytes) return undefined;
  return anotherDevice({ sizeBytes: capacityBytes }, found);
};

const anotherDevice = (recorded: Identity, found: Identity): Refusal => ({
  fact: 'isAnotherDevice',
  recorded: inWords(recorded),
  found: inWords(found),
});

const inWords = (identity: Identity): string => `${describe(identity)}, ${identity.sizeBytes} bytes`;

export const isUsedByAnotherVolume: Guard = ({ otherVolumes: [other] }) =>
  other && { fact: 'isUsedByAnotherVolume', volume: other.name, path: other.path };

/** A volume that says to be ours and that the ledger does not know under this uid: somebody made it, or etcd was restored. */
export const ledgerNamesAnotherVolume: Guard = (_observed, { recycles, entry }) => {
  const last = entry?.volume;
  if (!recycles || !last || last.uid === recycles.uid) return undefined;
  return { fact: 'ledgerNamesAnotherVolume', volume: last.name, uid: last.uid };
};

export const wasNotMadeByUs: Guard = (_observed, { recycles, entry }) =>
  recycles?.isYoungerThanTheLedger && !entry?.volume ? { fact: 'wasNotMadeByUs' } : undefined;

/** It has vanished without our seeing that it was released: whoever had it may still want it back. */
export const ownerWasNotSeenToLeave: Guard = (_observed, { recycles, entry, isApproved }) => {
  const last = entry?.volume;
  if (recycles || isApproved || last?.phase !== 'Bound') return undefined;
  return { fact: 'ownerWasNotSeenToLeave', volume: last.name, uid: last.uid };
};

export const belongsToAnotherCluster: Guard = (_observed, { cluster, entry, isApproved }) => {
  const last = entry?.volume;
  if (isApproved || !last || last.cluster === cluster) return undefined;
  return { fact: 'belongsToAnotherCluster', volume: last.name, cluster: last.cluster };
};

/** What is on a device of ours is its last owner's, who has left. On any other it is somebody's. */
export const hasForeignData: Guard = ({ signature }, purpose) => {
  const what = seenOf(signature);
  if (what === undefined || purpose.wipeExisting || purpose.isApproved) return undefined;
  return isOfTheLastOwner(what, purpose) ? undefined : { fact: 'hasForeignData', what };
};

export const contentIsUnknown: Guard = ({ signature }, purpose) => {
  if (signature.known || purpose.wipeExisting || purpose.isApproved || wasReleased(purpose)) return undefined;
  return { fact: 'contentIsUnknown', why: signature.why };
};

/** Where the ledger is lost, a volume with a filesystem has that one on it; what is on a raw volume is its owner's affair. */
function isOfTheLastOwner(signature: string, purpose: Purpose): boolean {
  if (wasReleased(purpose)) return true;
  const { recycles } = purpose;
  return recycles !== undefined && (recycles.volumeMode === 'Block' || recycles.fsType === signature);
}

/** We handed it out, and have seen that its owner left it; or have begun to wipe it since. */
function wasReleased({ entry, recycles, isEntryCertain }: Purpose): boolean {
  if (recycles) return entry?.volume?.uid === recycles.uid;
  return isEntryCertain && (entry?.wipe !== undefined || entry?.volume?.phase === 'Released');
}

export const methodIsNotOffered: Guard = ({ facts }, { method }) =>
  method === 'discard' && facts.discardMaxBytes === 0 ? { fact: 'methodIsNotOffered', method } : undefined;

const GUARDS: readonly Guard[] = [
  isOutsideTheDeviceDirectory,
  isReadOnly,
  isMounted,
  isSwap,
  hasHolders,
  isBehindALoopDevice,
  isOpen,
  isHeldExclusively,
  useIsUnknown,
  isAnotherDevice,
  isUsedByAnotherVolume,
  ledgerNamesAnotherVolume,
  wasNotMadeByUs,
  ownerWasNotSeenToLeave,
  belongsToAnotherCluster,
  hasForeignData,
  contentIsUnknown,
  methodIsNotOffered,
];

const seenOf = <T>(seen: Known<T>): T | undefined => (seen.known ? seen.value : undefined);
const faultOf = (seen: Known<unknown>): readonly string[] => (seen.known ? [] : [seen.why]);
