/** What each code of this job means, for people who meet it. What to do is what the refusals themselves say. */
import { type Explanation, explainedOf, failed, news, refused, waits } from '../kit/explanation.ts';
import { type EventReason, reasonOf } from './events.ts';
import { type Reason, remedyOfReason } from './reasons.ts';
import { canBeApproved, type RefusalFact, remedyOf } from './refusals.ts';
import type { Trouble } from './standings.ts';

/** What is so of the device, and why it is then not wiped. */
type Said = readonly [means: string, why: string];

const IN_USE = 'whoever uses it would lose what is on it. That is no matter of opinion, so nobody can approve it';
const WHOSE = "it may be somebody's data, and a wipe cannot be taken back. Only a person can know better";

const REFUSALS: Readonly<Record<RefusalFact, Said>> = {
  isNotABlockDevice: ['the path leads to something that is no block device', 'only whole block devices are wiped'],
  isOutsideTheDeviceDirectory: [
    'the device is not below deviceDir',
    'a volume that anybody can write must not lead the agent to any device of the machine',
  ],
  isReadOnly: ['the device is read-only', 'it cannot be wiped, and so must not be given to anybody else'],
  doesNotAnswer: [
    'the device has not answered for a long time',
    'what cannot be looked at may be in use, and a wipe of it would hang',
  ],
  isMounted: ['the device, or a part of it, is mounted', IN_USE],
  isSwap: ['the machine swaps to the device', IN_USE],
  hasHolders: ['the device is part of something else: LVM, RAID, LUKS, multipath', IN_USE],
  isBehindALoopDevice: ['a loop device lies on it', IN_USE],
  isExported: ['the device is served to other machines', IN_USE],
  isOpen: ['a program has the device open', IN_USE],
  isHeldExclusively: ['somebody who cannot be seen from here has claimed the device for himself', IN_USE],
  isAnExtendedPartition: [
    'the device is an extended partition, which holds the table of other partitions',
    'wiping it would take these partitions from whoever uses them',
  ],
  useIsUnknown: [
    'it could not be found out whether the device is in use',
    'a look that failed means unknown, and what is unknown is never wiped',
  ],
  isAnotherDevice: [
    'the device at this path is not the one that the volume was made of',
    'the path may lead to another disk since the last boot, with the data of somebody else',
  ],
  isUsedByAnotherVolume: [
    'another volume lies on the same device, by another path',
    'wiping it would take that volume from its owner',
  ],
  hasForeignData: ['there is something on the device that no volume of ours has put there', WHOSE],
  contentIsUnknown: ['it could not be looked at what is on the device', WHOSE],
  ownerWasNotSeenToLeave: [
    'the device was bound when it was last seen, and nobody saw that its owner left',
    'the volume may have been deleted by mistake, and its owner may want the data back',
  ],
  belongsToAnotherCluster: [
    'the device was last handed out in another cluster',
    'that cluster may still count on the data. Only a person can know better',
  ],
  ledgerNamesAnotherVolume: [
    'the ledger of the agent says that the device was handed out as another volume',
    'somebody made this volume by hand, or etcd was restored: it is not certain whose data it is',
  ],
  releaseIsOlderThanTheLedger: [
    'the volume is released in an older state than the one it was last seen in',
    'etcd was restored from an older state, and the present owner has not left',
  ],
  wasNotMadeByUs: ['the agent has not handed the device out as this volume', 'a forged volume must not lead to a wipe'],
  methodIsNotOffered: [
    'the device does not offer the wipe method that is configured',
    'another method is not chosen silently: it could be weaker than what was asked for',
  ],
};

