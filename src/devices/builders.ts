/** For tests: devices, what was seen of them and what they are to be wiped for, as short as they can be told. */
import type { DeviceFacts, PartitionFacts } from '../kit/host/block-device.ts';
import type { Known } from '../kit/known.ts';
import type { Config } from './contract.ts';
import type { Purpose, Recycled } from './guards.ts';
import type { HandedOut, LedgerEntry, Receipt } from './ledger/entry.ts';
import type { ReadReport } from './node-report.ts';
import type { Observed } from './observed.ts';
import type { Refusal, RefusalFact } from './refusals.ts';

export const GIB = 2 ** 30;

export const known = <T>(value: T): Known<T> => ({ known: true, value });
export const unknown = (why: string): Known<never> => ({ known: false, why });

/** A disk of 1 GiB with a name of its own. */
export const aDisk = (parts: Partial<DeviceFacts> = {}): DeviceFacts => ({
  number: '8:16',
  name: 'sdb',
  sizeBytes: GIB,
  readOnly: false,
  rotational: false,
  logicalBlockBytes: 512,
  discardMaxBytes: 0,
  writeZeroesMaxBytes: 0,
  wwid: 'naa.1',
  partitions: [],
  holders: [],
  ...parts,
});

/** The second MiB of a disk. */
export const aPartition = (name: string, parts: Partial<PartitionFacts> = {}): PartitionFacts => ({
  number: '8:17',
  name,
  startBytes: 2 ** 20,
  sizeBytes: 2 ** 20,
  holders: [],
  ...parts,
});

/** For raw volumes, as short as a ConfigMap can be. */
export const aConfig = (parts: Partial<Config> = {}): Config => ({
  deviceDir: '/dev/disks',
  deviceNameFilter: '.*',
  volumeMode: 'Block',
  storageClassName: 'local-storage',
  wipeMethod: 'zero-head',
  wipeVerify: 'sample',
  wipeExisting: false,
  ...parts,
});

/** Of a wipe of which so many bytes were written and read back. */
export const aReceipt = (bytes: number, parts: Partial<Receipt> = {}): Receipt => ({
  method: 'zero-head',
  bytes,
  writtenBytes: bytes,
  seconds: 2,
  verified: 'sample',
  verifiedBytes: bytes,
  at: '2026-01-01T00:00:00.000Z',
  ...parts,
});

/** A device that is held, that nobody uses and on which there is nothing. */
export const seenOf = (parts: Partial<Observed> = {}): Observed => ({
  path: '/dev/disks/b',
  facts: aDisk(),
  isHeld: true,
  relatives: known([]),
  mounts: known([]),
  swaps: known([]),
  loops: known([]),
  hiddenLoops: [],
  exports: known([]),
  busyRelatives: known([]),
  openers: { open: 'no' },
  signature: known(undefined),
  isBlank: true,
  isHeadBlank: true,
  otherVolumes: known([]),
  ...parts,
});

/** To make a new volume of a device that was never handed out. */
export const toMake = (parts: Partial<Purpose> = {}): Purpose => ({
  deviceDir: '/dev/disks',
  method: 'zero-head',
  cluster: 'cluster-1',
  isEntryCertain: true,
  wipeExisting: false,
  approved: new Set(),
  ...parts,
});

export const aReleasedVolume = (parts: Partial<Recycled> = {}): Recycled => ({
  name: 'local-n1-b',
  uid: 'uid-1',
  resourceVersion: '20',
  claim: 'claim-1',
  volumeMode: 'Filesystem',
  fsType: 'ext4',
  capacityBytes: GIB,
  identity: { sizeBytes: GIB, wwid: 'naa.1' },
  isYoungerThanTheLedger: true,
  ...parts,
});

/** The volume of `aReleasedVolume`, as it was seen before it was released. */
export const wasHandedOut = (parts: Partial<HandedOut> = {}, entry: Partial<LedgerEntry> = {}): LedgerEntry => ({
  identity: { sizeBytes: GIB, wwid: 'naa.1' },
  path: '/dev/disks/b',
  boot: 'boot-1',
  volume: {
    name: 'local-n1-b',
    uid: 'uid-1',
    phase: 'Bound',
    claim: 'claim-1',
    resourceVersion: '10',
    cluster: 'cluster-1',
    ...parts,
  },
  ...entry,
});

/** To recycle a volume that the ledger knows. */
export const toRecycle = (volume: Partial<Recycled> = {}, parts: Partial<Purpose> = {}): Purpose =>
  toMake({ entry: wasHandedOut(), recycles: aReleasedVolume(volume), ...parts });

/** Of an agent that has nothing to tell. */
export const aNodeReport = (parts: Partial<ReadReport> = {}): ReadReport => ({
  node: 'node-1',
  at: '2026-01-01T00:00:00.000Z',
  version: '0.1.0',
  isDryRun: false,
  faults: [],
  unseen: [],
  devices: [],
  leftOut: 0,
  ...parts,
});

/** One of each. That none is missing is seen by the compiler. */
export const EACH_REFUSAL: { readonly [Fact in RefusalFact]: Extract<Refusal, { fact: Fact }> } = {
  isNotABlockDevice: { fact: 'isNotABlockDevice' },
  isOutsideTheDeviceDirectory: { fact: 'isOutsideTheDeviceDirectory', deviceDir: '/dev/disks' },
  isReadOnly: { fact: 'isReadOnly' },
  doesNotAnswer: { fact: 'doesNotAnswer', seconds: 180 },
  isMounted: { fact: 'isMounted', at: '/data', under: 'sdb1' },
  isSwap: { fact: 'isSwap', under: 'sdb1' },
  hasHolders: { fact: 'hasHolders', holders: ['dm-0', 'dm-1'], under: 'sdb1' },
  isBehindALoopDevice: { fact: 'isBehindALoopDevice', loop: 'loop3', under: 'sdb1' },
  isExported: { fact: 'isExported', by: 'the NVMe target a', under: 'sdb1' },
  isOpen: { fact: 'isOpen', by: ['process 7 (ceph-osd)', 'process 8 (dd)'] },
  isHeldExclusively: { fact: 'isHeldExclusively', under: 'sdb1' },
  isAnExtendedPartition: { fact: 'isAnExtendedPartition' },
  useIsUnknown: { fact: 'useIsUnknown', why: ['there is no table', 'nor another'] },
  isAnotherDevice: { fact: 'isAnotherDevice', recorded: 'naa.1, 5 bytes', found: 'naa.2, 6 bytes' },
  isUsedByAnotherVolume: { fact: 'isUsedByAnotherVolume', volume: 'local-n1-c', path: '/dev/disks/c' },
  hasForeignData: { fact: 'hasForeignData', what: 'LVM2_member' },
  contentIsUnknown: { fact: 'contentIsUnknown', why: 'blkid was not found' },
  ownerWasNotSeenToLeave: { fact: 'ownerWasNotSeenToLeave', volume: 'local-n1-b', uid: 'uid-1' },
  belongsToAnotherCluster: { fact: 'belongsToAnotherCluster', volume: 'local-n1-b', cluster: 'cluster-2' },
  ledgerNamesAnotherVolume: { fact: 'ledgerNamesAnotherVolume', volume: 'local-n1-b', uid: 'uid-1' },
  releaseIsOlderThanTheLedger: { fact: 'releaseIsOlderThanTheLedger', volume: 'local-n1-b', claim: 'claim-2' },
  wasNotMadeByUs: { fact: 'wasNotMadeByUs' },
  methodIsNotOffered: { fact: 'methodIsNotOffered', method: 'discard' },
};
