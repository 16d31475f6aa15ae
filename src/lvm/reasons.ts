/** Why nothing is done for a volume: each refusal with the fact that forbids it, in words, and what a person can do about it. */
import { Quantity } from '../kit/quantity.ts';

interface Details {
  readonly groupIsMissing: { readonly vg: string };
  readonly groupIsAway: { readonly vg: string };
  readonly groupHasLostDisks: { readonly vg: string; readonly disks: number };
  readonly groupCannotBeChanged: { readonly vg: string; readonly why: string };
  readonly groupIsFull: { readonly vg: string; readonly wanted: bigint; readonly free: bigint };
  readonly poolIsMissing: { readonly lv: string };
  readonly poolIsNone: { readonly lv: string };
  readonly poolIsFull: { readonly lv: string; readonly what: string; readonly percent: number | undefined };
  readonly poolIsPromised: { readonly lv: string; readonly promised: bigint; readonly most: bigint };
  readonly originIsMissing: { readonly lv: string };
  readonly originIsForeign: { readonly lv: string };
  readonly originIsNotReady: { readonly lv: string };
  readonly originIsDifferent: { readonly lv: string; readonly what: string; readonly was: string };
  readonly logicalVolumeIsForeign: { readonly lv: string; readonly why: string };
  readonly logicalVolumeIsOfAnother: {
    readonly lv: string;
    readonly pv: string;
    readonly uid: string;
    readonly uuid: string;
  };
  readonly logicalVolumeIsElsewhere: { readonly lv: string; readonly vg: string };
  readonly logicalVolumeIsTwice: { readonly lv: string; readonly other: string };
  readonly logicalVolumeIsGone: { readonly vg: string; readonly lv: string };
  readonly logicalVolumeIsUnwell: { readonly lv: string; readonly why: string };
  readonly cannotBeChanged: {
    readonly lv: string;
    readonly what: string;
    readonly was: string;
    readonly wanted: string;
  };
  readonly mappingIsAnother: { readonly lv: string; readonly mapping: string };
  readonly signatureIsForeign: { readonly lv: string; readonly signature: string; readonly fsType: string };
  readonly filesystemIsDamaged: { readonly lv: string; readonly fsType: string };
  readonly somethingElseIsMounted: { readonly path: string; readonly source: string };
  readonly mountBaseIsCovered: { readonly path: string; readonly source: string };
  readonly mountPointIsNotEmpty: { readonly path: string; readonly name: string };
  readonly isInUseElsewhere: { readonly lv: string; readonly path: string };
  readonly hadData: { readonly lv: string };
  readonly isOnAnotherNode: { readonly node: string };
  readonly hasSnapshots: { readonly lv: string; readonly snapshot: string; readonly so?: string };
  readonly hasSnapshotInTrash: { readonly lv: string; readonly snapshot: string; readonly so?: string };
  readonly snapshotIsLost: { readonly lv: string };
  readonly marksContradict: { readonly lv: string };
  readonly unitIsForeign: { readonly unit: string; readonly path: string };
  readonly removalIsUnclear: { readonly lv: string; readonly why: string };
  readonly snapshotCannotBeShredded: { readonly lv: string };
  readonly cacheKeepsBytes: { readonly lv: string };
  readonly discardDoesNotReachDisk: { readonly pool: string };
  readonly logicalVolumeIsShredded: { readonly lv: string };
  readonly adoptedIsMissing: { readonly uuid: string; readonly vg: string };
  readonly adoptedIsForeign: { readonly lv: string };
}

export type Fact = keyof Details;

/** Those that are found out while something is done, each where it is. */
export type OtherFact =
  | 'cryptsetupIsMissing'
  | 'keyIsMissing'
  | 'keyIsWrong'
  | 'mountOptsNeedNewMount'
  | 'isWrittenWrongly';

export interface Refusal {
  readonly kind: 'refuse';
  readonly fact: Fact;
  readonly message: string;
  readonly remedy: string;
}

export function refusal<F extends Fact>(fact: F, details: Details[F]): Refusal {
  const { message, remedy } = SENTENCES[fact];
  return { kind: 'refuse', fact, message: message(details), remedy };
}

const size = (bytes: bigint): string => Quantity.ofBytes(bytes).toString();

