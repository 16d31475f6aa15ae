/** What each code of this job means, for people who meet it. What to do is what the refusals themselves say. */
import { type Explanation, explainedOf, failed, news, refused, waits } from '../kit/explanation.ts';
import { type EventReason, reasonOf } from './events.ts';
import { type Fact, type OtherFact, remedyOf } from './reasons.ts';

type Said = readonly [means: string, why: string];

const NOT_OURS =
  'what was not made for this volume may hold the data of somebody else: it is neither changed nor taken over';
const NO_GUESS = 'which of them is right cannot be known from here, and the wrong one would cost data';

const REFUSALS: Readonly<Record<Fact, Said>> = {
  groupIsMissing: [
    'the node has no volume group of the name that is asked for',
    'groups are made by people, never by the agent',
  ],
  groupIsAway: [
    'the volume was made in a group that is not to be seen now',
    'its data are on the disks that are away; an empty one in another place would hide that',
  ],
  groupHasLostDisks: [
    'disks of the volume group are missing',
    'what is changed in a group without its disks may be lost when they come back',
  ],
  groupCannotBeChanged: [
    'LVM does not let the volume group be changed',
    'it is exported, locked, or of another system',
  ],
  groupIsFull: ['the volume group has less free than the volume needs', 'a smaller one than asked for is never made'],
  poolIsMissing: [
    'there is no thin pool of that name',
    'a pool is made only where the annotation thinPoolSize says how large',
  ],
  poolIsNone: ['the logical volume that is named as a thin pool is none', 'nothing can be made in it'],
  poolIsFull: [
    'the thin pool is nearly full, or it is not known how full it is',
    'a pool that fills up loses what is written to it, of all volumes in it',
  ],
  poolIsPromised: [
    'the volumes of the thin pool would be promised more than --thin-overcommit allows',
    'who writes to them would find that there is less than was promised',
  ],
  originIsMissing: [
    'there is no logical volume to make a snapshot of',
    'the name is wrong, or it is on another node or group',
  ],
  originIsForeign: ['the volume to make a snapshot of is not ours', NOT_OURS],
  originIsNotReady: [
    'the volume to make a snapshot of has no filesystem yet',
    'a snapshot of nothing would be of no use',
  ],
  originIsDifferent: [
    'the snapshot asks for something else than its volume has',
    'a snapshot has the filesystem and the encryption of what it is a snapshot of',
  ],
  logicalVolumeIsForeign: ['there is a logical volume of that name that somebody else made', NOT_OURS],
  logicalVolumeIsOfAnother: [
    'the logical volume belongs to another object of the same name',
    'the object was deleted and made again, perhaps by mistake: its data are taken over only when that is asked for',
  ],
  logicalVolumeIsElsewhere: [
    'the logical volume is in another volume group than the annotation vg says',
    'volumes are not moved between groups, and an empty one in the other group would hide the data',
  ],
  logicalVolumeIsTwice: ['two logical volumes say that they are this one', NO_GUESS],
  logicalVolumeIsGone: [
    'the volume was made before, and its logical volume is gone',
    'an empty one in its place would hide that the data are gone',
  ],
  logicalVolumeIsUnwell: ['LVM says that something is wrong with the logical volume', 'work on it could make it worse'],
  cannotBeChanged: [
    'something is asked for that cannot be changed once the volume is made',
    'it would have to be formatted anew, and its data would be gone',
  ],
  mappingIsAnother: ['an open mapping of that name lies on another device', NOT_OURS],
  signatureIsForeign: [
    'there is something else on the logical volume than what was to be made there',
    'somebody has written to it, and formatting it would destroy that',
  ],
  filesystemIsDamaged: [
    'there is a damaged filesystem on the logical volume',
    'somebody may have used it: none is made over it, and no repair is tried, since that can cost data',
  ],
  somethingElseIsMounted: ['something else is mounted where the volume belongs', 'what is below it would be hidden'],
  mountBaseIsCovered: [
    'a filesystem was mounted over the directory that volumes are mounted in',
    'it hides them, and what would be made or mounted there would be on that filesystem',
  ],
  mountPointIsNotEmpty: [
    'there are files in the directory that the volume is to be mounted at',
    'who has written them would not find them any more, and could not tell why',
  ],
  isInUseElsewhere: [
    'the volume is mounted at another place as well',
    'it cannot be taken away from whoever uses it there',
  ],
  hadData: [
    'the logical volume is marked as new, although the volume was ready before',
    'it is not formatted, since its data may be on it',
  ],
  isOnAnotherNode: [
    'the volume was made on another node, and is being deleted',
    'only that node can see what of it is left there',
  ],
  hasSnapshots: ['there is a snapshot of the volume', 'it would be lost, or made useless, with it'],
  hasSnapshotInTrash: [
    'a snapshot of the volume is in the trash, from where it can still be brought back',
    'a snapshot outside of a thin pool cannot be without what it is a snapshot of, and keeps that from growing',
  ],
  snapshotIsLost: [
    'more was written than the snapshot had room for',
    'LVM lets go of a snapshot that is full, so that its volume can go on: it cannot be read any more',
  ],
  marksContradict: ['the marks on the logical volume contradict each other, or are not complete', NO_GUESS],
  unitIsForeign: ['somebody else has written the mount unit of that path', NOT_OURS],
  removalIsUnclear: [
    'the volume is being deleted, and its annotation shred or removePolicy cannot be read, or not be followed',
    'what was to be kept, or to be shredded, would be gone for good after a guess',
  ],
  snapshotCannotBeShredded: [
    'a snapshot outside of a thin pool is to be shredded',
    'what it keeps of its origin cannot be reached',
  ],
  cacheKeepsBytes: [
    'a logical volume with a cache is to be shredded',
    'what is written may stay in the cache, and what it held on the disks below',
  ],
  discardDoesNotReachDisk: [
    'the thin pool does not pass discards on to its disks',
    'what was written would stay on them, although shredding was asked for',
  ],
  logicalVolumeIsShredded: [
    'it has been begun to shred the logical volume',
    'nothing that is on it can be relied on, so it is not taken over',
  ],
  adoptedIsMissing: [
    'the logical volume that is to be taken over is not in that volume group',
    'an empty one in its place would hide that',
  ],
  adoptedIsForeign: [
    'the logical volume that is to be taken over has another name and is not in the trash',
    "it may be somebody else's",
  ],
};

