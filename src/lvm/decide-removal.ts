/** What is to be done next for a volume that is being deleted, or of which only a logical volume is left. Pure. */
import type { LogicalVolume } from './facts.ts';
import type { VolumeOptions } from './options.ts';
import { refusal } from './reasons.ts';
import type { Sight } from './sight.ts';
import { covered, type Decision, done, fullName, isClassicSnapshot, step, unlessImpossible } from './steps.ts';
import { encodeTag, type Owner } from './tags.ts';
import { isInTrash, keptBy } from './trash.ts';

/** A volume that is being deleted. Of what is asked of it only this matters any more. */
export interface Leaving {
  readonly name: string;
  readonly uid: string;
  readonly path: string;
  readonly shred: VolumeOptions['shred'];
  readonly removePolicy: VolumeOptions['removePolicy'];
  /** Why these two cannot be relied on. */
  readonly faults?: readonly string[] | undefined;
  /** The group that it was made in, where that is known. */
  readonly vg?: string | undefined;
  /** The uuid of the logical volume that was made for it, once it was ready. */
  readonly made?: string | undefined;
  /** When a person has asked for it, by the clock of the API server. */
  readonly deletedAt?: string | undefined;
}

/** Takes away what belongs to it, and nothing else. What is left over of a deleted volume is taken away in the same way, by the name that it has. */
export function decideRemoval(leaving: Leaving, sight: Sight): Decision {
  const { group, owner, mapping, ofDevice, cover } = sight;
  const isOurs = owner?.uid === leaving.uid;
  const lv = isOurs ? sight.lv : undefined;
  if (lv?.isSuspended) return step({ kind: 'resume', lv });
  if (cover) return covered(cover);
  if (!owner && sight.lv && wasOurs(sight.lv, leaving)) return refusal('marksContradict', { lv: fullName(sight.lv) });
  if (!lv) return underAnotherName(sight, leaving);
  const unclear = unlessClear(leaving, lv);
  if (unclear) return unclear;
  const elsewhere = ofDevice.find(({ mountPoint }) => mountPoint !== leaving.path);
  if (elsewhere) return refusal('isInUseElsewhere', { lv: fullName(lv), path: elsewhere.mountPoint });
  if (ofDevice.length > 0) return uppermostIsAnother(leaving, sight) ?? step({ kind: 'unmount' });
  if (mapping) return step({ kind: 'close' });
  const snapshot = sight.snapshots.find((each) => lv.pool === undefined || isClassicSnapshot(each));
  if (snapshot) return keptBy(snapshot, lv);
  const decision = gone(leaving, lv, owner);
  return group && decision.kind === 'step' ? unlessImpossible(decision, group, sight) : decision;
}

/** Its marks do not say whose it is, as when LVM's metadata were restored from before it had them. */
const wasOurs = ({ tags, uuid }: LogicalVolume, { uid, made }: Leaving): boolean =>
  tags.includes(encodeTag('uid', uid)) || uuid === made;

/** What somebody wanted to be kept, or shredded, and has only written wrongly, cannot be had back once it is removed. */
const unlessClear = ({ faults = [] }: Leaving, lv: LogicalVolume): Decision | undefined =>
  faults.length > 0 ? refusal('removalIsUnclear', { lv: fullName(lv), why: faults.join('; ') }) : undefined;

/** What somebody has mounted over it would be unmounted in its place. */
function uppermostIsAnother({ path }: Leaving, { atPath, ofDevice }: Sight): Decision | undefined {
  const top = atPath.at(-1);
  if (!top || ofDevice.some(({ id }) => id === top.id)) return undefined;
  return refusal('somethingElseIsMounted', { path, source: top.source });
}

/** Either it is in the trash, or somebody has renamed it, or the disks are away that it is on. */
function underAnotherName({ strays, group }: Sight, { vg }: Leaving): Decision {
  const stray = strays.find((each) => !isInTrash(each));
  if (stray) return refusal('logicalVolumeIsElsewhere', { lv: fullName(stray), vg: group?.name ?? '' });
  const awake = strays.find((each) => each.isActive && !isClassicSnapshot(each));
  if (awake) return step({ kind: 'trash', does: 'deactivate', lv: awake });
  return strays.length === 0 && !group && vg !== undefined ? refusal('groupIsAway', { vg }) : done;
}

/** What it has been begun to shred is of no use in the trash, and neither is a snapshot that is lost. */
function gone(
  { shred, removePolicy }: Pick<Leaving, 'shred' | 'removePolicy'>,
  lv: LogicalVolume,
  owner: Owner | undefined,
): Decision {
  const { isShredding = false, isShredded = false, trashedAt } = owner ?? {};
  if (removePolicy === 'trash' && !isShredding && !isShredded && !lv.isLost)
    return step({ kind: 'trash', does: trashedAt === undefined ? 'mark' : 'rename', lv });
  if (shred === 'none' || isShredded) return step({ kind: 'remove', lv });
  if (isClassicSnapshot(lv)) return refusal('snapshotCannotBeShredded', { lv: fullName(lv) });
  if (lv.kind === 'cached') return refusal('cacheKeepsBytes', { lv: fullName(lv) });
  return step(lv.isActive ? { kind: 'shred' } : { kind: 'activate', lv });
}
