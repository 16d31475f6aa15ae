/** Why a device must not be wiped: each refusal is named after the fact that it rests on, and says what a person can do about it. */
import { showCommand } from '../kit/host/command.ts';

export type Refusal =
  | { readonly fact: 'isNotABlockDevice' }
  | { readonly fact: 'isOutsideTheDeviceDirectory'; readonly deviceDir: string }
  | { readonly fact: 'isReadOnly' }
  | { readonly fact: 'doesNotAnswer'; readonly seconds: number }
  | { readonly fact: 'isMounted'; readonly at: string; readonly under: string }
  | { readonly fact: 'isSwap'; readonly under: string }
  | { readonly fact: 'hasHolders'; readonly holders: readonly string[]; readonly under: string }
  | { readonly fact: 'isBehindALoopDevice'; readonly loop: string; readonly under: string }
  | { readonly fact: 'isExported'; readonly by: string; readonly under: string }
  | { readonly fact: 'isOpen'; readonly by: readonly string[] }
  | { readonly fact: 'isHeldExclusively'; readonly under: string }
  | { readonly fact: 'isAnExtendedPartition' }
  | { readonly fact: 'useIsUnknown'; readonly why: readonly string[] }
  | { readonly fact: 'isAnotherDevice'; readonly recorded: string; readonly found: string }
  | { readonly fact: 'isUsedByAnotherVolume'; readonly volume: string; readonly path: string }
  | { readonly fact: 'hasForeignData'; readonly what: string }
  | { readonly fact: 'contentIsUnknown'; readonly why: string }
  | { readonly fact: 'ownerWasNotSeenToLeave'; readonly volume: string; readonly uid: string }
  | { readonly fact: 'belongsToAnotherCluster'; readonly volume: string; readonly cluster: string }
  | { readonly fact: 'ledgerNamesAnotherVolume'; readonly volume: string; readonly uid: string }
  | { readonly fact: 'releaseIsOlderThanTheLedger'; readonly volume: string; readonly claim?: string | undefined }
  | { readonly fact: 'wasNotMadeByUs' }
  | { readonly fact: 'methodIsNotOffered'; readonly method: string };

export type RefusalFact = Refusal['fact'];

/** Those that say whose data it is. A person can know better, and approve; that a device is in use is not a matter of opinion. */
const LIFTED_BY_APPROVAL: ReadonlySet<RefusalFact> = new Set<RefusalFact>([
  'hasForeignData',
  'contentIsUnknown',
  'ownerWasNotSeenToLeave',
  'belongsToAnotherCluster',
  'releaseIsOlderThanTheLedger',
]);

export const canBeApproved = ({ fact }: Pick<Refusal, 'fact'>): boolean => LIFTED_BY_APPROVAL.has(fact);

/** Those that say that somebody uses it. They come and go by themselves: a pod that ends, a program that looks at a new disk. */
const USES: ReadonlySet<string> = new Set<RefusalFact>([
  'isMounted',
  'isSwap',
  'hasHolders',
  'isBehindALoopDevice',
  'isExported',
  'isOpen',
  'isHeldExclusively',
]);

export const isUse = (fact: string): boolean => USES.has(fact);