const OTHERS: Readonly<Record<OtherFact | EventReason, Explanation>> = {
  cryptsetupIsMissing: refused(
    'the volume is to be encrypted, and the node has no cryptsetup',
    'it is never made unencrypted instead',
    'Install cryptsetup on the node',
  ),
  keyIsMissing: refused(
    'the Secret with the key of the volume is not there, or has no key in it',
    'without its key the volume can be neither made nor opened',
    'Make the Secret that the annotation cryptSecret names, with the key under "key"',
  ),
  keyIsWrong: refused(
    'no key of the Secret opens the volume',
    'it was encrypted with another key, and is never formatted because of that',
    'Put the key that it was encrypted with into the Secret, as key, or as previousKey to have it replaced by key',
  ),
  mountOptsNeedNewMount: refused(
    'the new mountOpts cannot all be had while the volume is mounted',
    'unmounting it would take it from the pods that use it',
    'Put them back, or end the pods that use the volume and unmount it: it is mounted again with the new ones',
  ),
  isWrittenWrongly: refused(
    'the volume is written wrongly: an annotation or a field of it cannot be used',
    'what is asked for is never guessed',
    'Correct the volume; the message says which field',
  ),
  VolumeFailed: failed(
    'a step for the volume failed',
    'a command or a device has failed; the Event says which',
    'It is tried again. If that stays so, look at the log of the agent on that node',
  ),
  VolumeOptionIgnored: news(
    'an annotation of the volume has no effect',
    'it is unknown, or of no meaning for such a volume',
    'Correct or remove it',
  ),
  VolumeReady: news('the volume is mounted', 'it is made, formatted and can be used'),
  VolumeReleased: news('the claim of the volume is gone, and others may have it', 'its annotation autoRelease says so'),
  VolumeRemoved: news('everything of the volume is gone from its node', 'it was deleted'),
  ThinPoolNearlyFull: refused(
    'the data of a thin pool are nearly full',
    'a full pool loses what is written to it, of all volumes in it',
    'Extend it with lvextend, or remove volumes from it',
  ),
  ThinPoolMetadataNearlyFull: refused(
    'the metadata of a thin pool are nearly full',
    'a pool whose metadata are full becomes read-only or loses data',
    'Extend them with lvextend --poolmetadatasize, or remove volumes from the pool',
  ),
  ThinPoolOvercommitted: refused(
    'the volumes of a thin pool are promised more than it has',
    'if all of them are used, the pool fills up',
    'Extend it with lvextend before they use it up, or remove volumes from it',
  ),
  VolumeOrphans: refused(
    'there are things on the node that belong to no volume',
    'they are left alone, since nobody has said that they can go',
    'See them with holdfast lvm clean on the node, which also removes them',
  ),
  VolumeTrashEmptied: news('a logical volume in the trash is gone', 'it was there for as long as was asked for'),
};

/** It goes on when another volume is ready. */
const WAITS: ReadonlySet<Fact> = new Set<Fact>(['originIsNotReady', 'isInUseElsewhere']);

const refusals = Object.fromEntries(
  (Object.entries(REFUSALS) as [Fact, Said][]).map(([fact, [means, why]]) => [
    fact,
    WAITS.has(fact) ? waits(means, why, remedyOf(fact)) : refused(means, why, remedyOf(fact)),
  ]),
) as Record<Fact, Explanation>;

const TABLE: Readonly<Record<Fact | OtherFact | EventReason, Explanation>> = { ...refusals, ...OTHERS };

/** Event reasons begin with a capital, and facts do not. */
export const explained = explainedOf(TABLE, (code) => (/^[A-Z]/.test(code) ? [] : [reasonOf(code)]));
