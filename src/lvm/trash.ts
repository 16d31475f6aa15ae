/** The trash: logical volumes of deleted volumes that are kept for a while, under names that say so. Pure. */
import type { LogicalVolume, Lvm } from './facts.ts';
import { logicalVolumeFault } from './names.ts';
import { type Refusal, refusal } from './reasons.ts';
import { ownerOf } from './tags.ts';

/** No volume of Kubernetes can have a name with a plus in it, so that none is in the way of another. */
const START = 'trash+';

/** How much of a uid is enough to tell volumes apart that had the same name. */
const ID_LENGTH = 8;

/** Marked, and renamed: only both together make it what is removed when its time is over. */
export const isInTrash = (lv: LogicalVolume): boolean =>
  lv.name.startsWith(START) && ownerOf(lv)?.trashedAt !== undefined;

/** With the name that the volume had where there is room for it. */
export function trashName(group: string, { pv, uid }: { readonly pv: string; readonly uid: string }): string {
  const id = uid.replaceAll(/[^A-Za-z0-9]/g, '');
  const names = [`${START}${pv}+${id.slice(0, ID_LENGTH)}`, `${START}${id}`, `${START}${id.slice(0, ID_LENGTH)}`];
  const name = names.find((each) => logicalVolumeFault(each, group) === undefined);
  if (name === undefined)
    throw new Error(`the name of the volume group ${group} is so long that nothing in it can be renamed`);
  return name;
}

export interface Trashed {
  readonly lv: LogicalVolume;
  /** In seconds since 1970. */
  readonly trashedAt: number;
}

/** Everything that is in the trash of one cluster, what has been there for longest first. */
export function trashIn({ groups }: Lvm, cluster: string): readonly Trashed[] {
  return [...groups.values()]
    .flatMap(({ volumes }) => [...volumes.values()])
    .filter(isInTrash)
    .flatMap((lv) => {
      const owner = ownerOf(lv);
      return owner?.cluster === cluster && owner.trashedAt !== undefined ? [{ lv, trashedAt: owner.trashedAt }] : [];
    })
    .sort((one, other) => one.trashedAt - other.trashedAt);
}

export const isOver = ({ trashedAt }: Trashed, ttlMs: number, now: Date): boolean =>
  now.getTime() - trashedAt * 1000 >= ttlMs;

/** Why nothing is done with a volume as long as there is this snapshot of it, whose own volume may be gone already. */
export function keptBy(snapshot: LogicalVolume, { group, name }: LogicalVolume, so?: string): Refusal {
  const details = { lv: `${group}/${name}`, snapshot: `${snapshot.group}/${snapshot.name}`, ...(so && { so }) };
  return refusal(isInTrash(snapshot) ? 'hasSnapshotInTrash' : 'hasSnapshots', details);
}