const SENTENCES: {
  readonly [F in Fact]: { readonly message: (details: Details[F]) => string; readonly remedy: string };
} = {
  groupIsMissing: {
    message: ({ vg }) => `the node has no volume group ${vg}`,
    remedy: 'Make it with vgcreate, or name another one in the annotation vg',
  },
  groupIsAway: {
    message: ({ vg }) =>
      `the volume group ${vg}, which it was made in, is not to be seen: its disks may be away, or fail`,
    remedy:
      'Bring the disks back: see pvs(8) and the log of the kernel. If they are lost for good, holdfast lvm forget lets a deleted volume go',
  },
  groupHasLostDisks: {
    message: ({ vg, disks }) =>
      `${disks} of the disks of the volume group ${vg} are missing, so nothing is changed in it`,
    remedy: 'Bring the disks back, or see vgreduce(8)',
  },
  groupCannotBeChanged: {
    message: ({ vg, why }) => `the volume group ${vg} cannot be changed: ${why}`,
    remedy: 'See vgs(8) and vgchange(8)',
  },
  groupIsFull: {
    message: ({ vg, wanted, free }) => `the volume group ${vg} has ${size(free)} free, and ${size(wanted)} are needed`,
    remedy: 'Remove volumes, or give the group more disks with vgextend: it is tried again',
  },
  poolIsMissing: {
    message: ({ lv }) => `there is no thin pool ${lv}`,
    remedy: 'Make it with lvcreate, or say in the annotation thinPoolSize how large it is to be made',
  },
  poolIsNone: {
    message: ({ lv }) => `${lv} is not a thin pool`,
    remedy: 'Name another one in the annotation thinPool',
  },
  poolIsFull: {
    message: ({ lv, what, percent }) =>
      `the ${what} of the thin pool ${lv} are ${percent === undefined ? 'used to an unknown part' : `${Math.floor(percent)} % full`}, ` +
      'so nothing new is made in it, and nothing grows: a pool that fills up loses what is written to it',
    remedy: 'Extend the pool with lvextend (for its metadata --poolmetadatasize), or remove volumes from it',
  },
  poolIsPromised: {
    message: ({ lv, promised, most }) =>
      `the volumes of the thin pool ${lv} would have ${size(promised)} together, and ${size(most)} is as much as may be promised`,
    remedy: 'Extend the pool, or allow more with --thin-overcommit',
  },
  originIsMissing: {
    message: ({ lv }) => `there is no logical volume ${lv} to make a snapshot of`,
    remedy: 'Name another volume of the same node and volume group in the annotation snapshotOf',
  },
  originIsForeign: {
    message: ({ lv }) => `${lv} is no volume of ours, so no snapshot of it is made`,
    remedy: 'Name another volume of the same node and volume group in the annotation snapshotOf',
  },
  originIsNotReady: {
    message: ({ lv }) => `${lv} has no filesystem yet, so there is nothing to make a snapshot of`,
    remedy: 'It goes on when that volume is ready',
  },
  originIsDifferent: {
    message: ({ lv, what, was }) =>
      `${what} of ${lv} is ${was === '' ? 'not set' : was}, and a snapshot of it has the same`,
    remedy: 'Write the same in the annotations of the snapshot',
  },
  logicalVolumeIsForeign: {
    message: ({ lv, why }) => `there is a logical volume ${lv} that was made by somebody else: ${why}`,
    remedy: 'Rename or remove it, or give the volume another name',
  },
  logicalVolumeIsOfAnother: {
    message: ({ lv, pv, uid, uuid }) =>
      `the logical volume ${lv} (${uuid}) belongs to another object of the name ${pv}, with the uid ${uid}`,
    remedy:
      'To take it over with its data, use the manifest that `holdfast lvm adopt` prints; otherwise remove or rename it',
  },
  logicalVolumeIsElsewhere: {
    message: ({ lv, vg }) => `its logical volume is ${lv}, and not in the volume group ${vg}`,
    remedy: 'Put the annotation vg back as it was, or rename the logical volume back',
  },
  logicalVolumeIsTwice: {
    message: ({ lv, other }) => `two logical volumes say that they are this one: ${lv} and ${other}`,
    remedy: 'Remove the tags of the one that is a copy with lvchange --deltag',
  },
  logicalVolumeIsGone: {
    message: ({ vg, lv }) =>
      `it was made before, and now there is no logical volume ${lv} in ${vg}: an empty one in its place would hide that its data are gone`,
    remedy: 'Bring it back, or remove the annotations status and holdfast.dev/logical-volume to have an empty one made',
  },
  logicalVolumeIsUnwell: {
    message: ({ lv, why }) => `LVM says of ${lv}: ${why}`,
    remedy: 'See lvs(8) and lvconvert(8)',
  },
  cannotBeChanged: {
    message: ({ lv, what, was, wanted }) =>
      `${what} of ${lv} was ${was} when it was made, and ${wanted} is asked for now`,
    remedy: 'Put it back as it was, or make a new volume and copy the data',
  },
  mappingIsAnother: {
    message: ({ lv, mapping }) => `/dev/mapper/${mapping} is open, and does not lie on ${lv}`,
    remedy: 'Close it with cryptsetup close, if nothing uses it',
  },
  signatureIsForeign: {
    message: ({ lv, signature, fsType }) => `there is ${signature} on ${lv}, where ${fsType} was to be made`,
    remedy: 'Somebody has written to it: if that can go, remove it with wipefs',
  },
  filesystemIsDamaged: {
    message: ({ lv, fsType }) =>
      `there is a damaged ${fsType} on ${lv}, and somebody may have used it: none is made over it`,
    remedy: 'Repair it with its fsck, and it is taken as it is; or, if it can go, remove it with wipefs',
  },
  somethingElseIsMounted: {
    message: ({ path, source }) => `${source} is mounted at ${path}`,
    remedy: 'Unmount it, if nothing needs it there',
  },
  mountBaseIsCovered: {
    message: ({ path, source }) =>
      `${source} is mounted at ${path}, over volumes that were mounted below before: they are hidden, and what would be made or mounted there now would be on something else`,
    remedy:
      'Unmount it, and it goes on. If it is to be there, have it mounted before the volumes are, such as by /etc/fstab, and boot the node',
  },
  mountPointIsNotEmpty: {
    message: ({ path, name }) =>
      `there is ${name} in ${path}, where nothing is mounted: a volume that is mounted there would hide it`,
    remedy: 'Move it to another place, or remove it, if nobody needs it',
  },
  isInUseElsewhere: {
    message: ({ lv, path }) => `${lv} is mounted at ${path} as well`,
    remedy: 'It goes on when that is unmounted: a pod that uses it has to end',
  },
  hadData: {
    message: ({ lv }) =>
      `${lv} is marked as new, and the volume was ready before: it is not formatted, since its data may be on it`,
    remedy:
      'Look what is on it. If that is whole, mark it with lvchange --deltag holdfast.dev/state=new --addtag holdfast.dev/state=ready',
  },
  isOnAnotherNode: {
    message: ({ node }) => `it was made on the node ${node}, and nothing of it is here`,
    remedy: 'It goes when that node is back. If it is gone for good, use `holdfast lvm forget`',
  },
  hasSnapshots: {
    message: ({ lv, snapshot, so = 'would be lost with it' }) => `${snapshot} is a snapshot of ${lv}, and ${so}`,
    remedy: 'Delete the volume of the snapshot first',
  },
  hasSnapshotInTrash: {
    message: ({ lv, snapshot, so = 'would be lost with it' }) =>
      `${snapshot} is a snapshot of ${lv} that is in the trash, and ${so}`,
    remedy:
      'It goes on when its time in the trash is over. To have it removed now, name it to `holdfast lvm clean` on the node',
  },
  snapshotIsLost: {
    message: ({ lv }) =>
      `more has changed than the snapshot ${lv} has room for, so what it kept is lost; what it is a snapshot of is not`,
    remedy: 'Delete the volume, and make another snapshot with more capacity',
  },
  marksContradict: {
    message: ({ lv }) =>
      `the marks of ours on ${lv} contradict each other, or are not complete: nobody can tell whose it is`,
    remedy: 'See them with lvs --options +lv_tags, and correct them with lvchange --addtag and --deltag',
  },
  unitIsForeign: {
    message: ({ unit, path }) => `somebody else has written the unit ${unit}, which mounts something else at ${path}`,
    remedy: 'Remove the unit, if nothing needs it',
  },
  removalIsUnclear: {
    message: ({ lv, why }) => `what is to become of ${lv} cannot be told, so it is not removed: ${why}`,
    remedy:
      'Correct the annotation shred or removePolicy of the volume, also while it is being deleted, and it goes on',
  },
  snapshotCannotBeShredded: {
    message: ({ lv }) =>
      `${lv} is a snapshot outside of a thin pool: what it keeps of its origin cannot be reached to be shredded`,
    remedy: 'Set the annotation shred to none to have it removed as it is',
  },
  cacheKeepsBytes: {
    message: ({ lv }) =>
      `${lv} has a cache, in which what is written to shred it may stay: what it held would be left on the disks below`,
    remedy:
      'Take the cache off with lvconvert --uncache, and it is shredded; or set the annotation shred to none to have it removed as it is',
  },
  discardDoesNotReachDisk: {
    message: ({ pool }) =>
      `the thin pool ${pool} does not pass discards on to its disks, so what was written would stay on them`,
    remedy: 'Set the annotation shred to none to have it removed as it is: no volume of the pool can read what it held',
  },
  logicalVolumeIsShredded: {
    message: ({ lv }) => `it has been begun to shred ${lv}, so nothing that is on it can be relied on`,
    remedy: 'Remove it with holdfast lvm clean, and give the volume another name or no adopt annotation',
  },
  adoptedIsMissing: {
    message: ({ uuid, vg }) => `the volume is to take over the logical volume ${uuid}, and there is none in ${vg}`,
    remedy:
      'Name its volume group in the annotation vg, or remove the annotation holdfast.dev/adopt for an empty volume',
  },
  adoptedIsForeign: {
    message: ({ lv }) => `the volume is to take over ${lv}, which has another name and is not in the trash`,
    remedy: "Rename it with lvrename to the name of the volume, if it is nobody else's",
  },
};

export const remedyOf = (fact: Fact): string => SENTENCES[fact].remedy;

export const FACTS = Object.keys(SENTENCES) as readonly Fact[];