/** What is so, as the end of a sentence that begins with the device. */
export function explain(refusal: Refusal): string {
  switch (refusal.fact) {
    case 'isNotABlockDevice':
      return 'is not a block device';
    case 'isOutsideTheDeviceDirectory':
      return `is not in ${refusal.deviceDir}`;
    case 'isReadOnly':
      return 'is read-only';
    case 'doesNotAnswer':
      return `is silent: it has not answered for ${refusal.seconds} seconds`;
    case 'isMounted':
      return `is mounted at ${refusal.at}${as(refusal.under)}`;
    case 'isSwap':
      return `is swapped to${as(refusal.under)}`;
    case 'hasHolders':
      return `is part of ${refusal.holders.join(', ')}${as(refusal.under)}`;
    case 'isBehindALoopDevice':
      return `is behind ${refusal.loop}${as(refusal.under)}`;
    case 'isExported':
      return `is served to other machines by ${refusal.by}${as(refusal.under)}`;
    case 'isOpen':
      return `is open in ${refusal.by.join(', ')}`;
    case 'isHeldExclusively':
      return `is held by somebody who cannot be seen from here${as(refusal.under)}`;
    case 'isAnExtendedPartition':
      return 'is an extended partition, which holds nothing but the table of other partitions';
    case 'useIsUnknown':
      return `may be in use: ${refusal.why.join('; ')}`;
    case 'isAnotherDevice':
      return `is not the device of this volume: that was ${refusal.recorded}, and this is ${refusal.found}`;
    case 'isUsedByAnotherVolume':
      return `is used by the volume ${refusal.volume} as ${refusal.path}`;
    case 'hasForeignData':
      return `holds ${refusal.what}, which no volume of ours has put there`;
    case 'contentIsUnknown':
      return `could not be looked at for data: ${refusal.why}`;
    case 'ownerWasNotSeenToLeave':
      return `was bound as ${refusal.volume} (uid ${refusal.uid}) when it was last seen, and nobody saw its owner leave`;
    case 'belongsToAnotherCluster':
      return `was last handed out as ${refusal.volume} in another cluster (${refusal.cluster})`;
    case 'ledgerNamesAnotherVolume':
      return `was handed out as ${refusal.volume} (uid ${refusal.uid}), and this volume is another one`;
    case 'releaseIsOlderThanTheLedger':
      return `is released by an older state of ${refusal.volume} than the one it was last seen in, bound${to(refusal.claim)}`;
    case 'wasNotMadeByUs':
      return 'was not handed out as this volume by this agent';
    case 'methodIsNotOffered':
      return `cannot be wiped by ${refusal.method}: the device does not offer it`;
  }
}

const to = (claim: string | undefined): string => (claim === undefined ? '' : ` to the claim with uid ${claim}`);
const as = (under: string): string => (under === '' ? '' : ` (as ${under})`);

/** Which device a person is told about. */
export interface Place {
  readonly node: string;
  readonly path: string;
}

/** What a person can do, as a sentence without its full stop; with the command itself, if it is known for which device. */
export function remedyOf(refusal: Pick<Refusal, 'fact'>, place?: Place): string {
  switch (refusal.fact) {
    case 'isNotABlockDevice':
    case 'isOutsideTheDeviceDirectory':
      return 'If the volume is forged, delete it; else correct deviceDir or deviceNameFilter';
    case 'isReadOnly':
      return 'Make the device writable, or leave it out by deviceNameFilter';
    case 'doesNotAnswer':
      return "Look in the kernel's log, and repair or take out the device; it is looked at again when it answers";
    case 'isMounted':
      return 'Unmount it, if it is not needed any more';
    case 'isSwap':
      return 'swapoff it, if it is not needed any more';
    case 'hasHolders':
      return 'Take it out of what it is part of (lsblk shows that), if it is not needed any more';
    case 'isBehindALoopDevice':
      return 'losetup -d the loop device, if it is not needed any more';
    case 'isExported':
      return 'Take it out of the configuration of the target (nvmetcli, targetcli), if it is not needed any more';
    case 'isOpen':
      return 'Stop what uses it';
    case 'isHeldExclusively':
      return 'Stop what uses it: a mount in a container, a filesystem on several disks (lsblk --fs), another agent';
    case 'isAnExtendedPartition':
      return 'Leave it out by deviceNameFilter';
    case 'useIsUnknown':
      return 'Run the agent privileged, with hostPID, or --trust-init where only process 1 cannot be looked at; detach loop devices whose file was deleted; mend or take out what does not answer';
    case 'isAnotherDevice':
      return 'Delete the volume if its device is gone for good; the device here then counts as a new one';
    case 'isUsedByAnotherVolume':
      return 'Delete one of the two volumes, or leave one path out by deviceNameFilter';
    case 'hasForeignData':
    case 'contentIsUnknown':
    case 'ownerWasNotSeenToLeave':
    case 'belongsToAnotherCluster':
    case 'releaseIsOlderThanTheLedger':
      return `If nobody needs what is on it: ${showCommand(['holdfast', 'devices', 'approve', ...namesOf(place)])}`;
    case 'ledgerNamesAnotherVolume':
    case 'wasNotMadeByUs':
      return 'Find out where this volume comes from; if it is a left-over, delete it';
    case 'methodIsNotOffered':
      return 'Choose another wipeMethod in the ConfigMap';
  }
}

const namesOf = (place: Place | undefined): readonly string[] => (place ? [place.node, place.path] : []);
