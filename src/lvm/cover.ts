/** Whether what is mounted where volumes belong can still be reached there. Pure. */
import { dirname } from 'node:path';
import { MountTree } from '../kit/host/mount-tree.ts';
import type { Mount } from '../kit/host/mounts.ts';
import type { Look } from './sight.ts';

/**
 * What somebody has mounted over the directory that volumes are mounted in, or over one above it, after they were: it hides them, and is not
 * theirs. One that was there before they were mounted hides nothing. Only mounts of logical volumes tell, whoever mounted them.
 */
export function coverOf({ mounts, lvm, mappings }: Look, directory: string): Mount | undefined {
  const tree = new MountTree(mounts);
  const cover = tree.at(directory);
  if (!cover || cover.mountPoint === '/') return undefined;
  const volumes = [...lvm.groups.values()].flatMap((group) => [...group.volumes.values()]);
  const devices = new Set([...volumes, ...mappings].map(({ device }) => device));
  const isHidden = ({ mountPoint, device }: Mount): boolean =>
    dirname(mountPoint) === directory && devices.has(device) && tree.at(mountPoint)?.mountPoint !== mountPoint;
  return mounts.some(isHidden) ? cover : undefined;
}