const REASONS: Readonly<Record<Reason['fact'], Said>> = {
  allIsWell: ['all is as it should be', 'it was looked at, and nothing is to be done'],
  thereIsNoConfiguration: [
    'the node has no configuration, or the one that it names cannot be read',
    'which devices may be touched is said by the ConfigMap that the Node is annotated with, and by nothing else',
  ],
  isBeingDeleted: ['the volume is being deleted', 'its device is looked at again when it is gone'],
  isUnusable: ['the device cannot be used', 'it cannot be read, has no size, or is not what it seems'],
  nameIsShared: ['several devices would get the same name', 'none of them can be told by its volume from the others'],
  nameIsImpossible: ['the volume would have a name that no volume can have', 'the API server would not take it'],
  settingsDisagree: [
    'a volume of the node was made with other settings than the ConfigMap has now',
    'one device could become two volumes by two names',
  ],
  isLeftOutByTheFilter: [
    'deviceNameFilter leaves the device of a released volume out',
    'what the filter leaves out is never touched, also if it was a volume before',
  ],
  deviceIsMissing: ['the path of the volume leads to no device', 'without its device a volume cannot be recycled'],
  deviceIsAnother: [
    'there is another device at the path of the volume',
    'whoever has the volume would find the data of another, or none',
  ],
  deviceHasShrunk: [
    'the device is smaller than it was',
    'a disk does not shrink: it was replaced, repartitioned, or is failing',
  ],
  deviceHasAVolume: [
    'the device already is the device of another volume, which looks for it elsewhere',
    'one device must not become two volumes',
  ],
  volumeIsNotOurs: [
    'the volume carries the label of this node, and is not one that an agent makes',
    'what is not ours is neither changed nor wiped',
  ],
};

const NEEDS_NOBODY: ReadonlySet<Reason['fact']> = new Set<Reason['fact']>(['allIsWell', 'isBeingDeleted']);

const EVENTS: Readonly<Record<EventReason, Explanation>> = {
  DeviceWipeFailed: failed(
    'the device could not be wiped',
    'reading or writing it failed; the Event says how. It is no volume until it is clean',
    "It is tried again. If that stays so, look in the kernel's log, and replace the device",
  ),
  DeviceWipeStarted: news('the claim is gone, and the device is wiped', 'then it becomes a new volume'),
  DeviceWiped: news(
    'the device is wiped',
    'the Event is the receipt: by which method, how much, and what was read back',
  ),
  DeviceProvisioned: news('the device became a volume', "it was found, it is in nobody's use, and it is clean"),
  DevicesConfigurationWrong: refused(
    'the ConfigMap of the node cannot be used',
    'nothing is guessed where devices are wiped, so no device of the node is touched',
    'Correct the ConfigMap; the Event says what is wrong with it',
  ),
  DevicesConfigurationIgnored: news(
    'something in the ConfigMap of the node has no effect',
    'it is spelt wrongly, or is no longer known',
    'Correct or remove it',
  ),
  DevicesApprovalsWrong: refused(
    'the approvals on the Node cannot be read',
    'a wipe that somebody may not have meant must not happen, so none of them counts',
    'Write them by holdfast devices approve',
  ),
  DevicesApprovalUsed: news(
    'a device is wiped that was refused before',
    'a person approved it; the approval is used up',
  ),
};

const ofRefusal = (fact: RefusalFact): Explanation => {
  const [means, why] = REFUSALS[fact];
  const approval = canBeApproved({ fact }) ? '. It can be approved' : '';
  return refused(means, `${why}${approval}`, remedyOf({ fact }));
};

function ofReason(fact: Reason['fact']): Explanation {
  const [means, why] = REASONS[fact];
  return NEEDS_NOBODY.has(fact) ? waits(means, why) : refused(means, why, remedyOfReason({ fact }));
}

const eachOf = <F extends string>(table: Readonly<Record<F, Said>>, of: (fact: F) => Explanation) =>
  Object.fromEntries((Object.keys(table) as F[]).map((fact) => [fact, of(fact)])) as Record<F, Explanation>;

const TABLE: Readonly<Record<Trouble | EventReason, Explanation>> = {
  ...eachOf(REFUSALS, ofRefusal),
  ...eachOf(REASONS, ofReason),
  ...EVENTS,
};

export const explained = explainedOf(TABLE, (code) => (code in EVENTS ? [] : [reasonOf(code as Trouble)]));
