/** What is on the node and belongs to no volume of the cluster: it is told, and removed only when a person says so. Pure. */
import { dirname } from 'node:path';
import type { Mount } from '../kit/host/mounts.ts';
import { coverOf } from './cover.ts';
import type { LogicalVolume } from './facts.ts';
import type { Look } from './sight.ts';
import { type Owner, ownerOf, POOL_TAG } from './tags.ts';
import { isInTrash } from './trash.ts';
import type { Volume } from './volume.ts';

export type Orphan = OrphanVolume | OrphanPool | OrphanMountPoint;

export interface OrphanVolume {
  readonly kind: 'logical-volume';
  readonly lv: LogicalVolume;
  readonly owner: Owner;
  /** What another cluster has left on the disks may well be needed there. */
  readonly isOfThisCluster: boolean;
}

/** A thin pool that was made because a volume asked for it, and that nothing is in any more. */
export interface OrphanPool {
  readonly kind: 'thin-pool';
  readonly lv: LogicalVolume;
}

export interface OrphanMountPoint {
  readonly kind: 'mount-point';
  readonly path: string;
  /** What is mounted there, the uppermost last. */
  readonly mounts: readonly Mount[];
}

export const ORPHAN_KINDS: readonly Orphan['kind'][] = ['logical-volume', 'thin-pool', 'mount-point'];

/** Whatever may still want what is on the node. */
export type Claimant = Pick<Volume, 'uid' | 'path' | 'adopts'> & Partial<Pick<Volume, 'annotations'>>;

/** By a volume that it was of, or that is to take it over. */
export const isWanted = (lv: LogicalVolume, volumes: readonly Pick<Claimant, 'uid' | 'adopts'>[]): boolean => {
  const owner = ownerOf(lv)?.uid;
  return volumes.some(({ uid, adopts }) => uid === owner || adopts === lv.uuid);
};

export interface Searched {
  readonly look: Look;
  /** What is in the directory that volumes are mounted in. */
  readonly names: readonly string[];
  readonly mountBase: string;
  /** Its uid. */
  readonly cluster: string;
}

/** All volumes of the cluster have to be known: whose volume is not among them has none. */
export function orphansIn(searched: Searched, volumes: readonly Claimant[]): readonly Orphan[] {
  return [
    ...orphanVolumes(searched, volumes),
    ...orphanPools(searched, volumes),
    ...orphanMountPoints(searched, volumes),
  ];
}

function orphanVolumes({ look, cluster }: Searched, volumes: readonly Claimant[]): readonly OrphanVolume[] {
  const uids = new Set(volumes.map(({ uid }) => uid));
  const adopted = new Set(volumes.flatMap(({ adopts }) => adopts ?? []));
  return [...look.lvm.groups.values()]
    .flatMap((group) => [...group.volumes.values()])
    .flatMap((lv): OrphanVolume[] => {
      const owner = ownerOf(lv);
      if (!owner || uids.has(owner.uid) || adopted.has(lv.uuid)) return [];
      const isOfThisCluster = owner.cluster === cluster;
      return isOfThisCluster && isInTrash(lv) ? [] : [{ kind: 'logical-volume', lv, owner, isOfThisCluster }];
    });
}

/** Also one that was cut off before it became a pool, and whose volume is gone. */
function orphanPools({ look }: Searched, volumes: readonly Claimant[]): readonly OrphanPool[] {
  const wanted = new Set(volumes.flatMap(({ annotations }) => annotations?.thinPool ?? []));
  return [...look.lvm.groups.values()].flatMap((group) => {
    const used = new Set([...group.volumes.values()].flatMap(({ pool }) => pool ?? []));
    return [...group.volumes.values()]
      .filter(({ name, tags }) => tags.includes(POOL_TAG) && !used.has(name) && !wanted.has(name))
      .map((lv): OrphanPool => ({ kind: 'thin-pool', lv }));
  });
}

/** What a filesystem keeps for itself, if one is mounted at the mount base: no volume can be called so. */
const OF_FILESYSTEM = 'lost+found';

/** What is in the directory says nothing while something else hides it. */
function orphanMountPoints({ look, names, mountBase }: Searched, volumes: readonly Claimant[]) {
  const wanted = new Set(volumes.map(({ path }) => path));
  const mounted = look.mounts.map(({ mountPoint }) => mountPoint).filter((path) => dirname(path) === mountBase);
  const isHidden = coverOf(look, mountBase) !== undefined;
  const there = names.filter((name) => !isHidden && name !== OF_FILESYSTEM).map((name) => `${mountBase}/${name}`);
  const paths = new Set([...there, ...mounted]);
  return [...paths]
    .filter((path) => !wanted.has(path))
    .sort()
    .map((path): OrphanMountPoint => {
      const mounts = look.mounts.filter(({ mountPoint }) => mountPoint === path);
      return { kind: 'mount-point', path, mounts };
    });
}

/** For people, without a full stop. */
export function orphanInWords(orphan: Orphan): string {
  if (orphan.kind === 'mount-point') {
    const { path, mounts } = orphan;
    const top = mounts.at(-1);
    return top ? `${path}, where ${top.source} is mounted` : `${path}, where nothing is mounted`;
  }
  if (orphan.kind === 'thin-pool') return `the thin pool ${orphan.lv.group}/${orphan.lv.name}, which nothing is in`;
  const { lv, owner, isOfThisCluster } = orphan;
  const whose = isOfThisCluster ? '' : ` of another cluster (${owner.cluster})`;
  return `the logical volume ${lv.group}/${lv.name} of the volume ${owner.pv}${whose}`;
}
