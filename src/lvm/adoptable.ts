/** What a cluster can take over from the disks of a node, as manifests, and what it cannot. Pure. */
import type { LogicalVolume, Lvm } from './facts.ts';
import { type ManifestOf, manifestOf } from './manifest.ts';
import { isMarked, type Owner, ownerOf } from './tags.ts';
import { isInTrash } from './trash.ts';
import type { Volume } from './volume.ts';

export interface Adoptable {
  readonly manifests: readonly ReturnType<typeof manifestOf>[];
  /** Each a sentence for people: what is marked as ours and cannot be taken over as it is. */
  readonly leftOut: readonly string[];
}

export interface Adopting extends Pick<ManifestOf, 'node' | 'mountBase' | 'storageClass'> {
  /** Those that the cluster has. Whose volume is among them is nothing to take over. */
  readonly volumes: readonly Pick<Volume, 'name' | 'uid' | 'adopts'>[];
}

interface Marked {
  readonly lv: LogicalVolume;
  readonly owner: Owner;
}

/** Everything that carries our marks, of whatever cluster. */
export function adoptable({ groups }: Lvm, adopting: Adopting): Adoptable {
  const all = [...groups.values()].flatMap(({ volumes }) => [...volumes.values()]);
  const unreadable = all.filter((lv) => isMarked(lv) && !ownerOf(lv));
  const marked = all
    .flatMap((lv): Marked[] => {
      const owner = ownerOf(lv);
      return owner && !isTaken(lv, owner, adopting) ? [{ lv, owner }] : [];
    })
    .sort((one, other) => (one.owner.pv < other.owner.pv ? -1 : 1));
  const judged = marked.map((each) => ({ ...each, obstacle: obstacleTo(each, marked, adopting) }));
  return {
    manifests: judged
      .filter(({ obstacle }) => obstacle === undefined)
      .map(({ lv, owner }) => manifestOf({ ...adopting, lv, owner, name: owner.pv })),
    leftOut: [
      ...unreadable.map((lv) => `${nameOf(lv)} is left out: its marks contradict each other, or are not complete`),
      ...judged.flatMap(({ lv, obstacle }) =>
        obstacle === undefined ? [] : [`${nameOf(lv)} is left out: ${obstacle}`],
      ),
    ],
  };
}

const isTaken = ({ uuid }: LogicalVolume, { uid }: Owner, { volumes }: Adopting): boolean =>
  volumes.some((volume) => volume.uid === uid || volume.adopts === uuid);

function obstacleTo({ lv, owner }: Marked, all: readonly Marked[], { volumes }: Adopting): string | undefined {
  const { pv, isShredding, isShredded } = owner;
  if (isShredding || isShredded) return 'it has been begun to shred it';
  if (isInTrash(lv)) return `it is in the trash, from where \`holdfast lvm restore ${lv.name}\` brings it back`;
  if (lv.name !== pv) return `it belongs to the volume ${pv}, and has to be renamed to that with lvrename`;
  const other = all.find((each) => each.owner.pv === pv && each.lv.name === pv && each.lv.uuid !== lv.uuid);
  if (other) return `${nameOf(other.lv)} says as well that it is the volume ${pv}`;
  if (volumes.some(({ name }) => name === pv)) return `the cluster has another volume ${pv}`;
  return undefined;
}

const nameOf = ({ group, name }: LogicalVolume): string => `${group}/${name}`;
